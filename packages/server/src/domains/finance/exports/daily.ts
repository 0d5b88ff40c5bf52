/** When days are exported, and when an upload is retried. No side effects. */
import { addSeconds } from '../../../kernel/clock.ts'

const daySeconds = 86_400
/** A change that was made on a day can be committed this long after the day has ended. */
const marginSeconds = 1_800

export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

export function dayAfter(dayOn: string): string {
  return dayOf(addSeconds(new Date(`${dayOn}T00:00:00.000Z`), daySeconds))
}

/** The time from which all changes of a day can be read. */
export function exportableAt(dayOn: string): Date {
  return addSeconds(new Date(`${dayAfter(dayOn)}T00:00:00.000Z`), marginSeconds)
}

const retryMinutes = [1, 5, 15, 60, 180]

/**
 * Retries continue until the upload succeeds, because otherwise that day would be missing from the
 * destination.
 */
export function retryAfterSeconds(attempts: number): number {
  const last = retryMinutes.length - 1
  return (retryMinutes[Math.min(attempts - 1, last)] ?? 0) * 60
}
