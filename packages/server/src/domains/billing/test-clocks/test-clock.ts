/** A simulated clock in the test environment. Its customers and their objects use its time. */
import type { Id } from '../../../kernel/id.ts'

export const statuses = ['ready', 'advancing', 'failed'] as const
export type Status = (typeof statuses)[number]

export type TestClock = {
  readonly id: Id<'test_clock'>
  readonly name: string | null
  readonly status: Status
  readonly nowAt: Date
  /** The target time, while it is advancing. */
  readonly targetAt: Date | null
  /** How many actions have run on it since it was created. */
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

/** How far one call can advance a clock. */
export const maxAdvanceYears = 10
/** An advance stops after this many actions, because it is probably in a loop. */
export const maxActions = 100_000
