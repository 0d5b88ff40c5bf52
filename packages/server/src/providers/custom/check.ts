/**
 * Tests a running provider against the requirements of the protocol. It finds violations that are visible
 * from outside; durability of records after a power failure cannot be tested.
 */
import { machineTime } from '../../kernel/clock.ts'
import type { Mode } from '../../kernel/id.ts'
import type { Instrument, Sender } from '../contract.ts'
import { Unreadable } from '../read.ts'
import { type Duty, recordDuties } from './check/duties.ts'
import { moneyDuties } from './check/money-duties.ts'
import { contextOf, expect, Probe, type ProbeSettings, send, Violation } from './check/probe.ts'
import { signatureDuties } from './check/signature-duties.ts'
import { manifest as manifestStep } from './provider.ts'
import type { Manifest } from './wire.ts'

export type CheckSettings = {
  readonly sender: Sender
  readonly baseUrl: string
  readonly secret: string
  readonly mode: Mode
  /**
   * A card the provider approves. Without one, no operation that could move money is sent, as in live mode.
   */
  readonly instrument?: Instrument | null
  readonly time?: () => Date
  readonly wait?: (ms: number) => Promise<void>
}

export type DutyResult = {
  readonly name: string
  readonly status: 'kept' | 'broken' | 'not_asked'
  /** The violation, for the developer of the provider. */
  readonly detail: string | null
}

export type CheckReport = {
  readonly passed: boolean
  readonly manifest: Manifest | null
  readonly results: readonly DutyResult[]
}

/** The card that test environments approve. */
const testCard: Instrument = {
  type: 'card',
  number: '4242424242424242',
  brand: 'visa',
  bin: '424242',
  last4: '4242',
  expMonth: 12,
  expYear: 2040,
  cvc: '123',
}

export async function checkProvider(settings: CheckSettings): Promise<CheckReport> {
  const probeSettings: ProbeSettings = {
    instrument: settings.mode === 'test' ? testCard : null,
    time: machineTime,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    ...settings,
  }
  const name = 'the manifest is valid, and supports lookup and close'
  const { value: manifest, detail } = await attempt(() => readManifest(probeSettings))
  const results: DutyResult[] = [{ name, status: detail === null ? 'kept' : 'broken', detail }]
  if (manifest === null) return { passed: false, manifest, results }

  const probe = new Probe(probeSettings, manifest)
  // Checks run one after the other: a provider that fails under load would seem to violate everything.
  for (const duty of [...recordDuties, ...signatureDuties, ...moneyDuties])
    results.push(await resultOf(duty, probe))
  return { passed: results.every(({ status }) => status !== 'broken'), manifest, results }
}

async function readManifest(settings: ProbeSettings): Promise<Manifest> {
  const reply = await send(settings, manifestStep.build(null, contextOf(settings)))
  const manifest = manifestStep.parse(reply, null)
  const { lookup, close } = manifest.features
  expect(lookup && close, 'Without lookup and close, a lost response could block a payment for days.')
  return manifest
}

async function resultOf({ name, applies, run }: Duty, probe: Probe): Promise<DutyResult> {
  if (applies?.(probe) === false) return { name, status: 'not_asked', detail: null }
  const { detail } = await attempt(() => run(probe))
  return { name, status: detail === null ? 'kept' : 'broken', detail }
}

/** Violations are results; our own errors are not. */
async function attempt<T>(run: () => Promise<T>): Promise<{ value: T | null; detail: string | null }> {
  try {
    return { value: await run(), detail: null }
  } catch (error) {
    if (error instanceof Violation || error instanceof Unreadable)
      return { value: null, detail: error.message }
    throw error
  }
}
