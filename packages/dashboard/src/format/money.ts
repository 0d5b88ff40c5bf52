/**
 * Formats and parses amounts in minor units. The number of decimal places comes from our own table: `Intl` is wrong
 * for 16 currencies, by a factor of 100 or more.
 */
import { exponentOf } from '@switchyard/sdk'

export function moneyText(amount: number, currency: string): string {
  // Format from a string: a number would be rounded to the precision of a float.
  return formatOf(currency).format(decimalOf(amount, exponentOf(currency)) as Intl.StringNumericLiteral)
}

/** Formatters are cached, because creating one is too slow for each table row. */
const formats = new Map<string, Intl.NumberFormat>()

function formatOf(currency: string): Intl.NumberFormat {
  const cached = formats.get(currency)
  if (cached !== undefined) return cached
  const places = exponentOf(currency)
  const format = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  })
  formats.set(currency, format)
  return format
}

/** The text of an amount field: 4000 eur is "40.00". */
export function plainAmount(amount: number, currency: string): string {
  return decimalOf(amount, exponentOf(currency))
}

/** Null if the text is not a valid amount in this currency. */
export function amountOf(typed: string, currency: string): number | null {
  const places = exponentOf(currency)
  const match = /^(\d{1,12})(?:[.,](\d+))?$/.exec(typed.trim())
  const [, whole = '', part = ''] = match ?? []
  if (match === null || part.length > places) return null
  const amount = Number(whole + part.padEnd(places, '0'))
  return Number.isSafeInteger(amount) ? amount : null
}

function decimalOf(amount: number, places: number): string {
  const sign = amount < 0 ? '-' : ''
  const digits = String(Math.abs(amount)).padStart(places + 1, '0')
  return sign + (places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`)
}
