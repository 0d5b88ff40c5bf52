/**
 * Which outcomes count for or against an account. A decline that is due to the payer or the issuer would be the same at
 * any account, so it does not count. These are the declines for which the decline table allows no failover. No side
 * effects.
 */
import { declineCodes, declineOf } from '../../../../providers/declines.ts'

/** Declines that are not attributable to the account. All others count against it. */
export const uncountedDeclines: readonly string[] = declineCodes.filter(
  (code) => declineOf(code).cascade === 'no',
)

/** Attempts that were approved, whatever happened to the payment later. */
export const approvedStatuses = ['authorized', 'captured', 'voided'] as const

/**
 * Attempts that count against the account whatever the reason: not processed, or still unresolved. Attempts
 * that wait for the payer, or that the provider reported as pending, do not count.
 */
export const failedStatuses = ['failed', 'unresolved'] as const
