/**
 * Limits how many passwords are hashed concurrently, so that sign-ins cannot block the process that handles
 * payments.
 */
import { refuse } from '../../../../kernel/errors.ts'
import { createFairQueue, type QueueEntry } from '../../../../platform/fair-queue.ts'
import { hashPassword, verifyPassword } from '../password.ts'

const queue = createFairQueue({ maxRunning: 2, maxWaiting: 100 })

export type PasswordWork = {
  readonly hash: typeof hashPassword
  readonly verifyPassword: typeof verifyPassword
}

/** Runs the task when the queue allows it. Rejects with 503 if too many are waiting. */
export function runPasswordTask<T>(entry: QueueEntry, task: (work: PasswordWork) => Promise<T>): Promise<T> {
  const refuseIfFull = () => refuse('overloaded', { retryAfterSeconds: 1 })
  return queue.run(entry, () => task({ hash: hashPassword, verifyPassword }), refuseIfFull)
}
