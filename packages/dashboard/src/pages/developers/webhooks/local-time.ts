/** What a field for date and time shows is the viewer's clock; what is sent is an instant. Pure. */

export function localOf(ms: number): string {
  const at = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** What is no time stays as it was typed: the server says what is wrong with it. */
export function isoOf(local: string): string {
  const ms = Date.parse(local)
  return Number.isNaN(ms) ? local : new Date(ms).toISOString()
}
