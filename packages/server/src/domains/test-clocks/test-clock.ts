/** A clock of the test environment that is moved by hand. Whoever belongs to it lives in its time. */
import type { Id } from '../../kernel/id.ts'

export const statuses = ['ready', 'advancing', 'failed'] as const
export type Status = (typeof statuses)[number]

export type TestClock = {
  readonly id: Id<'test_clock'>
  readonly name: string | null
  readonly status: Status
  readonly nowAt: Date
  /** Where it is going to, while it is on its way. */
  readonly targetAt: Date | null
  /** How many things have happened on it since it was made. */
  readonly actions: number
  readonly failure: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly dueAt: Date | null
  readonly deletedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** How far a clock may be moved by one call. */
export const longestYears = 10
/** After so many things a call stops: something goes round in circles. */
export const mostActions = 100_000
