import type { Event } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { addEvents, emptyTail, matching, maxRows, pause, resume } from './tail-rows.ts'

const event = (number: number, type = 'payment.created'): Event => ({
  id: `event_test_${number}`,
  object: 'event',
  type,
  created_at: '2026-11-14T22:51:03.071Z',
  api_version: '2026-11-14',
  pending_deliveries: 0,
  data: JSON.stringify({ object: { id: `payment_test_${number}` } }),
})
const events = (count: number, from = 0) => Array.from({ length: count }, (_, index) => event(from + index))
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

test('the newest event is first', () => {
  const tail = addEvents(addEvents(emptyTail, events(2)), events(1, 2))
  expect(ids(tail.rows)).toEqual(['event_test_2', 'event_test_1', 'event_test_0'])
})

test('while the tail is paused, the rows do not change and new events are queued', () => {
  const tail = addEvents(pause(addEvents(emptyTail, events(1))), events(2, 1))
  expect(ids(tail.rows)).toEqual(['event_test_0'])
  expect(tail).toMatchObject({ receivedCount: 3, isPaused: true })
  expect(ids(resume(tail).rows)).toEqual(['event_test_2', 'event_test_1', 'event_test_0'])
  expect(resume(tail).waiting).toEqual([])
})

test('the number of rows is limited, even while the tail is paused', () => {
  const many = addEvents(emptyTail, events(maxRows + 500))
  expect(many.rows).toHaveLength(maxRows)
  expect(many.rows[0]?.id).toBe(`event_test_${maxRows + 499}`)
  const waiting = addEvents(addEvents(pause(many), events(maxRows)), events(maxRows, maxRows))
  expect(waiting.waiting).toHaveLength(maxRows)
  expect(resume(waiting).rows).toHaveLength(maxRows)
  expect(waiting.receivedCount).toBe(3 * maxRows + 500)
})

test('the search matches types and object ids', () => {
  const { rows } = addEvents(emptyTail, [event(1), event(2, 'refund.created'), event(17)])
  expect(ids(matching(rows, 'refund'))).toEqual(['event_test_2'])
  expect(ids(matching(rows, 'PAYMENT_test_1'))).toEqual(['event_test_17', 'event_test_1'])
  expect(matching(rows, ' ')).toBe(rows)
})
