/** When the bank confirms a debit. Pure functions. */
import { addSeconds } from '../../../../kernel/clock.ts'
import type { MethodTerms } from '../../../../providers/contract.ts'
import type { Settlement } from '../payment.ts'

const daySeconds = 86_400
/** How long after the expected time a debit needs review. */
const lateDays = 14

type Terms = Pick<MethodTerms, 'confirmDays' | 'newMandateDays'>

/**
 * The latest time at which the bank confirms a debit that is submitted now. A mandate may have to be
 * registered before its first debit. The registration counts from the current time if a test clock shows a
 * time before it.
 */
export function latestConfirmation(
  now: Date,
  registeredAt: Date,
  { confirmDays, newMandateDays = 0 }: Terms,
): Date {
  const registered = new Date(Math.min(now.getTime(), registeredAt.getTime()))
  const times = [addBusinessDays(now, confirmDays), addBusinessDays(registered, newMandateDays)]
  return new Date(Math.max(...times.map((at) => at.getTime())))
}

/** The time after a number of business days. Public holidays are not known, so they count as business days. */
function addBusinessDays(from: Date, days: number): Date {
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
