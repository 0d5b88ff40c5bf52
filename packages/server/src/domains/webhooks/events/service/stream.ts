/**
 * The stream of events. Each read of the log returns the events that became visible since the snapshot of the
 * previous read: no event is missed because it was committed late, none is sent twice, and open transactions
 * delay nothing. A change wakes the reader, but that is only a hint; the reader also polls every second.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { type Mode, uuidFloor, uuidFromText } from '../../../../kernel/id.ts'
import { read, type View } from '../../../../platform/db/unit-of-work.ts'
import { CancellableSleep } from '../../../../platform/engine/cancellable-sleep.ts'
import type { Event } from '../event.ts'
import {
  belongsToDatabase,
  earliestTime,
  formatCursor,
  type LogSnapshot,
  type LogStart,
  type Position,
  parseCursor,
  positionOnThisShard,
  type ReaderPosition,
  timeOf,
} from '../reader-position.ts'
import * as store from '../store.ts'
import { latestSequences, orderEvents, withoutSent } from '../stream-order.ts'

/** The interval between reads if no change wakes the reader. */
const pollMs = 1_000
/** The minimum time between the starts of two reads, so that several events are read together. */
const pauseMs = 50
/** The time between reads is also at least this multiple of the duration of a read. */
const pausePerRead = 10

/** Large enough to be fast, small enough that a thousand readers of long events do not use up the memory. */
const pageSize = 200

const dayMs = 24 * 60 * 60 * 1000
const maxStartAgeMs = 30 * dayMs
/** The retention of events, after which their partitions are dropped. */
const retentionMs = 90 * dayMs

/** Where the stream starts: after a cursor, at a time, after an event, or now if all are omitted. */
export type StreamStart = {
  readonly cursor?: string | undefined
  readonly since?: string | undefined
  readonly starting_after?: string | undefined
}

/** An event, or null if only the cursor has changed. */
export type StreamItem = { readonly cursor: string; readonly result: Event | null }

type Reader = {
  readonly deps: Deps
  readonly caller: Caller
  /** Null: all types. */
  readonly types: readonly string[] | null
}

/** An invalid start is rejected before the stream begins. The stream ends when `ended` is aborted. */
export async function openStream(reader: Reader, start: StreamStart, ended: AbortSignal) {
  const { deps, caller } = reader
  const from = await read(deps, caller, async (view) => {
    const now = await store.takeLogSnapshot(view)
    return startPosition(start, { mode: caller.mode, now, logStart: await findLogStart(deps, view) })
  })
  return streamEvents(reader, from, ended)
}

/** With one shard, no workspace is moved. */
async function findLogStart({ databases }: Deps, view: View): Promise<LogStart | null> {
  return databases.shards.length === 1 ? null : store.findLogStart(view)
}

type LogState = { readonly mode: Mode; readonly now: LogSnapshot; readonly logStart: LogStart | null }

function startPosition(
  { cursor, since, starting_after: eventId }: StreamStart,
  { mode, now, logStart }: LogState,
): ReaderPosition {
  const [, second] = Object.entries({ cursor, since, starting_after: eventId }).filter(
    ([, value]) => value !== undefined,
  )
  if (second !== undefined)
    refuseMember(
      `/${second[0]}`,
      'not_together',
      'cannot be combined with another starting point: send only one of cursor, since and starting_after',
    )
  if (cursor !== undefined) return requireCursor(cursor, now, logStart)
  if (since !== undefined) return catchUpFrom(requireTime(since, now), now)
  if (eventId !== undefined) return catchUpFrom(requireEvent(eventId, mode, now), now)
  return { kind: 'caught_up', sentUntil: now }
}

function catchUpFrom(uuid: string, now: LogSnapshot): ReaderPosition {
  return { kind: 'catching_up', since: uuid, until: now, after: null }
}

function requireCursor(cursor: string, now: LogSnapshot, logStart: LogStart | null): ReaderPosition {
  const parsed = parseCursor(cursor)
  const position = parsed === null || logStart === null ? parsed : positionOnThisShard(parsed, logStart)
  if (position === null || !belongsToDatabase(position, now))
    return refuse('invalid_cursor', { detail: notACursor })
  return isWithinRetention(earliestTime(position), now)
    ? position
    : refuse('invalid_cursor', { detail: tooOld })
}

const notACursor = 'This is not a cursor of this stream. Start without a cursor, or with `since`.'
const tooOld =
  'The cursor is older than 90 days, the retention period of events. Start without a cursor, or with `since`.'

function requireTime(since: string, now: LogSnapshot): string {
  const at = new Date(since)
  if (at.getTime() >= now.at.getTime() - maxStartAgeMs) return uuidFloor(at)
  return refuseMember('/since', 'too_small', 'must be within the last 30 days')
}

function requireEvent(text: string, mode: Mode, now: LogSnapshot): string {
  const uuid = uuidFromText('event', mode, text) ?? refuse('invalid_cursor', { detail: notAnEvent })
  return isWithinRetention(timeOf(uuid), now) ? uuid : refuse('invalid_cursor', { detail: tooOld })
}

const notAnEvent = '`starting_after` must be the id of an event.'

function isWithinRetention(at: Date, now: LogSnapshot): boolean {
  return at.getTime() >= now.at.getTime() - retentionMs
}

async function* streamEvents(
  reader: Reader,
  from: ReaderPosition,
  ended: AbortSignal,
): AsyncGenerator<StreamItem> {
  const { deps, caller } = reader
  const sleeper = new CancellableSleep()
  let position = from
  let notBeforeMs = 0
  const stopListening = deps.announcements.listen(caller.workspaceId, () =>
    sleeper.shorten(Math.max(0, notBeforeMs - monotonicMs())),
  )
  const end = () => sleeper.end()
  ended.addEventListener('abort', end, { once: true })
  try {
    while (!ended.aborted) {
      const startedMs = monotonicMs()
      notBeforeMs = startedMs + pauseMs
      const { sent, next } = await read(deps, caller, async (view) => {
        const logStart = await findLogStart(deps, view)
        const here = logStart === null ? position : positionOnThisShard(position, logStart)
        return readNext(view, here, reader.types)
      })
      notBeforeMs = startedMs + Math.max(pauseMs, pausePerRead * (monotonicMs() - startedMs))
      // Backpressure: the next read waits until these events have been sent to the client.
      yield* sent
      // Catching up ends at the snapshot with which it started, which may be long ago, so read again
      // immediately.
      const isUpToDate = position.kind === 'caught_up' && next.kind === 'caught_up'
      position = next
      if (!isUpToDate) continue
      if (sent.length === 0) yield { cursor: formatCursor(position), result: null }
      await sleeper.sleep(pollMs)
    }
  } finally {
    stopListening()
    ended.removeEventListener('abort', end)
  }
}

/** Reads one page: the events to send, each with the cursor after it, and the next position. */
async function readNext(view: View, position: ReaderPosition, types: readonly string[] | null) {
  const range =
    position.kind === 'catching_up' ? position : { since: position.sentUntil, until: null, after: null }
  const { events: lowest, now } = await store.readLowest(view, { range, types }, pageSize)
  const until = range.until ?? now
  const pageEnd = lowest.length === pageSize ? lowest.at(-1) : undefined
  const events = await unsentEvents(view, { range: { ...range, until }, types }, lowest, pageEnd)
  const caughtUp: ReaderPosition = { kind: 'caught_up', sentUntil: until }
  const continueAfter = (after: Position): ReaderPosition => ({
    kind: 'catching_up',
    since: range.since,
    until,
    after,
  })
  const sent = orderEvents(events).map(({ event, position }, index) => {
    const isLast = pageEnd === undefined && index === events.length - 1
    return { cursor: formatCursor(isLast ? caughtUp : continueAfter(position)), result: event }
  })
  return {
    sent,
    next:
      pageEnd === undefined ? caughtUp : continueAfter({ uuid: pageEnd.uuid, sequence: afterAllSequences }),
  }
}

/**
 * The events with the lowest ids are not always the next to send: an earlier change of the same object may
 * have a higher id, beyond the end of the page, and some of these events may have been sent with an earlier
 * page.
 */
async function unsentEvents(
  view: View,
  query: store.EventQuery,
  lowest: readonly store.StreamedEvent[],
  pageEnd: store.StreamedEvent | undefined,
): Promise<readonly store.StreamedEvent[]> {
  const { after: last } = query.range
  const latest = latestSequences(lowest)
  const [earlier, below] = await Promise.all([
    pageEnd === undefined ? [] : store.readEarlierAbove(view, query, pageEnd.uuid, latest),
    last === null ? null : store.readLatestBelow(view, query, last.uuid, [...latest.keys()]),
  ])
  const events = [...lowest, ...earlier]
  return last === null || below === null ? events : withoutSent(events, { last, below })
}

/** A sequence that no object reaches: the position is after all events that are ordered at the same id. */
const afterAllSequences = 999_999_999
