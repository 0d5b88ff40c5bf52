/** What is left of a provider's capabilities when a business wants less of them. Nobody can want more. */
import type { Capabilities, OperationKind } from '../../providers/contract.ts'

/** What a business asks for; what it does not mention stays as the provider has it. */
export type Narrowing = {
  readonly kinds?: readonly OperationKind[]
  readonly brands?: readonly string[]
  readonly currencies?: readonly string[]
  readonly countries?: readonly string[]
  readonly amount?: { readonly min: number; readonly max: number }
  readonly manual_capture?: boolean
  readonly multi_capture?: boolean
  readonly partial_refund?: boolean
  readonly three_d_secure?: boolean
  readonly off_session?: boolean
}

/** The same, as the wire has it: null takes a wish back. */
export type NarrowingChange = { readonly [Name in keyof Narrowing]?: Narrowing[Name] | null }

export function changeNarrowing(before: Narrowing, change: NarrowingChange | null): Narrowing {
  const wishes = Object.entries({ ...before, ...change })
  return change === null ? {} : Object.fromEntries(wishes.filter(([, wish]) => wish !== null))
}

export function narrowed(all: Capabilities, narrowing: Narrowing): Capabilities {
  const { kinds = all.kinds } = narrowing
  return {
    kinds: all.kinds.filter((kind) => kinds.includes(kind)),
    brands: common(all.brands, narrowing.brands),
    currencies: common(all.currencies, narrowing.currencies),
    countries: common(all.countries, narrowing.countries),
    amount: within(all.amount, narrowing.amount ?? null),
    manualCapture: all.manualCapture && narrowing.manual_capture !== false,
    multiCapture: all.multiCapture && narrowing.multi_capture !== false,
    partialRefund: all.partialRefund && narrowing.partial_refund !== false,
    threeDSecure: all.threeDSecure && narrowing.three_d_secure !== false,
    offSession: all.offSession && narrowing.off_session !== false,
  }
}

type Words = readonly string[] | 'all'

function common(all: Words, wanted: readonly string[] | undefined): Words {
  if (wanted === undefined) return all
  return all === 'all' ? [...new Set(wanted)] : all.filter((word) => wanted.includes(word))
}

type Limits = Capabilities['amount']

/** They may leave nothing between them: then no amount is taken here. */
function within(all: Limits, wanted: Limits): Limits {
  if (all === null || wanted === null) return all ?? wanted
  return { min: Math.max(all.min, wanted.min), max: Math.min(all.max, wanted.max) }
}

/** As they are shown. */
export function toWire(capabilities: Capabilities) {
  const listOf = (known: Words) => (known === 'all' ? null : [...known])
  return {
    kinds: [...capabilities.kinds],
    brands: listOf(capabilities.brands),
    currencies: listOf(capabilities.currencies),
    countries: listOf(capabilities.countries),
    amount: capabilities.amount,
    manual_capture: capabilities.manualCapture,
    multi_capture: capabilities.multiCapture,
    partial_refund: capabilities.partialRefund,
    three_d_secure: capabilities.threeDSecure,
    off_session: capabilities.offSession,
  }
}
