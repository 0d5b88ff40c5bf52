/** Amounts as decimal strings with the decimal places that PayPal supports for the currency. No side effects. */

export type Money = { readonly amount: number; readonly currency: string }
export type Amount = { readonly currency_code: string; readonly value: string }

// PayPal has no decimal places for three of its currencies.
const withoutDecimals = ['HUF', 'JPY', 'TWD']
const currencies =
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN RUB SEK SGD THB TWD USD'.split(
    ' ',
  )

const decimalsOf = (code: string) => (withoutDecimals.includes(code) ? 0 : 2)

/** The issue of an amount whose syntax is correct; null if it has none. */
export function amountIssueOf({ currency_code: code, value }: Amount): string | null {
  if (!currencies.includes(code)) return 'INVALID_CURRENCY_CODE'
  const [whole = '', fraction = ''] = value.split('.')
  if (decimalsOf(code) === 0 && fraction !== '') return 'DECIMALS_NOT_SUPPORTED'
  if (fraction.length > 2) return 'DECIMAL_PRECISION'
  if (!(Number(value) > 0)) return 'CANNOT_BE_ZERO_OR_NEGATIVE'
  return whole.length > 12 ? 'MAX_VALUE_EXCEEDED' : null
}

/** The amount in minor units. The caller has checked that the amount is valid. */
export function toMoney({ currency_code: code, value }: Amount): Money {
  const [whole = '', fraction = ''] = value.split('.')
  const amount = Number(`${whole}${fraction.padEnd(decimalsOf(code), '0')}`)
  return { amount, currency: code.toLowerCase() }
}

export function toAmount({ amount, currency }: Money): Amount {
  const code = currency.toUpperCase()
  const decimals = decimalsOf(code)
  const digits = String(amount).padStart(decimals + 1, '0')
  const value = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  return { currency_code: code, value }
}
