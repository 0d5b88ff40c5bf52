// `npm run provider:smoke -- <name>`: checks a connector against the sandbox of its provider, with credentials from the
// environment, and writes a redacted transcript to .switchyard/smoke. `--emulated` starts the emulator of the provider
// instead; `all --emulated` checks all connectors.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createOutbound } from '../packages/server/src/platform/outbound/client.ts'
import { connectors } from '../packages/server/src/providers/connectors.ts'
import type { ConnectorConfig, Provider, Setup } from '../packages/server/src/providers/contract.ts'
import { startEmulator } from './provider-smoke/emulator.ts'
import { readAccount, type SmokeAccount } from './provider-smoke/environment.ts'
import { automaticPayer, type Payer, waitingPayer } from './provider-smoke/payer.ts'
import { runSmoke } from './provider-smoke/run.ts'
import { writeTranscript } from './provider-smoke/transcript.ts'

const folder = resolve(import.meta.dirname, '../.switchyard/smoke')
const { values, positionals } = parseArgs({
  options: { emulated: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [name = '', ...others] = positionals
const chosen = connectors.filter(({ id }) => name === 'all' || id === name.replaceAll('-', '_'))

if (chosen.length === 0 || others.length > 0 || (name === 'all' && !values.emulated)) {
  console.error('Usage: npm run provider:smoke -- <name> [--emulated], or: all --emulated')
  console.error(`Names: ${connectors.map(({ id }) => id).join(', ')}`)
  process.exit(1)
}

const results: boolean[] = []
for (const provider of chosen) results.push(await check(provider))
process.exitCode = results.includes(false) ? 1 : 0

/** Whether no step failed. */
async function check(provider: Provider<ConnectorConfig>): Promise<boolean> {
  const { setup } = provider
  if (setup === undefined) throw new Error(`${provider.id} has no setup.`)
  if (values.emulated) {
    const { simulator, account } = await startEmulator(provider, setup)
    const passed = await run({ provider, setup, account, payer: await automaticPayer() })
    await simulator.stop()
    return passed
  }
  const account = readAccount(provider, setup, process.env)
  if ('config' in account) return run({ provider, setup, account, payer: await waitingPayer(console.log) })
  console.error(`${setup.name} cannot be checked:\n${account.map((line) => `- ${line}`).join('\n')}`)
  return false
}

type Run = {
  readonly provider: Provider<ConnectorConfig>
  readonly setup: Setup
  readonly account: SmokeAccount
  readonly payer: Payer
}

async function run({ provider, setup, account, payer }: Run): Promise<boolean> {
  const { base_url: baseUrl } = account.config
  console.log(`${setup.name} at ${new URL(baseUrl).host}`)
  // An emulator may be on this machine, and without TLS.
  const outbound = createOutbound({ allowCidrs: [], allowLoopback: true, simulatorUrl: baseUrl })
  const transcript = await runSmoke({
    provider,
    setup,
    account,
    payer,
    sender: outbound,
    print: console.log,
  })
  await Promise.all([outbound.close(), payer.close()])
  console.log(`Transcript: ${writeTranscript(folder, transcript)}\n`)
  return transcript.steps.every(({ status }) => status !== 'failed')
}
