/** Times and durations in words and figures. */

export const dayMs = 86_400_000

const day = { day: 'numeric', month: 'short', year: 'numeric' } as const
const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const dateTime = textsOf({ ...day, ...clock })
const date = textsOf(day)
const time = textsOf(clock)

type Instant = string | number | Date

export function dateTimeText(at: Instant, utc = false): string {
  return dateTime(at, utc)
}

export function dateText(at: Instant, utc = false): string {
  return date(at, utc)
}

export function clockText(at: Instant, utc = false): string {
  return time(at, utc)
}

/** Both formats are made once: making one takes longer than a row of a table may. */
function textsOf(options: Intl.DateTimeFormatOptions): (at: Instant, utc: boolean) => string {
  const here = new Intl.DateTimeFormat('en-GB', options)
  const inUtc = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
  return (at, utc) => (utc ? inUtc : here).format(new Date(at))
}

/** "3 min ago" or "in 2 h"; beyond a day the date itself. */
export function relativeText(at: string | number | Date, nowMs = Date.now()): string {
  const ms = new Date(at).getTime() - nowMs
  if (Math.abs(ms) >= dayMs) return dateText(at)
  if (Math.abs(ms) < 5_000) return 'just now'
  const text = durationText(Math.abs(ms))
  return ms < 0 ? `${text} ago` : `in ${text}`
}

/** The largest unit that says something: 18 ms, 1.5 s, 6 min, 3 h, 2 days. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${trimmed(ms / 1_000)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < dayMs) return `${trimmed(ms / 3_600_000)} h`
  const days = Math.round(ms / dayMs)
  return days === 1 ? '1 day' : `${days} days`
}

function trimmed(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value))
}
