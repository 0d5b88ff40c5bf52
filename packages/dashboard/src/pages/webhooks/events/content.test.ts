import type { EventData } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { changesOf, changesText, objectIdOf } from './content.ts'

const content = (changes: Partial<EventData>): EventData => ({
  id: 'event_test_1',
  type: 'payment.captured',
  created_at: '2026-11-14T22:51:03.071Z',
  mode: 'test',
  sequence: 2,
  object: { id: 'payment_test_1', status: 'succeeded', amount_captured: 12_900, tags: ['a'], name: null },
  request: null,
  ...changes,
})

test('changes list each member with its old and new value, without updated_at', () => {
  const previous = { status: 'processing', amount_captured: 0, updated_at: '2026-11-14T22:51:00.000Z' }
  expect(changesOf(content({ previous }))).toEqual([
    { member: 'status', before: 'processing', after: 'succeeded' },
    { member: 'amount_captured', before: 0, after: 12_900 },
  ])
})

test('an event of a new object has no changes', () => {
  expect(changesText(content({}))).toBe('')
})

test('the short text names two changes and counts the rest', () => {
  const previous = { summary: 'x'.repeat(99), status: 'processing', name: 'Ada', tags: [] }
  expect(changesText(content({ previous }))).toBe('status processing → succeeded, name Ada → null, 2 more')
})

test('the object id of an event is null if the object has no id', () => {
  expect(objectIdOf({ data: JSON.stringify(content({})) })).toBe('payment_test_1')
  expect(objectIdOf({ data: JSON.stringify(content({ object: {} })) })).toBeNull()
})
