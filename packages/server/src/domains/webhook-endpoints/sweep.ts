/**
 * Bringing deliveries in line with their endpoint: what has to become of those that wait, and when the
 * endpoint is looked at again.
 */
import { addSeconds } from '../../kernel/clock.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'

/** At most so many deliveries are changed in one transaction. */
export const portion = 1_000
/** Transactions are cut off after half of it, so none that read the old status is left. */
export const secondPassSeconds = 60

export type Move = { readonly from: 'pending' | 'held'; readonly to: 'pending' | 'held' | 'deleted' }

export function movesFor(
  { status, deletedAt }: Pick<WebhookEndpoint, 'status' | 'deletedAt'>,
  releaseHeld: boolean,
): readonly Move[] {
  if (deletedAt !== null)
    return ['pending' as const, 'held' as const].map((from) => ({ from, to: 'deleted' }))
  if (status === 'disabled') return [{ from: 'pending', to: 'held' }]
  return releaseHeld ? [{ from: 'held', to: 'pending' }] : []
}

/** What is to be done for an endpoint, as its lane keeps it. */
export type Sweep = {
  /** Null: not before something changes. */
  readonly sweepAt: Date | null
  /** When the second pass is due, for those who missed the change of status. */
  readonly sweepUntil: Date | null
  readonly releaseHeld: boolean
}

export type Swept = {
  readonly moved: number
  /** Whether some are left, because a result was just being written for them. */
  readonly someLeft: boolean
  readonly nextSecretEndsAt: Date | null
}

export function afterSweep(now: Date, before: Sweep, { moved, someLeft, nextSecretEndsAt }: Swept): Sweep {
  if (moved >= portion) {
    // What happens while so many are released is held behind them, and must be found by the second pass too.
    const { releaseHeld, sweepUntil } = before
    return {
      ...before,
      sweepAt: now,
      sweepUntil: releaseHeld ? addSeconds(now, secondPassSeconds) : sweepUntil,
    }
  }
  if (someLeft) return { ...before, sweepAt: addSeconds(now, 1) }
  const { sweepUntil } = before
  if (sweepUntil !== null && sweepUntil > now) {
    const secretFirst = nextSecretEndsAt !== null && nextSecretEndsAt < sweepUntil
    return { ...before, sweepAt: secretFirst ? nextSecretEndsAt : sweepUntil }
  }
  return { sweepAt: nextSecretEndsAt, sweepUntil: null, releaseHeld: false }
}
