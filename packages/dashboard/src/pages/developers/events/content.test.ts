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

test('what changed is each member as it was and as it is, without the time of the change itself', () => {
  const previous = { status: 'processing', amount_captured: 0, updated_at: '2026-11-14T22:51:00.000Z' }
  expect(changesOf(content({ previous }))).toEqual([
    { member: 'status', before: 'processing', after: 'succeeded' },
    { member: 'amount_captured', before: 0, after: 12_900 },
  ])
})

test('an event that tells of something new has no changes', () => {
  expect(changesText(content({}))).toBe('')
})

test('a line names two changes and counts the rest', () => {
  const previous = { summary: 'x'.repeat(99), status: 'processing', name: 'Ada', tags: [] }
  expect(changesText(content({ previous }))).toBe('status processing → succeeded, name Ada → null, 2 more')
})

test('the object of an event is named by its id, and by nothing if it has none', () => {
  expect(objectIdOf({ data: JSON.stringify(content({})) })).toBe('payment_test_1')
  expect(objectIdOf({ data: JSON.stringify(content({ object: {} })) })).toBeNull()
})
