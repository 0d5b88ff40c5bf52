/**
 * A price: what a quantity of a product costs in one currency, once or per interval. Its terms never change, so that
 * past invoices can be recomputed. Different terms need a new price.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { Pricing } from '../../../kernel/price-schemes.ts'

export const intervals = ['day', 'week', 'month', 'year'] as const

/** Whether amounts include tax. */
export const taxBehaviors = ['exclusive', 'inclusive'] as const

export type Recurring = { readonly interval: (typeof intervals)[number]; readonly intervalCount: number }

/** The longest interval is three years. */
export const maxIntervalCounts: { readonly [I in Recurring['interval']]: number } = {
  day: 1095,
  week: 156,
  month: 36,
  year: 3,
}

/**
 * Usage is billed to the second, from events that are stored for about three months, and is corrected for 35 days.
 * Therefore a period with usage is at most a month.
 */
export const maxMeteredCounts: { readonly [I in Recurring['interval']]: number } = {
  day: 31,
  week: 4,
  month: 1,
  year: 0,
}

/** The immutable part of a price. */
export type PriceTerms = {
  readonly productId: Id<'product'>
  readonly currency: Currency
  /** The price of a unit or a package in minor units, without trailing zeros: `2999`, `0.4`. Null with tiers. */
  readonly unitAmountDecimal: string | null
  readonly pricing: Pricing
  readonly taxBehavior: (typeof taxBehaviors)[number]
  /** Null: a one-time price. */
  readonly recurring: Recurring | null
  /** The meter whose usage is billed at the end of each period. Null: the quantity is set by the subscription. */
  readonly meterId: Id<'meter'> | null
}

/** The members that a caller can change. */
export type PriceDetails = {
  readonly active: boolean
  readonly lookupKey: string | null
  readonly nickname: string | null
  readonly metadata: { readonly [key: string]: string }
}

export type Price = PriceTerms &
  PriceDetails & {
    readonly id: Id<'price'>
    readonly createdAt: Date
    readonly updatedAt: Date
    readonly deletedAt: Date | null
    readonly version: number
    readonly sequence: number
  }

/** A request body. Omitted members are unchanged. */
export type PriceInput = {
  readonly active?: boolean
  readonly lookup_key?: string | null
  readonly nickname?: string | null
  readonly metadata?: { readonly [key: string]: string | null }
}

export const defaultPriceDetails: PriceDetails = {
  active: true,
  lookupKey: null,
  nickname: null,
  metadata: {},
}

/** Members in the request replace the old values, null clears a value, and metadata is merged by key. */
export function applyToPrice(before: PriceDetails, input: PriceInput): PriceDetails {
  const orPrevious = <T>(value: T | undefined, previous: T) => (value === undefined ? previous : value)
  return {
    active: orPrevious(input.active, before.active),
    lookupKey: orPrevious(input.lookup_key, before.lookupKey),
    nickname: orPrevious(input.nickname, before.nickname),
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

export function isSamePrice(a: PriceDetails, b: PriceDetails): boolean {
  return (Object.keys(defaultPriceDetails) as (keyof PriceDetails)[]).every(
    (name) => canonical(a[name]) === canonical(b[name]),
  )
}

/**
 * Removes trailing zeros, so that equal amounts have equal strings: `29.90` is `29.9`, and `30.00` is `30`.
 */
export function normalizeDecimal(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}

/** The amount as an integer; null if it has a fraction of a minor unit, or there are tiers. */
export function wholeUnits(unitAmountDecimal: string | null): number | null {
  return unitAmountDecimal === null || unitAmountDecimal.includes('.') ? null : Number(unitAmountDecimal)
}

const lookupPrefix = 'lookup:'

/** Returns the key of `lookup:<key>`, which is accepted in place of an id; null for an id. */
export function parseLookupKey(text: string): string | null {
  return text.startsWith(lookupPrefix) ? text.slice(lookupPrefix.length) : null
}
