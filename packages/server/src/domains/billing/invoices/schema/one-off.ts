/** Requests for one-off invoices, and the preview of their amounts. */
import { type Static, Type } from 'typebox'
import { largestAmount } from '../../../../kernel/cart.ts'
import type { Currency } from '../../../../kernel/currency.ts'
import type { CalculatedInvoice } from '../../../../kernel/invoice-arithmetic.ts'
import { collectionMethods } from '../../../../kernel/invoice-lines.ts'
import { money, toWire } from '../../../../kernel/money.ts'
import { IdOf, nullable, OneOf, Time } from '../../../../kernel/shapes.ts'
import { discountInputs } from '../../discounts/schema.ts'
import type { EditedLine } from '../draft-lines.ts'
import { CurrencyCode, DiscountAmount, presentDiscountAmount } from '../schema.ts'

const lineMembers = {
  description: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'What the line bills. Required without `price_id`.',
      examples: ['Workshop, one day'],
    }),
  ),
  quantity: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 1,
      description: 'Number of units.',
      examples: [1],
      loggable: true,
    }),
  ),
  unit_amount: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: largestAmount,
      description: 'Price of one unit in minor units. Required without `price_id`.',
      examples: [120000],
      loggable: true,
    }),
  ),
  price_id: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'One-time price, or `lookup:<key>`. Replaces `unit_amount` and `description`.',
    }),
  ),
  service: Type.Optional(
    Type.Object(
      {
        start_at: { ...Time, description: 'Start of the service period.' },
        end_at: { ...Time, description: 'End of the service period.' },
      },
      { additionalProperties: false, description: 'Service period. Default: the time of the request.' },
    ),
  ),
}

export const InvoiceLineInput = Type.Object(lineMembers, { additionalProperties: false })
export type InvoiceLineInput = Static<typeof InvoiceLineInput>

const termsMembers = {
  collection_method: Type.Optional(
    OneOf(collectionMethods, {
      default: 'charge_automatically',
      description:
        '`charge_automatically`: the payment method is charged when the invoice is finalized. `send_invoice`: the customer pays on the hosted page within the terms.',
      examples: ['send_invoice'],
      loggable: true,
    }),
  ),
  terms: Type.Optional(
    Type.Object(
      {
        days: Type.Integer({
          minimum: 0,
          maximum: 365,
          description: 'Days from finalization to the due date.',
          examples: [14],
          loggable: true,
        }),
      },
      { additionalProperties: false, description: 'Payment terms for `send_invoice`. Default: 30 days.' },
    ),
  ),
  memo: Type.Optional(
    nullable(Type.String({ maxLength: 2000, description: 'Text for the customer on the invoice.' })),
  ),
  purchase_order: Type.Optional(
    nullable(
      Type.String({
        maxLength: 100,
        description: 'Purchase order number of the customer.',
        examples: ['PO-4711'],
      }),
    ),
  ),
  payment_method_id: Type.Optional(
    nullable(
      IdOf(
        'payment_method',
        'Payment method to charge. Default: the most recently attached payment method of the customer, except cards that the payer saved on a payment page with `saved_methods`.',
      ),
    ),
  ),
  discounts: Type.Optional(
    discountInputs(
      'The complete list of discounts, in the order in which they apply. When the invoice is created, the default is the discounts of the customer that have no limit of periods; send an empty list for none.',
    ),
  ),
  dunning_policy_id: Type.Optional(
    nullable(IdOf('dunning_policy', 'Policy for retries and reminders. Default: the default policy.')),
  ),
}

export const CreateInvoice = Type.Object(
  {
    customer_id: IdOf('customer'),
    currency: CurrencyCode,
    lines: Type.Optional(
      Type.Array(InvoiceLineInput, {
        maxItems: 100,
        description: 'Lines of the invoice. They can be changed while it is a draft.',
      }),
    ),
    ...termsMembers,
    payment_route_id: Type.Optional(
      nullable(IdOf('payment_route', 'Route that selects the provider account. Default: the default route.')),
    ),
  },
  { additionalProperties: false },
)
export type CreateInvoice = Static<typeof CreateInvoice>

export const UpdateInvoice = Type.Object(termsMembers, { additionalProperties: false })
export type UpdateInvoice = Static<typeof UpdateInvoice>

export const InvoiceLinePath = Type.Object({
  invoice_id: IdOf('invoice'),
  invoice_line_id: IdOf('invoice_line'),
})

export type PreviewedInvoice = {
  readonly currency: Currency
  readonly lines: readonly EditedLine[]
  readonly amounts: CalculatedInvoice
}

const amount = (description: string, example: number) =>
  Type.Integer({ description, examples: [example], loggable: true })

export const InvoicePreviewObject = Type.Object(
  {
    object: Type.Literal('invoice_preview'),
    currency: CurrencyCode,
    lines: Type.Array(
      Type.Object({
        description: nullable(Type.String({ description: 'What the line bills.' })),
        quantity: Type.Integer({ description: 'Number of units.', examples: [1] }),
        amount: amount('Amount of the line in minor units, without discounts.', 120000),
        discounts: Type.Array(DiscountAmount, { description: 'Discounts of the line.', examples: [[]] }),
      }),
      { description: 'Lines in the order of the request.' },
    ),
    subtotal: amount('Sum of the lines, in minor units.', 120000),
    discount_total: amount('Total discount in minor units.', 0),
    tax_total: amount('Total tax in minor units, whether amounts include it or not.', 0),
    total: amount('Total in minor units.', 120000),
  },
  { $id: 'InvoicePreview', description: 'The amounts that an invoice with these lines would have.' },
)

export function presentPreview({
  currency,
  lines,
  amounts,
}: PreviewedInvoice): Static<typeof InvoicePreviewObject> {
  const units = (value: bigint) => toWire(money(value, currency)).amount
  return {
    object: 'invoice_preview',
    currency,
    lines: lines.map(({ description, quantity, amount: value, discounts = [] }) => ({
      description,
      quantity,
      amount: units(value),
      discounts: discounts.map(presentDiscountAmount),
    })),
    subtotal: units(amounts.subtotal),
    discount_total: units(amounts.discountTotal),
    tax_total: units(amounts.taxTotal),
    total: units(amounts.total),
  }
}
