import { expect, test } from 'vitest'
import { changesOf, sequenceOf } from './changes.ts'

const event = (object: object, previous?: object) =>
  JSON.stringify({ sequence: 7, object, ...(previous === undefined ? {} : { previous }) })

test('changes show old and new values, without members that always change', () => {
  const data = event(
    { status: 'succeeded', name: 'Ada', updated_at: '2' },
    { status: 'pending', updated_at: '1' },
  )
  expect(changesOf(data)).toBe('status pending → succeeded')
  expect(sequenceOf(data)).toBe(7)
})

test('only the first three changes are listed, long values are shortened, and a new object has no changes', () => {
  const text = changesOf(event({ a: 1, b: null, c: 'x'.repeat(90), d: 4 }, { a: 0, b: 2, c: null, d: 3 }))
  expect(text).toMatch(/^a 0 → 1, b 2 → none, c none → x{31}…, 1 more$/)
  expect(changesOf(event({ a: 1 }))).toBe('')
})
