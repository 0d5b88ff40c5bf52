/** The account of a workspace at a tax provider: changing it, checking it, and reading its secrets for calls. */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { machineTime } from '../../../kernel/clock.ts'
import { refuse, refuseMembers } from '../../../kernel/errors.ts'
import { type Id, modeOf } from '../../../kernel/id.ts'
import { canonical } from '../../../kernel/json.ts'
import { read, type Tx, transact, type View } from '../../../platform/db/unit-of-work.ts'
import type { SecretLocation } from '../../../platform/sealed-box.ts'
import { checkTaxAccount, type TaxAccount } from '../../../tax-providers/perform.ts'
import { taxProviders } from '../../../tax-providers/registry.ts'
import { recordAuditEntry } from '../../access/audit/service.ts'
import { findSellerSettings } from '../seller/service.ts'
import type { UpdateTaxProvider } from './schema.ts'
import * as store from './store.ts'
import {
  type ConfiguredTaxProvider,
  faultsOf,
  splitSecrets,
  type TaxBacklog,
  valuesOf,
} from './tax-provider.ts'

type Shown = { readonly configured: ConfiguredTaxProvider; readonly backlog: TaxBacklog }

const missing = 'The workspace has no tax provider. Configure one with PUT /tax-provider.'

export function getTaxProvider(deps: Deps, caller: Caller): Promise<Shown> {
  return read(deps, caller, async (view) => shownOf(view, await requireConfigured(view)))
}

export function updateTaxProvider(deps: Deps, caller: Caller, input: UpdateTaxProvider): Promise<Shown> {
  return transact(deps, caller, async (tx) => {
    const provider = taxProviders[input.provider]
    const found = await store.lockTaxProvider(tx)
    const keepsSecrets =
      found !== null && found.configured.provider === input.provider && !found.configured.emulated
    const before = keepsSecrets ? await openSecrets(deps, tx, found.sealed) : {}
    const values = valuesOf(provider, input, before)
    const faults = faultsOf(provider, input, values, caller.mode)
    if (faults.length > 0) refuseMembers(faults)
    await requireNothingUnrecorded(tx, found?.configured ?? null, input.provider)
    const { config, secrets } = splitSecrets(provider, values)
    const configured = {
      provider: input.provider,
      emulated: input.emulated === true,
      config,
      secrets: Object.keys(secrets).toSorted(),
    }
    const sealed = await deps.sealedBox.seal(tx.db, locationOf(tx), canonical(secrets))
    await store.writeTaxProvider(tx, configured, sealed)
    await recordAuditEntry(tx, 'tax_provider.updated', {
      objectId: caller.workspaceId,
      details: { provider: configured.provider, emulated: configured.emulated },
    })
    return shownOf(tx, configured)
  })
}

/** Documents of a replaced provider could no longer be recorded. The caller's lock prevents new documents. */
async function requireNothingUnrecorded(
  tx: Tx,
  before: ConfiguredTaxProvider | null,
  provider: string | null,
): Promise<void> {
  if (before === null || before.provider === provider) return
  if (await store.hasUnrecorded(tx, before.provider))
    refuse('object_in_use', {
      detail: 'Some documents are not recorded at the current tax provider yet. Wait until they are.',
    })
}

export function deleteTaxProvider(deps: Deps, caller: Caller): Promise<Shown> {
  return transact(deps, caller, async (tx) => {
    const { configured } = requireFound(await store.lockTaxProvider(tx))
    if ((await findSellerSettings(tx)).tax === 'provider')
      refuse('object_in_use', { detail: 'The `tax` of the seller is `provider`. Change it first.' })
    await requireNothingUnrecorded(tx, configured, null)
    const shown = await shownOf(tx, configured)
    await store.deleteTaxProvider(tx)
    await recordAuditEntry(tx, 'tax_provider.deleted', {
      objectId: caller.workspaceId,
      details: { provider: configured.provider, emulated: configured.emulated },
    })
    return shown
  })
}

/** Makes a call that changes nothing, so that wrong credentials are noticed before an invoice needs them. */
export async function checkTaxProvider(
  deps: Deps,
  caller: Caller,
): Promise<{ readonly fault: string | null }> {
  const account = await openTaxAccount(deps, caller.workspaceId)
  if (account === null) return refuse('not_found', { detail: missing })
  return checkTaxAccount(performDeps(deps), account)
}

/** For the `doctor` command. Null if the workspace has no tax provider. */
export async function checkTaxProviderOf(deps: Deps, workspaceId: Id<'workspace'>) {
  const account = await openTaxAccount(deps, workspaceId)
  return account === null ? null : checkTaxAccount(performDeps(deps), account)
}

export function performDeps({ outbound, log }: Deps) {
  return { sender: outbound, log, now: machineTime }
}

/**
 * Reads the account with its decrypted secrets, which must not be logged or stored. Do not call this in a transaction.
 */
export function openTaxAccount(deps: Deps, workspaceId: Id<'workspace'>): Promise<TaxAccount | null> {
  return read(deps, systemCaller({ workspaceId, id: workspaceId }), async (view) => {
    const found = await store.findTaxProvider(view)
    if (found === null) return null
    const { provider, emulated, config } = found.configured
    const secrets = await openSecrets(deps, view, found.sealed)
    // An unresolvable host name if there is no simulator, so that it is certain that requests were not sent.
    const origin = deps.simulatorUrl ?? 'https://simulator.invalid'
    const address = emulated ? { emulator_url: `${origin}/tax/${provider}/${workspaceId}` } : {}
    return {
      id: workspaceId,
      mode: modeOf(workspaceId),
      provider: taxProviders[provider],
      config: { ...config, ...secrets, ...address },
    }
  })
}

/** The name of the configured provider, which stays the same until the unit of work has ended. */
export async function holdTaxProvider(tx: Tx): Promise<ConfiguredTaxProvider['provider'] | null> {
  return (await store.holdTaxProvider(tx))?.configured.provider ?? null
}

async function shownOf(view: View, configured: ConfiguredTaxProvider): Promise<Shown> {
  return { configured, backlog: await store.findBacklog(view) }
}

async function requireConfigured(view: View): Promise<ConfiguredTaxProvider> {
  return requireFound(await store.findTaxProvider(view)).configured
}

function requireFound(found: store.StoredTaxProvider | null): store.StoredTaxProvider {
  return found ?? refuse('not_found', { detail: missing })
}

async function openSecrets(
  deps: Deps,
  view: View,
  sealed: Buffer,
): Promise<Readonly<Record<string, string>>> {
  return JSON.parse(await deps.sealedBox.open(view.db, locationOf(view), sealed))
}

function locationOf({ caller: { workspaceId } }: View): SecretLocation {
  return { workspaceId, table: 'tax_providers', column: 'sealed', rowId: workspaceId }
}
