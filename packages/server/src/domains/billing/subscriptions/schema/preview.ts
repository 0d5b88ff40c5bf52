/** API schemas of previews, access and billing state. */
import { type Static, Type } from 'typebox'
import { currencies } from '../../../../kernel/currency.ts'
import {
  amountsOfDraft,
  type InvoiceDraft,
  invoiceReasons,
  type LineDraft,
} from '../../../../kernel/invoice-lines.ts'
import { IdOf, nullable, OneOf, Time } from '../../../../kernel/shapes.ts'
import { LineObject, presentLine, presentTaxGroups, TaxGroupShape } from '../../invoices/schema.ts'
import type { SubscriptionWithAccess } from '../collection.ts'
import { present, presentAccess } from './present.ts'
import { AccessShape, SubscriptionObject } from './subscription.ts'

const PreviewedLine = Type.Omit(LineObject, ['id', 'object', 'description'])

const CurrencyCode = OneOf(currencies, {
  description: 'Three-letter ISO 4217 currency code in lowercase, e.g. `eur`.',
  examples: ['eur'],
})

const PreviewedInvoice = Type.Object({
  reason: OneOf(invoiceReasons, { description: 'What the invoice would bill.' }),
  currency: CurrencyCode,
  period: nullable(
    Type.Object(
      {
        index: Type.Integer({ description: 'Index of the period, starting at 0.', examples: [0] }),
        start_at: { ...Time, description: 'Start of the period.' },
        end_at: { ...Time, description: 'End of the period.' },
      },
      { description: 'Period that the invoice would bill. Null if it would only bill changes.' },
    ),
  ),
  lines: Type.Array(PreviewedLine, {
    description: 'Invoice lines, each with the calculation of its amount.',
  }),
  subtotal: Type.Integer({ description: 'Sum of the lines, in minor units.', examples: [964] }),
  discount_total: Type.Integer({ description: 'Total discount in minor units.', examples: [0] }),
  tax_total: Type.Integer({
    description: 'Total tax in minor units, whether amounts include it or not.',
    examples: [0],
  }),
  total_excluding_tax: Type.Integer({ description: 'Total without tax, in minor units.', examples: [964] }),
  tax_breakdown: Type.Array(TaxGroupShape, {
    description: 'Tax by rate. Empty if the invoice would have no tax.',
    examples: [[]],
  }),
  total: Type.Integer({
    description:
      'Subtotal minus discounts, plus tax that the amounts do not include, in minor units. A negative total becomes customer credit.',
    examples: [964],
  }),
  collect: OneOf(['now', 'spread', 'never'], {
    description: 'When the invoice would be collected. `spread`: at a time spread out to avoid load peaks.',
  }),
})

export const SubscriptionPreview = Type.Object(
  {
    object: Type.Literal('subscription_preview'),
    at: Type.String({
      format: 'date-time',
      description: 'Time that the preview is calculated for.',
      examples: ['2026-11-14T12:00:00.000Z'],
    }),
    subscription: SubscriptionObject,
    invoices: Type.Array(PreviewedInvoice, { description: 'Invoices that would be created now.' }),
    pending_lines: Type.Array(PreviewedLine, {
      description: 'Lines that would be added to the next invoice.',
    }),
    preview_token: nullable(
      Type.String({
        description:
          'Send this token with the same body to do exactly what the preview shows. Null for a renewal.',
      }),
    ),
    expires_at: { ...Time, description: 'Expiry time of the preview token.' },
  },
  {
    $id: 'SubscriptionPreview',
    description: 'The result of a change: the updated subscription and what would be billed.',
  },
)

export type Preview = {
  readonly at: Date
  readonly subscription: SubscriptionWithAccess
  readonly invoices: readonly InvoiceDraft[]
  readonly pendingLines: readonly LineDraft[]
  readonly token: string | null
  readonly expiresAt: Date
}

export function presentPreview(preview: Preview): Static<typeof SubscriptionPreview> {
  return {
    object: 'subscription_preview',
    at: preview.at.toISOString(),
    subscription: present(preview.subscription),
    invoices: preview.invoices.map(presentDraft),
    pending_lines: presentDraftLines(preview.subscription.currency, preview.pendingLines),
    preview_token: preview.token,
    expires_at: preview.expiresAt.toISOString(),
  }
}

function presentDraft(draft: InvoiceDraft) {
  const { reason, currency, period, lines, collect } = draft
  const amounts = amountsOfDraft(draft)
  return {
    reason,
    currency,
    collect,
    subtotal: Number(amounts.subtotal),
    discount_total: Number(amounts.discountTotal),
    tax_total: Number(amounts.taxTotal),
    total_excluding_tax: Number(amounts.totalExcludingTax),
    tax_breakdown: presentTaxGroups(amounts.taxGroups, 'en'),
    total: Number(amounts.total),
    period: period && {
      index: period.index,
      start_at: period.startAt.toISOString(),
      end_at: period.endAt.toISOString(),
    },
    lines: presentDraftLines(currency, lines),
  }
}

function presentDraftLines(
  currency: InvoiceDraft['currency'],
  lines: readonly LineDraft[],
): Static<typeof PreviewedLine>[] {
  const amounts = amountsOfDraft({ currency, lines })
  return lines.map((line, index) => {
    const { net, tax } = amounts.lines[index] ?? { net: line.amount, tax: 0n }
    const presented = presentLine({ ...line, id: noId, description: null, net, tax })
    const { id: _, object: __, description: ___, ...rest } = presented
    return rest
  })
}

const noId = '' as Parameters<typeof presentLine>[0]['id']

export const SubscriptionAccess = Type.Object(
  {
    object: Type.Literal('subscription_access'),
    subscription_id: IdOf('subscription'),
    customer_id: IdOf('customer'),
    status: SubscriptionObject.properties.status,
    access: AccessShape,
  },
  { $id: 'SubscriptionAccess', description: 'Whether a subscription currently grants access.' },
)

export function presentAccessOf(subscription: SubscriptionWithAccess): Static<typeof SubscriptionAccess> {
  return {
    object: 'subscription_access',
    subscription_id: subscription.id,
    customer_id: subscription.customerId,
    status: subscription.status,
    access: presentAccess(subscription),
  }
}

export const BillingState = Type.Object(
  {
    object: Type.Literal('billing_state'),
    customer_id: IdOf('customer'),
    access: AccessShape,
    subscriptions: Type.Array(SubscriptionObject, {
      description: 'The 100 most recent subscriptions, newest first.',
    }),
    credit: Type.Array(
      Type.Object({
        currency: CurrencyCode,
        balance: Type.Integer({
          description: 'Credit in minor units. It is applied to the next invoices.',
          examples: [964],
        }),
      }),
      { description: 'Credit of the customer, by currency.' },
    ),
  },
  {
    $id: 'BillingState',
    description: 'All subscriptions and credit of a customer, and whether they grant access.',
  },
)

export type CustomerState = {
  readonly customerId: string
  readonly subscriptions: readonly SubscriptionWithAccess[]
  readonly credit: readonly {
    readonly currency: SubscriptionWithAccess['currency']
    readonly balance: bigint
  }[]
}

export function presentState({
  customerId,
  subscriptions,
  credit,
}: CustomerState): Static<typeof BillingState> {
  const granting = subscriptions.find(({ access }) => access.granted) ?? subscriptions[0]
  return {
    object: 'billing_state',
    customer_id: customerId,
    access: granting ? presentAccess(granting) : { granted: false, reason: 'cancelled', until_at: null },
    subscriptions: subscriptions.map(present),
    credit: credit.map(({ currency, balance }) => ({ currency, balance: Number(balance) })),
  }
}
