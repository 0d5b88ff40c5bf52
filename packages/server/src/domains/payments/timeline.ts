/** What happened to a payment, in order and in sentences, from everything that is kept of it. Pure. */
import { isCurrency } from '../../kernel/currency.ts'
import { moneyText } from '../../kernel/money-text.ts'
import type { Call } from './call.ts'
import { type Attempt, isOpen, type Operation, type OperationStatus } from './payment.ts'

/** An event of the payment, an attempt or a refund. */
export type ToldEvent = {
  readonly id: string
  readonly type: string
  readonly data: string
  readonly createdAt: Date
}

export type Story = {
  readonly events: readonly ToldEvent[]
  readonly attempts: readonly Attempt[]
  readonly operations: readonly Operation[]
  readonly calls: readonly Call[]
}

export type Entry = {
  readonly at: Date
  readonly type: 'event' | 'attempt' | 'operation' | 'call'
  /** The type of the event, the kind of the operation, the step of the call. */
  readonly name: string
  readonly sentence: string
  /** Of the event, attempt or operation; that of a call is its operation's. */
  readonly objectId: string
}

type Placed = Entry & { readonly place: string }

/** In one unit of work: what was heard, what was told of it, and what follows. */
const ranks: Readonly<Record<Entry['type'], number>> = { call: 0, event: 1, attempt: 2, operation: 3 }

/** Ids begin with a time, which all of a unit of work share: ten characters of it. */
const orderOf = ({ place, type }: Placed) => `${place.slice(0, 10)}${ranks[type]}${place}`

export function timelineOf({ events, attempts, operations, calls }: Story): Entry[] {
  const placed = [
    ...events.map(ofEvent),
    ...attempts.map(ofAttempt),
    ...operations.map(ofOperation),
    ...calls.map((call) => ofCall(call)),
  ]
  return placed.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)).map(({ place: _, ...entry }) => entry)
}

const placeOf = (id: string) => id.slice(-26)

function ofEvent({ id, type, data, createdAt }: ToldEvent): Placed {
  const { object } = JSON.parse(data) as { object: Record<string, unknown> }
  const sentence = sentenceOf(type, object)
  return { at: createdAt, type: 'event', name: type, sentence, objectId: id, place: placeOf(id) }
}

function sentenceOf(type: string, object: Record<string, unknown>): string {
  if (type.startsWith('refund.')) return refundSentence(type, object)
  if (type === 'payment_attempt.declined')
    return `The account declined: ${words(String(object.decline_code))}.`
  if (type === 'payment_attempt.failed') return 'The account could not be reached, or refused to act.'
  return String(object.summary)
}

const ofRefund: Readonly<Record<string, string>> = {
  'refund.created': 'is to be given back',
  'refund.succeeded': 'was given back',
  'refund.failed': 'could not be given back',
  'refund.needs_review': 'may have been given back, and the provider does not tell: somebody has to ask them',
}

function refundSentence(type: string, { amount, currency, source }: Record<string, unknown>): string {
  const code = String(currency)
  const money = isCurrency(code) ? moneyText(BigInt(Number(amount)), code) : `${amount} ${code}`
  const by = type === 'refund.created' && source !== 'api' ? ` (${sources[String(source)]})` : ''
  return `${money} ${ofRefund[type] ?? 'changed'}${by}.`
}

const sources: Readonly<Record<string, string>> = {
  provider: 'somebody did it at the provider',
  automatic: 'the payment had been cancelled',
}

function ofAttempt({ id, number, providerAccountId, trace, createdAt }: Attempt): Placed {
  const passed = trace.candidates.filter(({ reasons }) => reasons.length > 0)
  const over = passed.map(
    ({ provider_account_id, reasons }) => `${provider_account_id} (${reasons.join(', ')})`,
  )
  const rest = over.length === 0 ? '' : ` Passed over: ${over.join('; ')}.`
  const sentence = `Attempt ${number} goes to ${providerAccountId}: ${trace.cause}.${rest}`
  return { at: createdAt, type: 'attempt', name: 'attempt', sentence, objectId: id, place: placeOf(id) }
}

const asked: Readonly<Record<Operation['kind'], string>> = {
  verify: 'verify the card',
  authorize: 'hold',
  capture: 'capture',
  void: 'let go of',
  refund: 'give back',
}

const ended: Readonly<Record<OperationStatus, string>> = {
  sending: 'it is being asked',
  pending: 'it will tell later',
  awaiting_customer: 'the payer is awaited',
  unknown: 'it is not known what became of it',
  needs_review: 'somebody has to look',
  succeeded: 'it did',
  declined: 'it declined',
  rejected: 'it refused to act',
  not_sent: 'it could not be reached',
  not_processed: 'it is proven never to happen',
}

function ofOperation(operation: Operation): Placed {
  const { id, kind, reference, status, createdAt, resends } = operation
  const what = kind === 'authorize' && operation.capture ? 'take' : asked[kind]
  const money = kind === 'verify' ? '' : ` ${moneyText(operation.amount, operation.currency)}`
  const again = resends === 0 ? '' : ` once more (${resends})`
  const sentence = `The account was asked to ${what}${money}${again}, as ${reference}: ${ended[status]}${reasonOf(operation)}.`
  return { at: createdAt, type: 'operation', name: kind, sentence, objectId: id, place: placeOf(id) }
}

function reasonOf({ decline, fault, status, dueAt }: Operation): string {
  const code = status === 'succeeded' ? undefined : (decline?.code ?? fault?.code)
  const again = !isOpen({ status }) && dueAt !== null ? `; it goes again at ${dueAt.toISOString()}` : ''
  return `${code === undefined ? '' : ` (${words(code)})`}${again}`
}

function ofCall(call: Call): Placed {
  const { step, status, outcome, fault, durationMs, mayHaveBeenSent, createdAt, operationId, place } = call
  const why = fault === null ? '' : ` (${words(fault)})`
  const silence = mayHaveBeenSent ? 'no answer' : 'not sent'
  const heard = status === null ? silence : `answered ${status}`
  const sentence = `Call to ${step}: ${heard} after ${durationMs} ms. It proves: ${words(outcome)}${why}.`
  return { at: createdAt, type: 'call', name: step, sentence, objectId: operationId, place }
}

const words = (code: string) => code.replaceAll('_', ' ')
