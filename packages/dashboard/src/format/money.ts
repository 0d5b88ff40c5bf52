/**
 * Amounts as people read and type them. They are whole numbers of the smallest unit, and where the point goes is
 * ours to know: `Intl` is wrong about it for 16 currencies, by a factor of 100 and more.
 */
import { exponentOf } from '@switchyard/sdk'

export function moneyText(amount: number, currency: string): string {
  // From a text: a number would be rounded to what a float can hold.
  return formatOf(currency).format(decimalOf(amount, exponentOf(currency)) as Intl.StringNumericLiteral)
}

/** Made once for each: making one takes longer than a row of a table may. */
const formats = new Map<string, Intl.NumberFormat>()

function formatOf(currency: string): Intl.NumberFormat {
  const known = formats.get(currency)
  if (known !== undefined) return known
  const places = exponentOf(currency)
  const made = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  })
  formats.set(currency, made)
  return made
}

/** As one types it: 4000 eur is "40.00". */
export function plainAmount(amount: number, currency: string): string {
  return decimalOf(amount, exponentOf(currency))
}

/** Null if it is no amount of this currency. */
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
