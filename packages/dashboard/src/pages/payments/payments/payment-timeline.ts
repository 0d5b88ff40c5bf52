/**
 * The timeline of a payment: its creation, the decision of the route, and the response of each provider. While an
 * outcome is unknown, no text here says that it failed. No side effects.
 */
import type { Operation, Payment, PaymentAttempt, TimelineEntry } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import { countText, sentenceCase } from '../../../format/text.ts'
import type { Timeline, TimelineNode } from '../../../timeline/timeline-model.ts'

export type PaymentTimelineInput = {
  readonly payment: Payment
  readonly attempts: readonly PaymentAttempt[]
  readonly operations: readonly Operation[]
  /** The events of the payment, its attempts and its refunds, the oldest first. */
  readonly events: readonly TimelineEntry[]
  /** The name of a provider account. */
  readonly nameOf: (accountId: string) => string
  readonly routeName: string | null
}

export function paymentTimeline(input: PaymentTimelineInput): Timeline {
  const { payment, attempts, operations, nameOf } = input
  const accounts = [...new Set(operations.map((one) => one.provider_account_id))]
  const lanes = [
    { id: 'payer', text: payment.initiator === 'merchant' ? 'You' : 'Payer' },
    { id: 'route', text: 'Route' },
    ...accounts.map((id) => ({ id, text: nameOf(id) })),
    { id: 'bank', text: 'Bank' },
  ]
  const [first] = attempts
  const nodes = [
    creationNode(payment),
    ...(first === undefined ? [] : [routingNode(first, input)]),
    ...operations.flatMap((operation) => operationNodes(operation, input.events)),
    ...(payment.status === 'cancelled' ? [cancelledNode(payment)] : []),
  ]
  return { lanes, nodes }
}

function creationNode({ id, created_at, initiator }: Payment): TimelineNode {
  const text = initiator === 'merchant' ? 'Charged by you' : 'Confirmed'
  return { id, lane: 'payer', atMs: Date.parse(created_at), text, tone: 'ink', mark: 'open' }
}

function cancelledNode({ id, updated_at }: Payment): TimelineNode {
  const base = { id: `${id} cancelled`, lane: 'payer', atMs: Date.parse(updated_at) }
  return { ...base, text: 'Cancelled', tone: 'neutral', mark: 'failed' }
}

function routingNode(attempt: PaymentAttempt, { nameOf, routeName }: PaymentTimelineInput): TimelineNode {
  const order = attempt.trace.order.map(nameOf).join(', then ')
  const text = `${ruleText(attempt.trace, routeName)}${order === '' ? '' : `: ${order}`}`
  return {
    id: attempt.id,
    lane: 'route',
    atMs: Date.parse(attempt.created_at),
    text,
    tone: 'ink',
    mark: 'open',
  }
}

/** "EU cards, rule 2", "EU cards, default", "Default order". */
function ruleText(trace: PaymentAttempt['trace'], routeName: string | null): string {
  const rule = ruleOf(trace)
  return trace.payment_route_id === null ? sentenceCase(rule) : `${routeName ?? 'Route'}, ${rule}`
}

export function ruleOf(trace: PaymentAttempt['trace']): string {
  if (trace.payment_route_id === null) return 'default order'
  const matchedRule = trace.rules.find(({ matched }) => matched)
  return matchedRule === undefined ? 'default' : `rule ${matchedRule.rule + 1}`
}

/** The first response, unless it was final, and the final or current state. */
export function operationNodes(operation: Operation, events: readonly TimelineEntry[]): TimelineNode[] {
  const conclusion = conclusionOf(operation, events)
  const calls = operation.calls.filter((call) => conclusion.call !== null || call.created_at <= conclusion.at)
  const [first] = calls
  if (operation.status === 'awaiting_customer') return authenticationNodes(operation, first?.created_at)
  const end = endNode(operation, conclusion.at)
  if (first === undefined || first === conclusion.call)
    return [conclusion.isReported ? withReportNote(end) : end]
  if (first.outcome === 'action') return [...authenticationNodes(operation, first.created_at), end]
  return [firstResponseNode(operation, first), { ...end, text: `${end.text}${checksText(operation)}` }]
}

type Call = Operation['calls'][number]

function firstResponseNode({ id, provider_account_id: lane }: Operation, call: Call): TimelineNode {
  const responseText = call.status === null ? 'No response' : `HTTP ${call.status}, outcome unknown`
  const text = call.outcome === 'pending' ? 'Pending at the provider' : responseText
  const base = { id: `${id} first`, lane, atMs: Date.parse(call.created_at) }
  return { ...base, text, tone: 'warning', mark: 'waiting', isWaiting: true }
}

function withReportNote(end: TimelineNode): TimelineNode {
  return { ...end, text: `${end.text} · reported by the provider` }
}

type Conclusion = { readonly at: string; readonly call: Call | null; readonly isReported: boolean }

/**
 * When the operation reached its status: the time of the request whose response proved it. If no response proved it,
 * the provider reported it later, and the time of our event is used. For an open operation, the time of its
 * last request.
 */
function conclusionOf(operation: Operation, events: readonly TimelineEntry[]): Conclusion {
  const { calls, status, created_at: createdAt } = operation
  const last = calls.at(-1) ?? null
  const isOpen = nodeStyles[status](operation).isWaiting === true
  const provingCall = isOpen
    ? last
    : calls.findLast(({ outcome }) => provingOutcomes[status]?.includes(outcome))
  if (provingCall) return { at: provingCall.created_at, call: provingCall, isReported: false }
  const report = isOpen
    ? undefined
    : events.find(({ name, at }) => at >= createdAt && concludes(operation, name))
  if (report !== undefined) return { at: report.at, call: null, isReported: true }
  return { at: last?.created_at ?? createdAt, call: last, isReported: false }
}

const provingOutcomes: { readonly [S in Operation['status']]?: readonly string[] } = {
  succeeded: ['succeeded'],
  declined: ['declined'],
  rejected: ['rejected'],
  not_sent: ['not_sent'],
  not_processed: ['closed', 'absent'],
}

function concludes({ kind }: Operation, event: string): boolean {
  const [noun, change = ''] = event.split('.')
  if (kind === 'refund') return noun === 'refund' && change !== 'created'
  return noun !== 'refund' && concludingEvents.has(change)
}

const concludingEvents = new Set([
  'succeeded',
  'authorized',
  'captured',
  'declined',
  'failed',
  'cancelled',
  'resolved',
])

function checksText({ checks }: Operation): string {
  return checks === 0 ? '' : ` · checked ${countText(checks, 'time')}`
}

function authenticationNodes(
  { id, provider_account_id, created_at }: Operation,
  at = created_at,
): TimelineNode[] {
  const atMs = Date.parse(at)
  const style = { atMs, tone: 'info', mark: 'open' } as const
  return [
    { id: `${id} action`, lane: provider_account_id, text: 'Requires 3-D Secure', ...style },
    { id: `${id} bank`, lane: 'bank', text: 'Payer is authenticating', ...style, isWaiting: true },
  ]
}

type NodeStyle = Pick<TimelineNode, 'text' | 'tone' | 'mark'> & { readonly isWaiting?: boolean }

function endNode(operation: Operation, at: string): TimelineNode {
  const { id, provider_account_id: lane } = operation
  return { id, lane, atMs: Date.parse(at), ...nodeStyles[operation.status](operation) }
}

const waitingStyle = (text: string, tone: TimelineNode['tone'] = 'warning'): NodeStyle => ({
  text,
  tone,
  mark: 'waiting',
  isWaiting: true,
})
const failedStyle = (
  text: string,
  code: string | null,
  tone: TimelineNode['tone'] = 'danger',
): NodeStyle => ({
  text: code === null ? text : `${text} · ${code}`,
  tone,
  mark: 'failed',
})

const nodeStyles: { readonly [S in Operation['status']]: (operation: Operation) => NodeStyle } = {
  sending: ({ kind }) => waitingStyle(`${sentenceCase(kind)} request sent`),
  pending: () => waitingStyle('Pending at the provider'),
  awaiting_customer: () => waitingStyle('Payer is authenticating', 'info'),
  unknown: () => waitingStyle('No response yet'),
  needs_review: () => waitingStyle('Needs review', 'danger'),
  succeeded: (operation) => ({
    text: doneText(operation),
    tone: operation.kind === 'refund' ? 'refund' : operation.kind === 'void' ? 'neutral' : 'success',
    mark: 'done',
  }),
  declined: ({ decline_code, kind }) =>
    failedStyle(
      kind === 'authorize' || kind === 'verify' ? 'Declined' : `${sentenceCase(kind)} declined`,
      decline_code,
    ),
  rejected: ({ fault_code }) => failedStyle('Request rejected', fault_code),
  not_sent: ({ fault_code }) => failedStyle('Unreachable', fault_code),
  not_processed: () => failedStyle('Not processed', null, 'neutral'),
}

function doneText({ kind, amount, currency }: Operation): string {
  const money = moneyText(amount, currency)
  const texts: { readonly [K in Operation['kind']]: string } = {
    verify: 'Verified',
    authorize: 'Approved',
    capture: `Captured ${money}`,
    void: `Voided ${money}`,
    refund: `Refunded ${money}`,
  }
  return texts[kind]
}
