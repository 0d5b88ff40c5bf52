/**
 * Tests a running provider against the requirements of the protocol. It finds violations that are visible
 * from outside; durability of records after a power failure cannot be tested.
 */
import { machineTime } from '../../kernel/clock.ts'
import type { Mode } from '../../kernel/id.ts'
import type { Instrument, Sender } from '../contract.ts'
import { Unreadable } from '../read.ts'
import { moneyRequirements } from './check/money-requirements.ts'
import { contextOf, expect, Probe, type ProbeSettings, send, Violation } from './check/probe.ts'
import { type Requirement, recordRequirements } from './check/requirements.ts'
import { signatureRequirements } from './check/signature-requirements.ts'
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

export type RequirementResult = {
  readonly name: string
  readonly status: 'met' | 'violated' | 'skipped'
  /** The violation, for the developer of the provider. */
  readonly detail: string | null
}

export type CheckReport = {
  readonly passed: boolean
  readonly manifest: Manifest | null
  readonly results: readonly RequirementResult[]
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
  const results: RequirementResult[] = [{ name, status: detail === null ? 'met' : 'violated', detail }]
  if (manifest === null) return { passed: false, manifest, results }

  const probe = new Probe(probeSettings, manifest)
  // Checks run one after the other: a provider that fails under load would seem to violate everything.
  for (const requirement of [...recordRequirements, ...signatureRequirements, ...moneyRequirements])
    results.push(await resultOf(requirement, probe))
  return { passed: results.every(({ status }) => status !== 'violated'), manifest, results }
}

async function readManifest(settings: ProbeSettings): Promise<Manifest> {
  const reply = await send(settings, manifestStep.build(null, contextOf(settings)))
  const manifest = manifestStep.parse(reply, null)
  const { lookup, close } = manifest.features
  expect(lookup && close, 'Without lookup and close, a lost response could block a payment for days.')
  return manifest
}

async function resultOf({ name, applies, run }: Requirement, probe: Probe): Promise<RequirementResult> {
  if (applies?.(probe) === false) return { name, status: 'skipped', detail: null }
  const { detail } = await attempt(() => run(probe))
  return { name, status: detail === null ? 'met' : 'violated', detail }
}

/** Violations are returned as results. Errors of this program are thrown. */
async function attempt<T>(run: () => Promise<T>): Promise<{ value: T | null; detail: string | null }> {
  try {
    return { value: await run(), detail: null }
  } catch (error) {
    if (error instanceof Violation || error instanceof Unreadable)
      return { value: null, detail: error.message }
    throw error
  }
}
