/**
 * Formats and parses amounts. They are integers in minor units. The server provides the number of decimal places, because
 * `Intl` is wrong for 16 currencies. There is no floating-point arithmetic here.
 */

export type Currency = { readonly currency: string; readonly exponent: number }

export function formatMoney(amount: number, { currency, exponent }: Currency, locale: string): string {
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
  })
  return format.format(decimalOf(amount, exponent) as Intl.StringNumericLiteral)
}

/** The amount for an input field, without currency symbol and grouping. */
export function formatPlainAmount(amount: number, { exponent }: Currency, locale: string): string {
  return decimalOf(amount, exponent).replace('.', decimalPointOf(locale))
}

/** Null if it is not a valid amount of this currency: no digits, a sign, or too many decimal places. */
export function parseAmount(typed: string, { exponent }: Currency, locale: string): number | null {
  const text = asciiDigits(typed)
    .replace(/[\s'’\u066c]/g, '')
    .replace('\u066b', decimalPointOf(locale))
  const point = findDecimalPoint(text, decimalPointOf(locale))
  const [whole = '', decimals = '', ...rest] = point === null ? [text] : text.split(point)
  if (rest.length > 0 || decimals.length > exponent || !/^\d*$/.test(decimals)) return null
  if (!/^\d+$/.test(whole) && !isGrouped(whole)) return null
  const amount = Number(whole.replace(/[.,]/g, '') + decimals.padEnd(exponent, '0'))
  return Number.isSafeInteger(amount) ? amount : null
}

/** Converts Arabic, Persian and full-width digits to ASCII. */
export function asciiDigits(text: string): string {
  return text
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replace(/[\uff10-\uff19]/g, (digit) => String(digit.charCodeAt(0) - 0xff10))
}

function decimalOf(amount: number, exponent: number): string {
  const digits = String(amount).padStart(exponent + 1, '0')
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

/**
 * Accepts the decimal separator of the payer's language and the other one. The separator of the payer's language is
 * never read as a thousands separator: 12.345 in English is a typo, and the payer must not be charged 1000 times as much.
 */
function findDecimalPoint(text: string, localPoint: string): string | null {
  if (text.includes(localPoint)) return localPoint
  const other = localPoint === '.' ? ',' : '.'
  return text.includes(other) && !isGrouped(text) ? other : null
}

function isGrouped(text: string): boolean {
  return /^\d{1,3}([.,]\d{3})+$/.test(text)
}

function decimalPointOf(locale: string): string {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(1.5)
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.'
}
