/**
 * The position of a reader in the stream, and its cursor. Events are not committed in the order of their ids,
 * so an id cannot be the position. A database snapshot can: every event that is not visible in it is new.
 */
import { addSeconds } from '../../../kernel/clock.ts'
import { endOf, floorOf, type LogSnapshot, lookBackSeconds } from '../../../kernel/log-snapshot.ts'

export { floorOf, type LogSnapshot, lookBackSeconds } from '../../../kernel/log-snapshot.ts'

/** An event by its id and its sequence among the events of its object; see `orderEvents`. */
export type Position = { readonly uuid: string; readonly sequence: number }

export type ReaderPosition =
  /** All events that are visible in the snapshot have been sent. */
  | { readonly kind: 'caught_up'; readonly sentUntil: LogSnapshot }
  /** Events that were committed between two snapshots are being sent. */
  | ({ readonly kind: 'catching_up'; readonly until: LogSnapshot } & Omit<EventRange, 'until'>)

/**
 * The events to send: those after `since`, a snapshot or an id; visible in `until`, or all if it is null; and
 * not sent yet according to `after`.
 */
export type EventRange = {
  readonly since: LogSnapshot | string
  readonly until: LogSnapshot | null
  readonly after: Position | null
}

/** No event that is still to be sent is older than this time. */
export function earliestTime(position: ReaderPosition): Date {
  if (position.kind === 'caught_up') return position.sentUntil.at
  if (position.after !== null) return timeOf(position.after.uuid)
  return typeof position.since === 'string' ? timeOf(position.since) : position.since.at
}

export function timeOf(uuid: string): Date {
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16))
}

/**
 * Whether the cursor is from this database: one from another may contain transactions that have not started
 * here.
 */
export function belongsToDatabase(position: ReaderPosition, now: LogSnapshot): boolean {
  const snapshot = position.kind === 'caught_up' ? position.sentUntil : position.until
  return snapshot.at <= addSeconds(now.at, lookBackSeconds) && endOf(snapshot) <= endOf(now)
}

/** The start of the log on this shard, if the workspace was moved here. */
export type LogStart = { readonly now: LogSnapshot; readonly beginsAt: Date }

/**
 * A position from before the workspace was moved here continues by time, because its snapshots belong to another
 * database. The events of the last seconds before the move are sent again.
 */
export function positionOnThisShard(position: ReaderPosition, { now, beginsAt }: LogStart): ReaderPosition {
  const isForeign = (snapshot: LogSnapshot) => snapshot.at < beginsAt || endOf(snapshot) > endOf(now)
  if (position.kind === 'caught_up')
    return isForeign(position.sentUntil)
      ? { kind: 'catching_up', since: floorOf(position.sentUntil), until: now, after: null }
      : position
  const { since, until } = position
  return {
    ...position,
    since: typeof since !== 'string' && isForeign(since) ? floorOf(since) : since,
    until: isForeign(until) ? now : until,
  }
}

/** The text has only letters, digits, dots and dashes, so that headers and URLs need no escaping. */
export function formatCursor(position: ReaderPosition): string {
  if (position.kind === 'caught_up') return formatSnapshot(position.sentUntil)
  const { since, until, after } = position
  const start = typeof since === 'string' ? withoutDashes(since) : formatSnapshot(since)
  const lastSent = after === null ? '' : `${withoutDashes(after.uuid)}-${after.sequence}`
  return [start, formatSnapshot(until), lastSent].join('.')
}

/** Returns null if the text is not a cursor. */
export function parseCursor(cursor: string): ReaderPosition | null {
  const parts = cursor.split('.')
  const [first = '', second = '', third = ''] = parts
  if (parts.length === 1) {
    const sentUntil = parseSnapshot(first)
    return sentUntil === null ? null : { kind: 'caught_up', sentUntil }
  }
  const since = parseUuid(first) ?? parseSnapshot(first)
  const until = parseSnapshot(second)
  const after = parsePosition(third)
  if (parts.length !== 3 || since === null || until === null || after === undefined) return null
  return { kind: 'catching_up', since, until, after }
}

/**
 * Encodes `xmin:xmax:xip,…` as differences between consecutive numbers, which are shorter than the numbers.
 */
function formatSnapshot({ at, snapshot }: LogSnapshot): string {
  const [min = '', max = '', running = ''] = snapshot.split(':')
  const numbers = [min, max].map(BigInt) as [bigint, bigint]
  const open = running === '' ? [] : running.split(',').map(BigInt)
  const differences = open.map(
    (number, index) => number - (index === 0 ? numbers[0] : (open[index - 1] as bigint)),
  )
  const hex = [numbers[0], numbers[1] - numbers[0], ...differences].map((number) => number.toString(16))
  return [at.getTime().toString(36), ...hex].join('-')
}

const snapshotPattern = /^([0-9a-z]{1,9})-([0-9a-f]{1,15})-([0-9a-f]{1,15})((?:-[0-9a-f]{1,15})*)$/

function parseSnapshot(text: string): LogSnapshot | null {
  const [, at, low, span, differences] = snapshotPattern.exec(text) ?? []
  if (at === undefined || low === undefined || span === undefined || differences === undefined) return null
  const min = fromHex(low)
  const max = min + fromHex(span)
  let last = min
  const open = differences
    .split('-')
    .slice(1)
    .map((difference) => {
      last += fromHex(difference)
      return last
    })
  // Postgres would reject such a snapshot.
  if (min === 0n || (open.length > 0 && last >= max)) return null
  return { at: new Date(Number.parseInt(at, 36)), snapshot: `${min}:${max}:${open.join(',')}` }
}

function parsePosition(text: string): Position | null | undefined {
  if (text === '') return null
  const [, hex = '', sequence] = /^([0-9a-f]{32})-(\d{1,9})$/.exec(text) ?? []
  const uuid = parseUuid(hex)
  return uuid === null ? undefined : { uuid, sequence: Number(sequence) }
}

function parseUuid(text: string): string | null {
  return /^[0-9a-f]{32}$/.test(text) ? text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : null
}

function withoutDashes(uuid: string): string {
  return uuid.replaceAll('-', '')
}

function fromHex(text: string): bigint {
  return BigInt(`0x${text}`)
}
