/**
 * When a customer is reminded of an invoice that was sent to them. Times are computed from the due date and the current
 * policy, so a change of the policy also applies to invoices that are already open. No side effects.
 */
import { addSeconds } from '../../../kernel/clock.ts'

export type ReminderTerms = {
  /** Days relative to the due date, ascending. */
  readonly reminderDays: readonly number[]
  readonly localHour: number
  readonly finalAction: 'leave_open' | 'uncollectible' | 'void'
}

const daySeconds = 86_400
/** The customer has this time to pay after the last reminder. */
const finalDays = 7

export function dueAtOf(termsDays: number, finalizedAt: Date): Date {
  return addSeconds(finalizedAt, termsDays * daySeconds)
}

function reminderTimesOf(dueAt: Date, { reminderDays, localHour }: ReminderTerms): Date[] {
  return reminderDays.map((day) => {
    const at = addSeconds(dueAt, day * daySeconds)
    at.setUTCHours(localHour, 0, 0, 0)
    return at
  })
}

/** When the final action of the policy is due: after the last reminder, and never before the due date. */
export function finalActionAt(dueAt: Date, terms: ReminderTerms): Date {
  const last = reminderTimesOf(dueAt, terms).at(-1) ?? dueAt
  return addSeconds(last > dueAt ? last : dueAt, finalDays * daySeconds)
}

/**
 * Whether a reminder became due between these times. After a long outage the customer gets only one reminder.
 */
export function isReminderDue(
  dueAt: Date,
  terms: ReminderTerms,
  { from, to }: { readonly from: Date; readonly to: Date },
): boolean {
  return reminderTimesOf(dueAt, terms).some((at) => at >= from && at <= to)
}

/** The next time at which there is something to do: a reminder, the due date, or the final action. Null if none is left. */
export function nextReminderAt(dueAt: Date, terms: ReminderTerms, now: Date): Date | null {
  const times = [...reminderTimesOf(dueAt, terms), dueAt, finalActionAt(dueAt, terms)]
  const later = times.filter((at) => at > now).toSorted((a, b) => Number(a) - Number(b))
  return later[0] ?? null
}
