/** Opens accounts: decrypts their secrets to call their providers. Cached in memory for a few seconds. */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Cache } from '../../../../platform/cache.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import type { Provider } from '../../../../providers/contract.ts'
import type { ProviderAccount } from '../provider-account.ts'
import * as store from '../store.ts'
import { cacheKeyOf } from './change.ts'
import { openSecrets } from './secrets.ts'
import { configureSimulator, simulatorAccountUrl } from './simulator.ts'
import { providerOf } from './terms.ts'

export type OpenAccount = {
  readonly account: ProviderAccount
  readonly provider: Provider
  /** The configuration of the provider, including secrets. It must not be logged or stored. */
  readonly config: object
}

declare module '../../../../deps.ts' {
  interface Caches {
    /** Accounts with decrypted secrets. Read only by `openAccount`. */
    readonly openAccounts: Cache<OpenAccount>
  }
}

/**
 * Opens an account in any status: existing payments are completed even after it was archived. The result may
 * be as old as the cache allows; changes made by this process are visible immediately. Must not be called in
 * a transaction.
 */
export function openAccount(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  id: Id<'provider_account'>,
): Promise<OpenAccount> {
  return deps.openAccounts.get(cacheKeyOf(workspaceId, id), () => open(deps, workspaceId, id))
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
  const manifest = account.manifest === null ? {} : { manifest: account.manifest }
  const address = account.provider === 'simulator' ? { base_url: simulatorAccountUrl(deps, id) } : {}
  if (account.provider === 'simulator') await configureSimulator(deps, account, secrets)
  const config = { ...account.settings, ...manifest, ...address, secrets }
  return { account, provider: providerOf(deps, account), config }
}
