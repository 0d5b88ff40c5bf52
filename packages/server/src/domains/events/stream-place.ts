/**
 * Where a reader of the stream is, and the text by which it comes back there. Ids do not commit in order, so
 * no id says what a reader has seen. A snapshot of the database does: whatever it did not show is new.
 */
import { addSeconds } from '../../kernel/clock.ts'
import { endOf, lookBackSeconds, type Moment } from '../../kernel/moment.ts'

export { floorOf, lookBackSeconds, type Moment } from '../../kernel/moment.ts'

/** An event by its id and the number it has among those of its object; see `inOrder`. */
export type Position = { readonly uuid: string; readonly sequence: number }

export type Place =
  /** All that was committed at that moment has been sent. */
  | { readonly is: 'caught up'; readonly seen: Moment }
  /** What was committed between two moments is being sent. */
  | ({ readonly is: 'catching up'; readonly until: Moment } & Omit<Stretch, 'until'>)

/** The events to send: new since a moment, or above a lowest id; up to a moment, or all; behind a position. */
export type Stretch = {
  readonly since: Moment | string
  readonly until: Moment | null
  readonly after: Position | null
}

/** When the first event of what is still to be sent may have happened. */
export function beginningOf(place: Place): Date {
  if (place.is === 'caught up') return place.seen.at
  if (place.after !== null) return timeOf(place.after.uuid)
  return typeof place.since === 'string' ? timeOf(place.since) : place.since.at
}

export function timeOf(uuid: string): Date {
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16))
}

/** A moment that knows of transactions which that database has not begun is one of another database. */
export function isOf(place: Place, now: Moment): boolean {
  const moment = place.is === 'caught up' ? place.seen : place.until
  return moment.at <= addSeconds(now.at, lookBackSeconds) && endOf(moment) <= endOf(now)
}

/** Only letters, digits, dots and dashes: it fits into a header, and into an address as it is. */
export function cursorOf(place: Place): string {
  if (place.is === 'caught up') return momentText(place.seen)
  const { since, until, after } = place
  const beginning = typeof since === 'string' ? bare(since) : momentText(since)
  const position = after === null ? '' : `${bare(after.uuid)}-${after.sequence}`
  return [beginning, momentText(until), position].join('.')
}

/** Null for any text that is not a cursor. */
export function placeOf(cursor: string): Place | null {
  const parts = cursor.split('.')
  const [first = '', second = '', third = ''] = parts
  if (parts.length === 1) {
    const seen = momentFrom(first)
    return seen === null ? null : { is: 'caught up', seen }
  }
  const since = uuidFrom(first) ?? momentFrom(first)
  const until = momentFrom(second)
  const after = positionFrom(third)
  if (parts.length !== 3 || since === null || until === null || after === undefined) return null
  return { is: 'catching up', since, until, after }
}

/** `xmin:xmax:xip,…` in steps from one number to the next, since the numbers are long and the steps short. */
function momentText({ at, snapshot }: Moment): string {
  const [min = '', max = '', running = ''] = snapshot.split(':')
  const numbers = [min, max].map(BigInt) as [bigint, bigint]
  const open = running === '' ? [] : running.split(',').map(BigInt)
  const steps = open.map((number, place) => number - (place === 0 ? numbers[0] : (open[place - 1] as bigint)))
  const hex = [numbers[0], numbers[1] - numbers[0], ...steps].map((number) => number.toString(16))
  return [at.getTime().toString(36), ...hex].join('-')
}

const momentShape = /^([0-9a-z]{1,9})-([0-9a-f]{1,15})-([0-9a-f]{1,15})((?:-[0-9a-f]{1,15})*)$/

function momentFrom(text: string): Moment | null {
  const [, at, low, span, steps] = momentShape.exec(text) ?? []
  if (at === undefined || low === undefined || span === undefined || steps === undefined) return null
  const min = fromHex(low)
  const max = min + fromHex(span)
  let last = min
  const open = steps
    .split('-')
    .slice(1)
    .map((step) => {
      last += fromHex(step)
      return last
    })
  // What Postgres would not read as a snapshot is none.
  if (min === 0n || (open.length > 0 && last >= max)) return null
  return { at: new Date(Number.parseInt(at, 36)), snapshot: `${min}:${max}:${open.join(',')}` }
}

function positionFrom(text: string): Position | null | undefined {
  if (text === '') return null
  const [, hex = '', sequence] = /^([0-9a-f]{32})-(\d{1,9})$/.exec(text) ?? []
  const uuid = uuidFrom(hex)
  return uuid === null ? undefined : { uuid, sequence: Number(sequence) }
}

function uuidFrom(text: string): string | null {
  return /^[0-9a-f]{32}$/.test(text) ? text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : null
}

function bare(uuid: string): string {
  return uuid.replaceAll('-', '')
}

function fromHex(text: string): bigint {
  return BigInt(`0x${text}`)
}
