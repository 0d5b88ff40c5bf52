/** The retry schedule of an overdue invoice. No side effects. */
import { createHash } from 'node:crypto'
import { addSeconds } from '../../../kernel/clock.ts'
import type { Step } from './dunning-campaign.ts'

const daySeconds = 86_400
/** Banks treat two attempts on the same day as one. */
const minSecondsApart = 20 * 3_600
/** The maximum number of days by which an attempt is delayed to fall on a payday. */
const maxMoveDays = 2

export type RetryTerms = {
  readonly retryDays: readonly number[]
  /** An hour in UTC, despite its name. */
  readonly localHour: number
  readonly jitterMinutes: number
}

const daysPerUnit = { day: 1, week: 7, month: 30, year: 365 } as const

export type ScheduleInput = {
  readonly failedAt: Date
  /** Null for a one-off invoice, which has no later invoices. */
  readonly interval: { readonly unit: keyof typeof daysPerUnit; readonly count: number } | null
  /** Determines the jitter: the same key always gives the same times. */
  readonly key: string
}

/**
 * Plans all retries. The last one is at most two periods after the failure, and ends the campaign: the invoices
 * of later periods have their own campaigns.
 */
export function planSteps(terms: RetryTerms, { failedAt, interval, key }: ScheduleInput): Step[] {
  const maxDays =
    interval === null ? Number.POSITIVE_INFINITY : 2 * daysPerUnit[interval.unit] * interval.count
  const daysInRange = terms.retryDays.filter((day) => day <= maxDays)
  const isShortened = daysInRange.length < terms.retryDays.length
  const days = isShortened ? [...daysInRange.filter((day) => day < maxDays), maxDays] : daysInRange
  return days.map((day, index) => {
    const at = atHour(failedAt, day, terms, `${key} ${index}`)
    // If `localHour` is 0 or 1, jitter can move a retry to a time before the failure.
    return stepAt(at > failedAt ? at : addSeconds(failedAt, day * daySeconds))
  })
}

function stepAt(at: Date): Step {
  return { dueAt: at, plannedAt: at, moved: null, attemptedAt: null, paymentId: null, code: null }
}

function atHour(failedAt: Date, day: number, { localHour, jitterMinutes }: RetryTerms, key: string): Date {
  const date = new Date(failedAt)
  date.setUTCHours(localHour, 0, 0, 0)
  const fraction = createHash('sha256').update(key).digest().readUInt32BE() / 2 ** 32
  const jitterSeconds = Math.floor((fraction * 2 - 1) * jitterMinutes * 60)
  return addSeconds(date, day * daySeconds + jitterSeconds)
}

/** The next step without an attempt, moved according to the failure; null if none is left. */
export function nextStep(
  steps: readonly Step[],
  failure: AttemptFailure,
): { index: number; step: Step } | null {
  const index = steps.findIndex(({ attemptedAt }) => attemptedAt === null)
  const planned = steps[index]
  if (planned === undefined) return null
  const lastPlannedAt = (steps.at(-1) as Step).plannedAt
  const spacedAt = laterOf(planned.plannedAt, addSeconds(failure.at, minSecondsApart))
  const dueAt = failure.code === 'insufficient_funds' ? moveToPayday(spacedAt, lastPlannedAt) : spacedAt
  if (dueAt.getTime() === planned.plannedAt.getTime()) return { index, step: planned }
  const moved = dueAt.getTime() === spacedAt.getTime() ? 'too_soon' : 'payday'
  return { index, step: { ...planned, dueAt, moved } }
}

export type AttemptFailure = { readonly code: string; readonly at: Date }

/** Moves the attempt to the 1st, the 15th or a Friday, if one is near and not after the last attempt. */
function moveToPayday(at: Date, last: Date): Date {
  const days = Array.from({ length: maxMoveDays + 1 }, (_, day) => addSeconds(at, day * daySeconds))
  return days.find((day) => isPayday(day) && day <= last) ?? at
}

function isPayday(at: Date): boolean {
  return at.getUTCDate() === 1 || at.getUTCDate() === 15 || at.getUTCDay() === 5
}

const laterOf = (a: Date, b: Date) => (a > b ? a : b)
