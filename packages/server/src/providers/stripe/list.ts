/** Lists the operations since a given time, so that they can be compared with the database after a restore. */
import { type Static, Type } from 'typebox'
import type {
  BuildContext,
  ConnectorConfig,
  HttpCall,
  HttpReply,
  ListedOperation,
  ListInput,
  ListPage,
} from '../contract.ts'
import { readerOf, Unreadable } from '../read.ts'
import { get, secondsOf } from './request.ts'
import { dateOf, moneyOf } from './response.ts'
import { captureKey, listOf, PaymentIntent, paymentKey, Refund, referenceKey, Seconds } from './wire.ts'

const IntentList = listOf(PaymentIntent)
const ListedRefund = Type.Object({ ...Refund.properties, created: Seconds })
type ListedRefund = Static<typeof ListedRefund>
const ListedRefunds = listOf(ListedRefund)
const readIntents = readerOf(IntentList)
const readListedRefunds = readerOf(ListedRefunds)

/** First all PaymentIntents, then all refunds. The cursor is the last object of the previous page, or `refunds`. */
export function list({ since, cursor }: ListInput, context: BuildContext<ConnectorConfig>): HttpCall {
  const resource = isListOfRefunds(cursor) ? 'refunds' : 'payment_intents'
  const after = cursor === null || cursor === refundsCursor ? {} : { starting_after: cursor }
  const from = String(secondsOf(since))
  return get(context, `/v1/${resource}`, { 'created[gte]': from, limit: '100', ...after })
}

const refundsCursor = 'refunds'

function isListOfRefunds(cursor: string | null): boolean {
  return cursor === refundsCursor || /^(re|pyr)_/.test(cursor ?? '')
}

/** Newest first. After the last PaymentIntent, the list continues with the refunds. */
export function pageIn({ status, body }: HttpReply, { cursor }: ListInput): ListPage {
  if (status !== 200) throw new Unreadable(`Unexpected status ${status}.`)
  if (!isListOfRefunds(cursor)) {
    const { data, has_more } = readIntents(body)
    const next = has_more ? (data.at(-1)?.id ?? refundsCursor) : refundsCursor
    return { operations: data.flatMap(listedIntent), next }
  }
  const { data, has_more } = readListedRefunds(body)
  return { operations: data.flatMap(listedRefund), next: has_more ? (data.at(-1)?.id ?? null) : null }
}

/**
 * A cancelled authorization no longer reserves an amount, so it is not listed. Several captures are listed as
 * one, with their sum and the reference of the last one.
 */
function listedIntent(intent: PaymentIntent): ListedOperation[] {
  const { id, status, metadata, currency, amount, amount_received: received, capture_method } = intent
  const isOpen = status === 'processing' || status === 'requires_action'
  if (!isOpen && status !== 'succeeded' && status !== 'requires_capture') return []
  const authorization: ListedOperation = {
    kind: 'authorize',
    reference: metadata[referenceKey] ?? null,
    providerReference: id,
    status: isOpen ? 'pending' : 'succeeded',
    money: moneyOf(amount, currency),
    capture: capture_method !== 'manual',
    parent: null,
    paymentId: metadata[paymentKey] ?? null,
    createdAt: dateOf(intent.created),
  }
  if (authorization.capture || received === 0) return [authorization]
  const captured: ListedOperation = {
    ...authorization,
    kind: 'capture',
    reference: metadata[captureKey] ?? null,
    money: moneyOf(received, currency),
    parent: { reference: authorization.reference, providerReference: id },
  }
  return [authorization, captured]
}

function listedRefund(refund: ListedRefund): ListedOperation[] {
  const { id, status, metadata, payment_intent: intent } = refund
  const isPending = status === 'pending' || status === 'requires_action'
  if (intent === null || (!isPending && status !== 'succeeded')) return []
  return [
    {
      kind: 'refund',
      reference: metadata?.[referenceKey] ?? null,
      providerReference: id,
      status: isPending ? 'pending' : 'succeeded',
      money: moneyOf(refund.amount, refund.currency),
      capture: false,
      parent: { reference: null, providerReference: intent },
      paymentId: metadata?.[paymentKey] ?? null,
      createdAt: dateOf(refund.created),
    },
  ]
}
