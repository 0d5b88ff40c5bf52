/** Amounts in the minor units of Adyen, which for four currencies differ from ISO 4217. No side effects. */
export type Amount = { readonly currency: string; readonly value: number }

/** The decimal places of Adyen minus those of ISO 4217. */
const extraDecimals: { readonly [currency: string]: number } = { clp: 2, isk: 2, cve: -2, idr: -2 }
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

export function isCurrency(code: string): boolean {
  return currencies.has(code)
}

/** Null if the amount is not a whole number of minor units of ISO 4217. */
export function fromWire({ currency, value }: Amount): number | null {
  const amount = value / 10 ** (extraDecimals[currency.toLowerCase()] ?? 0)
  return Number.isSafeInteger(amount) ? amount : null
}

export function toWire(amount: number, currency: string): Amount {
  const value = Math.floor(amount * 10 ** (extraDecimals[currency] ?? 0))
  return { currency: currency.toUpperCase(), value }
}
