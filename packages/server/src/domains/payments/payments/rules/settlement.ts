/** When the bank confirms a debit. Pure functions. */
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Settlement } from '../payment.ts'

const daySeconds = 86_400
/** How long after the expected time a debit needs review. */
const lateDays = 14

/** The time after a number of business days. Public holidays are not known, so they count as business days. */
export function addBusinessDays(from: Date, days: number): Date {
  let at = from
  for (let left = days; left > 0; ) {
    at = addSeconds(at, daySeconds)
    if (at.getUTCDay() !== 0 && at.getUTCDay() !== 6) left -= 1
  }
  return at
}

export function isPastSettlementDeadline({ expectedAt }: Settlement, now: Date): boolean {
  return expectedAt !== null && now >= addSeconds(expectedAt, lateDays * daySeconds)
}
