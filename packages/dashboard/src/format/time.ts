/** Formats times and durations. */

export const dayMs = 86_400_000

const day = { day: 'numeric', month: 'short', year: 'numeric' } as const
const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const dateTime = formatterOf({ ...day, ...clock })
const date = formatterOf(day)
const time = formatterOf(clock)

type Instant = string | number | Date

export function dateTimeText(at: Instant, utc = false): string {
  return dateTime(at, utc)
}

export function dateText(at: Instant, utc = false): string {
  return date(at, utc)
}

export function timeText(at: Instant, utc = false): string {
  return time(at, utc)
}

/** The formatters are created once, because creating one is too slow for each table row. */
function formatterOf(options: Intl.DateTimeFormatOptions): (at: Instant, utc: boolean) => string {
  const local = new Intl.DateTimeFormat('en-GB', options)
  const inUtc = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
  return (at, utc) => (utc ? inUtc : local).format(new Date(at))
}

/** "3 min ago" or "in 2 h"; beyond a day the date itself. */
export function relativeText(at: string | number | Date, nowMs = Date.now()): string {
  const ms = new Date(at).getTime() - nowMs
  if (Math.abs(ms) >= dayMs) return dateText(at)
  if (Math.abs(ms) < 5_000) return 'just now'
  const text = durationText(Math.abs(ms))
  return ms < 0 ? `${text} ago` : `in ${text}`
}

/** For scheduled times: "in 2 h", or "due now" once the time has passed. */
export function dueText(at: string | number | Date, nowMs = Date.now()): string {
  return new Date(at).getTime() <= nowMs ? 'due now' : relativeText(at, nowMs)
}

/** In the largest suitable unit: 18 ms, 1.5 s, 6 min, 3 h, 2 days. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${roundedText(ms / 1_000)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < dayMs) return `${roundedText(ms / 3_600_000)} h`
  const days = Math.round(ms / dayMs)
  return days === 1 ? '1 day' : `${days} days`
}

function roundedText(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value))
}
