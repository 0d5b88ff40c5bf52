/** The webhooks of Checkout.com. The signature is the HMAC-SHA-256 of the body, in hexadecimal. */
import { createHmac, randomUUID } from 'node:crypto'
import type { OperationRecord } from '../../protocol.ts'
import type { AccountContext } from '../../run-operation.ts'
import type { Account } from '../../simulator-state.ts'
import type { WebhookEvent, WebhookRequest } from '../dialect.ts'
import { amountOf } from './amounts.ts'
import { idOf } from './ids.ts'
import { authCodeOf, automaticCaptureId, balancesOf, processingOf, timeOf } from './objects.ts'
import { findAction, type PaymentView, paymentOfOperation } from './payments.ts'
import { responseCodeOf } from './response-codes.ts'

// biome-ignore format: a table.
const eventTypes = {
  authorize: { succeeded: 'payment_approved', declined: 'payment_declined',           pending: 'payment_pending' },
  verify:    { succeeded: 'card_verified',    declined: 'card_verification_declined', pending: 'payment_pending' },
  capture:   { succeeded: 'payment_captured', declined: 'payment_capture_declined',   pending: 'payment_capture_pending' },
  void:      { succeeded: 'payment_voided',   declined: 'payment_void_declined',      pending: null },
  refund:    { succeeded: 'payment_refunded', declined: 'payment_refund_declined',    pending: 'payment_refund_pending' },
} as const

/**
 * A forged webhook does not replace the genuine one: Checkout.com reports the reason for a decline nowhere
 * else.
 */
export function webhooksOf(context: AccountContext, event: WebhookEvent): readonly WebhookRequest[] {
  const { record, forged } = event
  const genuine = context.account.operations.get(record.reference)?.record
  const webhooks = webhooksAbout(context, record, forged)
  return forged && genuine ? [...webhooks, ...webhooksAbout(context, genuine, false)] : webhooks
}

/** An approved payment with automatic capture has two webhooks: one for the authorization, one for the capture. */
function webhooksAbout(
  context: AccountContext,
  record: OperationRecord,
  forged: boolean,
): readonly WebhookRequest[] {
  const { account } = context
  const view = paymentOfOperation(context, record.reference)
  const type = eventTypeOf(record)
  if (view === null || type === null) return []
  const event = webhook(context, type, dataOf(account, view, record), forged)
  if (type !== 'payment_approved' || !view.isCapturedAutomatically) return [event]
  const captureData = actionData(account, view, record, automaticCaptureId(account, view.payment))
  return [event, webhook(context, 'payment_captured', captureData, forged)]
}

/** A pending action that can no longer be executed is declined. */
function eventTypeOf({ kind, status }: OperationRecord): string | null {
  if (kind === null || status === 'closed') return null
  const types = eventTypes[kind]
  if (status === 'succeeded') return types.succeeded
  return status === 'declined' || status === 'rejected' ? types.declined : types.pending
}

function webhook(
  { state, account }: AccountContext,
  type: string,
  data: object,
  forged: boolean,
): WebhookRequest {
  const id = idOf('evt', account, randomUUID())
  const body = JSON.stringify({ id, type, version: '1.0.29', created_on: timeOf(state.clock.now()), data })
  const key = forged ? 'a forged signature key' : (account.config.credentials.signature_key ?? '')
  const signature = createHmac('sha256', key).update(body).digest('hex')
  return { contentType: 'application/json', body, headers: () => ({ 'cko-signature': signature }) }
}

function dataOf(account: Account, view: PaymentView, record: OperationRecord): object {
  const actionId = idOf('act', account, record.reference)
  const data = actionData(account, view, record, actionId)
  const { payment } = view
  if (record.reference !== payment.operation) return data
  const { last4, ...card } = payment.card
  const approved = record.status === 'succeeded'
  return {
    ...data,
    payment_type: 'Regular',
    ...payment.echo,
    ...(approved ? { auth_code: authCodeOf(payment), scheme_id: record.network_transaction_id } : {}),
    risk: { flagged: false },
    source: {
      ...(approved && payment.instrument !== null ? { id: payment.instrument } : {}),
      ...card,
      last_4: last4,
    },
  }
}

/** A refund that was made at the provider has the reference of its operation. */
function actionData(account: Account, view: PaymentView, record: OperationRecord, actionId: string): object {
  const { payment } = view
  const action = findAction(account, record.reference)
  const isPayment = record.reference === payment.operation
  const reference = isPayment ? payment.reference : action === null ? record.reference : action.reference
  const isPending = record.status === 'pending' || record.status === 'action_required'
  return {
    id: payment.id,
    action_id: actionId,
    ...(reference === null ? {} : { reference }),
    amount: amountOf(record),
    currency: record.currency?.toUpperCase(),
    processed_on: timeOf(action?.requestedAt ?? payment.requestedAt),
    ...(isPending ? {} : responseCodeOf(record)),
    ...(isPayment ? {} : { balances: balancesOf(view) }),
    metadata: (isPayment ? payment.echo.metadata : action?.metadata) ?? {},
    processing: processingOf(payment, record),
    event_links: { payment: payment.url, payment_actions: `${payment.url}/actions` },
  }
}
