/**
 * What never reached anybody, or was put away, goes again. Captures and refunds can be asked of one account
 * alone, so there is nobody else to try; they go as new operations, each with a reference of its own. Pure.
 */
import type { Decline, Fault } from '../../providers/contract.ts'
import { declineOf, isProviderCode } from '../../providers/declines.ts'
import type { Operation } from './payment.ts'

/** Seconds from each end to the next beginning: 1, 5, 15 minutes, 1, 3, 6, 12 hours. */
export const resendWaits = [60, 300, 900, 3_600, 10_800, 21_600, 43_200] as const

/** How it ended without having happened. */
export type Ended =
  | { readonly is: 'declined'; readonly decline: Decline }
  | { readonly is: 'rejected' | 'not_sent'; readonly fault: Fault }
  | { readonly is: 'closed' }

/** Seconds until the same is sent again; null if it is not. */
export function resendWait(
  { kind, resends }: Pick<Operation, 'kind' | 'resends'>,
  ended: Ended,
): number | null {
  if (kind !== 'capture' && kind !== 'refund') return null
  return mayGoAgain(ended) ? (resendWaits[resends] ?? null) : null
}

/** Not if somebody has thought about it and said no. */
function mayGoAgain(ended: Ended): boolean {
  if (ended.is === 'not_sent' || ended.is === 'closed') return true
  if (ended.is === 'declined') return declineOf(ended.decline.code).class === 'technical'
  // A word of theirs that is none of ours is a fault of theirs.
  return !isProviderCode(ended.fault.code) || declineOf(ended.fault.code).class === 'technical'
}
