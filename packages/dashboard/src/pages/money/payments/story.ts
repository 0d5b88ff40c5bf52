/**
 * What happened to a payment as a Line: who asked, what the route said, what each provider answered. Pure. As long
 * as an outcome is not known, nothing here says that it did not work.
 */
import type { Operation, Payment, PaymentAttempt, TimelineEntry } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import { counted, words } from '../../../format/words.ts'
import type { LineNode, Story } from '../../../line/story.ts'

export type Told = {
  readonly payment: Payment
  readonly attempts: readonly PaymentAttempt[]
  readonly operations: readonly Operation[]
  /** What was told of it, of its attempts and of its refunds, the oldest first. */
  readonly events: readonly TimelineEntry[]
  /** The name of a provider account. */
  readonly nameOf: (accountId: string) => string
  readonly routeName: string | null
}

export function storyOf(told: Told): Story {
  const { payment, attempts, operations, nameOf } = told
  const accounts = [...new Set(operations.map((one) => one.provider_account_id))]
  const lanes = [
    { id: 'payer', text: payment.initiator === 'merchant' ? 'You' : 'Payer' },
    { id: 'route', text: 'Route' },
    ...accounts.map((id) => ({ id, text: nameOf(id) })),
    { id: 'bank', text: 'Bank' },
  ]
  const [first] = attempts
  const nodes = [
    asked(payment),
    ...(first === undefined ? [] : [routed(first, told)]),
    ...operations.flatMap((operation) => operationNodes(operation, told.events)),
    ...(payment.status === 'cancelled' ? [cancelled(payment)] : []),
  ]
  return { lanes, nodes }
}

function asked({ id, created_at, initiator }: Payment): LineNode {
  const text = initiator === 'merchant' ? 'Charged by you' : 'Confirmed'
  return { id, lane: 'payer', atMs: Date.parse(created_at), text, tone: 'ink', mark: 'open' }
}

function cancelled({ id, updated_at }: Payment): LineNode {
  const at = { id: `${id} cancelled`, lane: 'payer', atMs: Date.parse(updated_at) }
  return { ...at, text: 'Cancelled', tone: 'idle', mark: 'failed' }
}

function routed(attempt: PaymentAttempt, { nameOf, routeName }: Told): LineNode {
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

/** "EU cards, rule 2", "EU cards, default", "order of accounts". */
function ruleText(trace: PaymentAttempt['trace'], routeName: string | null): string {
  const rule = ruleOf(trace)
  return trace.payment_route_id === null ? words(rule) : `${routeName ?? 'Route'}, ${rule}`
}

export function ruleOf(trace: PaymentAttempt['trace']): string {
  if (trace.payment_route_id === null) return 'order of accounts'
  const met = trace.rules.find(({ matched }) => matched)
  return met === undefined ? 'default' : `rule ${met.rule + 1}`
}

/** What was heard first, if that was not the end of it, and how it ended or stands. */
export function operationNodes(operation: Operation, events: readonly TimelineEntry[]): LineNode[] {
  const settled = settledBy(operation, events)
  const calls = operation.calls.filter((call) => settled.call !== null || call.created_at <= settled.at)
  const [first] = calls
  if (operation.status === 'awaiting_customer') return atBank(operation, first?.created_at)
  const end = endOf(operation, settled.at)
  if (first === undefined || first === settled.call) return [settled.isHeard ? heard(end) : end]
  if (first.outcome === 'action') return [...atBank(operation, first.created_at), end]
  return [firstHeard(operation, first), { ...end, text: `${end.text}${asksText(operation)}` }]
}

type Call = Operation['calls'][number]

function firstHeard({ id, provider_account_id: lane }: Operation, call: Call): LineNode {
  const silence = call.status === null ? 'No answer' : `Answered ${call.status}, outcome not known`
  const text = call.outcome === 'pending' ? 'Will tell later' : silence
  const at = { id: `${id} first`, lane, atMs: Date.parse(call.created_at) }
  return { ...at, text, tone: 'caution', mark: 'waiting', isWaiting: true }
}

function heard(end: LineNode): LineNode {
  return { ...end, text: `${end.text} · told by the provider` }
}

type Settled = { readonly at: string; readonly call: Call | null; readonly isHeard: boolean }

/**
 * When it became what it is: by the call that proved it. If none did, the provider told it by itself, and what we
 * told then says when. What is still open is as old as its last call.
 */
function settledBy(operation: Operation, events: readonly TimelineEntry[]): Settled {
  const { calls, status, created_at: begun } = operation
  const last = calls.at(-1) ?? null
  const isOpen = endings[status](operation).isWaiting === true
  const proof = isOpen ? last : calls.findLast(({ outcome }) => proves[status]?.includes(outcome))
  if (proof) return { at: proof.created_at, call: proof, isHeard: false }
  const told = isOpen ? undefined : events.find(({ name, at }) => at >= begun && isAbout(operation, name))
  if (told !== undefined) return { at: told.at, call: null, isHeard: true }
  return { at: last?.created_at ?? begun, call: last, isHeard: false }
}

const proves: { readonly [S in Operation['status']]?: readonly string[] } = {
  succeeded: ['succeeded'],
  declined: ['declined'],
  rejected: ['rejected'],
  not_sent: ['not_sent'],
  not_processed: ['closed', 'absent'],
}

function isAbout({ kind }: Operation, event: string): boolean {
  const [noun, what = ''] = event.split('.')
  if (kind === 'refund') return noun === 'refund' && what !== 'created'
  return noun !== 'refund' && ends.has(what)
}

const ends = new Set(['succeeded', 'authorized', 'captured', 'declined', 'failed', 'cancelled', 'resolved'])

function asksText({ checks }: Operation): string {
  return checks === 0 ? '' : ` · asked ${counted(checks, 'time')}`
}

function atBank({ id, provider_account_id, created_at }: Operation, at = created_at): LineNode[] {
  const atMs = Date.parse(at)
  const look = { atMs, tone: 'lock', mark: 'open' } as const
  return [
    { id: `${id} action`, lane: provider_account_id, text: 'Asks for 3-D Secure', ...look },
    { id: `${id} bank`, lane: 'bank', text: 'Payer at the bank', ...look, isWaiting: true },
  ]
}

type Ending = Pick<LineNode, 'text' | 'tone' | 'mark'> & { readonly isWaiting?: boolean }

function endOf(operation: Operation, at: string): LineNode {
  const { id, provider_account_id: lane } = operation
  return { id, lane, atMs: Date.parse(at), ...endings[operation.status](operation) }
}

const waiting = (text: string, tone: LineNode['tone'] = 'caution'): Ending => ({
  ...{ text, tone, mark: 'waiting', isWaiting: true },
})
const dead = (text: string, code: string | null, tone: LineNode['tone'] = 'danger'): Ending => ({
  ...{ text: code === null ? text : `${text} · ${code}`, tone, mark: 'failed' },
})

const endings: { readonly [S in Operation['status']]: (operation: Operation) => Ending } = {
  sending: ({ kind }) => waiting(`Asked to ${kind}`),
  pending: () => waiting('Will tell later'),
  awaiting_customer: () => waiting('Payer at the bank', 'lock'),
  unknown: () => waiting('No answer yet'),
  needs_review: () => waiting('Needs review', 'danger'),
  succeeded: (operation) => ({
    text: doneText(operation),
    tone: operation.kind === 'refund' ? 'gate' : operation.kind === 'void' ? 'idle' : 'clear',
    mark: 'done',
  }),
  declined: ({ decline_code, kind }) =>
    dead(kind === 'authorize' || kind === 'verify' ? 'Declined' : `${words(kind)} declined`, decline_code),
  rejected: ({ fault_code }) => dead('Refused to act', fault_code),
  not_sent: ({ fault_code }) => dead('Not reached', fault_code),
  not_processed: () => dead('Not processed', null, 'idle'),
}

function doneText({ kind, amount, currency }: Operation): string {
  const money = moneyText(amount, currency)
  const texts: { readonly [K in Operation['kind']]: string } = {
    verify: 'Verified',
    authorize: 'Approved',
    capture: `Captured ${money}`,
    void: `Let go of ${money}`,
    refund: `Refunded ${money}`,
  }
  return texts[kind]
}
