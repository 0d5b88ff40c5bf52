import type { Event } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { emptyTail, held, kept, matching, received, released } from './tail-rows.ts'

const event = (number: number, type = 'payment.created'): Event => ({
  id: `event_test_${number}`,
  object: 'event',
  type,
  created_at: '2026-11-14T22:51:03.071Z',
  api_version: '2026-11-14',
  pending_deliveries: 0,
  data: JSON.stringify({ object: { id: `payment_test_${number}` } }),
})
const events = (count: number, from = 0) => Array.from({ length: count }, (_, place) => event(from + place))
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

test('the newest event stands first', () => {
  const tail = received(received(emptyTail, events(2)), events(1, 2))
  expect(ids(tail.rows)).toEqual(['event_test_2', 'event_test_1', 'event_test_0'])
})

test('while it is held nothing moves, and what came waits', () => {
  const tail = received(held(received(emptyTail, events(1))), events(2, 1))
  expect(ids(tail.rows)).toEqual(['event_test_0'])
  expect(tail).toMatchObject({ seen: 3, isHeld: true })
  expect(ids(released(tail).rows)).toEqual(['event_test_2', 'event_test_1', 'event_test_0'])
  expect(released(tail).waiting).toEqual([])
})

test('no more is kept than promised, however much comes and however long it is held', () => {
  const many = received(emptyTail, events(kept + 500))
  expect(many.rows).toHaveLength(kept)
  expect(many.rows[0]?.id).toBe(`event_test_${kept + 499}`)
  const waiting = received(received(held(many), events(kept)), events(kept, kept))
  expect(waiting.waiting).toHaveLength(kept)
  expect(released(waiting).rows).toHaveLength(kept)
  expect(waiting.seen).toBe(3 * kept + 500)
})

test('a text finds types and objects', () => {
  const { rows } = received(emptyTail, [event(1), event(2, 'refund.created'), event(17)])
  expect(ids(matching(rows, 'refund'))).toEqual(['event_test_2'])
  expect(ids(matching(rows, 'PAYMENT_test_1'))).toEqual(['event_test_17', 'event_test_1'])
  expect(matching(rows, ' ')).toBe(rows)
})
