// The sample of an event agrees with its type and with itself: receivers are written after it.

import { expect, test } from 'vitest'
import { eventTypes } from '../../src/event-types.ts'
import { exampleRecord } from '../../src/platform/db/event-example.ts'

type Members = { readonly [member: string]: unknown }
const samples = eventTypes.map((event) => ({
  type: event.type,
  verb: event.type.split('.')[1] ?? '',
  object: JSON.parse(exampleRecord(event, '2026-11-14').data).object as Members,
  statuses: wordsOf(event.schema, 'status') ?? wordsOf(event.schema, 'state') ?? [],
}))
const of = (kind: string) => samples.filter(({ type }) => type.startsWith(`${kind}.`))

function wordsOf(schema: object, member: string): readonly string[] | undefined {
  return (schema as { properties: Record<string, { enum?: readonly string[] }> }).properties[member]?.enum
}

/** Where the verb is not the word of the status. */
const meaning: { readonly [verb: string]: string } = { voided: 'void', marked_uncollectible: 'uncollectible' }

test('a type that names a status shows an object that has it', () => {
  const named = samples
    .map(({ type, verb, object, statuses }) => ({ type, object, statuses, word: meaning[verb] ?? verb }))
    .filter(({ statuses, word }) => statuses.includes(word))

  expect(named.filter(({ object, word }) => (object.status ?? object.state) !== word)).toEqual([])
  expect(named.length).toBeGreaterThan(20)
})

const summaries: { readonly [status: string]: RegExp } = {
  processing: /is being asked for|It is not known yet|contradicts/,
  requires_action: /has to confirm/,
  requires_capture: /is held on/,
  succeeded: /was taken from/,
  failed: /^Nothing was taken/,
  cancelled: /^It was cancelled|contradicts/,
}

test.each(of('payment'))('$type: its amounts, its summary and its failure fit its status', ({ object }) => {
  const [amount, held, taken, back] = [
    ...['amount', 'amount_capturable', 'amount_captured', 'amount_refunded'],
  ].map((member) => Number(object[member])) as [number, number, number, number]
  const status = String(object.status)

  expect(held + taken).toBeLessThanOrEqual(amount)
  expect(back + Number(object.amount_refunding)).toBeLessThanOrEqual(taken)
  expect(taken > 0).toBe(status === 'succeeded' || (status === 'requires_capture' && held < amount))
  expect(held > 0).toBe(status === 'requires_capture')
  expect(object.summary).toMatch(summaries[status] as RegExp)
  expect(object.failure !== null).toBe(status === 'failed')
  expect(object.next_action !== null).toBe(status === 'requires_action')
})

test.each(of('refund'))('$type: it has a failure if it failed', ({ object }) => {
  expect(object.failure !== null).toBe(object.status === 'failed')
})

test.each(of('invoice'))('$type: its amounts, its number and its times fit its status', ({ object }) => {
  const { status, number, amount_due, amount_paid, amount_remaining } = object

  expect(amount_remaining).toBe(['paid', 'void'].includes(String(status)) ? 0 : amount_due)
  expect(amount_paid).toBe(status === 'paid' ? amount_due : 0)
  expect([number === null, object.finalized_at === null]).toEqual([status === 'draft', status === 'draft'])
  expect([object.paid_at, object.voided_at, object.marked_uncollectible_at].map((at) => at !== null)).toEqual(
    ['paid', 'void', 'uncollectible'].map((word) => word === status),
  )
})
