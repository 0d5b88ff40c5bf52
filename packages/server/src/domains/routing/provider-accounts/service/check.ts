/** Checks whether a provider conforms to the protocol, and stores the result. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { narrowCapabilities } from '../capabilities.ts'
import { providerAccountUpdated } from '../events.ts'
import type { AccountDetails, ProviderAccount } from '../provider-account.ts'
import * as store from '../store.ts'
import { emitAccountEvent } from './account-details.ts'
import { cacheKeyOf, changeAccount, requireTransition } from './change.ts'
import { openAccount } from './open.ts'
import { requireProviderTerms } from './terms.ts'

export async function checkProviderAccount(deps: Deps, caller: Caller, id: string): Promise<AccountDetails> {
  const requested = await read(deps, caller, (view) => store.requireAccount(view, id))
  requireTransition(requested, 'check')
  // Check the current settings, not the cached ones.
  deps.openAccounts.forget(cacheKeyOf(caller.workspaceId, requested.id))
  const { account, config } = await openAccount(deps, caller.workspaceId, requested.id)
  const result = await deps.checkProvider({ mode: caller.mode, cardData: account.cardData, config })

  return changeAccount(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    requireTransition(before, 'check')
    // The check result is only valid for the address that was checked.
    if (before.settings.base_url !== account.settings.base_url) refuse('conflict')
    const after = await store.updateAccount(tx, before, {
      check: { at: tx.now, faults: result.faults },
      ...manifestChanges(deps, before, result.manifest),
    })
    return emitAccountEvent(deps, tx, providerAccountUpdated, { before, after })
  })
}

/** The manifest is only used if the provider passed. */
function manifestChanges(deps: Deps, before: ProviderAccount, manifest: object | null) {
  if (manifest === null) return {}
  const { capabilities } = requireProviderTerms(deps, { ...before, manifest })
  return { manifest, capabilities: narrowCapabilities(capabilities, before.narrowing) }
}
