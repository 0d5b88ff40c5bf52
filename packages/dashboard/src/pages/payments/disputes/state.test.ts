import type { Dispute } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { actionsOf, disputeSentence, hasEvidence, timeLeft } from './state.ts'

const nowMs = Date.parse('2026-11-16T12:00:00.000Z')
const dispute = (members: Partial<Dispute>) =>
  ({
    status: 'needs_response',
    amount: 1299,
    currency: 'eur',
    respond_by_at: '2026-11-18T12:00:00.000Z',
    ...members,
  }) as Dispute

// biome-ignore format: a table.
test.each([
  [{},                                              '2 days left'],
  [{ respond_by_at: '2026-11-16T15:00:00.000Z' },   '3 h left'],
  [{ respond_by_at: '2026-11-16T12:00:00.000Z' },   'overdue'],
  [{ respond_by_at: null },                         null],
  [{ status: 'under_review' as const },             null],
])('the time left to respond to %o is %s', (members, expected) => {
  expect(timeLeft(dispute(members), nowMs)).toBe(expected)
})

// biome-ignore format: a table.
test.each([
  [{},                                            'The cardholder disputes €12.99. Respond by 18 Nov 2026: 2 days left.'],
  [{ respond_by_at: '2026-11-15T12:00:00.000Z' }, 'The cardholder disputes €12.99. The deadline of 15 Nov 2026 has passed. The provider will report the decision.'],
  [{ respond_by_at: null },                       'The cardholder disputes €12.99. Submit your evidence.'],
  [{ status: 'submitting' as const },             'Your evidence for the dispute over €12.99 is being sent to the provider.'],
  [{ status: 'accepting' as const },              'The provider is being notified that you accept the dispute over €12.99.'],
  [{ status: 'under_review' as const },           'The bank is reviewing the dispute over €12.99.'],
  [{ status: 'won' as const },                    'You won the dispute over €12.99 and keep the money.'],
  [{ status: 'lost' as const },                   'You lost the dispute over €12.99. The cardholder keeps the money.'],
  [{ status: 'closed' as const },                 'The inquiry about €12.99 ended without a chargeback.'],
])('%o reads: %s', (members, expected) => {
  expect(disputeSentence(dispute(members), nowMs)).toBe(expected)
})

// biome-ignore format: a table.
test.each([
  [{},                                  ['submit', 'accept', 'check']],
  [{ stage: 'inquiry' as const },       ['submit', 'check']],
  [{ status: 'submitting' as const },   ['check']],
  [{ status: 'accepting' as const },    ['check']],
  [{ status: 'under_review' as const }, ['check']],
  [{ status: 'won' as const },          []],
  [{ status: 'lost' as const },         []],
  [{ status: 'closed' as const },       []],
])('the possible actions for %o are %o', (members, expected) => {
  expect(actionsOf(dispute(members))).toEqual(expected)
})

test('evidence is text or a file', () => {
  const evidence = (members: object, file_ids: string[]) =>
    hasEvidence(dispute({ evidence: members as Dispute['evidence'], file_ids }))
  expect(evidence({ explanation: null }, [])).toBe(false)
  expect(evidence({ explanation: 'Delivered.' }, [])).toBe(true)
  expect(evidence({ explanation: null }, ['file_test_1'])).toBe(true)
})
