// The sample of each event type is consistent, because developers write webhook receivers from it.

import { expect, test } from 'vitest'
import { eventTypes } from '../../src/event-types.ts'
import { exampleRecord } from '../../src/platform/db/event-example.ts'

type Members = { readonly [member: string]: unknown }
const samples = eventTypes.map((event) => ({
  type: event.type,
  verb: event.type.split('.')[1] ?? '',
  object: JSON.parse(exampleRecord(event, '2026-11-14').data).object as Members,
  statuses: readEnum(event.schema, 'status') ?? readEnum(event.schema, 'state') ?? [],
}))
const samplesOf = (kind: string) => samples.filter(({ type }) => type.startsWith(`${kind}.`))

function readEnum(schema: object, member: string): readonly string[] | undefined {
  return (schema as { properties: Record<string, { enum?: readonly string[] }> }).properties[member]?.enum
}

/** Verbs that differ from the name of the status. */
const statusByVerb: { readonly [verb: string]: string } = {
  voided: 'void',
  marked_uncollectible: 'uncollectible',
}

test('the sample of a type that names a status has that status', () => {
  const withStatus = samples
    .map(({ type, verb, object, statuses }) => ({
      type,
      object,
      statuses,
      expected: statusByVerb[verb] ?? verb,
    }))
    .filter(({ statuses, expected }) => statuses.includes(expected))

  expect(withStatus.filter(({ object, expected }) => (object.status ?? object.state) !== expected)).toEqual(
    [],
  )
  expect(withStatus.length).toBeGreaterThan(20)
})

const summaries: { readonly [status: string]: RegExp } = {
  processing: /^Authorizing|^Outcome unknown|contradicts/,
  requires_action: /^Waiting for the payer/,
  requires_capture: /authorized on/,
  succeeded: /charged to/,
  failed: /^Payment failed/,
  cancelled: /^Payment cancelled|contradicts/,
}

test.each(samplesOf('payment'))('$type: amounts, summary and failure match the status', ({ object }) => {
  const [amount, capturable, captured, refunded] = [
    'amount',
    'amount_capturable',
    'amount_captured',
    'amount_refunded',
  ].map((member) => Number(object[member])) as [number, number, number, number]
  const status = String(object.status)

  expect(capturable + captured).toBeLessThanOrEqual(amount)
  expect(refunded + Number(object.amount_refunding)).toBeLessThanOrEqual(captured)
  expect(captured > 0).toBe(status === 'succeeded' || (status === 'requires_capture' && capturable < amount))
  expect(capturable > 0).toBe(status === 'requires_capture')
  expect(object.summary).toMatch(summaries[status] as RegExp)
  expect(object.failure !== null).toBe(status === 'failed')
  expect(object.next_action !== null).toBe(status === 'requires_action')
})

test.each(samplesOf('refund'))('$type: only a failed refund has a failure', ({ object }) => {
  expect(object.failure !== null).toBe(object.status === 'failed')
})

test.each(samplesOf('invoice'))('$type: amounts, number and timestamps match the status', ({ object }) => {
  const { status, number, amount_due, amount_paid, amount_remaining } = object

  expect(amount_remaining).toBe(['paid', 'void'].includes(String(status)) ? 0 : amount_due)
  expect(amount_paid).toBe(status === 'paid' ? amount_due : 0)
  expect([number === null, object.finalized_at === null]).toEqual([status === 'draft', status === 'draft'])
  expect([object.paid_at, object.voided_at, object.marked_uncollectible_at].map((at) => at !== null)).toEqual(
    ['paid', 'void', 'uncollectible'].map((word) => word === status),
  )
})
