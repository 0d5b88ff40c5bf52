/**
 * Amounts as a payer reads and types them. They are whole numbers of the smallest unit; where the decimal point
 * goes is what the server says, since `Intl` is wrong about it for 16 currencies. Nothing here is a fraction.
 */

export type Currency = { readonly currency: string; readonly exponent: number }

export function moneyText(amount: number, { currency, exponent }: Currency, locale: string): string {
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
  })
  return format.format(decimalOf(amount, exponent) as Intl.StringNumericLiteral)
}

/** As one would type it: no sign of the currency, no groups. */
export function plainAmount(amount: number, { exponent }: Currency, locale: string): string {
  return decimalOf(amount, exponent).replace('.', pointOf(locale))
}

/** Null if it is no amount of this currency: no digits, a sign, or more decimal places than there are. */
export function amountOf(typed: string, { exponent }: Currency, locale: string): number | null {
  const text = asciiDigits(typed)
    .replace(/[\s'’\u066c]/g, '')
    .replace('\u066b', pointOf(locale))
  const point = decimalPointIn(text, pointOf(locale))
  const [whole = '', places = '', ...rest] = point === null ? [text] : text.split(point)
  if (rest.length > 0 || places.length > exponent || !/^\d*$/.test(places)) return null
  if (!/^\d+$/.test(whole) && !isGrouped(whole)) return null
  const amount = Number(whole.replace(/[.,]/g, '') + places.padEnd(exponent, '0'))
  return Number.isSafeInteger(amount) ? amount : null
}

/** Digits of Arabic, Persian and full-width keyboards are digits too. */
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
 * People type the point of their language, or the other one. The own one is never taken for thousands: who types
 * 12.345 in English has slipped, and must not pay a thousand times as much.
 */
function decimalPointIn(text: string, own: string): string | null {
  if (text.includes(own)) return own
  const other = own === '.' ? ',' : '.'
  return text.includes(other) && !isGrouped(text) ? other : null
}

function isGrouped(text: string): boolean {
  return /^\d{1,3}([.,]\d{3})+$/.test(text)
}

function pointOf(locale: string): string {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(1.5)
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.'
}
