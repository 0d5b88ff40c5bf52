/** Times and durations in words and figures. */

const dayMs = 86_400_000
const zone = (utc: boolean) => (utc ? { timeZone: 'UTC' } : {})

export function dateTimeText(at: string | number | Date, utc = false): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...zone(utc),
  }).format(new Date(at))
}

export function dateText(at: string | number | Date, utc = false): string {
  const format = { day: 'numeric', month: 'short', year: 'numeric', ...zone(utc) } as const
  return new Intl.DateTimeFormat('en-GB', format).format(new Date(at))
}

export function clockText(at: string | number | Date, utc = false): string {
  const format = { hour: '2-digit', minute: '2-digit', second: '2-digit', ...zone(utc) } as const
  return new Intl.DateTimeFormat('en-GB', format).format(new Date(at))
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
