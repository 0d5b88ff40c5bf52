/** What a payer who buys a subscription is charged, with the quantities that they choose. */
import type { Item, Offer, Sale } from './api.ts'
import { formatMoney } from './money.ts'
import { currentLocale, translate } from './translations.ts'

type Values = Readonly<Record<string, string>>

export const quantityField = (index: number) => `quantities.${index}`

export function chosenQuantities({ items }: Sale, values: Values): number[] {
  return items.map((item, index) =>
    item.quantity_limits === undefined
      ? item.quantity
      : Number(values[quantityField(index)] ?? item.quantity),
  )
}

export function quantitiesToSend(sale: Sale, values: Values): { quantities?: readonly number[] } {
  return sale.subscription === null ? {} : { quantities: chosenQuantities(sale, values) }
}

export function withChosenQuantities(sale: Sale, values: Values): Item[] {
  const quantities = chosenQuantities(sale, values)
  return sale.items.map((item, index) => ({ ...item, quantity: quantities[index] ?? item.quantity }))
}

/** The server computes it, unless the payer can change a quantity: then it is the sum of the items. */
export function dueNow(sale: Sale, { trial_end_at, due_now }: Offer, values: Values): number {
  const isFixed = trial_end_at !== null || sale.items.every((item) => item.quantity_limits === undefined)
  return isFixed ? due_now : sumOf(withChosenQuantities(sale, values))
}

const sumOf = (items: readonly Item[]) =>
  items.reduce((sum, item) => sum + item.unit_amount * item.quantity, 0)

/** For example: €29.99 per month, next charged on 14 Dec 2026. */
export function termsText(sale: Sale, offer: Offer, values: Values): string {
  const recurring = withChosenQuantities(sale, values).filter((item) => item.recurring !== undefined)
  const price = pricePerInterval(formatMoney(sumOf(recurring), sale, currentLocale()), offer)
  const at = new Date(offer.trial_end_at ?? offer.next_charge_at)
  const date = new Intl.DateTimeFormat(currentLocale(), { dateStyle: 'medium' }).format(at)
  return translate(offer.trial_end_at === null ? 'terms_next' : 'terms_trial', { price, date })
}

function pricePerInterval(price: string, { interval, interval_count: count }: Offer): string {
  if (count === 1) return translate(`per_${interval}`, { price })
  const options = { style: 'unit', unit: interval, unitDisplay: 'long' } as const
  return translate('every', { price, time: new Intl.NumberFormat(currentLocale(), options).format(count) })
}
