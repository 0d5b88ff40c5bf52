import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Position } from './reader-position.ts'
import { type EventKey, latestSequences, orderEvents, withoutSent } from './stream-order.ts'

/** Events of a few objects, whose ids are not in the order of their sequences. */
const logs = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 5 }).chain((lengths) => {
  const changes = lengths.flatMap((length, object) =>
    Array.from({ length }, (_, index) => ({ objectUuid: `o${object}`, sequence: index + 1 })),
  )
  const orders = fc.shuffledSubarray(
    changes.map((_, index) => index),
    { minLength: changes.length },
  )
  return orders.map((shuffled) =>
    changes.map((change, index) => ({ ...change, uuid: String(shuffled[index]).padStart(3, '0') })),
  )
})

const byId = (a: EventKey, b: EventKey) => (a.uuid < b.uuid ? -1 : 1)

/** The data of the store for a position: for each object the latest sequence with a lower id. */
function sentBefore(log: readonly EventKey[], last: Position) {
  return { last, below: latestSequences(log.filter(({ uuid }) => uuid < last.uuid)) }
}

test('no event is left out, and the events of each object are in the order of their sequence', () => {
  fc.assert(
    fc.property(logs, (log) => {
      const ordered = orderEvents(log).map(({ event }) => event)

      expect(ordered.toSorted(byId)).toEqual(log.toSorted(byId))
      for (const changes of Map.groupBy(ordered, ({ objectUuid }) => objectUuid).values())
        expect(changes.map(({ sequence }) => sequence)).toEqual(changes.map((_, index) => index + 1))
    }),
  )
})

test('if the ids have the same order as the sequences, events are sent in the order of their ids', () => {
  const log = ['001', '002', '003'].map((uuid, index) => ({ uuid, objectUuid: 'o', sequence: index + 1 }))
  const other = { uuid: '0025', objectUuid: 'p', sequence: 7 }

  expect(orderEvents([...log, other]).map(({ event }) => event.uuid)).toEqual(['001', '002', '0025', '003'])
})

test('continuing from any position returns exactly the events after it', () => {
  fc.assert(
    fc.property(logs, (log) => {
      const ordered = orderEvents(log)
      for (const [index, { position }] of ordered.entries()) {
        const from = log.filter(({ uuid }) => uuid >= position.uuid)
        expect(orderEvents(withoutSent(from, sentBefore(log, position)))).toEqual(ordered.slice(index + 1))
      }
    }),
  )
})

test('the order is the same when read in pages', () => {
  fc.assert(
    fc.property(logs, fc.integer({ min: 2, max: 6 }), (log, pageSize) => {
      expect(readInPages(log, pageSize)).toEqual(orderEvents(log).map(({ event }) => event))
    }),
  )
})

function readInPages(log: readonly EventKey[], pageSize: number): EventKey[] {
  const sent: EventKey[] = []
  let last: Position = { uuid: '', sequence: 0 }
  for (;;) {
    const lowest = log
      .filter(({ uuid }) => uuid >= last.uuid)
      .toSorted(byId)
      .slice(0, pageSize)
    const pageEnd = lowest.length === pageSize ? lowest.at(-1) : undefined
    const latest = latestSequences(lowest)
    const isEarlier = ({ uuid, objectUuid, sequence }: EventKey) =>
      pageEnd !== undefined && uuid > pageEnd.uuid && sequence < (latest.get(objectUuid) ?? 0)
    const events = withoutSent([...lowest, ...log.filter(isEarlier)], sentBefore(log, last))
    sent.push(...orderEvents(events).map(({ event }) => event))
    if (pageEnd === undefined) return sent
    last = { uuid: pageEnd.uuid, sequence: 1_000 }
  }
}
