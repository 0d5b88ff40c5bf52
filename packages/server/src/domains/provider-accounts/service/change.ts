/** What every verb that changes an account shares: its unit and its admission. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import { step } from '../../../kernel/machine.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { providerAccountMachine, type Trigger, unneeded } from '../machine.ts'
import type { ProviderAccount } from '../provider-account.ts'

/** Runs a change of one account. This process calls the provider as the account is from then on. */
export async function change<A extends { readonly id: Id<'provider_account'> }>(
  deps: Deps,
  caller: Caller,
  body: (tx: Tx) => Promise<A>,
): Promise<A> {
  const after = await transact(deps, caller, body)
  deps.openAccounts.forget(memoryKeyOf(caller.workspaceId, after.id))
  return after
}

/** Ids are unique, but whoever names the wrong workspace must not be given what another has opened. */
export function memoryKeyOf(workspaceId: Id<'workspace'>, id: Id<'provider_account'>): string {
  return `${workspaceId} ${id}`
}

/** Refuses what the table has no row for. For verbs that leave the status as it is. */
export function admit({ status }: ProviderAccount, trigger: Trigger): void {
  step(providerAccountMachine, { state: status, trigger, facts: unneeded })
}
