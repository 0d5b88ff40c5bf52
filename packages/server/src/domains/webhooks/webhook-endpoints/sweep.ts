/**
 * Decides how waiting deliveries change with the status of their endpoint, and when the endpoint is swept
 * again. A sweep changes deliveries in batches and deletes expired secrets.
 */
import { addSeconds } from '../../../kernel/clock.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'

/** The maximum number of deliveries changed in one transaction. */
export const batchSize = 1_000
/**
 * Transactions time out after half of this time, so no transaction that read the old status is still running
 * at the second pass.
 */
export const secondPassSeconds = 60

export type Move = { readonly from: 'pending' | 'held'; readonly to: 'pending' | 'held' | 'deleted' }

export function movesForStatus(
  { status, deletedAt }: Pick<WebhookEndpoint, 'status' | 'deletedAt'>,
  releaseHeld: boolean,
): readonly Move[] {
  if (deletedAt !== null)
    return ['pending' as const, 'held' as const].map((from) => ({ from, to: 'deleted' }))
  if (status === 'disabled') return [{ from: 'pending', to: 'held' }]
  return releaseHeld ? [{ from: 'held', to: 'pending' }] : []
}

/** The sweep state stored in the lane. */
export type Sweep = {
  /** When the endpoint is swept next; null: not before the next change. */
  readonly sweepAt: Date | null
  /** When the second pass is due. It finds deliveries of transactions that read the old status. */
  readonly sweepUntil: Date | null
  readonly releaseHeld: boolean
}

export type SweepResult = {
  readonly moved: number
  /** Whether deliveries were skipped because their rows were locked. */
  readonly hasSkippedRows: boolean
  readonly nextSecretExpiresAt: Date | null
}

export function afterSweep(
  now: Date,
  before: Sweep,
  { moved, hasSkippedRows, nextSecretExpiresAt }: SweepResult,
): Sweep {
  if (moved >= batchSize) {
    // Deliveries that are created during a large release are held until the released ones are sent, and the
    // second pass must find them too.
    const { releaseHeld, sweepUntil } = before
    return {
      ...before,
      sweepAt: now,
      sweepUntil: releaseHeld ? addSeconds(now, secondPassSeconds) : sweepUntil,
    }
  }
  if (hasSkippedRows) return { ...before, sweepAt: addSeconds(now, 1) }
  const { sweepUntil } = before
  if (sweepUntil !== null && sweepUntil > now) {
    const isSecretFirst = nextSecretExpiresAt !== null && nextSecretExpiresAt < sweepUntil
    return { ...before, sweepAt: isSecretFirst ? nextSecretExpiresAt : sweepUntil }
  }
  return { sweepAt: nextSecretExpiresAt, sweepUntil: null, releaseHeld: false }
}
