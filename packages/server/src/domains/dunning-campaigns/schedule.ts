/** When an invoice that could not be collected is tried again. Pure. */
import { createHash } from 'node:crypto'
import { addSeconds } from '../../kernel/clock.ts'
import type { Step } from './dunning-campaign.ts'

const daySeconds = 86_400
/** Two tries of one day are one try to a bank. */
const leastSecondsApart = 20 * 3_600
/** How far a try moves to meet the day on which people are paid. */
const furthestMove = 2

export type Terms = {
  readonly retryDays: readonly number[]
  readonly localHour: number
  readonly jitterMinutes: number
}

/** A campaign does not outlive two periods: the invoices after it have campaigns of their own. */
const daysOf = { day: 1, week: 7, month: 30, year: 365 } as const

export type Beginning = {
  readonly failedAt: Date
  readonly interval: { readonly unit: keyof typeof daysOf; readonly count: number }
  /** Spreads the tries of one day, the same way each time. */
  readonly key: string
}

/** Each try, from the first failure on. The last of them is the end. */
export function planSteps(terms: Terms, { failedAt, interval, key }: Beginning): Step[] {
  const cap = 2 * daysOf[interval.unit] * interval.count
  const within = terms.retryDays.filter((day) => day <= cap)
  const days = within.length < terms.retryDays.length ? [...within.filter((day) => day < cap), cap] : within
  return days.map((day, place) => {
    const at = atHour(failedAt, day, terms, `${key} ${place}`)
    // A campaign of daily invoices may be over before its hour of the day comes.
    return stepAt(at > failedAt ? at : addSeconds(failedAt, day * daySeconds))
  })
}

function stepAt(at: Date): Step {
  return { dueAt: at, plannedAt: at, moved: null, attemptedAt: null, paymentId: null, code: null }
}

function atHour(failedAt: Date, day: number, { localHour, jitterMinutes }: Terms, key: string): Date {
  const date = new Date(failedAt)
  date.setUTCHours(localHour, 0, 0, 0)
  const draw = createHash('sha256').update(key).digest().readUInt32BE() / 2 ** 32
  const jitterSeconds = Math.floor((draw * 2 - 1) * jitterMinutes * 60)
  return addSeconds(date, day * daySeconds + jitterSeconds)
}

/** The next one that was not tried, moved as the failure advises; null if none is left. */
export function nextStep(steps: readonly Step[], failure: Failed): { place: number; step: Step } | null {
  const place = steps.findIndex(({ attemptedAt }) => attemptedAt === null)
  const planned = steps[place]
  if (planned === undefined) return null
  const last = (steps.at(-1) as Step).plannedAt
  const rested = later(planned.plannedAt, addSeconds(failure.at, leastSecondsApart))
  const paid = failure.code === 'insufficient_funds' ? onPayday(rested, last) : rested
  if (paid.getTime() === planned.plannedAt.getTime()) return { place, step: planned }
  const moved = paid.getTime() === rested.getTime() ? 'too_soon' : 'payday'
  return { place, step: { ...planned, dueAt: paid, moved } }
}

export type Failed = { readonly code: string; readonly at: Date }

/** The first, the fifteenth or a Friday, if one is near. Never behind the last try. */
function onPayday(at: Date, last: Date): Date {
  const days = Array.from({ length: furthestMove + 1 }, (_, day) => addSeconds(at, day * daySeconds))
  return days.find((day) => isPayday(day) && day <= last) ?? at
}

function isPayday(at: Date): boolean {
  return at.getUTCDate() === 1 || at.getUTCDate() === 15 || at.getUTCDay() === 5
}

const later = (a: Date, b: Date) => (a > b ? a : b)
