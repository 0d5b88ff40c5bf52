/**
 * Captures and refunds that were not sent, or that the provider rejected without processing them, are resent.
 * Only the account that authorized the payment can perform them, so there is no failover. Each resend is a
 * new operation with its own reference. Pure functions.
 */
import type { Decline, Fault } from '../../../../providers/contract.ts'
import { declineOf, isProviderCode } from '../../../../providers/declines.ts'
import type { Operation } from '../payment.ts'

/** Seconds from the end of each operation to the next resend: 1, 5, 15 minutes, 1, 3, 6, 12 hours. */
export const resendWaits = [60, 300, 900, 3_600, 10_800, 21_600, 43_200] as const

/** The result of an operation that ended without being processed. */
export type UnprocessedResult =
  | { readonly is: 'declined'; readonly decline: Decline }
  | { readonly is: 'rejected' | 'not_sent'; readonly fault: Fault }
  | { readonly is: 'closed' }

/** Seconds until the same request is resent; null if it is not resent. */
export function resendWait(
  { kind, resends }: Pick<Operation, 'kind' | 'resends'>,
  result: UnprocessedResult,
): number | null {
  if (kind !== 'capture' && kind !== 'refund') return null
  return mayResend(result) ? (resendWaits[resends] ?? null) : null
}

/**
 * Declines other than technical ones are final. Invalid credentials are an error that the merchant can
 * correct.
 */
function mayResend(result: UnprocessedResult): boolean {
  if (result.is === 'not_sent' || result.is === 'closed') return true
  if (result.is === 'declined') return declineOf(result.decline.code).class === 'technical'
  if (result.fault.code === 'provider_credentials_invalid') return true
  // An unrecognized code counts as a provider error.
  return !isProviderCode(result.fault.code) || declineOf(result.fault.code).class === 'technical'
}
