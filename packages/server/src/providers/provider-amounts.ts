/**
 * Converts amounts between our minor units, which follow ISO 4217, and the minor units of a provider. Some
 * providers use a different number of decimal places for a few currencies. A currency must not be offered if
 * some of its amounts cannot be converted exactly.
 */
import { type Currency, exponentOf, isCurrency } from '../kernel/currency.ts'
import type { Money } from '../kernel/money.ts'
import { Unreadable } from './read.ts'

/** The decimal places that differ from ISO 4217. */
export type ProviderExponents = { readonly [C in Currency]?: number }

export function toProviderAmount({ amount, currency }: Money, exponents: ProviderExponents = {}): bigint {
  const places = (exponents[currency] ?? exponentOf(currency)) - exponentOf(currency)
  if (places >= 0) return amount * 10n ** BigInt(places)
  const divisor = 10n ** BigInt(-places)
  if (amount % divisor !== 0n) throw new Error(`The provider cannot represent this amount in ${currency}.`)
  return amount / divisor
}

/** Throws `Unreadable` if the amount is not one of our minor units. `currency` can be in upper or lower case. */
export function fromProviderAmount(
  amount: bigint,
  currency: string,
  exponents: ProviderExponents = {},
): Money {
  const code = currency.toLowerCase()
  if (!isCurrency(code)) throw new Unreadable('The response contains an unknown currency.')
  const places = (exponents[code] ?? exponentOf(code)) - exponentOf(code)
  if (places <= 0) return { amount: amount * 10n ** BigInt(-places), currency: code }
  const divisor = 10n ** BigInt(places)
  if (amount % divisor !== 0n) throw new Unreadable('The response contains an amount that is not exact.')
  return { amount: amount / divisor, currency: code }
}

/** An amount as a decimal string, such as `12.99`. */
export function toDecimal({ amount, currency }: Money, exponents: ProviderExponents = {}): string {
  const places = exponents[currency] ?? exponentOf(currency)
  const digits = toProviderAmount({ amount, currency }, exponents)
    .toString()
    .padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** Throws `Unreadable` unless the text is a decimal with at most the decimal places of the currency. */
export function fromDecimal(text: string, currency: string, exponents: ProviderExponents = {}): Money {
  const code = currency.toLowerCase()
  const [, whole, fraction = ''] = /^(\d{1,15})(?:\.(\d{1,4}))?$/.exec(text) ?? []
  if (whole === undefined || !isCurrency(code))
    throw new Unreadable('The response contains an invalid amount.')
  const places = exponents[code] ?? exponentOf(code)
  if (fraction.length > places && /[1-9]/.test(fraction.slice(places)))
    throw new Unreadable('The response contains an amount that is not exact.')
  return fromProviderAmount(BigInt(whole + fraction.slice(0, places).padEnd(places, '0')), code, exponents)
}
