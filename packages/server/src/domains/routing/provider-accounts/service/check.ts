/**
 * Checks whether a provider conforms to the protocol, or whether it accepts the credentials of a connector, and stores
 * the result.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Mode } from '../../../../kernel/id.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { narrowCapabilities } from '../capabilities.ts'
import { checkedPart } from '../changes.ts'
import { providerAccountUpdated } from '../events.ts'
import {
  type AccountDetails,
  type CheckFault,
  isConnector,
  type ProviderAccount,
} from '../provider-account.ts'
import { clearCredentialsRefusal } from '../store/health.ts'
import * as store from '../store.ts'
import { emitAccountEvent } from './account-details.ts'
import { cacheKeyOf, changeAccount, requireTransition } from './change.ts'
import { type OpenAccount, openAccount } from './open.ts'
import { requireProviderTerms } from './terms.ts'

export async function checkProviderAccount(deps: Deps, caller: Caller, id: string): Promise<AccountDetails> {
  const requested = await read(deps, caller, (view) => store.requireAccount(view, id))
  requireTransition(requested, 'check')
  // Check the current settings, not the cached ones.
  deps.openAccounts.forget(cacheKeyOf(caller.workspaceId, requested.id))
  const opened = await openAccount(deps, caller.workspaceId, requested.id)
  const result = await checkOpened(deps, caller.mode, opened)

  return changeAccount(deps, caller, async (tx) => {
    const before = await store.lockAccount(tx, id)
    requireTransition(before, 'check')
    if (checkedPart(before) !== checkedPart(opened.account)) refuse('conflict')
    const after = await store.updateAccount(tx, before, {
      check: { at: tx.now, faults: result.faults },
      ...manifestChanges(deps, caller.mode, before, result.manifest),
    })
    if (isConnector(before) && result.faults.length === 0) await clearCredentialsRefusal(tx, before.id)
    return emitAccountEvent(deps, tx, providerAccountUpdated, { before, after })
  })
}

type CheckResult = { readonly faults: readonly CheckFault[]; readonly manifest: object | null }

const timeoutMs = 20_000

async function checkOpened(
  deps: Deps,
  mode: Mode,
  { account, provider, config }: OpenAccount,
): Promise<CheckResult> {
  if (provider.check === undefined) return deps.checkProvider({ mode, cardData: account.cardData, config })
  const { ok, detail, isRefused } = await deps.performer.check({
    provider,
    step: 'check',
    input: null,
    account: { id: account.id, mode, config },
    deadlineMs: monotonicMs() + timeoutMs,
  })
  const hint = isRefused ? ` Use credentials of the ${mode} environment of ${provider.setup?.name}.` : ''
  return { faults: ok ? [] : [{ duty: 'credentials', detail: `${detail}${hint}` }], manifest: null }
}

/** The manifest is only used if the provider passed. */
function manifestChanges(deps: Deps, mode: Mode, before: ProviderAccount, manifest: object | null) {
  if (manifest === null) return {}
  const { capabilities } = requireProviderTerms(deps, mode, { ...before, manifest })
  return { manifest, capabilities: narrowCapabilities(capabilities, before.narrowing) }
}
