/** Runs the smoke test of one connector, without a database, and returns its transcript. */
import { randomBytes } from 'node:crypto'
import { machineTime } from '../../packages/server/src/kernel/clock.ts'
import { createLog } from '../../packages/server/src/platform/log.ts'
import type {
  ConnectorConfig,
  Provider,
  Sender,
  Setup,
} from '../../packages/server/src/providers/contract.ts'
import { createPerformer } from '../../packages/server/src/providers/perform.ts'
import { termsOf } from '../../packages/server/src/providers/terms.ts'
import type { SmokeAccount } from './environment.ts'
import type { Payer } from './payer.ts'
import { createRedactor } from './redact.ts'
import { createReport } from './report.ts'
import { runSteps } from './steps.ts'
import { type Transcript, transcriptOf } from './transcript.ts'
import { createWire } from './wire.ts'

type SmokeOptions = {
  readonly provider: Provider<ConnectorConfig>
  readonly setup: Setup
  readonly account: SmokeAccount
  readonly sender: Sender
  readonly payer: Payer
  print(line: string): void
}

export async function runSmoke({
  provider,
  setup,
  account,
  sender,
  payer,
  print,
}: SmokeOptions): Promise<Transcript> {
  const { config, cards, currency } = account
  const wire = createWire(sender)
  const report = createReport({ print, onStep: wire.startStep })
  const performer = createPerformer({
    sender: wire.sender,
    log: createLog('silent'),
    hashKey: randomBytes(32),
  })
  const smoke = {
    provider: provider as Provider,
    account: { id: 'smoke', mode: 'test', config },
    terms: termsOf(provider as Provider, config),
    performer,
    cards,
    currency,
    payer,
  } as const
  const date = machineTime()
  await runSteps(smoke, report, wire)
  const redactor = createRedactor([...secretsOf(setup, config), ...cards.secrets])
  const parts = { provider: provider.id, date, baseUrl: config.base_url }
  return transcriptOf({ ...parts, steps: report.results, calls: wire.calls }, redactor)
}

/** The credentials, and the settings that identify the merchant. */
function secretsOf(setup: Setup, { credentials, webhook_secrets, settings }: ConnectorConfig): string[] {
  const required = setup.settings.filter((field) => field.required === true)
  return [
    ...Object.values(credentials),
    ...Object.values(webhook_secrets).flat(),
    ...required.flatMap(({ name }) => settings[name] ?? []),
  ]
}
