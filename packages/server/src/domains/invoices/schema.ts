import { type Static, Type } from 'typebox'
import { currencies } from '../../kernel/currency.ts'
import { type Explanation, invoiceReasons, lineKinds, lineRules } from '../../kernel/invoice-lines.ts'
import { money, toWire } from '../../kernel/money.ts'
import { IdOf, mostlyNull, nullable, OneOf, shownNullable, Time } from '../../kernel/shapes.ts'
import type { CreditBalance } from './credit.ts'
import { type Invoice, isOverdue, type Line, paymentStateOf, remainingOf, voidReasons } from './invoice.ts'
import { statuses } from './machine.ts'

const amount = (description: string, example = 2999) =>
  Type.Integer({ description, examples: [example], loggable: true })
const timeOf = (description: string) => mostlyNull(Type.String({ format: 'date-time', description }))

const CurrencyCode = OneOf(currencies, {
  description: 'ISO 4217, lower case.',
  examples: ['eur'],
  loggable: true,
})

const ExplanationShape = Type.Object(
  {
    rule: OneOf(lineRules, { description: 'How the amount came about.', examples: ['full_period'] }),
    unit_amount_decimal: Type.String({ description: 'What one unit costs.', examples: ['2999'] }),
    quantity: Type.Integer({ description: 'How many units.', examples: [1] }),
    base: amount('Unit times quantity, rounded once: what a whole period costs.'),
    numerator_seconds: Type.Integer({ description: 'The seconds that are billed.', examples: [2592000] }),
    denominator_seconds: Type.Integer({ description: 'The seconds of a whole period.', examples: [2592000] }),
    rounding: Type.Literal('half_away'),
    change_id: nullable(IdOf('subscription_change', 'The change that brought it about.')),
    text: Type.String({ description: 'The same for people.', examples: ['29.99, a whole period'] }),
  },
  {
    description:
      'Why the amount is what it is: `base` times the billed seconds, divided by those of a period, rounded once with halves away from zero; taken back if the rule is `unused` or `unused_paid`.',
  },
)

export const LineObject = Type.Object(
  {
    id: IdOf('invoice_line'),
    object: Type.Literal('invoice_line'),
    kind: OneOf(lineKinds, {
      description: 'What it is for: a period, or the difference that a change makes.',
      loggable: true,
      examples: ['cycle'],
    }),
    description: nullable(
      Type.String({ description: 'What it is for, as it was called then.', examples: ['Team plan'] }),
    ),
    amount: amount('Below zero it lowers the total.'),
    quantity: Type.Integer({ description: 'How many units are billed.', examples: [1] }),
    price_id: nullable(IdOf('price')),
    subscription_item_id: nullable(IdOf('subscription_item')),
    service: Type.Object({ start_at: Time, end_at: Time }, { description: 'The time that it is for.' }),
    source_line_id: nullable(IdOf('invoice_line', 'The line that it takes back, or carries on.')),
    explanation: ExplanationShape,
  },
  { $id: 'InvoiceLine', description: 'One amount of an invoice, with the arithmetic it comes from.' },
)

export const FailureShape = Type.Object(
  {
    payment_id: nullable(IdOf('payment')),
    code: Type.String({ description: 'Why. One of the decline codes.', examples: ['insufficient_funds'] }),
    class: Type.String({ description: 'Which kind of reason it is.', examples: ['soft'] }),
    advice_code: Type.String({ description: 'What the payer can do.', examples: ['other_method'] }),
    message: Type.String({ description: 'A text for the payer.', examples: ['Use another card.'] }),
    network_code: nullable(Type.String({ description: 'What the card network said.', examples: ['51'] })),
    at: Time,
  },
  { description: 'Why the last attempt to collect it failed.' },
)

export const InvoiceObject = Type.Object(
  {
    id: IdOf('invoice'),
    object: Type.Literal('invoice'),
    number: nullable(
      Type.String({
        description: 'Given when it is finalized: without gaps, and never to another invoice.',
        examples: ['INV-000042'],
      }),
    ),
    status: OneOf(statuses, {
      description: 'A `draft` can still change; `open` is owed; `paid` and `void` are final.',
      loggable: true,
      examples: ['open'],
    }),
    reason: OneOf(invoiceReasons, {
      description: 'What it bills: a beginning, a period, a change, a resumption or an end.',
      examples: ['cycle'],
      loggable: true,
    }),
    customer_id: IdOf('customer'),
    subscription_id: IdOf('subscription'),
    currency: CurrencyCode,
    period: shownNullable(
      Type.Object(
        {
          index: Type.Integer({ description: 'Which period it is, from 0.', examples: [3] }),
          start_at: Time,
          end_at: Time,
        },
        { description: 'The period that it bills; null if it only changes what was billed.' },
      ),
    ),
    lines: Type.Array(LineObject, { description: 'All amounts, each with its arithmetic.' }),
    subtotal: amount('The sum of the lines.'),
    discount_total: amount('Taken off.', 0),
    tax_total: amount('Added for taxes.', 0),
    total: amount('Subtotal, less discounts, with taxes. Below zero it becomes credit.'),
    credit_applied: amount('Set against it from the credit of the customer.', 0),
    credit_granted: amount('Given to the customer as credit, because the total is below zero.', 0),
    amount_due: amount('What there was to pay.'),
    amount_paid: amount('What was paid.', 0),
    amount_remaining: amount('What is still to be paid.'),
    amount_refunded: amount('What was given back of it.', 0),
    overdue: Type.Boolean({
      description: 'Open, and the first attempt to collect it has failed.',
      examples: [false],
      loggable: true,
    }),
    payment_method_id: nullable(IdOf('payment_method', 'What it is collected with.')),
    payment_route_id: nullable(
      IdOf('payment_route', 'How its payments are routed. Null: by the default route.'),
    ),
    payment_state: OneOf(['none', 'in_flight', 'unknown'], {
      description:
        'Whether a payment for it is under way. While it is `unknown` what became of one, nothing else is tried.',
      loggable: true,
    }),
    payment_id: mostlyNull(IdOf('payment', 'The payment that is under way, or that paid it.')),
    paid_out_of_band: Type.Boolean({ description: 'Paid to you by other means.', examples: [false] }),
    attempt_count: Type.Integer({ description: 'How often it was tried.', examples: [0], loggable: true }),
    last_failure: nullable(FailureShape),
    next_attempt_at: timeOf('When it is tried next by itself.'),
    campaign_id: mostlyNull(IdOf('dunning_campaign')),
    due_at: shownNullable({ ...Time, description: 'When it is, or was, first to be paid.' }),
    finalized_at: shownNullable({ ...Time, description: 'When it got its number.' }),
    paid_at: timeOf('When it was paid.'),
    voided_at: timeOf('When it became void.'),
    void_reason: nullable(OneOf(voidReasons, { description: 'Why it is void.' })),
    marked_uncollectible_at: timeOf('When it was given up.'),
    test_clock_id: mostlyNull(IdOf('test_clock')),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Invoice', description: 'What a customer owes for a time, line by line, and how it is collected.' },
)

export const InvoicePath = Type.Object({ invoice_id: IdOf('invoice') })

export const PayInvoice = Type.Object(
  {
    payment_method_id: Type.Optional(
      IdOf('payment_method', 'One of its customer; that of the invoice, if it is not said.'),
    ),
    out_of_band: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'You have the money already, by other means: nothing is charged.',
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
    balance: amount('What is set against the next invoices.', 964),
    created_at: Time,
    updated_at: Time,
  },
  {
    $id: 'CreditBalance',
    description: 'What a customer has left in one currency. It is set against the next invoices.',
  },
)

export function present(invoice: Invoice): Static<typeof InvoiceObject> {
  const { period, currency } = invoice
  const units = (value: bigint) => toWire(money(value, currency)).amount
  return {
    id: invoice.id,
    object: 'invoice',
    number: invoice.number,
    status: invoice.status,
    reason: invoice.reason,
    customer_id: invoice.customerId,
    subscription_id: invoice.subscriptionId,
    currency,
    period:
      period === null
        ? null
        : { index: period.index, start_at: period.startAt.toISOString(), end_at: period.endAt.toISOString() },
    lines: invoice.lines.map(presentLine),
    subtotal: units(invoice.subtotal),
    discount_total: units(invoice.discountTotal),
    tax_total: units(invoice.taxTotal),
    total: units(invoice.total),
    credit_applied: units(invoice.creditApplied),
    credit_granted: units(invoice.creditGranted),
    amount_due: units(invoice.amountDue),
    amount_paid: units(invoice.amountPaid),
    amount_remaining: units(remainingOf(invoice)),
    amount_refunded: units(invoice.amountRefunded),
    overdue: isOverdue(invoice),
    payment_method_id: invoice.paymentMethodId,
    payment_route_id: invoice.paymentRouteId,
    payment_state: paymentStateOf(invoice),
    payment_id: invoice.livePaymentId ?? invoice.paymentId,
    paid_out_of_band: invoice.paidOutOfBand,
    attempt_count: invoice.attemptCount,
    last_failure: invoice.lastFailure,
    next_attempt_at: timeOrNull(invoice.nextAttemptAt),
    campaign_id: invoice.campaignId,
    due_at: timeOrNull(invoice.dueAt),
    finalized_at: timeOrNull(invoice.finalizedAt),
    paid_at: timeOrNull(invoice.paidAt),
    voided_at: timeOrNull(invoice.voidedAt),
    void_reason: invoice.voidReason,
    marked_uncollectible_at: timeOrNull(invoice.uncollectibleAt),
    test_clock_id: invoice.testClockId,
    created_at: invoice.createdAt.toISOString(),
    updated_at: invoice.updatedAt.toISOString(),
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
    explanation: presentExplanation(line.explanation),
  }
}

function presentExplanation(explanation: Explanation): Static<typeof ExplanationShape> {
  return {
    rule: explanation.rule,
    unit_amount_decimal: explanation.unitAmountDecimal,
    quantity: explanation.quantity,
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
