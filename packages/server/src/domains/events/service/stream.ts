/**
 * The stream of events. Each look at the log takes what became visible since the look before, by the
 * snapshots of the two: nothing is missed because it was committed late, nothing is sent twice, and nobody
 * waits for transactions that are still open. What wakes a reader is only a hint; it looks every second anyway.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { monotonicMs } from '../../../kernel/clock.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { type Mode, uuidFloor, uuidFromText } from '../../../kernel/id.ts'
import { read, type View } from '../../../platform/db/unit-of-work.ts'
import { Nap } from '../../../platform/engine/nap.ts'
import type { Event } from '../event.ts'
import * as store from '../store.ts'
import { inOrder, latestOf, withoutSent } from '../stream-order.ts'
import {
  beginningOf,
  cursorOf,
  isOf,
  type Moment,
  type Place,
  type Position,
  placeOf,
  timeOf,
} from '../stream-place.ts'

/** How often is looked when nothing is heard. */
const lookEveryMs = 1_000
/** However much happens, no sooner than so: what happened meanwhile is read together. */
const pauseMs = 50
/** And never so often that looking is most of what is done. */
const pausePerLook = 10

/** Enough to be fast, few enough that a thousand readers of long events do not use up the memory. */
const pageSize = 200

const dayMs = 24 * 60 * 60 * 1000
const reachBackMs = 30 * dayMs
/** Events are kept for so long; see the partitions. */
const keptMs = 90 * dayMs

/** Where to begin: behind what was read, at a time, behind an event, or now. */
export type Beginning = {
  readonly cursor?: string | undefined
  readonly since?: string | undefined
  readonly starting_after?: string | undefined
}

/** An event, or none: then only the place has changed. */
export type Sent = { readonly cursor: string; readonly result: Event | null }

type Reader = {
  readonly deps: Deps
  readonly caller: Caller
  /** Null: all. */
  readonly types: readonly string[] | null
}

/** Refuses at once what cannot be followed. The stream ends when `ended` says so. */
export async function openStream(reader: Reader, beginning: Beginning, ended: AbortSignal) {
  const now = await read(reader.deps, reader.caller, store.takeMoment)
  return follow(reader, placeAt(beginning, reader.caller.mode, now), ended)
}

function placeAt({ cursor, since, starting_after: event }: Beginning, mode: Mode, now: Moment): Place {
  const [, other] = Object.entries({ cursor, since, starting_after: event }).filter(
    ([, value]) => value !== undefined,
  )
  if (other !== undefined) refuseMember(`/${other[0]}`, 'not_together', 'cannot be where another one begins')
  if (cursor !== undefined) return requirePlace(cursor, now)
  if (since !== undefined) return behind(requireTime(since, now), now)
  if (event !== undefined) return behind(requireEvent(event, mode, now), now)
  return { is: 'caught up', seen: now }
}

function behind(uuid: string, now: Moment): Place {
  return { is: 'catching up', since: uuid, until: now, after: null }
}

function requirePlace(cursor: string, now: Moment): Place {
  const place = placeOf(cursor)
  if (place === null || !isOf(place, now)) return refuse('invalid_cursor', { detail: strange })
  return isKept(beginningOf(place), now) ? place : refuse('invalid_cursor', { detail: gone })
}

const strange = 'This is not a cursor of this stream. Begin without one, or with `since`.'
const gone = 'Events are kept for 90 days, and the cursor is older. Begin without one, or with `since`.'

function requireTime(since: string, now: Moment): string {
  const at = new Date(since)
  if (at.getTime() >= now.at.getTime() - reachBackMs) return uuidFloor(at)
  return refuseMember('/since', 'too_small', 'must be within the last 30 days')
}

function requireEvent(text: string, mode: Mode, now: Moment): string {
  const uuid = uuidFromText('event', mode, text) ?? refuse('invalid_cursor', { detail: notAnEvent })
  return isKept(timeOf(uuid), now) ? uuid : refuse('invalid_cursor', { detail: gone })
}

const notAnEvent = '`starting_after` is the id of an event.'

function isKept(at: Date, now: Moment): boolean {
  return at.getTime() >= now.at.getTime() - keptMs
}

async function* follow(reader: Reader, from: Place, ended: AbortSignal): AsyncGenerator<Sent> {
  const { deps, caller } = reader
  const nap = new Nap()
  let place = from
  let notBeforeMs = 0
  const stopListening = deps.announcements.listen(caller.workspaceId, () =>
    nap.shorten(Math.max(0, notBeforeMs - monotonicMs())),
  )
  const end = () => nap.end()
  ended.addEventListener('abort', end, { once: true })
  try {
    while (!ended.aborted) {
      const startedMs = monotonicMs()
      notBeforeMs = startedMs + pauseMs
      const { sent, next } = await read(deps, caller, (view) => look(view, place, reader.types))
      notBeforeMs = startedMs + Math.max(pauseMs, pausePerLook * (monotonicMs() - startedMs))
      // The one who reads decides how fast this goes: nothing is looked for while it takes its time.
      yield* sent
      // What was caught up with is the moment at which it was begun, which may be long ago.
      const isUpToDate = place.is === 'caught up' && next.is === 'caught up'
      place = next
      if (!isUpToDate) continue
      if (sent.length === 0) yield { cursor: cursorOf(place), result: null }
      await nap.sleep(lookEveryMs)
    }
  } finally {
    stopListening()
    ended.removeEventListener('abort', end)
  }
}

/** One look: what is to be sent from here, each event with the cursor that leads behind it, and where that ends. */
async function look(view: View, place: Place, types: readonly string[] | null) {
  const stretch = place.is === 'catching up' ? place : { since: place.seen, until: null, after: null }
  const { events: lowest, now } = await store.readLowest(view, { stretch, types }, pageSize)
  const until = stretch.until ?? now
  const edge = lowest.length === pageSize ? lowest.at(-1) : undefined
  const events = await unsentOf(view, { stretch: { ...stretch, until }, types }, lowest, edge)
  const caughtUp: Place = { is: 'caught up', seen: until }
  const behind = (after: Position): Place => ({ is: 'catching up', since: stretch.since, until, after })
  const sent = inOrder(events).map(({ event, position }, index) => {
    const isLast = edge === undefined && index === events.length - 1
    return { cursor: cursorOf(isLast ? caughtUp : behind(position)), result: event }
  })
  return { sent, next: edge === undefined ? caughtUp : behind({ uuid: edge.uuid, sequence: allOfThem }) }
}

/**
 * Those with the lowest ids are not always those to send next. Of one object an earlier change may have a
 * higher id, behind the edge of the page, and a later change may have been sent for one with a lower id.
 */
async function unsentOf(
  view: View,
  asked: store.Asked,
  lowest: readonly store.StreamedEvent[],
  edge: store.StreamedEvent | undefined,
): Promise<readonly store.StreamedEvent[]> {
  const { after: last } = asked.stretch
  const latest = latestOf(lowest)
  const [earlier, below] = await Promise.all([
    edge === undefined ? [] : store.readEarlierAbove(view, asked, edge.uuid, latest),
    last === null ? null : store.readLatestBelow(view, asked, last.uuid, [...latest.keys()]),
  ])
  const events = [...lowest, ...earlier]
  return last === null || below === null ? events : withoutSent(events, { last, below })
}

/** No object has as many changes: behind such a position nothing is left that stands at this id. */
const allOfThem = 999_999_999
