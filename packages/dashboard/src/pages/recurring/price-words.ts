/** Prices and intervals in words. */
import type { Price } from '@switchyard/sdk'
import { moneyText } from '../../format/money.ts'

type Interval = { readonly unit: 'day' | 'week' | 'month' | 'year'; readonly count: number }

/** "month", "3 months". */
export function intervalText({ unit, count }: Interval): string {
  return count === 1 ? unit : `${count} ${unit}s`
}

/** "€15.00 a month", "€1,200.00 once", "0.4 of the smallest unit of EUR a month". */
export function priceText(price: Price): string {
  const { unit_amount: amount, currency, recurring } = price
  const sum =
    amount === null
      ? `${price.unit_amount_decimal} of the smallest unit of ${currency.toUpperCase()}`
      : moneyText(amount, currency)
  if (recurring === null) return `${sum} once`
  const { interval: unit, interval_count: count } = recurring
  const often = count === 1 ? `a ${unit}` : `every ${intervalText({ unit, count })}`
  return `${sum} ${often}`
}
