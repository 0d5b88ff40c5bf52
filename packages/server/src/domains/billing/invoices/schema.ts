import { type Static, Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
import { type LineDiscount, sumByDiscount } from '../../../kernel/discounts.ts'
import type { Id } from '../../../kernel/id.ts'
import type { TaxGroup } from '../../../kernel/invoice-arithmetic.ts'
import {
  collectionMethods,
  type Explanation,
  invoiceReasons,
  lineKinds,
  lineRules,
  taxGroupsOf,
} from '../../../kernel/invoice-lines.ts'
import { money, toWire } from '../../../kernel/money.ts'
import { type DocumentLanguage, documentLanguageOf } from '../../../kernel/parties.ts'
import { perUnit, schemes, usedPackages, usedTiers } from '../../../kernel/price-schemes.ts'
import {
  CreatedAt,
  IdOf,
  nullable,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { PartiesShape, presentParties } from '../seller/schema.ts'
import type { CreditBalance } from './credit.ts'
import {
  collectAtOf,
  type Invoice,
  isOverdue,
  type Line,
  paymentStateOf,
  remainingOf,
  returnMethods,
  voidReasons,
} from './invoice.ts'
import { statuses } from './machine.ts'
import { taxStatuses } from './tax.ts'
import { taxNoteOf } from './tax-notes.ts'

const amount = (description: string, example = 2999) =>
  Type.Integer({ description, examples: [example], loggable: true })
const timeOf = (description: string) =>
  nullableWithNullExample(Type.String({ format: 'date-time', description }))

export const CurrencyCode = OneOf(currencies, {
  description: 'Three-letter ISO 4217 currency code in lowercase, e.g. `eur`.',
  examples: ['eur'],
  loggable: true,
})

const ExplanationShape = Type.Object(
  {
    rule: OneOf(lineRules, {
      description: 'Rule that the amount was calculated with.',
      examples: ['full_period'],
    }),
    scheme: OneOf(schemes, {
      description: 'How `base` is calculated from the quantity.',
      examples: ['per_unit'],
    }),
    unit_amount_decimal: nullable(
      Type.String({
        description: 'Price of one unit or package in minor units, as a decimal. Null with tiers.',
        examples: ['2999'],
      }),
    ),
    quantity: Type.Integer({ description: 'Number of units.', examples: [1] }),
    billed_quantity: nullableWithNullExample(
      Type.Integer({
        description: 'Usage that was billed before. Null except for `usage_correction`.',
        examples: [40],
      }),
    ),
    tiers: nullableWithNullExample(
      Type.Array(
        Type.Object({
          up_to: nullable(
            Type.Integer({ description: 'Last unit of the tier. Null: no end.', examples: [10] }),
          ),
          unit_amount_decimal: Type.String({
            description: 'Price of one unit in minor units, as a decimal.',
            examples: ['500'],
          }),
          flat_amount: amount('Amount that is added once, in minor units.', 0),
          quantity: Type.Integer({ description: 'Number of units at this price.', examples: [10] }),
        }),
        { description: 'Tiers that were used. Null for prices without tiers.' },
      ),
    ),
    packages: nullableWithNullExample(
      Type.Integer({ description: 'Number of packages billed. Null except for `package`.', examples: [3] }),
    ),
    package_size: nullableWithNullExample(
      Type.Integer({
        description: 'Number of units in a package. Null except for `package`.',
        examples: [100],
      }),
    ),
    minimum_amount: nullableWithNullExample(amount('Smallest amount of a full period. Null: no minimum.')),
    maximum_amount: nullableWithNullExample(amount('Largest amount of a full period. Null: no maximum.')),
    base: amount('What the quantity costs for a full period, rounded once.'),
    numerator_seconds: Type.Integer({
      description: 'Number of seconds that are billed.',
      examples: [2592000],
    }),
    denominator_seconds: Type.Integer({
      description: 'Number of seconds in a full period.',
      examples: [2592000],
    }),
    rounding: Type.Literal('half_away', { description: 'Rounding rule: half away from zero.' }),
    change_id: nullable(IdOf('subscription_change', 'Change that caused this line. Null if there is none.')),
    text: Type.String({ description: 'Human-readable explanation.', examples: ['29.99, full period'] }),
  },
  {
    description:
      'How the amount was calculated: `base` × `numerator_seconds` ÷ `denominator_seconds`, rounded once, half away from zero. Negative if the rule is `unused`, `unused_paid` or `usage_paid`.',
  },
)

export const TaxGroupShape = Type.Object({
  tax_rate_id: nullable(IdOf('tax_rate', 'Tax rate. Null for reverse charge and for exempt customers.')),
  percentage: Type.String({ description: 'Percentage as a decimal.', examples: ['19'], loggable: true }),
  category: Type.String({
    description: 'EN 16931 category, such as `S` or `AE` for reverse charge.',
    examples: ['S'],
    loggable: true,
  }),
  inclusive: Type.Boolean({
    description: 'Whether the amounts of the lines include the tax.',
    examples: [false],
    loggable: true,
  }),
  net: amount('Taxable amount without tax, in minor units.'),
  tax: amount('Tax in minor units.', 570),
  note: nullableWithNullExample(
    Type.String({
      description: 'Why no tax is charged, in the language of the document. Null if tax is charged.',
      examples: ['Reverse charge'],
    }),
  ),
})

export function presentTaxGroups(
  groups: readonly TaxGroup[],
  language: DocumentLanguage,
): Static<typeof TaxGroupShape>[] {
  return groups.map(({ rate, net, tax }) => ({
    tax_rate_id: rate.id as Id<'tax_rate'> | null,
    percentage: rate.percentage,
    category: rate.category,
    inclusive: rate.inclusive,
    net: Number(net),
    tax: Number(tax),
    note: taxNoteOf(rate, language),
  }))
}

export const DiscountAmount = Type.Object({
  discount_id: IdOf('discount'),
  coupon_id: IdOf('coupon'),
  name: Type.String({ description: 'Name of the coupon when it was redeemed.', examples: ['Spring offer'] }),
  amount: amount('Amount off, in minor units. Negative if a credit reverses the discount.', 600),
})

export const LineObject = Type.Object(
  {
    id: IdOf('invoice_line'),
    object: Type.Literal('invoice_line'),
    kind: OneOf(lineKinds, {
      description:
        'What the line bills: a period, the proration of a change, an amount carried over because it was too small to charge, usage, or a correction of usage.',
      loggable: true,
      examples: ['cycle'],
    }),
    description: nullable(
      Type.String({
        description: 'Description at the time of billing. Null if there is none.',
        examples: ['Team plan'],
      }),
    ),
    amount: amount('Amount in minor units. A negative amount reduces the total.'),
    quantity: Type.Integer({ description: 'Number of units billed.', examples: [1] }),
    price_id: nullable(IdOf('price')),
    subscription_item_id: nullable(IdOf('subscription_item')),
    service: Type.Object(
      {
        start_at: { ...Time, description: 'Start of the service period.' },
        end_at: { ...Time, description: 'End of the service period.' },
      },
      { description: 'Service period of the line.' },
    ),
    source_line_id: nullable(
      IdOf('invoice_line', 'Line that this line reverses or continues. Null if there is none.'),
    ),
    discounts: Type.Array(DiscountAmount, {
      description: 'Discounts of the line, in the order in which they apply. `amount` is without them.',
      examples: [[]],
    }),
    net: amount('Amount after discounts, without tax, in minor units.'),
    tax: amount('Tax of the line in minor units.', 0),
    tax_rate_id: nullableWithNullExample(
      IdOf(
        'tax_rate',
        'Tax rate of the line. Null without tax, for reverse charge and for exempt customers.',
      ),
    ),
    explanation: ExplanationShape,
  },
  { $id: 'InvoiceLine', description: 'One line of an invoice, with the calculation of its amount.' },
)

export const FailureShape = Type.Object(
  {
    payment_id: nullable(IdOf('payment')),
    code: Type.String({
      description: 'Decline code that states the reason.',
      examples: ['insufficient_funds'],
    }),
    class: Type.String({ description: 'Category of the decline code.', examples: ['soft'] }),
    advice_code: Type.String({
      description: 'Recommended next step for the payer.',
      examples: ['other_method'],
    }),
    message: Type.String({
      description: 'Message that can be shown to the payer.',
      examples: ['Use another card.'],
    }),
    network_code: nullable(
      Type.String({
        description: 'Response code of the card network. Null if the provider did not send one.',
        examples: ['51'],
      }),
    ),
    at: { ...Time, description: 'Time of the failure.' },
  },
  { description: 'Why the last collection attempt failed. Null if there was no failure.' },
)

export const InvoiceObject = Type.Object(
  {
    id: IdOf('invoice'),
    object: Type.Literal('invoice'),
    hosted_invoice_url: nullable(
      Type.String({
        description:
          'Page on which the customer can view, pay and download the invoice, without signing in. Anyone who has the URL can see the invoice. Null for drafts.',
        examples: ['https://pay.example.com/i/AZqC4F8bcd0'],
      }),
    ),
    update_payment_method_url: nullable(
      Type.String({
        description:
          'Page on which the customer can replace the card of their subscriptions, without signing in. The page shows no personal data. Null unless the invoice is open or uncollectible.',
        examples: ['https://pay.example.com/u/AZqC4F8bcd0'],
      }),
    ),
    number: nullable(
      Type.String({
        description: 'Sequential invoice number without gaps, assigned on finalization. Null before that.',
        examples: ['INV-000042'],
      }),
    ),
    status: OneOf(statuses, {
      description:
        '`draft`: can still change. `open`: finalized and owed. `paid` and `void` are final. `uncollectible`: no longer collected automatically, but can still be paid.',
      loggable: true,
      examples: ['open'],
    }),
    reason: OneOf(invoiceReasons, {
      description:
        'What the invoice bills: the start, a period, a change, the resumption or the end of a subscription. `one_off`: lines that were added on request. `usage`: the usage of a period that has ended.',
      examples: ['cycle'],
      loggable: true,
    }),
    customer_id: IdOf('customer'),
    subscription_id: nullable(
      IdOf('subscription', 'Subscription that the invoice bills. Null for a one-off invoice.'),
    ),
    currency: CurrencyCode,
    collection_method: OneOf(collectionMethods, {
      description:
        '`charge_automatically`: the payment method is charged. `send_invoice`: the customer pays on the hosted page, and is reminded by e-mail.',
      examples: ['charge_automatically'],
      loggable: true,
    }),
    terms: nullableWithNullExample(
      Type.Object(
        {
          days: Type.Integer({
            description: 'Days from finalization to the due date.',
            examples: [14],
            loggable: true,
          }),
        },
        { description: 'Payment terms. Null unless `collection_method` is `send_invoice`.' },
      ),
    ),
    memo: nullableWithNullExample(
      Type.String({ description: 'Text for the customer on the invoice.', examples: ['Thank you.'] }),
    ),
    purchase_order: nullableWithNullExample(
      Type.String({ description: 'Purchase order number of the customer.', examples: ['PO-4711'] }),
    ),
    dunning_policy_id: nullableWithNullExample(
      IdOf(
        'dunning_policy',
        'Dunning policy of a one-off invoice. Null: the default policy, or the policy of the subscription.',
      ),
    ),
    period: nullableWithExample(
      Type.Object(
        {
          index: Type.Integer({ description: 'Index of the period, starting at 0.', examples: [3] }),
          start_at: { ...Time, description: 'Start of the period.' },
          end_at: { ...Time, description: 'End of the period.' },
        },
        { description: 'Period that the invoice bills. Null if the invoice only bills changes.' },
      ),
    ),
    lines: Type.Array(LineObject, { description: 'Invoice lines, each with the calculation of its amount.' }),
    subtotal: amount('Sum of the lines, in minor units.'),
    discounts: Type.Array(DiscountAmount, {
      description: 'What each discount takes off all lines together.',
      examples: [[]],
    }),
    discount_total: amount('Total discount in minor units.', 0),
    tax_total: amount('Total tax in minor units, whether amounts include it or not.', 0),
    total_excluding_tax: amount('Total without tax, in minor units.'),
    tax_breakdown: Type.Array(TaxGroupShape, {
      description: 'Tax by rate. Empty if the invoice has no tax.',
      examples: [[]],
    }),
    total: amount(
      'Subtotal minus discounts, plus tax that the amounts do not include, in minor units. A negative total becomes customer credit.',
    ),
    credit_applied: amount('Customer credit applied to the invoice, in minor units.', 0),
    credit_granted: amount(
      'Credit granted to the customer because the total is negative, in minor units.',
      0,
    ),
    amount_due: amount('Amount due in minor units.'),
    amount_paid: amount('Amount paid in minor units.', 0),
    amount_remaining: amount('Amount still to be paid, in minor units.'),
    amount_refunded: amount('Refunded amount in minor units.', 0),
    amount_credited: amount(
      'Total of the credit notes of the invoice, in minor units. For a void invoice with a number, it equals `total`.',
      0,
    ),
    overdue: Type.Boolean({
      description:
        'Whether the invoice is open, and the first collection attempt has failed or the due date has passed.',
      examples: [false],
      loggable: true,
    }),
    payment_method_id: nullable(
      IdOf('payment_method', 'Payment method that is charged. Null if there is none.'),
    ),
    payment_route_id: nullable(
      IdOf('payment_route', 'Route that selects the provider account. Null: the default route.'),
    ),
    payment_state: OneOf(['none', 'in_flight', 'unknown'], {
      description:
        '`in_flight`: a payment is in progress. `unknown`: the outcome of a payment is unknown, and no other attempt is made until it is known.',
      loggable: true,
    }),
    payment_id: nullableWithNullExample(
      IdOf('payment', 'Payment in progress, or the payment that paid the invoice. Null if there is none.'),
    ),
    paid_out_of_band: Type.Boolean({
      description: 'Whether the invoice was paid outside Switchyard.',
      examples: [false],
    }),
    attempt_count: Type.Integer({
      description: 'Number of collection attempts.',
      examples: [0],
      loggable: true,
    }),
    last_failure: nullable(FailureShape),
    next_attempt_at: timeOf('Time of the next automatic collection attempt. Null if none is scheduled.'),
    next_reminder_at: timeOf(
      'For `collection_method: send_invoice`: time of the next step, which is a reminder, the due date or the final action. Null if there is none.',
    ),
    reminder_count: Type.Integer({
      description: 'Number of reminders that were sent.',
      examples: [0],
      loggable: true,
    }),
    sent_at: timeOf('Time the invoice was last sent to the customer by e-mail. Null if it was not.'),
    campaign_id: nullableWithNullExample(IdOf('dunning_campaign')),
    due_at: nullableWithExample({ ...Time, description: 'Due date. Null for a draft.' }),
    finalized_at: nullableWithExample({
      ...Time,
      description: 'Time the invoice was finalized. Null for a draft.',
    }),
    paid_at: timeOf('Time the invoice was paid. Null if it is not paid.'),
    return_on_payment: nullable(
      Type.Object(
        {
          as: OneOf(returnMethods, {
            description: 'Whether the amount is returned as customer credit or as a refund.',
            examples: ['credit'],
          }),
          amount: amount('Amount to return, in minor units.', 1500),
        },
        {
          description:
            'Amount for unused time of the subscription, returned once the invoice is paid. Null if there is none.',
        },
      ),
    ),
    withdrawn_at: timeOf(
      'Time the subscription was paused or cancelled while a payment of this invoice was in progress. The invoice becomes `void` when that payment ends, and a charge that could not be stopped is refunded in full. Null otherwise.',
    ),
    voided_at: timeOf('Time the invoice was voided. Null if it is not void.'),
    void_reason: nullable(
      OneOf(voidReasons, { description: 'Why the invoice was voided. Null if it is not void.' }),
    ),
    marked_uncollectible_at: timeOf('Time the invoice was marked uncollectible. Null if it was not.'),
    parties: nullableWithNullExample(PartiesShape),
    missing: Type.Array(Type.String({ loggable: true }), {
      description:
        'Legal fields of seller and customer that were missing when the invoice was to be finalized, such as `seller.legal_name`. In live mode the invoice stays a draft until they are complete, and finalization is tried again every 15 minutes. In the test environment they are only listed.',
      examples: [[]],
    }),
    tax_status: nullableWithNullExample(
      OneOf(taxStatuses, {
        description:
          'State of tax that the tax provider computes. `pending`: the draft waits for it. `failed`: it waits, and needs attention. `ready`: the draft can be finalized. `committing`: to be recorded at the provider. `committed`: recorded. Null: no tax, or tax of your own rates.',
        loggable: true,
      }),
    ),
    tax_error: nullableWithNullExample(
      Type.String({
        description: 'Why the tax could not be computed. The calculation is retried.',
        examples: ['The customer has no address with a country, which the tax depends on.'],
      }),
    ),
    retain_until: timeOf(
      'Time until which the copy of the customer in `parties` is kept by law, even if the customer is deleted. Null for a draft.',
    ),
    test_clock_id: nullableWithNullExample(IdOf('test_clock')),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'Invoice',
    description: 'A statement of what a customer owes, with its lines and its collection status.',
  },
)

export const InvoicePath = Type.Object({ invoice_id: IdOf('invoice') })

export const PayInvoice = Type.Object(
  {
    payment_method_id: Type.Optional(
      IdOf('payment_method', 'Payment method of the customer. Default: the payment method of the invoice.'),
    ),
    out_of_band: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Marks the invoice as paid outside Switchyard. Nothing is charged.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type PayInvoice = Static<typeof PayInvoice>

export const CreditBalanceObject = Type.Object(
  {
    id: IdOf('credit_balance'),
    object: Type.Literal('credit_balance'),
    customer_id: IdOf('customer'),
    currency: CurrencyCode,
    balance: amount('Credit in minor units. It is applied to the next invoices.', 964),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'CreditBalance',
    description: 'Credit of a customer in one currency. It is applied to the next invoices.',
  },
)

type Pages = {
  readonly invoicePage: (id: Invoice['id']) => string | null
  readonly cardPage: (id: Invoice['customerId']) => string | null
}

/** Events do not contain the parties, which are personal data. */
export function presentInEvent(invoice: Invoice, pages: Pages): Static<typeof InvoiceObject> {
  return { ...present(invoice, pages), parties: null }
}

export function present(invoice: Invoice, pages: Pages): Static<typeof InvoiceObject> {
  const { period, currency, returnOnPayment, status } = invoice
  const isOwed = status === 'open' || status === 'uncollectible'
  const isSent = invoice.collectionMethod === 'send_invoice'
  const units = (value: bigint) => toWire(money(value, currency)).amount
  return {
    id: invoice.id,
    object: 'invoice',
    number: invoice.number,
    hosted_invoice_url: status === 'draft' ? null : pages.invoicePage(invoice.id),
    update_payment_method_url: isOwed ? pages.cardPage(invoice.customerId) : null,
    status: invoice.status,
    reason: invoice.reason,
    customer_id: invoice.customerId,
    subscription_id: invoice.subscriptionId,
    currency,
    ...presentTerms(invoice),
    period:
      period === null
        ? null
        : { index: period.index, start_at: period.startAt.toISOString(), end_at: period.endAt.toISOString() },
    lines: invoice.lines.map(presentLine),
    ...presentAmounts(invoice),
    overdue: isOverdue(invoice),
    payment_method_id: invoice.paymentMethodId,
    payment_route_id: invoice.paymentRouteId,
    payment_state: paymentStateOf(invoice),
    payment_id: invoice.pendingPaymentId ?? invoice.paymentId,
    paid_out_of_band: invoice.paidOutOfBand,
    attempt_count: invoice.attemptCount,
    last_failure: invoice.lastFailure,
    next_attempt_at: isSent ? null : timeOrNull(invoice.nextAttemptAt),
    next_reminder_at: isSent ? timeOrNull(collectAtOf(invoice)) : null,
    reminder_count: invoice.reminderCount,
    sent_at: timeOrNull(invoice.sentAt),
    campaign_id: invoice.campaignId,
    due_at: timeOrNull(invoice.dueAt),
    finalized_at: timeOrNull(invoice.finalizedAt),
    paid_at: timeOrNull(invoice.paidAt),
    return_on_payment:
      returnOnPayment === null ? null : { as: returnOnPayment.as, amount: units(returnOnPayment.amount) },
    withdrawn_at: timeOrNull(invoice.withdrawnAt),
    voided_at: timeOrNull(invoice.voidedAt),
    void_reason: invoice.voidReason,
    marked_uncollectible_at: timeOrNull(invoice.uncollectibleAt),
    parties: invoice.parties === null ? null : presentParties(invoice.parties),
    missing: [...invoice.missing],
    tax_status: invoice.taxStatus,
    tax_error: invoice.taxError,
    retain_until: timeOrNull(invoice.retainUntil),
    test_clock_id: invoice.testClockId,
    created_at: invoice.createdAt.toISOString(),
    updated_at: invoice.updatedAt.toISOString(),
  }
}

function presentAmounts(invoice: Invoice) {
  const units = (value: bigint) => toWire(money(value, invoice.currency)).amount
  return {
    subtotal: units(invoice.subtotal),
    discounts: sumByDiscount(invoice.lines).map(presentDiscountAmount),
    discount_total: units(invoice.discountTotal),
    tax_total: units(invoice.taxTotal),
    total_excluding_tax: units(invoice.total - invoice.taxTotal),
    tax_breakdown: presentTaxGroups(
      taxGroupsOf(invoice.lines),
      documentLanguageOf(invoice.parties?.customer.locale ?? null),
    ),
    total: units(invoice.total),
    credit_applied: units(invoice.creditApplied),
    credit_granted: units(invoice.creditGranted),
    amount_due: units(invoice.amountDue),
    amount_paid: units(invoice.amountPaid),
    amount_remaining: units(remainingOf(invoice)),
    amount_refunded: units(invoice.amountRefunded),
    amount_credited: units(invoice.amountCredited),
  }
}

function presentTerms(invoice: Invoice) {
  const { collectionMethod, termsDays, memo, purchaseOrder, dunningPolicyId } = invoice
  return {
    collection_method: collectionMethod,
    terms: termsDays === null ? null : { days: termsDays },
    memo,
    purchase_order: purchaseOrder,
    dunning_policy_id: dunningPolicyId,
  }
}

export function presentLine(line: Line): Static<typeof LineObject> {
  return {
    id: line.id,
    object: 'invoice_line',
    kind: line.kind,
    description: line.description,
    amount: Number(line.amount),
    quantity: line.quantity,
    price_id: line.priceId,
    subscription_item_id: line.subscriptionItemId,
    service: { start_at: line.service.startAt.toISOString(), end_at: line.service.endAt.toISOString() },
    source_line_id: line.sourceLineId,
    discounts: (line.discounts ?? []).map(presentDiscountAmount),
    net: Number(line.net),
    tax: Number(line.tax),
    tax_rate_id: (line.taxRate?.id ?? null) as Id<'tax_rate'> | null,
    explanation: presentExplanation(line.explanation),
  }
}

export function presentDiscountAmount({
  id,
  couponId,
  name,
  amount: off,
}: LineDiscount): Static<typeof DiscountAmount> {
  return { discount_id: id, coupon_id: couponId, name, amount: Number(off) }
}

function presentExplanation(explanation: Explanation): Static<typeof ExplanationShape> {
  const { pricing = perUnit, quantity } = explanation
  const used = usedTiers(pricing, quantity)
  return {
    rule: explanation.rule,
    scheme: pricing.scheme,
    unit_amount_decimal: explanation.unitAmountDecimal,
    quantity,
    billed_quantity: explanation.billedQuantity ?? null,
    tiers: used === null ? null : [...used],
    packages: usedPackages(pricing, quantity),
    package_size: pricing.package?.size ?? null,
    minimum_amount: pricing.minimum_amount,
    maximum_amount: pricing.maximum_amount,
    base: Number(explanation.base),
    numerator_seconds: explanation.numeratorSeconds,
    denominator_seconds: explanation.denominatorSeconds,
    rounding: explanation.rounding,
    change_id: explanation.changeId,
    text: explanation.text,
  }
}

export function presentBalance(balance: CreditBalance): Static<typeof CreditBalanceObject> {
  return {
    id: balance.id,
    object: 'credit_balance',
    customer_id: balance.customerId,
    currency: balance.currency,
    balance: Number(balance.balance),
    created_at: balance.createdAt.toISOString(),
    updated_at: balance.updatedAt.toISOString(),
  }
}

const timeOrNull = (at: Date | null) => at?.toISOString() ?? null
