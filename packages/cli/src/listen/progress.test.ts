import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createProgress, type Saved } from './progress.ts'

const beginning: Saved = { place: { since: 'the beginning' }, ahead: [] }
const events = Array.from({ length: 12 }, (_, place) => ({ id: `event_${place}`, cursor: String(place) }))

/** What a stream sends from a place on. */
function behind({ place }: Saved) {
  return 'cursor' in place ? events.slice(Number(place.cursor) + 1) : events
}

test('whatever was settled when it ended, the rest comes once, and nothing else does', () => {
  const settled = fc.shuffledSubarray(events.map(({ id }) => id))
  fc.assert(
    fc.property(settled, fc.nat({ max: events.length }), (ids, stop) => {
      const first = createProgress(beginning)
      for (const { id, cursor } of events) first.begin(id, cursor)
      const done = ids.slice(0, stop)
      for (const id of done) first.settle(id)

      const second = createProgress(first.saved)
      const taken = behind(first.saved).filter(({ id, cursor }) => second.begin(id, cursor))

      expect(taken.map(({ id }) => id).toSorted()).toEqual(
        events
          .map(({ id }) => id)
          .filter((id) => !done.includes(id))
          .toSorted(),
      )
      for (const { id } of taken) second.settle(id)
      expect(second.saved).toEqual({ place: { cursor: '11' }, ahead: [] })
      expect(second.open).toBe(0)
    }),
  )
})

test('the cursor waits for the first that is not settled', () => {
  const progress = createProgress(beginning)
  for (const { id, cursor } of events.slice(0, 3)) progress.begin(id, cursor)

  progress.settle('event_1')
  progress.settle('event_2')
  expect(progress.saved).toEqual({ place: beginning.place, ahead: ['event_1', 'event_2'] })
  expect(progress.open).toBe(3)

  progress.settle('event_0')
  expect(progress.saved).toEqual({ place: { cursor: '2' }, ahead: [] })
})
