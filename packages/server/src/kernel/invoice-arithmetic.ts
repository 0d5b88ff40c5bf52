/**
 * The amounts of an invoice, in this order: line amounts within their limits, discounts, tax, total. Previews and
 * drafts use the same functions. Everything is exact except the roundings that are named here, each half away from
 * zero: once per line amount, once per discount, and once per tax group. A discount or a tax is never rounded per
 * line; its whole is split, so that every split adds up to its whole. Credit, carried amounts and payments come
 * after the total and never change tax.
 */
import type { Currency } from './currency.ts'
import { allocate, formatDecimal, money, mulDiv } from './money.ts'

export type TaxRate = {
  /** Null if no rate was selected by a rule: reverse charge, and customers that are exempt. */
  readonly id: string | null
  /** Such as `19` or `8.875`. */
  readonly percentage: string
  /** Whether amounts include the tax. */
  readonly inclusive: boolean
  /** The category of EN 16931, such as `S`, or `AE` for reverse charge. */
  readonly category: string
  /** Why no tax is charged. Null for reverse charge, whose note is in the language of the document. */
  readonly note?: string | null
}

export type Discount = {
  readonly id: string
  readonly off: { readonly percentage: string } | { readonly amount: bigint }
  /** The lines it applies to, by their position. Null: all. Credit lines are never discounted. */
  readonly lines: readonly number[] | null
}

export type AppliedDiscount = { readonly id: string; readonly amount: bigint }

export type AmountLine = {
  /** Negative for a credit line. */
  readonly amount: bigint
  readonly taxRate: TaxRate | null
  /**
   * The discounts of a prorated line, which come from the period that it belongs to. No other discount applies to
   * the line. Negative for a credit line.
   */
  readonly inherited?: readonly AppliedDiscount[]
  /** The tax that a tax provider has computed for the line. It is taken as given. */
  readonly quotedTax?: bigint
}

export type CalculatedLine = {
  readonly amount: bigint
  readonly discounts: readonly AppliedDiscount[]
  /** The amount after discounts, without tax. */
  readonly net: bigint
  readonly tax: bigint
  readonly taxRate: TaxRate | null
  /** Whether the tax was computed by a tax provider. */
  readonly isQuoted?: boolean
}

/** All lines with the same rate, category and behavior. */
export type TaxGroup = { readonly rate: TaxRate; readonly net: bigint; readonly tax: bigint }

export type CalculatedInvoice = {
  readonly lines: readonly CalculatedLine[]
  readonly taxGroups: readonly TaxGroup[]
  readonly subtotal: bigint
  readonly discountTotal: bigint
  /** All tax, whether amounts include it or not. */
  readonly taxTotal: bigint
  /** The tax that is added to the amounts. */
  readonly exclusiveTax: bigint
  readonly totalExcludingTax: bigint
  /** `subtotal - discountTotal + exclusiveTax`. */
  readonly total: bigint
}

export function calculateInvoice(
  currency: Currency,
  lines: readonly AmountLine[],
  discounts: readonly Discount[],
): CalculatedInvoice {
  const applied = applyDiscounts(currency, lines, discounts)
  const discounted = lines.map(({ amount }, index) => amount - sumOf(applied[index] ?? []))
  const { taxes, taxGroups } = taxLines(lines, discounted)
  const calculated = lines.map(({ amount, taxRate, quotedTax }, index) => {
    const tax = taxes[index] ?? 0n
    const afterDiscounts = discounted[index] ?? 0n
    return {
      amount,
      discounts: applied[index] ?? [],
      net: taxRate?.inclusive ? afterDiscounts - tax : afterDiscounts,
      tax,
      taxRate,
      ...(quotedTax === undefined ? {} : { isQuoted: true }),
    }
  })
  const subtotal = sumOf(lines)
  const discountTotal = sumOf(applied.flat())
  const exclusiveTax = sumOf(taxGroups.map(({ rate, tax }) => ({ amount: rate.inclusive ? 0n : tax })))
  const taxTotal = sumOf(taxGroups.map(({ tax }) => ({ amount: tax })))
  const total = subtotal - discountTotal + exclusiveTax
  return {
    lines: calculated,
    taxGroups,
    subtotal,
    discountTotal,
    taxTotal,
    exclusiveTax,
    totalExcludingTax: total - taxTotal,
    total,
  }
}

/** The amount of a line, raised to a minimum or lowered to a maximum. */
export function withinLimits(
  amount: bigint,
  { minimum, maximum }: { readonly minimum: bigint | null; readonly maximum: bigint | null },
): bigint {
  if (minimum !== null && amount < minimum) return minimum
  return maximum !== null && amount > maximum ? maximum : amount
}

/**
 * Each discount is computed once, on what the earlier discounts left of the amounts of its lines, and is then
 * split over them.
 */
function applyDiscounts(
  currency: Currency,
  lines: readonly AmountLine[],
  discounts: readonly Discount[],
): AppliedDiscount[][] {
  const applied: AppliedDiscount[][] = lines.map(({ inherited = [] }) => [...inherited])
  const left = lines.map(({ amount, inherited }) => (inherited === undefined && amount > 0n ? amount : 0n))
  for (const { id, off, lines: eligible } of discounts) {
    const weights = left.map((amount, index) => (eligible === null || eligible.includes(index) ? amount : 0n))
    const base = weights.reduce((sum, weight) => sum + weight, 0n)
    if (base === 0n) continue
    for (const [index, { amount }] of allocate(money(discountOn(base, off), currency), weights).entries()) {
      if (amount === 0n) continue
      applied[index]?.push({ id, amount })
      left[index] = (left[index] ?? 0n) - amount
    }
  }
  return applied
}

/** The amount of a discount: never more than what it applies to. */
export function discountOn(base: bigint, off: Discount['off']): bigint {
  const amount = 'amount' in off ? off.amount : percentageOf(base, off.percentage)
  return amount < base ? amount : base
}

type TaxedLines = { readonly taxes: readonly bigint[]; readonly taxGroups: readonly TaxGroup[] }

/**
 * Tax is computed once per group. Each line gets the tax that it adds to the tax of the lines before it, so
 * the lines add up to the tax of the group, even if amounts are negative. Tax that a provider has computed is
 * only added up.
 */
function taxLines(lines: readonly AmountLine[], discounted: readonly bigint[]): TaxedLines {
  const groups = new Map<string, { rate: TaxRate; taxable: bigint; tax: bigint }>()
  const taxes = lines.map(({ taxRate: rate, quotedTax }, index) => {
    if (rate === null) return 0n
    const key = quotedTax === undefined ? groupKeyOf(rate) : `${groupKeyOf(rate)} quoted`
    const group = groups.get(key) ?? { rate, taxable: 0n, tax: 0n }
    const amount = discounted[index] ?? 0n
    const tax = quotedTax ?? additionalTax(rate, group.taxable, amount)
    groups.set(key, { rate, taxable: group.taxable + amount, tax: group.tax + tax })
    return tax
  })
  const taxGroups = [...groups.values()].map(({ rate, taxable, tax }) => ({
    rate,
    net: rate.inclusive ? taxable - tax : taxable,
    tax,
  }))
  return { taxes, taxGroups }
}

const groupKeyOf = ({ percentage, inclusive, category }: TaxRate) => `${percentage} ${inclusive} ${category}`

/** The tax on an amount, rounded once. */
export function taxOn({ percentage, inclusive }: TaxRate, amount: bigint): bigint {
  const { numerator, denominator } = fractionOf(percentage)
  return mulDiv(amount, numerator, inclusive ? denominator + numerator : denominator)
}

/** The tax that an amount adds to the tax of the amounts before it. */
export function additionalTax(rate: TaxRate, before: bigint, amount: bigint): bigint {
  return taxOn(rate, before + amount) - taxOn(rate, before)
}

/**
 * A share of a period whose price is discounted. The amounts with and without the discount are prorated separately,
 * and the discount is the difference, so a later credit reverses exactly what was charged.
 */
export function prorateDiscounted(
  period: { readonly amount: bigint; readonly discount: AppliedDiscount | null },
  seconds: { readonly part: bigint; readonly whole: bigint },
): { readonly amount: bigint; readonly discount: AppliedDiscount | null } {
  const share = (whole: bigint) => mulDiv(whole, seconds.part, seconds.whole)
  const amount = share(period.amount)
  if (period.discount === null) return { amount, discount: null }
  const net = share(period.amount - period.discount.amount)
  return { amount, discount: { id: period.discount.id, amount: amount - net } }
}

/** For example `45.00 - 4.50 - 4.09 = 36.41, plus 19% tax 6.92`. */
export function explainAmounts(
  currency: Currency,
  { amount, discounts, net, tax, taxRate }: CalculatedLine,
): string {
  const text = (value: bigint) => formatDecimal(money(value, currency))
  const steps = discounts.map((discount) =>
    discount.amount < 0n ? ` + ${text(-discount.amount)}` : ` - ${text(discount.amount)}`,
  )
  const afterDiscounts = taxRate?.inclusive ? net + tax : net
  const sum = steps.length === 0 ? text(amount) : `${text(amount)}${steps.join('')} = ${text(afterDiscounts)}`
  if (taxRate === null) return sum
  return `${sum}, ${taxRate.inclusive ? 'including' : 'plus'} ${taxRate.percentage}% tax ${text(tax)}`
}

function percentageOf(amount: bigint, percentage: string): bigint {
  const { numerator, denominator } = fractionOf(percentage)
  return mulDiv(amount, numerator, denominator)
}

/** `8.875` as 8875 / 100000. */
function fractionOf(percentage: string): { readonly numerator: bigint; readonly denominator: bigint } {
  const [whole = '0', fraction = ''] = percentage.split('.')
  return { numerator: BigInt(whole + fraction), denominator: 100n * 10n ** BigInt(fraction.length) }
}

function sumOf(parts: readonly { readonly amount: bigint }[]): bigint {
  return parts.reduce((sum, { amount }) => sum + amount, 0n)
}
