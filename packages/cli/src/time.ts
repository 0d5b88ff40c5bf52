/** Parses and formats times and durations. */
import { InvalidArgumentError } from 'commander'

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** Parses `90s`, `10m`, `2h`, `1d` or `1w` as a time in the past, or an RFC 3339 time. */
export function parsePastTime(text: string, now = Date.now()): Date {
  const [, amount, unit] = /^(\d+)([smhdw])$/.exec(text) ?? []
  if (amount !== undefined) return new Date(now - Number(amount) * unitMs[unit as keyof typeof unitMs])
  const at = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(at.getTime())) return at
  throw new InvalidArgumentError(
    'Expected a duration such as 30s, 10m, 2h or 1d, or a time such as 2026-11-14T12:00:00Z.',
  )
}

/** Converts to an ISO 8601 duration: `3d` is `P3D`, `2h` is `PT2H`. Input that begins with P is only uppercased. */
export function parseDuration(text: string): string {
  if (/^P/i.test(text)) return text.toUpperCase()
  const [, amount, unit] = /^(\d+)(min|mo|h|d|w|y)$/.exec(text) ?? []
  if (amount === undefined)
    throw new InvalidArgumentError(
      'Expected a duration such as 30min, 2h, 3d, 2w, 1mo or 1y, or an ISO 8601 duration such as P1M.',
    )
  return {
    min: `PT${amount}M`,
    h: `PT${amount}H`,
    d: `P${amount}D`,
    w: `P${amount}W`,
    mo: `P${amount}M`,
    y: `P${amount}Y`,
  }[unit as 'min' | 'h' | 'd' | 'w' | 'mo' | 'y']
}

/** `12:00:01.250`, in the local time zone. */
export function formatTimeOfDay(at: Date | string): string {
  const time = new Date(at)
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  return `${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}:${twoDigits(time.getSeconds())}.${String(time.getMilliseconds()).padStart(3, '0')}`
}

/** `2026-11-14 12:00:01`, in UTC. */
export function formatDateTime(at: Date | string): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}

/** Parses an RFC 3339 time or a date. */
export function parseTime(text: string): string {
  const at = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(at.getTime())) return at.toISOString()
  throw new InvalidArgumentError('Expected a date or a time, such as 2027-01-01 or 2027-01-01T12:00:00Z.')
}
