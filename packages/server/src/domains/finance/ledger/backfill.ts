/**
 * The position of the backfill of a workspace. A pass reads all payments, invoices and credit entries. Processes
 * without a ledger can change objects that a pass has already read, so passes are repeated until one that began long
 * enough after the migration finds nothing. No side effects.
 */
import { addSeconds } from '../../../kernel/clock.ts'

export const stages = ['payments', 'invoices', 'credit_entries'] as const
export type Stage = (typeof stages)[number]

/** The time between two passes. During a rolling upgrade, old processes must have ended by then. */
const pauseSeconds = 30 * 60
export const zeroUuid = '00000000-0000-0000-0000-000000000000'

export type Backfill = {
  readonly stage: Stage
  /** The last object of the stage that was read. */
  readonly afterUuid: string
  /** When the pass began; null before it begins. */
  readonly walkStartedAt: Date | null
  /** Whether this pass has found something that was not posted, or an object that was locked. */
  readonly foundMissing: boolean
  /** When the migration created it. */
  readonly createdAt: Date
  /** Null when it is done. */
  readonly dueAt: Date | null
}

export type BatchResult = {
  /** The last object of the batch; null if the stage has no more. */
  readonly lastUuid: string | null
  readonly foundMissing: boolean
}

export function advanceBackfill(before: Backfill, result: BatchResult, now: Date): Backfill {
  const current = {
    ...before,
    walkStartedAt: before.walkStartedAt ?? now,
    foundMissing: before.foundMissing || result.foundMissing,
    dueAt: now,
  }
  if (result.lastUuid !== null) return { ...current, afterUuid: result.lastUuid }
  const nextStage = stages[stages.indexOf(before.stage) + 1]
  if (nextStage !== undefined) return { ...current, stage: nextStage, afterUuid: zeroUuid }
  const isLast = !current.foundMissing && current.walkStartedAt >= addSeconds(before.createdAt, pauseSeconds)
  if (isLast) return { ...current, dueAt: null }
  return {
    ...current,
    stage: 'payments',
    afterUuid: zeroUuid,
    walkStartedAt: null,
    foundMissing: false,
    dueAt: addSeconds(now, pauseSeconds),
  }
}
