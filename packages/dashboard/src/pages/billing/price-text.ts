/** Formats prices and intervals. */
import type { Price } from '@switchyard/sdk'
import { moneyText } from '../../format/money.ts'

type Interval = { readonly unit: 'day' | 'week' | 'month' | 'year'; readonly count: number }

/** "month", "3 months". */
export function intervalText({ unit, count }: Interval): string {
  return count === 1 ? unit : `${count} ${unit}s`
}

/** "€15.00 per month", "€1,200.00 once", "0.4 minor units of EUR per month". */
export function priceText(price: Price): string {
  const { unit_amount: amount, currency, recurring } = price
  const amountText =
    amount === null
      ? `${price.unit_amount_decimal} minor units of ${currency.toUpperCase()}`
      : moneyText(amount, currency)
  if (recurring === null) return `${amountText} once`
  const { interval: unit, interval_count: count } = recurring
  const intervalPart = count === 1 ? `per ${unit}` : `every ${intervalText({ unit, count })}`
  return `${amountText} ${intervalPart}`
}
