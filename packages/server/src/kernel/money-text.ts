/** Amounts for people. Pure. */
import { type Currency, exponentOf } from './currency.ts'

/** As `EUR 12.99`: the code says which money it is in every language. */
export function moneyText(amount: bigint, currency: Currency): string {
  const exponent = exponentOf(currency)
  const digits = amount.toString().padStart(exponent + 1, '0')
  const whole = digits.slice(0, digits.length - exponent)
  const part = exponent === 0 ? '' : `.${digits.slice(-exponent)}`
  return `${currency.toUpperCase()} ${whole}${part}`
}
