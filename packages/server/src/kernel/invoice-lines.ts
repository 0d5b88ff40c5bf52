/**
 * Drafts of invoices and their lines. The planner writes these drafts and the invoices domain stores them.
 * Both compute amounts with the functions here, so the amount of a line can always be recomputed from its
 * explanation.
 */
import { type Currency, exponentOf } from './currency.ts'
import type { AttachedDiscount, LineDiscount } from './discounts.ts'
import { type Id, idOrNull, type Mode } from './id.ts'
import {
  type CalculatedInvoice,
  type CalculatedLine,
  calculateInvoice,
  type TaxGroup,
  type TaxRate,
} from './invoice-arithmetic.ts'
import { formatDecimal, money, mulDiv } from './money.ts'
import {
  amountFor,
  type PriceFactors,
  type Pricing,
  perUnit,
  usedPackages,
  usedTiers,
} from './price-schemes.ts'

export const lineKinds = [
  'cycle',
  'one_time',
  'proration_credit',
  'proration_debit',
  'carried',
  'usage',
  'usage_correction',
] as const
export type LineKind = (typeof lineKinds)[number]

/**
 * `full_period`: the whole price. `first_stub`: the share of a first period that is shorter than a full one.
 * `free_stub`: the same, not charged. `remaining`: the rest of a period at a new price. `unused`: the rest at
 * the old price, credited. `unused_paid`: the same, limited to what was paid. `carried`: an amount that was
 * too small to charge on an earlier invoice. `one_time`: an amount that is charged once, with the first
 * invoice. `usage`: what a meter has counted in a period that has ended. `usage_correction`: the difference after
 * events of a billed period were recorded late or cancelled. `usage_paid`: the same, limited to what was paid for the usage
 * and not returned before.
 */
export const lineRules = [
  'full_period',
  'first_stub',
  'free_stub',
  'remaining',
  'unused',
  'unused_paid',
  'carried',
  'one_time',
  'usage',
  'usage_correction',
  'usage_paid',
] as const
export type LineRule = (typeof lineRules)[number]

export type Explanation = PriceFactors & {
  readonly rule: LineRule
  readonly quantity: number
  /** For a correction: the usage that was billed before. */
  readonly billedQuantity?: number
  /** What the quantity costs for a full period, rounded once. */
  readonly base: bigint
  readonly numeratorSeconds: number
  readonly denominatorSeconds: number
  readonly rounding: 'half_away'
  readonly changeId: Id<'subscription_change'> | null
  /** The same explanation as readable text. */
  readonly text: string
}

export type LineDraft = {
  readonly kind: LineKind
  readonly amount: bigint
  readonly quantity: number
  readonly priceId: Id<'price'> | null
  readonly subscriptionItemId: Id<'subscription_item'> | null
  readonly service: { readonly startAt: Date; readonly endAt: Date }
  readonly sourceLineId: Id<'invoice_line'> | null
  readonly explanation: Explanation
  /** The name of an amount without a price. Lines with a price have the name of its product. */
  readonly description?: string | null
  /** Null or omitted: no tax. A credit line has the rate of the line that it credits. */
  readonly taxRate?: TaxRate | null
  /** The tax that a tax provider has computed for the line. */
  readonly quotedTax?: bigint
  /** The discounts taken off the amount. Negative for a credit line, which reverses them. */
  readonly discounts?: readonly LineDiscount[]
}

export const invoiceReasons = ['start', 'cycle', 'change', 'resume', 'cancel', 'one_off', 'usage'] as const
export type InvoiceReason = (typeof invoiceReasons)[number]

export type InvoicePeriod = {
  readonly index: number
  readonly epoch: number
  readonly startAt: Date
  readonly endAt: Date
}

/**
 * `charge_automatically`: the payment method of the customer is charged. `send_invoice`: the customer pays on the hosted
 * page, and is reminded by e-mail.
 */
export const collectionMethods = ['charge_automatically', 'send_invoice'] as const
export type CollectionMethod = (typeof collectionMethods)[number]

/**
 * The members that the creator of a one-off invoice sets. Invoices of subscriptions have `subscriptionTerms`.
 */
export type InvoiceTerms = {
  readonly collectionMethod: CollectionMethod
  /** The days from finalization to the due date. Null unless the invoice is sent. */
  readonly termsDays: number | null
  readonly memo: string | null
  readonly purchaseOrder: string | null
  /** The policy of a one-off invoice. Invoices of a subscription have the policy of the subscription. */
  readonly dunningPolicyId: Id<'dunning_policy'> | null
  /** The discounts of a one-off invoice. Those of a subscription are in the lines that its plan has calculated. */
  readonly discounts: readonly AttachedDiscount[]
}

export const subscriptionTerms: InvoiceTerms = {
  collectionMethod: 'charge_automatically',
  termsDays: null,
  memo: null,
  purchaseOrder: null,
  dunningPolicyId: null,
  discounts: [],
}

/** An invoice to create. Its total is the sum of its lines; a negative total becomes credit. */
export type InvoiceDraft = {
  /** Assigned by the planner, so that other planned objects can refer to it. */
  readonly id: Id<'invoice'>
  readonly reason: InvoiceReason
  readonly customerId: Id<'customer'>
  /** Null for a one-off invoice. */
  readonly subscriptionId: Id<'subscription'> | null
  readonly currency: Currency
  /** The period that the invoice bills; null if it only adjusts an earlier invoice. */
  readonly period: InvoicePeriod | null
  readonly changeId: Id<'subscription_change'> | null
  readonly lines: readonly LineDraft[]
  readonly paymentMethodId: Id<'payment_method'> | null
  readonly paymentRouteId: Id<'payment_route'> | null
  /**
   * `spread`: the first attempt may be delayed a little, so that the renewals of an hour are not all charged
   * at the same time.
   */
  readonly collect: 'now' | 'spread' | 'never'
  /** Null: the invoice stays a draft until a request finalizes it. */
  readonly finalizeAt: Date | null
  readonly testClockId: Id<'test_clock'> | null
  /** A negative total first reduces the amount due on this invoice; only the rest becomes credit. */
  readonly reducesInvoiceId: Id<'invoice'> | null
  /** Default: `subscriptionTerms`. */
  readonly terms?: InvoiceTerms
}

/** Unused time and cancelled usage are credited, so their amounts are negative. */
const signOf: { readonly [R in LineRule]: bigint } = {
  full_period: 1n,
  first_stub: 1n,
  free_stub: 1n,
  remaining: 1n,
  unused: -1n,
  unused_paid: -1n,
  carried: 1n,
  one_time: 1n,
  usage: 1n,
  usage_correction: 1n,
  usage_paid: -1n,
}

/** Recomputes the amount of an explanation from the price, the quantity and the seconds alone. */
export function amountOf(explanation: Omit<Explanation, 'base' | 'text' | 'changeId' | 'rounding'>): bigint {
  const { rule, quantity, billedQuantity, numeratorSeconds, denominatorSeconds } = explanation
  const billed = billedQuantity === undefined ? 0n : amountFor(explanation, billedQuantity)
  const base = amountFor(explanation, quantity) - billed
  return signOf[rule] * mulDiv(base, BigInt(numeratorSeconds), BigInt(denominatorSeconds))
}

type DiscountedLine = Pick<LineDraft, 'amount' | 'taxRate' | 'quotedTax' | 'discounts'>

/**
 * The amounts of an invoice with these lines. The lines have their tax rates, and the discounts that the plan has
 * computed for their period.
 */
export function amountsOfDraft({
  currency,
  lines,
}: {
  readonly currency: Currency
  readonly lines: readonly DiscountedLine[]
}): CalculatedInvoice {
  const amountLines = lines.map(({ amount, taxRate = null, quotedTax, discounts = [] }) => ({
    amount,
    taxRate,
    inherited: discounts,
    ...(quotedTax === undefined ? {} : { quotedTax }),
  }))
  return calculateInvoice(currency, amountLines, [])
}

/** The tax of stored lines by rate. It is the same as that of the calculation, because the lines add up to it. */
export function taxGroupsOf(
  lines: readonly (Pick<LineDraft, 'taxRate'> & Pick<CalculatedLine, 'net' | 'tax'>)[],
): TaxGroup[] {
  const groups = new Map<string, TaxGroup>()
  for (const { taxRate: rate, net, tax } of lines) {
    if (rate == null) continue
    const key = `${rate.percentage} ${rate.inclusive} ${rate.category}`
    const group = groups.get(key) ?? { rate, net: 0n, tax: 0n }
    groups.set(key, { rate: group.rate, net: group.net + net, tax: group.tax + tax })
  }
  return [...groups.values()]
}

/** The columns with the copy of a tax rate. */
export type RateColumns = {
  readonly tax_rate_id: string | null
  readonly tax_percentage: string | null
  readonly tax_category: string | null
  readonly tax_inclusive: boolean | null
  readonly tax_note: string | null
}

/** The copy of the rate. A database constraint guarantees that either all of its columns are set or none. */
export function storedTaxRate(mode: Mode, row: RateColumns): TaxRate | null {
  const { tax_percentage: percentage, tax_category: category } = row
  if (percentage === null || category === null) return null
  const id = idOrNull('tax_rate', mode, row.tax_rate_id)
  return { id, percentage, category, inclusive: row.tax_inclusive === true, note: row.tax_note }
}

/** The sum of the lines after discounts. */
export function totalOf(lines: readonly DiscountedLine[]): bigint {
  return lines.reduce((sum, line) => sum + line.amount - discountOfLine(line), 0n)
}

/** The sum of the discounts of a line. */
export function discountOfLine({ discounts = [] }: Pick<DiscountedLine, 'discounts'>): bigint {
  return discounts.reduce((sum, { amount }) => sum + amount, 0n)
}

/** The line with its discounts, which its explanation mentions. */
export function withDiscounts(
  currency: Currency,
  line: LineDraft,
  discounts: readonly LineDiscount[],
): LineDraft {
  if (discounts.length === 0) return line
  const text = (value: bigint) => formatDecimal(money(value, currency))
  const steps = discounts.map(({ name, amount }) =>
    amount < 0n ? ` + ${text(-amount)} (${name})` : ` - ${text(amount)} (${name})`,
  )
  const net = text(line.amount - discountOfLine({ discounts }))
  const explanation = `${line.explanation.text}; discount: ${text(line.amount)}${steps.join('')} = ${net}`
  return { ...line, discounts, explanation: { ...line.explanation, text: explanation } }
}

export type LineInput = Omit<LineDraft, 'amount' | 'explanation' | 'sourceLineId' | 'kind'> &
  PriceFactors & {
    readonly rule: LineRule
    readonly billedQuantity?: number
    readonly numeratorSeconds: number
    readonly denominatorSeconds: number
    readonly changeId: Id<'subscription_change'> | null
    readonly sourceLineId?: Id<'invoice_line'> | null
  }

const kindOf: { readonly [R in LineRule]: LineKind } = {
  full_period: 'cycle',
  first_stub: 'cycle',
  free_stub: 'cycle',
  remaining: 'proration_debit',
  unused: 'proration_credit',
  unused_paid: 'proration_credit',
  carried: 'carried',
  one_time: 'one_time',
  usage: 'usage',
  usage_correction: 'usage_correction',
  usage_paid: 'usage_correction',
}

/** A line with its amount and its explanation. */
export function draftLine(currency: Currency, input: LineInput): LineDraft {
  const { rule, unitAmountDecimal, pricing, numeratorSeconds, denominatorSeconds, changeId, ...others } =
    input
  const { billedQuantity, ...rest } = others
  const factors = {
    rule,
    unitAmountDecimal,
    ...(pricing === undefined ? {} : { pricing }),
    quantity: input.quantity,
    ...(billedQuantity === undefined ? {} : { billedQuantity }),
    numeratorSeconds,
    denominatorSeconds,
  }
  const base = amountFor(factors, input.quantity)
  return {
    ...rest,
    kind: kindOf[rule],
    amount: amountOf(factors),
    sourceLineId: input.sourceLineId ?? null,
    explanation: {
      ...factors,
      base,
      rounding: 'half_away',
      changeId,
      text: explain(currency, base, factors),
    },
  }
}

const ruleLabels: { readonly [R in LineRule]: string } = {
  full_period: 'full period',
  first_stub: 'partial first period',
  free_stub: 'partial first period, free of charge',
  remaining: 'remaining time of the period',
  unused: 'unused time',
  unused_paid: 'unused time, limited to the amount paid',
  carried: 'carried over',
  one_time: 'charged once',
  usage: 'usage',
  usage_correction: 'usage recorded or cancelled after billing',
  usage_paid: 'usage cancelled after billing, limited to the amount not yet returned',
}

/** For example `29.99 x 1,166,400 s / 2,419,200 s, unused time`. */
function explain(
  currency: Currency,
  base: bigint,
  factors: Omit<Explanation, 'base' | 'text' | 'changeId' | 'rounding'>,
): string {
  const { rule, billedQuantity, numeratorSeconds: part, denominatorSeconds: whole } = factors
  const amount = `${explainBase(currency, factors)}${formatDecimal(money(base, currency))}`
  if (billedQuantity !== undefined) {
    const billed = formatDecimal(money(amountFor(factors, billedQuantity), currency))
    return `${amount} - ${billed} billed for ${withThousandsSeparators(billedQuantity)}, ${ruleLabels[rule]}`
  }
  if (part === whole) return `${amount}, ${ruleLabels[rule]}`
  return `${amount} x ${withThousandsSeparators(part)} s / ${withThousandsSeparators(whole)} s, ${ruleLabels[rule]}`
}

/** For example `10 x 5.00 + 40 x 4.00 + 10 x 3.00 = `. Empty for a price per unit without limits, except for usage. */
function explainBase(
  currency: Currency,
  factors: PriceFactors & Pick<Explanation, 'quantity' | 'rule'>,
): string {
  const { unitAmountDecimal, quantity, rule } = factors
  const isUsage = rule === 'usage' || rule === 'usage_correction'
  const pricing = factors.pricing ?? (isUsage ? perUnit : undefined)
  if (pricing === undefined) return ''
  const { minimum_amount: minimum, maximum_amount: maximum } = pricing
  const limits = [
    ...(minimum === null ? [] : [`at least ${formatDecimal(money(BigInt(minimum), currency))}`]),
    ...(maximum === null ? [] : [`at most ${formatDecimal(money(BigInt(maximum), currency))}`]),
  ]
  const limitsText = limits.length === 0 ? '' : ` (${limits.join(', ')})`
  return `${explainUnits(currency, { unitAmountDecimal, pricing, quantity })}${limitsText} = `
}

function explainUnits(
  currency: Currency,
  factors: PriceFactors & { readonly pricing: Pricing; readonly quantity: number },
): string {
  const { unitAmountDecimal, pricing, quantity } = factors
  const times = (count: number, unit: string) =>
    `${withThousandsSeparators(count)} x ${unitText(unit, currency)}`
  const used = usedTiers(pricing, quantity)
  if (used !== null)
    return used
      .map((tier) => {
        const flat = tier.flat_amount === 0 ? '' : ` + ${unitText(String(tier.flat_amount), currency)}`
        return `${times(tier.quantity, tier.unit_amount_decimal)}${flat}`
      })
      .join(' + ')
  const packages = usedPackages(pricing, quantity)
  const unit = unitAmountDecimal ?? '0'
  if (packages === null || pricing.package === null) return times(quantity, unit)
  return `${times(packages, unit)} per ${withThousandsSeparators(pricing.package.size)}`
}

/** Formats 0.4 cents as `0.004`, with all decimals of the currency and those of the fraction. */
function unitText(decimal: string, currency: Currency): string {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return `${formatDecimal(money(BigInt(whole), currency))}${exponentOf(currency) === 0 && fraction !== '' ? '.' : ''}${fraction}`
}

/** Not `toLocaleString`: its result depends on the locale data of the machine. */
function withThousandsSeparators(seconds: number): string {
  return String(seconds).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}
