import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createProgress, type SavedProgress } from './progress.ts'

const beginning: SavedProgress = { place: { since: 'the beginning' }, ahead: [] }
const events = Array.from({ length: 12 }, (_, index) => ({ id: `event_${index}`, cursor: String(index) }))

/** The events that a stream sends when it resumes from `place`. */
function resumedEvents({ place }: SavedProgress) {
  return 'cursor' in place ? events.slice(Number(place.cursor) + 1) : events
}

test('after a restart, exactly the events that were not finished are sent again', () => {
  const finished = fc.shuffledSubarray(events.map(({ id }) => id))
  fc.assert(
    fc.property(finished, fc.nat({ max: events.length }), (ids, stop) => {
      const first = createProgress(beginning)
      for (const { id, cursor } of events) first.begin(id, cursor)
      const finishedIds = ids.slice(0, stop)
      for (const id of finishedIds) first.finish(id)

      const second = createProgress(first.saved)
      const sentAgain = resumedEvents(first.saved).filter(({ id, cursor }) => second.begin(id, cursor))

      expect(sentAgain.map(({ id }) => id).toSorted()).toEqual(
        events
          .map(({ id }) => id)
          .filter((id) => !finishedIds.includes(id))
          .toSorted(),
      )
      for (const { id } of sentAgain) second.finish(id)
      expect(second.saved).toEqual({ place: { cursor: '11' }, ahead: [] })
      expect(second.open).toBe(0)
    }),
  )
})

test('the cursor does not move past the first event that is not finished', () => {
  const progress = createProgress(beginning)
  for (const { id, cursor } of events.slice(0, 3)) progress.begin(id, cursor)

  progress.finish('event_1')
  progress.finish('event_2')
  expect(progress.saved).toEqual({ place: beginning.place, ahead: ['event_1', 'event_2'] })
  expect(progress.open).toBe(3)

  progress.finish('event_0')
  expect(progress.saved).toEqual({ place: { cursor: '2' }, ahead: [] })
})
