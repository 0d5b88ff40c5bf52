/** Accounts as their providers are called: with secrets, in memory alone and for seconds. */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import type { Provider } from '../../../providers/contract.ts'
import type { ProviderAccount } from '../provider-account.ts'
import * as store from '../store.ts'
import { memoryKeyOf } from './change.ts'
import { openSecrets } from './secrets.ts'
import { introduce, simulatedAt } from './simulator.ts'
import { providerOf } from './terms.ts'

export type OpenAccount = {
  readonly account: ProviderAccount
  readonly provider: Provider
  /** What the provider is called with, secrets included. It is never logged and never stored. */
  readonly config: object
}

/**
 * Whatever its status: what was begun there comes to an end, also after it was archived. What it gives may be as
 * old as the memory is long; a change made by this process is seen at once. Not inside a unit of work.
 */
export function openAccount(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  id: Id<'provider_account'>,
): Promise<OpenAccount> {
  const opened = deps.openAccounts.get(memoryKeyOf(workspaceId, id), () => open(deps, workspaceId, id))
  return opened as Promise<OpenAccount>
}

async function open(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  id: Id<'provider_account'>,
): Promise<OpenAccount> {
  const { account, secrets } = await read(deps, systemCaller({ workspaceId, id }), async (view) => ({
    account: await store.requireAccount(view, id),
    secrets: (await openSecrets(deps, view, id)).map(({ text }) => text),
  }))
  const known = account.manifest === null ? {} : { manifest: account.manifest }
  const place = account.provider === 'simulator' ? { base_url: simulatedAt(deps, id) } : {}
  if (account.provider === 'simulator') await introduce(deps, account, secrets)
  const config = { ...account.settings, ...known, ...place, secrets }
  return { account, provider: providerOf(deps, account), config }
}
