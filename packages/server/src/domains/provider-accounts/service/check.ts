/** Asks a provider whether it keeps the promises of its protocol, and notes what it answers. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import { narrowed } from '../capabilities.ts'
import { providerAccountUpdated } from '../events.ts'
import type { ProviderAccount, ShownAccount } from '../provider-account.ts'
import * as store from '../store.ts'
import { admit, change, memoryKeyOf } from './change.ts'
import { openAccount } from './open.ts'
import { tell } from './shown.ts'
import { requireTerms } from './terms.ts'

export async function checkProviderAccount(deps: Deps, caller: Caller, id: string): Promise<ShownAccount> {
  const asked = await read(deps, caller, (view) => store.requireAccount(view, id))
  admit(asked, 'check')
  // It is asked as it is now, not as it was some seconds ago.
  deps.openAccounts.forget(memoryKeyOf(caller.workspaceId, asked.id))
  const { account, config } = await openAccount(deps, caller.workspaceId, asked.id)
  const found = await deps.checkProvider({ mode: caller.mode, cardData: account.cardData, config })

  return change(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    admit(before, 'check')
    // What was found out at one address says nothing of another.
    if (before.settings.base_url !== account.settings.base_url) refuse('conflict')
    const after = await store.updateAccount(tx, before, {
      check: { at: tx.now, faults: found.faults },
      ...learned(deps, before, found.manifest),
    })
    return tell(deps, tx, providerAccountUpdated, { before, after })
  })
}

/** Of a provider that did not pass nothing is believed. */
function learned(deps: Deps, before: ProviderAccount, manifest: object | null) {
  if (manifest === null) return {}
  const { capabilities } = requireTerms(deps, { ...before, manifest })
  return { manifest, capabilities: narrowed(capabilities, before.narrowing) }
}
