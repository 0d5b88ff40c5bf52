/**
 * Amounts in minor units, as `bigint`: a price times the seconds of a year exceeds what a JavaScript number
 * represents exactly. All divisions are in `mulDiv` and `allocate`, so there is one rounding rule. Combining
 * two currencies fails an assertion: it is a bug, not a case to handle.
 */
import { assert } from './assert.ts'
import { type Currency, exponentOf } from './currency.ts'

export type Money = { readonly amount: bigint; readonly currency: Currency }

/** Money in JSON, with the amount as a number. */
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
 * `amount * numerator / denominator`, computed exactly and rounded half away from zero, so a credit is always
 * the negative of the debit that it reverses.
 */
export function mulDiv(amount: bigint, numerator: bigint, denominator: bigint): bigint {
  assert(denominator > 0n, 'The denominator must be above zero. Skip periods without a length.')
  const product = amount * numerator
  const size = product < 0n ? -product : product
  const rounded = (2n * size + denominator) / (2n * denominator)
  return product < 0n ? -rounded : rounded
}

const decimalAmount = /^(-?)([0-9]+)(?:\.([0-9]{1,12}))?$/

/** Multiplies an amount in minor units, which may have decimals, and rounds once, half away from zero. */
export function multiplyDecimal(unit: string, times: number): bigint {
  const match = decimalAmount.exec(unit)
  assert(
    match !== null,
    'The amount of a unit must be a decimal with at most 12 places: the schema requires it.',
  )
  const [, sign, whole = '', fraction = ''] = match
  const amount = mulDiv(BigInt(whole + fraction), BigInt(times), 10n ** BigInt(fraction.length))
  return sign === '-' ? -amount : amount
}

/** The smaller of two amounts in minor units. `Math.min` does not accept bigints. */
export const smallerOf = (a: bigint, b: bigint): bigint => (b > a ? a : b)

/** The minimum charge: below it the fees exceed the amount, and many acquirers decline it. */
export function minimumCharge(currency: Currency): bigint {
  return exponentOf(currency) <= 2 ? 50n : 500n
}

/**
 * The share of `whole` for `part` out of `total`. Shares that are rounded separately can differ from the
 * whole by one unit: compute the rest as `subtract(whole, share)`, or split with `allocate`.
 */
export function prorate(whole: Money, part: bigint, total: bigint): Money {
  assert(
    part >= 0n && part <= total,
    'A part must be between zero and the total: clamp the time to its period.',
  )
  return money(mulDiv(whole.amount, part, total), whole.currency)
}

/** Splits `whole` in proportion to `weights` by largest remainder. The parts always add up to the whole. */
export function allocate(whole: Money, weights: readonly bigint[]): Money[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n)
  assert(
    total > 0n && weights.every((weight) => weight >= 0n),
    'Weights must be zero or more, and not all zero.',
  )

  const [size, sign] = whole.amount < 0n ? [-whole.amount, -1n] : [whole.amount, 1n]
  const parts = weights.map((weight) => ({ share: (size * weight) / total, rest: (size * weight) % total }))
  const leftover = size - parts.reduce((sum, part) => sum + part.share, 0n)
  // Leftover units go to the parts with the largest remainders. The sort is stable, so ties go to the earlier
  // part. `leftover` is less than the number of parts, so it fits a number; remainders may not, so they stay
  // bigint.
  const raised = new Set(parts.toSorted((a, b) => order(b.rest, a.rest)).slice(0, Number(leftover)))

  const amountOf = (part: (typeof parts)[number]) => sign * (part.share + (raised.has(part) ? 1n : 0n))
  return parts.map((part) => money(amountOf(part), whole.currency))
}

export function toWire(a: Money): WireMoney {
  const amount = Number(a.amount)
  assert(
    Number.isSafeInteger(amount),
    'JSON cannot represent this amount exactly: limit it in the schema of the request.',
  )
  return { amount, currency: a.currency }
}

export function fromWire(wire: WireMoney): Money {
  assert(
    Number.isSafeInteger(wire.amount),
    'An amount must be a safe integer: the schema of the request requires it.',
  )
  return money(BigInt(wire.amount), wire.currency)
}

/** The amount in major units, with all decimal places of its currency: `12.99`, `-0.05`, `12` for jpy. */
export function formatDecimal(a: Money): string {
  const places = exponentOf(a.currency)
  const [size, sign] = a.amount < 0n ? [-a.amount, '-'] : [a.amount, '']
  if (places === 0) return `${sign}${size}`

  const digits = String(size).padStart(places + 1, '0')
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`
}

// No leading zeros: zero-padded digits are usually minor units, and would be read 100 times too high.
const decimal = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$/
// Far above any amount that can be stored. Longer strings are rejected without parsing.
const maxDecimalLength = 40

/**
 * The reverse of `formatDecimal`. Accepts fewer or more decimal places, but returns null if it would have to
 * round.
 */
export function parseDecimal(text: string, currency: Currency): Money | null {
  const match = text.length <= maxDecimalLength ? decimal.exec(text) : null
  if (match === null) return null

  const [, sign, whole = '', fraction = ''] = match
  const places = exponentOf(currency)
  if (/[1-9]/.test(fraction.slice(places))) return null

  const size = BigInt(whole + fraction.slice(0, places).padEnd(places, '0'))
  return money(sign === '-' ? -size : size, currency)
}

/** Converts a sum to a JSON number. */
export function toSafeNumber(sum: bigint): number {
  const number = Number(sum)
  assert(
    Number.isSafeInteger(number),
    'A JSON number cannot represent this sum exactly: the API must return it as a string.',
  )
  return number
}

function assertSameCurrency(a: Money, b: Money): void {
  assert(
    a.currency === b.currency,
    `${a.currency} and ${b.currency} cannot be combined: convert or separate them first.`,
  )
}

function order(a: bigint, b: bigint): -1 | 0 | 1 {
  if (a === b) return 0
  return a < b ? -1 : 1
}
