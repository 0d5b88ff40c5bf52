/**
 * Drives a running provider through the duties of the protocol and says which it does not keep. It finds what
 * can be found from outside; that records survive a power cut, only their maker can prove.
 */
import { machineTime } from '../../kernel/clock.ts'
import type { Mode } from '../../kernel/id.ts'
import type { Instrument, Sender } from '../contract.ts'
import { Unreadable } from '../read.ts'
import { type Duty, recordDuties } from './check/duties.ts'
import { moneyDuties } from './check/money-duties.ts'
import { Broken, contextOf, expect, Probe, type ProbeSettings, send } from './check/probe.ts'
import { signatureDuties } from './check/signature-duties.ts'
import { manifest as manifestStep } from './provider.ts'
import type { Manifest } from './wire.ts'

export type CheckSettings = {
  readonly sender: Sender
  readonly baseUrl: string
  readonly secret: string
  readonly mode: Mode
  /** A card that the provider approves. Without one, nothing is asked that could move money: so for live. */
  readonly instrument?: Instrument | null
  readonly time?: () => Date
  readonly wait?: (ms: number) => Promise<void>
}

export type DutyResult = {
  readonly name: string
  readonly is: 'kept' | 'broken' | 'not_asked'
  /** What is wrong, for its developer. */
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
  expMonth: 12,
  expYear: 2040,
  cvc: '123',
}

export async function checkProvider(settings: CheckSettings): Promise<CheckReport> {
  const asked: ProbeSettings = {
    instrument: settings.mode === 'test' ? testCard : null,
    time: machineTime,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    ...settings,
  }
  const name = 'the manifest can be read, and offers lookup and close'
  const { value: manifest, detail } = await attempt(() => readManifest(asked))
  const results: DutyResult[] = [{ name, is: detail === null ? 'kept' : 'broken', detail }]
  if (manifest === null) return { passed: false, manifest, results }

  const probe = new Probe(asked, manifest)
  // One after the other: a provider that breaks under load would seem to break every duty.
  for (const duty of [...recordDuties, ...signatureDuties, ...moneyDuties])
    results.push(await resultOf(duty, probe))
  return { passed: results.every(({ is }) => is !== 'broken'), manifest, results }
}

async function readManifest(settings: ProbeSettings): Promise<Manifest> {
  const reply = await send(settings, manifestStep.build(null, contextOf(settings)))
  const manifest = manifestStep.parse(reply, null)
  const { lookup, close } = manifest.features
  expect(lookup && close, 'Without lookup and close, an answer that was lost could block a payment for days.')
  return manifest
}

async function resultOf({ name, applies, run }: Duty, probe: Probe): Promise<DutyResult> {
  if (applies?.(probe) === false) return { name, is: 'not_asked', detail: null }
  const { detail } = await attempt(() => run(probe))
  return { name, is: detail === null ? 'kept' : 'broken', detail }
}

/** What is wrong with them is a result; what is wrong with us is not. */
async function attempt<T>(run: () => Promise<T>): Promise<{ value: T | null; detail: string | null }> {
  try {
    return { value: await run(), detail: null }
  } catch (error) {
    if (error instanceof Broken || error instanceof Unreadable) return { value: null, detail: error.message }
    throw error
  }
}
