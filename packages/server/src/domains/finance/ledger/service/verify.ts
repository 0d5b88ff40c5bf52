/** Recomputes the amounts and balances of a workspace from its postings. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { addSums, balanceDifferences, type SumsByAccount } from '../balance-difference.ts'
import type { LedgerDifference } from '../difference.ts'
import { readDailySums, recomputeDailySums } from '../store/balances.ts'
import { zeroUuid } from '../store/legs.ts'
import {
  verifiedCredit,
  verifiedDisputes,
  verifiedInvoices,
  verifiedPayments,
  verifiedPayoutEntries,
  verifiedPayouts,
  verifiedSettlementLines,
  verifyPage,
} from '../store/verify.ts'

export { formatDifference } from '../difference.ts'

type VerifyDeps = Pick<Deps, 'databases'>
const pageSize = 1_000
const postingsPerPage = 20_000

const verified = [
  verifiedPayments,
  verifiedDisputes,
  verifiedInvoices,
  verifiedCredit,
  verifiedPayouts,
  verifiedPayoutEntries,
  verifiedSettlementLines,
]

/** Yields every difference of payments, invoices, credit balances, settlement and balances of accounts. */
export async function* findDifferences(deps: VerifyDeps, caller: Caller): AsyncGenerator<LedgerDifference> {
  yield* findObjectDifferences(deps, caller, zeroUuid)
  yield* await findBalanceDifferences(deps, caller)
}

/** Yields every difference of objects with ids above `fromUuid`. */
export async function* findObjectDifferences(
  deps: VerifyDeps,
  caller: Caller,
  fromUuid: string,
): AsyncGenerator<LedgerDifference> {
  for (const query of verified) {
    let after: string | null = fromUuid
    while (after !== null) {
      const page: { after: string; limit: number } = { after, limit: pageSize }
      const { differences, lastUuid } = await read(deps, caller, (view) => verifyPage(view, query, page))
      yield* differences
      after = lastUuid
    }
  }
}

/** Compares the balances with all postings of the same snapshot, which are read in pages. */
async function findBalanceDifferences(deps: VerifyDeps, caller: Caller): Promise<LedgerDifference[]> {
  const balances: SumsByAccount = new Map()
  const posted: SumsByAccount = new Map()
  const { snapshot, sums } = await read(deps, caller, readDailySums)
  addSums(balances, sums)
  let after: string | null = zeroUuid
  while (after !== null) {
    const page: { after: string; limit: number; snapshot: string } = {
      after,
      limit: postingsPerPage,
      snapshot,
    }
    const { lastUuid, sums: added } = await read(deps, caller, (view) => recomputeDailySums(view, page))
    addSums(posted, added)
    after = lastUuid
  }
  return balanceDifferences(balances, posted)
}
