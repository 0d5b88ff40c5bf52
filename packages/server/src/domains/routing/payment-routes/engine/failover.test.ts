import { expect, test } from 'vitest'
import { grid } from '../../../../../test/support/grid.ts'
import { declineCodes, declineOf } from '../../../../providers/declines.ts'
import { failoverClasses } from '../payment-route.ts'
import { type AttemptEnd, decideFailover, type EndedAttempt } from './failover.ts'

const everyFailover = { max_attempts: 5, budget_ms: 20_000, on: failoverClasses }
const firstAttempt: Omit<EndedAttempt, 'attemptEnd'> = {
  softFailoverUsed: false,
  challenged: false,
  cancelRequested: false,
  attempts: 1,
  elapsedMs: 0,
  failover: everyFailover,
}

const attemptEnds = {
  approved: { kind: 'approved' },
  unknown: { kind: 'unknown' },
  pending: { kind: 'pending' },
  'awaiting payer': { kind: 'awaiting_customer' },
  'needs review': { kind: 'needs_review' },
  'not sent': { kind: 'not_sent' },
  closed: { kind: 'not_processed', proof: 'closed' },
  absent: { kind: 'not_processed', proof: 'absent' },
  technical: { kind: 'declined', code: 'issuer_unavailable' },
  'rejected, busy': { kind: 'rejected', code: 'provider_rate_limited' },
  configuration: { kind: 'rejected', code: 'provider_credentials_invalid' },
  'no account left': { kind: 'declined', code: 'no_eligible_provider' },
  'soft, once': { kind: 'declined', code: 'do_not_honor' },
  'soft, never': { kind: 'declined', code: 'insufficient_funds' },
  hard: { kind: 'declined', code: 'stolen_card' },
  fraud: { kind: 'declined', code: 'suspected_fraud' },
  data: { kind: 'declined', code: 'incorrect_cvc' },
  authentication: { kind: 'declined', code: 'authentication_failed' },
} satisfies Record<string, AttemptEnd>

const situations = {
  default: {},
  'soft before': { softFailoverUsed: true },
  challenged: { challenged: true },
  cancelled: { cancelRequested: true },
  'no soft': { failover: { ...everyFailover, on: ['technical', 'configuration'] } },
  'only soft': { failover: { ...everyFailover, on: ['soft'] } },
  'one attempt': { failover: { ...everyFailover, max_attempts: 1 } },
  late: { elapsedMs: 20_000 },
} satisfies Record<string, Partial<EndedAttempt>>

const cells = grid<keyof typeof attemptEnds, keyof typeof situations>(`
  |                 | default | soft before | challenged | cancelled | no soft | only soft | one attempt | late |
  | approved        | -       | -           | -          | -         | -       | -         | -           | -    |
  | unknown         | -       | -           | -          | -         | -       | -         | -           | -    |
  | pending         | -       | -           | -          | -         | -       | -         | -           | -    |
  | awaiting payer  | -       | -           | -          | -         | -       | -         | -           | -    |
  | needs review    | -       | -           | -          | -         | -       | -         | -           | -    |
  | not sent        | yes     | yes         | -          | -         | yes     | -         | -           | -    |
  | closed          | yes     | yes         | -          | -         | yes     | -         | -           | -    |
  | absent          | -       | -           | -          | -         | -       | -         | -           | -    |
  | technical       | yes     | yes         | -          | -         | yes     | -         | -           | -    |
  | rejected, busy  | yes     | yes         | -          | -         | yes     | -         | -           | -    |
  | configuration   | yes     | yes         | -          | -         | yes     | -         | -           | -    |
  | no account left | -       | -           | -          | -         | -       | -         | -           | -    |
  | soft, once      | yes     | -           | -          | -         | -       | yes       | -           | -    |
  | soft, never     | -       | -           | -          | -         | -       | -         | -           | -    |
  | hard            | -       | -           | -          | -         | -       | -         | -           | -    |
  | fraud           | -       | -           | -          | -         | -       | -         | -           | -    |
  | data            | -       | -           | -          | -         | -       | -         | -           | -    |
  | authentication  | -       | -           | -          | -         | -       | -         | -           | -    |
`)

test('the grid contains every attempt end and every situation', () => {
  expect(new Set(cells.map(({ row }) => row))).toEqual(new Set(Object.keys(attemptEnds)))
  expect(new Set(cells.map(({ column }) => column))).toEqual(new Set(Object.keys(situations)))
})

test.each(cells)('failover after "$row" with "$column": $cell', ({ row, column, cell }) => {
  const { failsOver } = decideFailover({
    ...firstAttempt,
    ...situations[column],
    attemptEnd: attemptEnds[row],
  })
  expect(failsOver).toBe(cell === 'yes')
})

test('a route cannot allow a failover that the decline table forbids', () => {
  for (const code of declineCodes) {
    const withAllClasses = decideFailover({ ...firstAttempt, attemptEnd: { kind: 'declined', code } })
    expect([code, withAllClasses.failsOver]).toEqual([code, declineOf(code).cascade !== 'no'])
    const withoutFailover = decideFailover({
      ...firstAttempt,
      attemptEnd: { kind: 'declined', code },
      failover: { ...everyFailover, on: [] },
    })
    expect(withoutFailover.failsOver).toBe(false)
  }
})

test('a payment that does not fail over has a reason', () => {
  const decisionFor = (change: Partial<EndedAttempt>) =>
    decideFailover({ ...firstAttempt, attemptEnd: { kind: 'not_sent' }, ...change })
  expect(decisionFor({ attemptEnd: { kind: 'unknown' } })).toEqual({
    failsOver: false,
    reason: 'outcome_unknown',
  })
  expect(decisionFor({ attempts: 5 })).toEqual({ failsOver: false, reason: 'max_attempts' })
  expect(decisionFor({ elapsedMs: 20_000 })).toEqual({ failsOver: false, reason: 'time_limit' })
  expect(decisionFor({ challenged: true })).toEqual({ failsOver: false, reason: 'payer_challenged' })
})
