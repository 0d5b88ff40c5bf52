/** Converts between local date-time fields and the timestamps of the API. No side effects. */

export function localDateTime(ms: number): string {
  const date = new Date(ms)
  const padded = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`
  return `${day}T${padded(date.getHours())}:${padded(date.getMinutes())}`
}

/** An invalid time is sent as typed, and the server returns the validation error. */
export function isoTimestamp(local: string): string {
  const ms = Date.parse(local)
  return Number.isNaN(ms) ? local : new Date(ms).toISOString()
}
