/**
 * What an attempt says of the account that made it. What the payer or the bank of the payer decides would be the same
 * anywhere else, so it is no reason to prefer another account: it does not count at all. The house has a table of
 * that already: a decline after which nobody else is asked is one that nobody else could change. Pure.
 */
import { declineCodes, declineOf } from '../../providers/declines.ts'

/** Declines of which the account is not the reason. All others speak against it. */
export const payersOwn: readonly string[] = declineCodes.filter((code) => declineOf(code).cascade === 'no')

/** Attempts that were approved, whatever became of the money since. */
export const approvedStatuses = ['authorized', 'captured', 'voided'] as const

/**
 * Attempts that speak against the account whatever the reason: they were not processed, or nobody knows yet. Those
 * that wait for a payer, or for a provider that said it takes longer, say nothing.
 */
export const failedStatuses = ['failed', 'unresolved'] as const
