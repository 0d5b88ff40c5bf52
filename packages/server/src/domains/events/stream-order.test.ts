import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inOrder, latestOf, type Placed, withoutSent } from './stream-order.ts'
import type { Position } from './stream-place.ts'

/** A few objects, each with some changes, whose ids say nothing of their order. */
const logs = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 5 }).chain((lengths) => {
  const changes = lengths.flatMap((length, object) =>
    Array.from({ length }, (_, place) => ({ objectUuid: `o${object}`, sequence: place + 1 })),
  )
  const places = fc.shuffledSubarray(
    changes.map((_, place) => place),
    { minLength: changes.length },
  )
  return places.map((shuffled) =>
    changes.map((change, index) => ({ ...change, uuid: String(shuffled[index]).padStart(3, '0') })),
  )
})

const byId = (a: Placed, b: Placed) => (a.uuid < b.uuid ? -1 : 1)

/** What the store finds of a log: those at or above an id, and of each object the latest below it. */
function sentBefore(log: readonly Placed[], last: Position) {
  return { last, below: latestOf(log.filter(({ uuid }) => uuid < last.uuid)) }
}

test('nothing is left out, and each object tells its changes in order', () => {
  fc.assert(
    fc.property(logs, (log) => {
      const ordered = inOrder(log).map(({ event }) => event)

      expect(ordered.toSorted(byId)).toEqual(log.toSorted(byId))
      for (const changes of Map.groupBy(ordered, ({ objectUuid }) => objectUuid).values())
        expect(changes.map(({ sequence }) => sequence)).toEqual(changes.map((_, place) => place + 1))
    }),
  )
})

test('where ids agree with the order of changes, they are the order', () => {
  const log = ['001', '002', '003'].map((uuid, place) => ({ uuid, objectUuid: 'o', sequence: place + 1 }))
  const other = { uuid: '0025', objectUuid: 'p', sequence: 7 }

  expect(inOrder([...log, other]).map(({ event }) => event.uuid)).toEqual(['001', '002', '0025', '003'])
})

test('from every position the rest is exactly what stands behind it', () => {
  fc.assert(
    fc.property(logs, (log) => {
      const ordered = inOrder(log)
      for (const [place, { position }] of ordered.entries()) {
        const from = log.filter(({ uuid }) => uuid >= position.uuid)
        expect(inOrder(withoutSent(from, sentBefore(log, position)))).toEqual(ordered.slice(place + 1))
      }
    }),
  )
})

test('page by page it is the same order', () => {
  fc.assert(
    fc.property(logs, fc.integer({ min: 2, max: 6 }), (log, pageSize) => {
      expect(pageByPage(log, pageSize)).toEqual(inOrder(log).map(({ event }) => event))
    }),
  )
})

function pageByPage(log: readonly Placed[], pageSize: number): Placed[] {
  const sent: Placed[] = []
  let last: Position = { uuid: '', sequence: 0 }
  for (;;) {
    const lowest = log
      .filter(({ uuid }) => uuid >= last.uuid)
      .toSorted(byId)
      .slice(0, pageSize)
    const edge = lowest.length === pageSize ? lowest.at(-1) : undefined
    const latest = latestOf(lowest)
    const isEarlier = ({ uuid, objectUuid, sequence }: Placed) =>
      edge !== undefined && uuid > edge.uuid && sequence < (latest.get(objectUuid) ?? 0)
    const events = withoutSent([...lowest, ...log.filter(isEarlier)], sentBefore(log, last))
    sent.push(...inOrder(events).map(({ event }) => event))
    if (edge === undefined) return sent
    last = { uuid: edge.uuid, sequence: 1_000 }
  }
}
