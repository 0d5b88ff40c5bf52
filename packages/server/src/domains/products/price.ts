/**
 * A price: what one unit of a product costs, in one currency, once or for each interval. Its money never changes:
 * what was billed by it can be computed again at any time. Another currency, or another amount, is another price.
 */
import type { Currency } from '../../kernel/currency.ts'
import type { Id } from '../../kernel/id.ts'
import { canonical } from '../../kernel/json.ts'
import { mergeMetadata } from '../../kernel/metadata.ts'

export const intervals = ['day', 'week', 'month', 'year'] as const

export type Recurring = { readonly interval: (typeof intervals)[number]; readonly intervalCount: number }

/** How many of each make three years. Longer is not a subscription. */
export const longest: { readonly [I in Recurring['interval']]: number } = {
  day: 1095,
  week: 156,
  month: 36,
  year: 3,
}

/** What a price is. It never changes. */
export type Terms = {
  readonly productId: Id<'product'>
  readonly currency: Currency
  readonly scheme: 'per_unit'
  /** Minor units of the currency, without zeros at its end: `2999`, `0.4`. */
  readonly unitAmountDecimal: string
  /** Null: it is paid once. */
  readonly recurring: Recurring | null
}

/** What a caller may change. */
export type PriceDetails = {
  readonly active: boolean
  readonly lookupKey: string | null
  readonly nickname: string | null
  readonly metadata: { readonly [key: string]: string }
}

export type Price = Terms &
  PriceDetails & {
    readonly id: Id<'price'>
    readonly createdAt: Date
    readonly updatedAt: Date
    readonly deletedAt: Date | null
    readonly version: number
    readonly sequence: number
  }

/** A request as the wire has it: a member that is missing stays as it was. */
export type PriceInput = {
  readonly active?: boolean
  readonly lookup_key?: string | null
  readonly nickname?: string | null
  readonly metadata?: { readonly [key: string]: string | null }
}

export const newPrice: PriceDetails = { active: true, lookupKey: null, nickname: null, metadata: {} }

/** Members that are sent replace, null clears, metadata merges by key. */
export function applyToPrice(before: PriceDetails, input: PriceInput): PriceDetails {
  const keep = <T>(sent: T | undefined, was: T) => (sent === undefined ? was : sent)
  return {
    active: keep(input.active, before.active),
    lookupKey: keep(input.lookup_key, before.lookupKey),
    nickname: keep(input.nickname, before.nickname),
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

export function isSamePrice(a: PriceDetails, b: PriceDetails): boolean {
  return (Object.keys(newPrice) as (keyof PriceDetails)[]).every(
    (name) => canonical(a[name]) === canonical(b[name]),
  )
}

/** One spelling for each amount: `29.90` is `29.9`, and `30.00` is `30`. */
export function shortest(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}

/** The amount as an integer; null if it is a part of a minor unit. */
export function wholeUnits(unitAmountDecimal: string): number | null {
  return unitAmountDecimal.includes('.') ? null : Number(unitAmountDecimal)
}

const lookupPrefix = 'lookup:'

/** `lookup:<key>` where an id could stand; null for an id. */
export function lookupKeyIn(text: string): string | null {
  return text.startsWith(lookupPrefix) ? text.slice(lookupPrefix.length) : null
}
