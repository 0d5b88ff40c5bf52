/** Functions shared by the services that change an account. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { factsNotInUse, providerAccountMachine, type Trigger } from '../machine.ts'
import type { ProviderAccount } from '../provider-account.ts'

/** Changes one account in a transaction, and then drops the account from the cache of this process. */
export async function changeAccount<A extends { readonly id: Id<'provider_account'> }>(
  deps: Deps,
  caller: Caller,
  body: (tx: Tx) => Promise<A>,
): Promise<A> {
  const after = await transact(deps, caller, body)
  deps.openAccounts.forget(cacheKeyOf(caller.workspaceId, after.id))
  return after
}

/** The key includes the workspace, so that the cache never returns an account of another workspace. */
export function cacheKeyOf(workspaceId: Id<'workspace'>, id: Id<'provider_account'>): string {
  return `${workspaceId} ${id}`
}

/**
 * Rejects triggers that the state machine does not allow in this status. For changes that keep the status.
 */
export function requireTransition({ status }: ProviderAccount, trigger: Trigger): void {
  nextTransition(providerAccountMachine, { state: status, trigger, facts: factsNotInUse })
}
