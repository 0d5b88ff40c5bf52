/** Applies the restrictions of the merchant to the capabilities of a provider. They never add capabilities. */
import type { Capabilities, MethodType, OperationKind } from '../../../providers/contract.ts'

/** The restrictions of the merchant. Omitted members are not restricted. */
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
  /** The types of payment methods other than cards that may be used. */
  readonly methods?: readonly MethodType[]
}

/** A change in the format of the API: null removes a restriction. */
export type NarrowingChange = { readonly [Name in keyof Narrowing]?: Narrowing[Name] | null }

export function changeNarrowing(before: Narrowing, change: NarrowingChange | null): Narrowing {
  const restrictions = Object.entries({ ...before, ...change })
  return change === null
    ? {}
    : Object.fromEntries(restrictions.filter(([, restriction]) => restriction !== null))
}

export function narrowCapabilities(all: Capabilities, narrowing: Narrowing): Capabilities {
  const { kinds = all.kinds } = narrowing
  return {
    kinds: all.kinds.filter((kind) => kinds.includes(kind)),
    brands: intersect(all.brands, narrowing.brands),
    currencies: intersect(all.currencies, narrowing.currencies),
    countries: intersect(all.countries, narrowing.countries),
    amount: intersectLimits(all.amount, narrowing.amount ?? null),
    manualCapture: all.manualCapture && narrowing.manual_capture !== false,
    multiCapture: all.multiCapture && narrowing.multi_capture !== false,
    partialRefund: all.partialRefund && narrowing.partial_refund !== false,
    threeDSecure: all.threeDSecure && narrowing.three_d_secure !== false,
    offSession: all.offSession && narrowing.off_session !== false,
    methods: allowedMethods(all.methods, narrowing.methods),
  }
}

function allowedMethods(
  all: Capabilities['methods'],
  allowed: readonly MethodType[] | undefined,
): Capabilities['methods'] {
  if (allowed === undefined) return all
  return Object.fromEntries(Object.entries(all).filter(([type]) => allowed.includes(type as MethodType)))
}

type List = readonly string[] | 'all'

function intersect(all: List, allowed: readonly string[] | undefined): List {
  if (allowed === undefined) return all
  return all === 'all' ? [...new Set(allowed)] : all.filter((value) => allowed.includes(value))
}

type Limits = Capabilities['amount']

/** The result can be an empty range, in which case no amount is accepted. */
function intersectLimits(all: Limits, narrowing: Limits): Limits {
  if (all === null || narrowing === null) return all ?? narrowing
  return { min: Math.max(all.min, narrowing.min), max: Math.min(all.max, narrowing.max) }
}
