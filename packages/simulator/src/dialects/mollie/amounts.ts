/** Amounts as decimal strings with the decimal places of the currency. No side effects. */
import { isObject } from '../../protocol.ts'

export type Money = { readonly amount: number; readonly currency: string }

// The currencies of card payments (docs.mollie.com, Multicurrency, 2026-07-29).
const currencies =
  'AED AUD CAD CHF CZK DKK EUR GBP HKD HUF ILS ISK JPY NOK NZD PHP PLN RON SEK SGD USD ZAR'.split(' ')

function decimalsOf(currency: string): number {
  return currency === 'ISK' || currency === 'JPY' ? 0 : 2
}

/** The amount in minor units, or the name of the invalid member. */
export function readAmount(value: unknown): Money | 'amount' | 'amount.currency' | 'amount.value' {
  if (!isObject(value) || Object.keys(value).some((name) => name !== 'currency' && name !== 'value'))
    return 'amount'
  const { currency, value: text } = value
  if (typeof currency !== 'string' || !currencies.includes(currency)) return 'amount.currency'
  const decimals = decimalsOf(currency)
  const pattern = decimals === 0 ? /^\d{1,12}$/ : /^\d{1,12}\.\d{2}$/
  if (typeof text !== 'string' || !pattern.test(text)) return 'amount.value'
  return { amount: Number(text.replace('.', '')), currency: currency.toLowerCase() }
}

export function toAmount({ amount, currency }: Money): { readonly value: string; readonly currency: string } {
  const code = currency.toUpperCase()
  const decimals = decimalsOf(code)
  const digits = String(amount).padStart(decimals + 1, '0')
  const value = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  return { value, currency: code }
}
