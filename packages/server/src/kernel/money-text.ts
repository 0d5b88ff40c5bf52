/** Amounts and cards in sentences. No side effects. */
import { type Currency, exponentOf } from './currency.ts'
import { formatDecimal, money } from './money.ts'

/** For example `€12.99`. `Intl` assumes other decimal places for 16 currencies, so ours are set explicitly. */
export function moneyText(amount: bigint, currency: Currency, locale = 'en'): string {
  // Passed as text: a number would lose the last digits of large amounts.
  return formatOf(currency, locale).format(formatDecimal(money(amount, currency)) as `${number}`)
}

/**
 * Creating a format takes longer than using it. Only English formats are cached, because payers may send any
 * number of other locales.
 */
const english = new Map<Currency, Intl.NumberFormat>()

function formatOf(currency: Currency, locale: string): Intl.NumberFormat {
  const cached = locale === 'en' ? english.get(currency) : undefined
  if (cached !== undefined) return cached
  const places = exponentOf(currency)
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  })
  if (locale === 'en') english.set(currency, format)
  return format
}

/** For example `Visa •••• 4242`; only the brand if the digits are unknown. */
export function cardText({ brand, last4 }: { readonly brand: string; readonly last4: string }): string {
  return last4 === '' ? brandText(brand) : `${brandText(brand)} •••• ${last4}`
}

const brands: { readonly [brand: string]: string } = {
  ach_debit: 'ACH debit',
  amex: 'American Express',
  bacs_debit: 'Bacs debit',
  diners: 'Diners Club',
  ideal: 'iDEAL',
  jcb: 'JCB',
  paypal: 'PayPal',
  sepa_debit: 'SEPA debit',
  unionpay: 'UnionPay',
  unknown: 'Card',
}

export function brandText(brand: string): string {
  return brands[brand] ?? brand.charAt(0).toUpperCase() + brand.slice(1)
}
