/** What would happen, on the wire. */
import { type Static, Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
import { type InvoiceDraft, invoiceReasons, type LineDraft, totalOf } from '../../../kernel/invoice-lines.ts'
import { IdOf, nullable, OneOf, Time } from '../../../kernel/shapes.ts'
import { LineObject, presentLine } from '../../invoices/schema.ts'
import type { ShownSubscription } from '../collection.ts'
import { present, presentAccess } from './present.ts'
import { AccessShape, SubscriptionObject } from './subscription.ts'

const PreviewedLine = Type.Omit(LineObject, ['id', 'object', 'description'])

const CurrencyCode = OneOf(currencies, { description: 'ISO 4217, lower case.', examples: ['eur'] })

const PreviewedInvoice = Type.Object({
  reason: OneOf(invoiceReasons, { description: 'What it would bill.' }),
  currency: CurrencyCode,
  period: nullable(
    Type.Object(
      {
        index: Type.Integer({ description: 'Which period it is, from 0.', examples: [0] }),
        start_at: Time,
        end_at: Time,
      },
      { description: 'The period that it would bill.' },
    ),
  ),
  lines: Type.Array(PreviewedLine, { description: 'The amounts, each with its arithmetic.' }),
  total: Type.Integer({
    description: 'The sum of the lines. Below zero it becomes credit.',
    examples: [964],
  }),
  collect: OneOf(['now', 'spread', 'never'], { description: 'When it is tried to collect it.' }),
})

export const SubscriptionPreview = Type.Object(
  {
    object: Type.Literal('subscription_preview'),
    at: Type.String({
      format: 'date-time',
      description: 'The instant that all of it is computed for.',
      examples: ['2026-11-14T12:00:00.000Z'],
    }),
    subscription: SubscriptionObject,
    invoices: Type.Array(PreviewedInvoice, { description: 'Invoices that would be made, now.' }),
    pending_lines: Type.Array(PreviewedLine, { description: 'Lines that would wait for the next invoice.' }),
    preview_token: nullable(
      Type.String({ description: 'Sent with the same body, exactly this is done. Null for a renewal.' }),
    ),
    expires_at: Time,
  },
  {
    $id: 'SubscriptionPreview',
    description: 'What a change would do: the subscription after it, and what would be billed.',
  },
)

export type Preview = {
  readonly at: Date
  readonly subscription: ShownSubscription
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
    pending_lines: preview.pendingLines.map(presentDraftLine),
    preview_token: preview.token,
    expires_at: preview.expiresAt.toISOString(),
  }
}

function presentDraft({ reason, currency, period, lines, collect }: InvoiceDraft) {
  return {
    ...{ reason, currency, collect, total: Number(totalOf(lines)) },
    period: period && {
      ...{ index: period.index, start_at: period.startAt.toISOString(), end_at: period.endAt.toISOString() },
    },
    lines: lines.map(presentDraftLine),
  }
}

function presentDraftLine(line: LineDraft): Static<typeof PreviewedLine> {
  const {
    id: _,
    object: __,
    description: ___,
    ...rest
  } = presentLine({ ...line, id: noId, description: null })
  return rest
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
  { $id: 'SubscriptionAccess', description: 'Whether a subscription gives access now.' },
)

export function presentAccessOf(subscription: ShownSubscription): Static<typeof SubscriptionAccess> {
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
    subscriptions: Type.Array(SubscriptionObject, { description: 'The newest 100, the newest first.' }),
    credit: Type.Array(
      Type.Object({
        currency: CurrencyCode,
        balance: Type.Integer({ description: 'What is set against the next invoices.', examples: [964] }),
      }),
      { description: 'What the customer has left, by currency.' },
    ),
  },
  { $id: 'BillingState', description: 'All that a customer pays for, and whether it gives access.' },
)

export type CustomerState = {
  readonly customerId: string
  readonly subscriptions: readonly ShownSubscription[]
  readonly credit: readonly { readonly currency: ShownSubscription['currency']; readonly balance: bigint }[]
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
