/** Formats prices and intervals. */
import type { Price } from '@switchyard/sdk'
import { moneyText } from '../../format/money.ts'

type Interval = { readonly unit: 'day' | 'week' | 'month' | 'year'; readonly count: number }

/** "month", "3 months". */
export function intervalText({ unit, count }: Interval): string {
  return count === 1 ? unit : `${count} ${unit}s`
}

/** "€15.00 per month", "€1,200.00 once", "0.4 minor units of EUR per month", "3 tiers from €5.00 per month". */
export function priceText(price: Price): string {
  const { recurring } = price
  const amountText = `${termsText(price)}${limitsText(price)}`
  if (recurring === null) return `${amountText} once`
  const { interval: unit, interval_count: count } = recurring
  const intervalPart = count === 1 ? `per ${unit}` : `every ${intervalText({ unit, count })}`
  return `${amountText} ${intervalPart}`
}

function termsText({
  unit_amount_decimal: unit,
  tiers,
  package: packageTerms,
  scheme,
  currency,
}: Price): string {
  if (tiers !== null) {
    const count = tiers.length === 1 ? '1 tier' : `${tiers.length} tiers`
    return `${count} (${scheme}) from ${tierText(tiers[0], currency)}`
  }
  const amount = unitText(unit ?? '0', currency)
  return packageTerms === null ? amount : `${amount} for ${packageTerms.size} units`
}

type Tier = NonNullable<Price['tiers']>[number]

/** "€5.00", "€9.00 + €0.50": the flat amount and the amount of a unit. */
function tierText(tier: Tier | undefined, currency: string): string {
  if (tier === undefined) return ''
  const { flat_amount: flat, unit_amount_decimal: unit } = tier
  const parts = [...(flat === 0 ? [] : [moneyText(flat, currency)]), unitText(unit, currency)]
  return parts.length === 2 && unit === '0' ? moneyText(flat, currency) : parts.join(' + ')
}

/** One line for each tier: "1 to 10: €5.00 each", "Above 50: €3.00 each". */
export function tierLines({ tiers, currency }: Pick<Price, 'tiers' | 'currency'>): string[] {
  return (tiers ?? []).map((tier, index, all) => {
    const start = (all[index - 1]?.up_to ?? 0) + 1
    const range = tier.up_to === null ? `${start} and above` : `${start} to ${tier.up_to}`
    const flat = tier.flat_amount === 0 ? '' : `, plus ${moneyText(tier.flat_amount, currency)}`
    return `${range}: ${unitText(tier.unit_amount_decimal, currency)} each${flat}`
  })
}

function unitText(decimal: string, currency: string): string {
  return decimal.includes('.')
    ? `${decimal} minor units of ${currency.toUpperCase()}`
    : moneyText(Number(decimal), currency)
}

function limitsText({ minimum_amount: minimum, maximum_amount: maximum, currency }: Price): string {
  const limits = [
    ...(minimum === null ? [] : [`at least ${moneyText(minimum, currency)}`]),
    ...(maximum === null ? [] : [`at most ${moneyText(maximum, currency)}`]),
  ]
  return limits.length === 0 ? '' : `, ${limits.join(', ')},`
}
