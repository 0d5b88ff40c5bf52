import type { Operation, Payment, PaymentAttempt, TimelineEntry } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { layoutOf } from '../../../timeline/layout.ts'
import { paymentTimeline } from './payment-timeline.ts'
import { actionsOf, badgesOf, displayedStatus, reasonOf } from './state.ts'
import { failoverText, traceLines } from './trace.ts'

const start = Date.UTC(2026, 10, 14, 22, 51, 3)
const at = (ms: number) => new Date(start + ms).toISOString()

const payment = {
  id: 'payment_test_1',
  status: 'succeeded',
  purpose: 'payment',
  amount: 12_900,
  currency: 'eur',
  amount_capturable: 0,
  amount_captured: 12_900,
  amount_refunding: 0,
  amount_refunded: 0,
  initiator: 'customer',
  review: null,
  unresolved_since_at: null,
  cancel_requested_at: null,
  failure: null,
  last_error: null,
  created_at: at(0),
  updated_at: at(900),
} as Payment

const trace: PaymentAttempt['trace'] = {
  payment_route_id: 'payment_route_test_1',
  revision: 12,
  operands: { currency: 'eur', 'card.country': null },
  rules: [
    { rule: 0, matched: false, failed_at: '/rules/0/when' },
    { rule: 1, matched: true, failed_at: null },
  ],
  draw: null,
  candidates: [
    { provider_account_id: 'stripe', eligible: true, reasons: [] },
    { provider_account_id: 'worldpay', eligible: false, reasons: ['held'] },
  ],
  order: ['stripe', 'adyen'],
  cause: 'rule "Europe"',
}
const attempt = (number: number, account: string, more: Partial<PaymentAttempt>) =>
  ({
    id: `attempt_${number}`,
    number,
    provider_account_id: account,
    trace,
    decline_code: null,
    created_at: at(60),
    ...more,
  }) as PaymentAttempt

type Call = Operation['calls'][number]
const call = (ms: number, more: Partial<Call> = {}) =>
  ({ step: 'authorize', status: 200, outcome: 'succeeded', created_at: at(ms), ...more }) as Call
const operation = (id: string, account: string, more: Partial<Operation>) =>
  ({
    id,
    provider_account_id: account,
    kind: 'authorize',
    amount: 12_900,
    currency: 'eur',
    checks: 0,
    decline_code: null,
    fault_code: null,
    calls: [],
    created_at: at(70),
    ...more,
  }) as Operation

const nameOf = (id: string) => id.charAt(0).toUpperCase() + id.slice(1)
const input = { payment, nameOf, routeName: 'EU cards', events: [] }
const attempts = [
  attempt(1, 'stripe', { status: 'declined', decline_code: 'do_not_honor' }),
  attempt(2, 'adyen', { status: 'captured' }),
]

test('a payment with failover is shown from the payer to the approval', () => {
  const { lanes, nodes } = paymentTimeline({
    ...input,
    attempts,
    operations: [
      operation('op_1', 'stripe', {
        status: 'declined',
        decline_code: 'do_not_honor',
        calls: [call(415, { outcome: 'declined' })],
      }),
      operation('op_2', 'adyen', { status: 'succeeded', calls: [call(700)] }),
    ],
  })
  expect(lanes.map(({ text }) => text)).toEqual(['Payer', 'Route', 'Stripe', 'Adyen', 'Bank'])
  expect(nodes.map(({ lane, text, tone }) => [lane, text, tone])).toEqual([
    ['payer', 'Confirmed', 'ink'],
    ['route', 'EU cards, rule 2: Stripe, then Adyen', 'ink'],
    ['stripe', 'Declined · do_not_honor', 'danger'],
    ['adyen', 'Approved', 'success'],
  ])
})

test('authentication is shown as a wait at the bank until the provider reports the outcome', () => {
  const { nodes } = paymentTimeline({
    ...input,
    attempts,
    operations: [
      operation('op_1', 'adyen', {
        status: 'succeeded',
        calls: [call(300, { outcome: 'action' }), call(14_500, { step: 'complete' })],
      }),
    ],
  })
  const [request, bank, end] = nodes.slice(-3)
  expect(request).toMatchObject({ lane: 'adyen', text: 'Requires 3-D Secure', atMs: bank?.atMs })
  expect(bank).toMatchObject({ lane: 'bank', isWaiting: true, tone: 'info' })
  expect(end).toMatchObject({ lane: 'adyen', text: 'Approved', mark: 'done' })
})

test('an outcome that the provider reports later has the time of the report, not of our last request', () => {
  const report = { name: 'payment.succeeded', at: at(2_000) } as TimelineEntry
  const { nodes } = paymentTimeline({
    ...input,
    attempts,
    events: [report],
    operations: [
      operation('op_1', 'stripe', {
        status: 'succeeded',
        calls: [call(60_000, { status: null, outcome: 'unknown' })],
      }),
    ],
  })
  expect(nodes.at(-1)).toMatchObject({ text: 'Approved · reported by the provider', atMs: start + 2_000 })
  expect(nodes).toHaveLength(3)
})

test('while an outcome is unknown, no text says that it failed', () => {
  const unknown = { ...payment, status: 'processing', unresolved_since_at: at(400) } as Payment
  const unresolvedAttempts = [
    attempt(1, 'worldpay', { status: 'failed' }),
    attempt(2, 'stripe', { status: 'unresolved' }),
  ]
  const timeline = paymentTimeline({
    ...input,
    payment: unknown,
    attempts: unresolvedAttempts,
    operations: [
      operation('op_1', 'worldpay', { status: 'not_sent', fault_code: 'connect_failed' }),
      operation('op_2', 'stripe', {
        status: 'unknown',
        calls: [call(400, { status: null, outcome: 'unknown' })],
      }),
    ],
  })
  const texts = [
    displayedStatus(unknown),
    reasonOf(unknown),
    failoverText(unresolvedAttempts, [], nameOf),
    ...timeline.nodes.map(({ text }) => text),
  ].join(' ')
  expect(texts).toContain('No response yet')
  expect(texts.replace('connect_failed', '')).not.toMatch(/fail/i)
  const { connectors } = layoutOf(timeline, { width: 900, maxGapMs: 5_000, kind: 'elapsed' })
  expect(connectors.at(-1)?.isDashed).toBe(true)
})

test('only the actions that the state allows are offered, and an unknown outcome replaces the status', () => {
  const offered = (change: Partial<Payment>, operations: Operation[] = []) =>
    actionsOf({ ...payment, ...change } as Payment, operations)
  expect(offered({})).toEqual(['refund'])
  expect(offered({ amount_refunded: 12_900 })).toEqual([])
  expect(offered({ amount_refunded: 4_000, amount_refunding: 8_900 })).toEqual([])
  const authorized = { status: 'requires_capture', amount_captured: 0, amount_capturable: 12_900 } as const
  expect(offered(authorized)).toEqual(['capture', 'cancel'])
  const unresolved = { status: 'processing', amount_captured: 0, unresolved_since_at: at(1) } as const
  expect(offered(unresolved)).toEqual(['check', 'cancel'])
  expect(displayedStatus({ ...payment, ...unresolved } as Payment)).toBe('unknown')
  expect(offered({ ...unresolved, review: 'needs_review', cancel_requested_at: at(2) })).toEqual([
    'resolve',
    'check',
  ])
  expect(offered({ status: 'failed', amount_captured: 0 })).toEqual([])
})

test('refunds are shown next to the status', () => {
  const badges = (change: Partial<Payment>) => badgesOf({ ...payment, ...change }).map(({ text }) => text)
  expect(badges({})).toEqual([])
  expect(badges({ amount_refunded: 1 })).toEqual(['Partially refunded'])
  expect(badges({ amount_refunded: 12_900 })).toEqual(['Refunded'])
  expect(badges({ amount_refunding: 1 })).toEqual(['Refund pending'])
})

test('a routing trace is described in sentences', () => {
  expect(traceLines(trace, nameOf)).toEqual([
    'Decision: rule "Europe".',
    'Rule 1 did not match at `/rules/0/when`.',
    'Rule 2 matched.',
    'Worldpay skipped: held.',
    'The rules used 2 fields: `currency` eur, `card.country` missing.',
  ])
})

test('a failover is described in sentences, with its delay', () => {
  const failedOver = [
    attempts[0],
    attempt(2, 'adyen', { status: 'captured', created_at: at(433) }),
  ] as PaymentAttempt[]
  const first = operation('op_1', 'stripe', { payment_attempt_id: 'attempt_1', calls: [call(415)] })
  expect(failoverText(failedOver, [first], nameOf)).toBe(
    'Stripe declined (`do_not_honor`). Adyen was tried 18 ms later and approved.',
  )
  const unreachable = [
    attempt(1, 'stripe', { status: 'failed' }),
    attempt(2, 'adyen', { status: 'requires_action' }),
  ]
  const notSent = operation('op_1', 'stripe', {
    payment_attempt_id: 'attempt_1',
    status: 'not_sent',
    fault_code: 'timeout',
  })
  expect(failoverText(unreachable, [notSent], nameOf)).toBe(
    'Stripe could not be reached (`timeout`). Adyen was tried next and is waiting for the payer.',
  )
  expect(failoverText([], [], nameOf)).toBeNull()
})
