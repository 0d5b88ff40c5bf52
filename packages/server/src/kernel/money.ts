/**
 * Amounts in minor units, as `bigint`: a price times the seconds of a year is beyond what a JavaScript number
 * holds exactly. Every division is here, in `mulDiv` and `allocate`, so rounding has one rule. Two currencies
 * never meet: a sum of euros and dollars is a mistake of ours, not a case to handle.
 */
import { assert } from './assert.ts'
import { type Currency, exponentOf } from './currency.ts'

export type Money = { readonly amount: bigint; readonly currency: Currency }

/** Money in JSON, where an amount is a number. */
export type WireMoney = { readonly amount: number; readonly currency: Currency }

export function money(amount: bigint, currency: Currency): Money {
  return { amount, currency }
}

export function add(a: Money, b: Money): Money {
  assertSameCurrency(a, b)
  return money(a.amount + b.amount, a.currency)
}

export function subtract(a: Money, b: Money): Money {
  assertSameCurrency(a, b)
  return money(a.amount - b.amount, a.currency)
}

export function negate(a: Money): Money {
  return money(-a.amount, a.currency)
}

export function isZero(a: Money): boolean {
  return a.amount === 0n
}

/** For sorting, and for `compare(paid, due) >= 0`. */
export function compare(a: Money, b: Money): -1 | 0 | 1 {
  assertSameCurrency(a, b)
  return order(a.amount, b.amount)
}

/**
 * `amount * numerator / denominator`: the product is exact, and what is halfway goes away from zero. So a
 * credit is always the negative of the debit it takes back.
 */
export function mulDiv(amount: bigint, numerator: bigint, denominator: bigint): bigint {
  assert(denominator > 0n, 'The denominator is above zero. A period of no length is skipped, not divided by.')
  const product = amount * numerator
  const size = product < 0n ? -product : product
  const rounded = (2n * size + denominator) / (2n * denominator)
  return product < 0n ? -rounded : rounded
}

const decimalAmount = /^(-?)([0-9]+)(?:\.([0-9]{1,12}))?$/

/** An amount in minor units that may have decimals, so many times; rounded once, half away from zero. */
export function multiplyDecimal(unit: string, times: number): bigint {
  const match = decimalAmount.exec(unit)
  assert(match !== null, 'The amount of a unit is a decimal with at most 12 places: the schema says so.')
  const [, sign, whole = '', fraction = ''] = match
  const amount = mulDiv(BigInt(whole + fraction), BigInt(times), 10n ** BigInt(fraction.length))
  return sign === '-' ? -amount : amount
}

/** Below it a charge costs more than it brings, and many acquirers refuse it. */
export function smallestCharge(currency: Currency): bigint {
  return exponentOf(currency) <= 2 ? 50n : 500n
}

/**
 * The share of `whole` that `part` of `of` stands for. Shares that were each rounded may miss the whole by a
 * unit: take the rest as `subtract(whole, share)`, or split with `allocate`.
 */
export function prorate(whole: Money, part: bigint, of: bigint): Money {
  assert(part >= 0n && part <= of, 'A part is between nothing and the whole: clamp the time to its period.')
  return money(mulDiv(whole.amount, part, of), whole.currency)
}

/** Splits `whole` in proportion to `weights`, by largest remainder. The parts always add up to the whole. */
export function allocate(whole: Money, weights: readonly bigint[]): Money[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n)
  assert(total > 0n && weights.every((weight) => weight >= 0n), 'Weights are zero or more, and not all zero.')

  const [size, sign] = whole.amount < 0n ? [-whole.amount, -1n] : [whole.amount, 1n]
  const parts = weights.map((weight) => ({ share: (size * weight) / total, rest: (size * weight) % total }))
  const left = size - parts.reduce((sum, part) => sum + part.share, 0n)
  // What cannot be divided goes where most was cut off. The sort is stable: ties go to the earlier part.
  // `left` is less than the number of parts; a remainder may be too long for a number and stays a bigint.
  const raised = new Set(parts.toSorted((a, b) => order(b.rest, a.rest)).slice(0, Number(left)))

  const amountOf = (part: (typeof parts)[number]) => sign * (part.share + (raised.has(part) ? 1n : 0n))
  return parts.map((part) => money(amountOf(part), whole.currency))
}

export function toWire(a: Money): WireMoney {
  const amount = Number(a.amount)
  assert(Number.isSafeInteger(amount), 'JSON cannot carry this amount exactly: limit it where it comes in.')
  return { amount, currency: a.currency }
}

export function fromWire(wire: WireMoney): Money {
  assert(Number.isSafeInteger(wire.amount), 'An amount is a safe integer: the schema of the request says so.')
  return money(BigInt(wire.amount), wire.currency)
}

/** The amount in major units, with all places of its currency: `12.99`, `-0.05`, `12` for jpy. */
export function formatDecimal(a: Money): string {
  const places = exponentOf(a.currency)
  const [size, sign] = a.amount < 0n ? [-a.amount, '-'] : [a.amount, '']
  if (places === 0) return `${sign}${size}`

  const digits = String(size).padStart(places + 1, '0')
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`
}

// No zeros in front: digits that are padded usually count minor units, and would be read 100 times too high.
const decimal = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$/
// Far above any amount that can be stored. Longer texts are not worth the time that reading them takes.
const longestDecimal = 40

/** The reverse of `formatDecimal`. It may have fewer or more places, but null if it had to be rounded. */
export function parseDecimal(text: string, currency: Currency): Money | null {
  const match = text.length <= longestDecimal ? decimal.exec(text) : null
  if (match === null) return null

  const [, sign, whole = '', fraction = ''] = match
  const places = exponentOf(currency)
  if (/[1-9]/.test(fraction.slice(places))) return null

  const size = BigInt(whole + fraction.slice(0, places).padEnd(places, '0'))
  return money(sign === '-' ? -size : size, currency)
}

function assertSameCurrency(a: Money, b: Money): void {
  assert(
    a.currency === b.currency,
    `${a.currency} and ${b.currency} never meet: convert or separate them before.`,
  )
}

function order(a: bigint, b: bigint): -1 | 0 | 1 {
  if (a === b) return 0
  return a < b ? -1 : 1
}
