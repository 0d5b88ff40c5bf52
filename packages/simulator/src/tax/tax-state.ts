/**
 * The ledger of simulated tax providers, in memory: calculations, and the documents that were recorded for each account.
 * A reference is recorded once. The rates are made up.
 */
import { randomUUID } from 'node:crypto'

export type TaxedLine = {
  readonly id: string
  readonly reference: string
  /** In minor units, negative for a reversal. It contains the tax if `inclusive` is set. */
  readonly amount: number
  readonly tax: number
  readonly inclusive: boolean
  readonly percentage: number
  readonly reason: string
}

export type RecordedDocument = {
  readonly id: string
  readonly account: string
  readonly reference: string
  readonly kind: 'sale' | 'reversal'
  readonly currency: string
  /** The id of the sale that is reversed. */
  readonly original: string | null
  readonly lines: readonly TaxedLine[]
}

export type Calculation = {
  readonly id: string
  readonly account: string
  readonly currency: string
  readonly lines: readonly TaxedLine[]
}

/** What happens to a call that would succeed. */
export const taxFaults = [
  /** Processes the call, and closes the connection without a response. */
  'lost_answer',
  /** Processes the call, and responds late. */
  'late_answer',
  /** Processes the call, and responds with 500. */
  'server_error_after',
  /** Responds with 503 without processing the call. */
  'unavailable',
] as const
export type TaxFault = (typeof taxFaults)[number]

export type TaxState = {
  readonly calculations: Map<string, Calculation>
  /** By account and reference. */
  readonly documents: Map<string, RecordedDocument>
  /** The responses by account and idempotency key, with the requests. */
  readonly replays: Map<string, { readonly sent: string; readonly body: object }>
  /** The share of calls with a fault, from 0 to 1, and the random seed. */
  plan: {
    readonly share: number
    readonly seed: number
    readonly faults: readonly TaxFault[]
    readonly lateMs: number
  }
  /** How many calls were received. */
  calls: number
  /** How many calls tried to record a reference that was recorded before. */
  repeated: number
  down: boolean
}

export function createTaxState(): TaxState {
  return {
    calculations: new Map(),
    documents: new Map(),
    replays: new Map(),
    plan: { share: 0, seed: 1, faults: taxFaults, lateMs: 50 },
    calls: 0,
    repeated: 0,
    down: false,
  }
}

/** The fault of the next call, or null. The same seed gives the same sequence. */
export function nextFault(state: TaxState): TaxFault | null {
  state.calls += 1
  if (state.down) return 'unavailable'
  const { share, seed, faults } = state.plan
  if (randomOf(seed, state.calls) >= share) return null
  return faults[Math.floor(randomOf(seed + 1, state.calls) * faults.length)] ?? null
}

/** A number from 0 to 1 that depends on both parameters: a hash that distributes consecutive counts well. */
function randomOf(seed: number, count: number): number {
  let hash = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(count, 0x85ebca6b)) >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d) >>> 0
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b) >>> 0
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

const rates: Readonly<Record<string, number>> = { DE: 19, FR: 20, GB: 20, CA: 5 }
const stateRates: Readonly<Record<string, number>> = { CA: 8.25, NY: 8.875, WA: 10.35 }

export type Buyer = {
  readonly country: string
  readonly state: string | null
  readonly isExempt: boolean
  readonly hasVatId: boolean
  readonly sellerCountry: string | null
}

export function rateFor({ country, state, isExempt, hasVatId, sellerCountry }: Buyer): {
  readonly percentage: number
  readonly reason: string
} {
  if (isExempt) return { percentage: 0, reason: 'customer_exempt' }
  if (hasVatId && country !== sellerCountry) return { percentage: 0, reason: 'reverse_charge' }
  const percentage = country === 'US' ? (stateRates[state ?? ''] ?? 0) : (rates[country] ?? 0)
  return { percentage, reason: percentage === 0 ? 'not_collecting' : 'standard_rated' }
}

/** Rounded per line, half away from zero. */
export function taxOn(amount: number, percentage: number, inclusive: boolean): number {
  const tax = inclusive ? (amount * percentage) / (100 + percentage) : (amount * percentage) / 100
  return Math.sign(tax) * Math.round(Math.abs(tax))
}

export function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`
}

export const keyOf = (account: string, reference: string) => `${account} ${reference}`
