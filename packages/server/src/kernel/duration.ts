/** ISO 8601 durations: `P1Y`, `P3M`, `P2W`, `P1DT12H`. Years, months, weeks and days are counted in UTC. */

export const durationPattern =
  '^P(\\d{1,4}Y)?(\\d{1,4}M)?(\\d{1,4}W)?(\\d{1,5}D)?(T(\\d{1,5}H)?(\\d{1,6}M)?(\\d{1,7}S)?)?$'

const shape = new RegExp(durationPattern)

/** `P` alone matches the pattern but has no value. */
export function isDuration(text: string): boolean {
  return shape.test(text) && /\d/.test(text)
}

/** Clamps to the end of the month: one month after January 31 is the last day of February. */
export function addDuration(at: Date, text: string): Date {
  const [, years, months, weeks, days, , hours, minutes, seconds] = shape.exec(text) ?? []
  const number = (part: string | undefined) => (part === undefined ? 0 : Number.parseInt(part, 10))
  const moved = addMonths(at, number(years) * 12 + number(months))
  const inDays = (number(weeks) * 7 + number(days)) * 86_400
  const inSeconds = inDays + number(hours) * 3_600 + number(minutes) * 60 + number(seconds)
  return new Date(moved.getTime() + inSeconds * 1000)
}

function addMonths(at: Date, months: number): Date {
  const moved = new Date(at)
  moved.setUTCDate(1)
  moved.setUTCMonth(moved.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate()
  moved.setUTCDate(Math.min(at.getUTCDate(), lastDay))
  return moved
}
