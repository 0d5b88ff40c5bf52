import { expect, test } from 'vitest'
import { grid } from '../../../test/support/grid.ts'
import { declineCodes, declineOf } from '../../providers/declines.ts'
import { type Ending, mayGoOn, type Situation } from './failover.ts'
import { failoverClasses } from './payment-route.ts'

const everything = { max_attempts: 5, budget_ms: 20_000, on: failoverClasses }
const plain: Omit<Situation, 'ending'> = {
  softCascaded: false,
  challenged: false,
  cancelAsked: false,
  attempts: 1,
  elapsedMs: 0,
  failover: everything,
}

const endings = {
  approved: { is: 'approved' },
  unknown: { is: 'unknown' },
  pending: { is: 'pending' },
  'awaiting payer': { is: 'awaiting_customer' },
  'needs review': { is: 'needs_review' },
  'not sent': { is: 'not_sent' },
  closed: { is: 'not_processed', proof: 'closed' },
  absent: { is: 'not_processed', proof: 'absent' },
  technical: { is: 'declined', code: 'issuer_unavailable' },
  'rejected, busy': { is: 'rejected', code: 'provider_rate_limited' },
  configuration: { is: 'rejected', code: 'provider_credentials_invalid' },
  'nobody left': { is: 'declined', code: 'no_eligible_provider' },
  'soft, once': { is: 'declined', code: 'do_not_honor' },
  'soft, never': { is: 'declined', code: 'insufficient_funds' },
  hard: { is: 'declined', code: 'stolen_card' },
  fraud: { is: 'declined', code: 'suspected_fraud' },
  data: { is: 'declined', code: 'incorrect_cvc' },
  authentication: { is: 'declined', code: 'authentication_failed' },
} satisfies Record<string, Ending>

const situations = {
  plain: {},
  'soft before': { softCascaded: true },
  challenged: { challenged: true },
  cancelled: { cancelAsked: true },
  'no soft': { failover: { ...everything, on: ['technical', 'configuration'] } },
  'only soft': { failover: { ...everything, on: ['soft'] } },
  'one attempt': { failover: { ...everything, max_attempts: 1 } },
  late: { elapsedMs: 20_000 },
} satisfies Record<string, Partial<Situation>>

const cells = grid<keyof typeof endings, keyof typeof situations>(`
  |                | plain | soft before | challenged | cancelled | no soft | only soft | one attempt | late |
  | approved       | -     | -           | -          | -         | -       | -         | -           | -    |
  | unknown        | -     | -           | -          | -         | -       | -         | -           | -    |
  | pending        | -     | -           | -          | -         | -       | -         | -           | -    |
  | awaiting payer | -     | -           | -          | -         | -       | -         | -           | -    |
  | needs review   | -     | -           | -          | -         | -       | -         | -           | -    |
  | not sent       | on    | on          | -          | -         | on      | -         | -           | -    |
  | closed         | on    | on          | -          | -         | on      | -         | -           | -    |
  | absent         | -     | -           | -          | -         | -       | -         | -           | -    |
  | technical      | on    | on          | -          | -         | on      | -         | -           | -    |
  | rejected, busy | on    | on          | -          | -         | on      | -         | -           | -    |
  | configuration  | on    | on          | -          | -         | on      | -         | -           | -    |
  | nobody left    | -     | -           | -          | -         | -       | -         | -           | -    |
  | soft, once     | on    | -           | -          | -         | -       | on        | -           | -    |
  | soft, never    | -     | -           | -          | -         | -       | -         | -           | -    |
  | hard           | -     | -           | -          | -         | -       | -         | -           | -    |
  | fraud          | -     | -           | -          | -         | -       | -         | -           | -    |
  | data           | -     | -           | -          | -         | -       | -         | -           | -    |
  | authentication | -     | -           | -          | -         | -       | -         | -           | -    |
`)

test('the grid has every ending and every situation', () => {
  expect(new Set(cells.map(({ row }) => row))).toEqual(new Set(Object.keys(endings)))
  expect(new Set(cells.map(({ column }) => column))).toEqual(new Set(Object.keys(situations)))
})

test.each(cells)('$row, $column: $cell', ({ row, column, cell }) => {
  const { goesOn } = mayGoOn({ ...plain, ...situations[column], ending: endings[row] })
  expect(goesOn).toBe(cell === 'on')
})

test('whatever a route says, it allows nothing that the table of declines does not', () => {
  for (const code of declineCodes) {
    const onward = mayGoOn({ ...plain, ending: { is: 'declined', code } })
    expect([code, onward.goesOn]).toEqual([code, declineOf(code).cascade !== 'no'])
    const silent = mayGoOn({
      ...plain,
      ending: { is: 'declined', code },
      failover: { ...everything, on: [] },
    })
    expect(silent.goesOn).toBe(false)
  }
})

test('a payment that may not go on says why', () => {
  const because = (change: Partial<Situation>) => mayGoOn({ ...plain, ending: { is: 'not_sent' }, ...change })
  expect(because({ ending: { is: 'unknown' } })).toEqual({ goesOn: false, because: 'not_known_yet' })
  expect(because({ attempts: 5 })).toEqual({ goesOn: false, because: 'max_attempts' })
  expect(because({ elapsedMs: 20_000 })).toEqual({ goesOn: false, because: 'time_is_over' })
  expect(because({ challenged: true })).toEqual({ goesOn: false, because: 'payer_was_asked' })
})
