/**
 * The timeline of a payment: its events, attempts, operations and calls in chronological order, each described
 * in one sentence. Pure functions.
 */
import { type Currency, isCurrency } from '../../../kernel/currency.ts'
import { moneyText } from '../../../kernel/money-text.ts'
import { type Attempt, isOpen, type Operation, type OperationStatus } from './payment.ts'
import type { ProviderCall } from './provider-call.ts'

/** An event of the payment, an attempt or a refund. */
export type EmittedEvent = {
  readonly id: string
  readonly type: string
  readonly data: string
  readonly createdAt: Date
}

export type TimelineInput = {
  readonly events: readonly EmittedEvent[]
  readonly attempts: readonly Attempt[]
  readonly operations: readonly Operation[]
  readonly calls: readonly ProviderCall[]
}

export type Entry = {
  readonly at: Date
  readonly type: 'event' | 'attempt' | 'operation' | 'call'
  /** The type of the event, the kind of the operation, or the step of the call. */
  readonly name: string
  readonly sentence: string
  /** The id of the event, attempt or operation; for a call, the id of its operation. */
  readonly objectId: string
}

type SortableEntry = Entry & { readonly sortKey: string }

/** The order within one transaction: the provider call, its events, then the next attempt and operation. */
const ranks: Readonly<Record<Entry['type'], number>> = { call: 0, event: 1, attempt: 2, operation: 3 }

/** Ids start with a timestamp of ten characters, which everything in one transaction shares. */
const positionOf = ({ sortKey, type }: SortableEntry) => `${sortKey.slice(0, 10)}${ranks[type]}${sortKey}`

export function timelineOf({ events, attempts, operations, calls }: TimelineInput): Entry[] {
  const entries = [
    ...events.map(eventEntry),
    ...attempts.map(attemptEntry),
    ...operations.map(operationEntry),
    ...calls.map((call) => callEntry(call)),
  ]
  return entries
    .toSorted((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1))
    .map(({ sortKey: _, ...entry }) => entry)
}

const sortKeyOf = (id: string) => id.slice(-26)

function eventEntry({ id, type, data, createdAt }: EmittedEvent): SortableEntry {
  const { object } = JSON.parse(data) as { object: Record<string, unknown> }
  const sentence = eventSentence(type, object)
  return { at: createdAt, type: 'event', name: type, sentence, objectId: id, sortKey: sortKeyOf(id) }
}

function eventSentence(type: string, object: Record<string, unknown>): string {
  if (type.startsWith('refund.')) return refundSentence(type, object)
  if (type === 'payment_attempt.declined')
    return `The provider declined: ${formatCode(String(object.decline_code))}.`
  if (type === 'payment_attempt.failed') return 'The provider could not be reached, or rejected the request.'
  return String(object.summary)
}

const refundTexts: Readonly<Record<string, string>> = {
  'refund.created': 'requested',
  'refund.succeeded': 'succeeded',
  'refund.failed': 'failed',
  'refund.needs_review': 'needs review: an admin must confirm its outcome',
}

function refundSentence(type: string, { amount, currency, source }: Record<string, unknown>): string {
  const code = String(currency)
  const money = isCurrency(code) ? moneyText(BigInt(Number(amount)), code) : `${amount} ${code}`
  const sourceText =
    type === 'refund.created' && source !== 'api' ? ` (${refundSourceTexts[String(source)]})` : ''
  return `Refund of ${money} ${refundTexts[type] ?? 'changed'}${sourceText}.`
}

const refundSourceTexts: Readonly<Record<string, string>> = {
  provider: 'made at the provider',
  automatic: 'automatic, because the charge should not have been made',
}

function attemptEntry({ id, number, providerAccountId, trace, createdAt }: Attempt): SortableEntry {
  const skipped = trace.candidates.filter(({ reasons }) => reasons.length > 0)
  const skippedTexts = skipped.map(
    ({ provider_account_id, reasons }) => `${provider_account_id} (${reasons.join(', ')})`,
  )
  const skippedText = skippedTexts.length === 0 ? '' : ` Skipped: ${skippedTexts.join('; ')}.`
  const sentence = `Attempt ${number} at ${providerAccountId}: ${trace.cause}.${skippedText}`
  return { at: createdAt, type: 'attempt', name: 'attempt', sentence, objectId: id, sortKey: sortKeyOf(id) }
}

const kindTexts: Readonly<Record<Operation['kind'], string>> = {
  verify: 'Card verification',
  authorize: 'Authorization',
  capture: 'Capture',
  void: 'Void',
  refund: 'Refund',
}

const statusTexts: Readonly<Record<OperationStatus, string>> = {
  sending: 'request sent',
  pending: 'pending at the provider',
  awaiting_customer: 'waiting for the payer',
  unknown: 'outcome unknown',
  needs_review: 'needs review',
  succeeded: 'succeeded',
  declined: 'declined',
  rejected: 'request rejected',
  not_sent: 'provider unreachable',
  not_processed: 'confirmed as not processed',
}

function operationEntry(operation: Operation): SortableEntry {
  const { id, kind, reference, status, createdAt, resends } = operation
  const subject = kind === 'authorize' && operation.capture ? 'Charge' : kindTexts[kind]
  const money = kind === 'verify' ? '' : ` of ${moneyText(operation.amount, operation.currency)}`
  const resendText = resends === 0 ? '' : `, resent ${resends === 1 ? 'once' : `${resends} times`}`
  const sentence = `${subject}${money} (reference ${reference}${resendText}): ${statusTexts[status]}${reasonOf(operation)}.${differenceOf(operation)}`
  return { at: createdAt, type: 'operation', name: kind, sentence, objectId: id, sortKey: sortKeyOf(id) }
}

function reasonOf({ decline, fault, status, dueAt }: Operation): string {
  const code = status === 'succeeded' ? undefined : (decline?.code ?? fault?.code)
  const retryText = !isOpen({ status }) && dueAt !== null ? `; retry at ${dueAt.toISOString()}` : ''
  return `${code === undefined ? '' : ` (${formatCode(code)})`}${retryText}`
}

/** The amount that the provider reported, if it differs from the requested amount. */
function differenceOf({ amount, currency, reported }: Operation): string {
  if (reported === null || reported.amount === null || !isCurrency(reported.currency ?? '')) return ''
  if (BigInt(reported.amount) === amount && reported.currency === currency) return ''
  const reportedText = moneyText(BigInt(reported.amount), reported.currency as Currency)
  return ` Requested ${moneyText(amount, currency)}, provider reports ${reportedText}.`
}

function callEntry(call: ProviderCall): SortableEntry {
  const { step, status, outcome, fault, durationMs, mayHaveBeenSent, createdAt, operationId, sortKey } = call
  const reason = fault === null ? '' : ` (${formatCode(fault)})`
  const noResponse = mayHaveBeenSent ? 'no response' : 'not sent'
  const response = status === null ? noResponse : `HTTP ${status}`
  const sentence = `Call to ${step}: ${response} after ${durationMs} ms. Outcome: ${formatCode(outcome)}${reason}.`
  return { at: createdAt, type: 'call', name: step, sentence, objectId: operationId, sortKey }
}

const formatCode = (code: string) => code.replaceAll('_', ' ')
