/** Reads what payments have cost according to settlement reports, and compares the costs of two accounts. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import { read, type View } from '../../../platform/db/unit-of-work.ts'
import { findAccount } from '../../routing/provider-accounts/service.ts'
import { type ComparedPayments, type CostComparison, compareCosts } from './estimate.ts'
import type { SettledCost } from './settled-cost.ts'
import * as store from './store.ts'

export { amountBandOf } from './fee-sums.ts'

const maxSegments = 500

export type AccountCosts = {
  readonly accountId: Id<'provider_account'>
  readonly costs: readonly SettledCost[]
}

export function listSettledCosts(deps: Deps, caller: Caller, id: string): Promise<AccountCosts> {
  return read(deps, caller, async (view) => {
    const account =
      (await findAccount(view, id)) ?? refuse('not_found', { detail: 'There is no such provider account.' })
    return { accountId: account.id, costs: await store.listCostsOf(view, account.id, maxSegments) }
  })
}

/** Whether any settled payment was imported. Otherwise there is nothing to compare. */
export function hasSettledCosts(view: View): Promise<boolean> {
  return store.hasCosts(view)
}

/** What payments cost now, and what they would cost at other accounts, by currency. */
export async function compareSettledCosts(
  view: View,
  compared: readonly ComparedPayments[],
): Promise<readonly CostComparison[]> {
  if (compared.length === 0) return []
  const [costs, stated] = await Promise.all([store.listKnownCosts(view), store.listStatedDetails(view)])
  return compareCosts({ costs, stated }, compared)
}
