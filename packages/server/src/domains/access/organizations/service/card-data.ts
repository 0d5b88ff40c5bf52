/** Changes how a workspace collects card data, and opens its vault to call it. */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { refuseMember, refuseMembers } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { canonical } from '../../../../kernel/json.ts'
import type { Cache } from '../../../../platform/cache.ts'
import { read, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import type { SecretLocation } from '../../../../platform/sealed-box.ts'
import type { CardVault, VaultConfig } from '../../../../vaults/contract.ts'
import { vaults } from '../../../../vaults/registry.ts'
import { recordAuditEntry } from '../../audit/service.ts'

export { type CardDataMode, defaultCardDataMode } from '../card-data.ts'

import {
  type CardDataMode,
  type ConfiguredVault,
  faultsOfVault,
  splitSecrets,
  type VaultInput,
  valuesOf,
} from '../card-data.ts'
import type { UpdateWorkspace } from '../schema.ts'
import { findVault, readWorkspace, updateCardData } from '../store.ts'
import type { Workspace } from '../workspace.ts'

/** A vault with its secrets, which must not be logged or stored. */
export type OpenVault = { readonly vault: CardVault; readonly config: VaultConfig }

declare module '../../../../deps.ts' {
  interface Caches {
    /** Vaults with decrypted secrets. Read only by `openVault`. */
    readonly openVaults: Cache<OpenVault | null>
  }
}

/** Null if the workspace has no vault of another service. Must not be called in a transaction. */
export function openVault(deps: Deps, workspaceId: Id<'workspace'>): Promise<OpenVault | null> {
  return deps.openVaults.get(workspaceId, () =>
    read(deps, systemCaller({ workspaceId, id: workspaceId }), async (view) => {
      const found = await findVault(view)
      return found === null ? null : openFound(deps, view, found)
    }),
  )
}

/** Whether new cards are in an external vault. */
export async function usesExternalVault(view: View): Promise<boolean> {
  return (await readWorkspace(view)).cardData.mode === 'external_vault'
}

type SealedVault = { readonly vault: ConfiguredVault; readonly sealed: Buffer }

async function openFound(deps: Deps, view: View, { vault, sealed }: SealedVault): Promise<OpenVault> {
  const secrets = await openSecrets(deps, view, sealed)
  const address = vault.emulated ? { emulator_url: emulatorUrl(deps, vault) } : {}
  return { vault: vaults[vault.provider], config: { ...vault.config, ...secrets, ...address } }
}

/** An unresolvable host name if there is no simulator, so that it is certain that requests were not sent. */
function emulatorUrl({ simulatorUrl }: Deps, { provider }: ConfiguredVault): string {
  const origin = simulatorUrl ?? 'https://simulator.invalid'
  return provider === 'vgs' ? origin : `${origin}/vaults/${provider}`
}

/** The vault and its settings, without secrets. Null if the workspace has no vault of another service. */
export async function findVaultSettings(view: View): Promise<OpenVault | null> {
  const found = await findVault(view)
  return found === null ? null : { vault: vaults[found.vault.provider], config: found.vault.config }
}

export async function findCardDataMode(view: View): Promise<CardDataMode> {
  return (await readWorkspace(view)).cardData.mode
}

/** Returns the workspace before the change if nothing changes. */
export async function changeCardData(
  deps: Deps,
  tx: Tx,
  before: Workspace,
  { mode: newMode, vault: vaultInput }: NonNullable<UpdateWorkspace['card_data']>,
): Promise<Workspace> {
  const mode = newMode ?? before.cardData.mode
  const change = vaultInput === undefined ? null : await vaultAfter(deps, tx, vaultInput)
  const vault = change === null ? before.cardData.vault : change.vault
  if (mode === 'external_vault' && vault === null)
    refuseMember('/card_data/vault', 'required', 'is required for the mode external_vault')
  const isSame = newMode === undefined || (before.hasChosenCardData && mode === before.cardData.mode)
  if (isSame && change?.isChanged !== true) return before

  const sealed = change === null ? undefined : change.sealed
  const after = await updateCardData(tx, before, { mode, ...(sealed === undefined ? {} : { vault, sealed }) })
  await recordAuditEntry(tx, 'workspace.card_data_changed', {
    objectId: after.id,
    details: detailsOf(before, after),
  })
  return after
}

async function vaultAfter(deps: Deps, tx: Tx, input: VaultInput | null) {
  const found = await findVault(tx)
  if (input === null) return { vault: null, sealed: null, isChanged: found !== null }
  const vault = vaults[input.provider]
  const keepsSecrets = found?.vault.provider === input.provider && !found.vault.emulated
  const secretsBefore = found !== null && keepsSecrets ? await openSecrets(deps, tx, found.sealed) : {}
  const values = valuesOf(vault, input, secretsBefore)
  const faults = faultsOfVault(vault, input, values, tx.caller.mode)
  if (faults.length > 0) refuseMembers(faults)

  const { config, secrets } = splitSecrets(vault, values)
  const configured: ConfiguredVault = {
    provider: input.provider,
    emulated: input.emulated === true,
    config,
    secrets: Object.keys(secrets).toSorted(),
  }
  const isChanged =
    found === null ||
    canonical(found.vault) !== canonical(configured) ||
    canonical(secretsBefore) !== canonical(secrets)
  const sealed = await deps.sealedBox.seal(tx.db, locationOf(tx), canonical(secrets))
  return { vault: configured, sealed, isChanged }
}

function detailsOf({ cardData: before }: Workspace, { cardData: after }: Workspace) {
  return {
    mode: after.mode,
    previous_mode: before.mode,
    vault: after.vault?.provider ?? null,
    previous_vault: before.vault?.provider ?? null,
  }
}

async function openSecrets(
  deps: Deps,
  view: View,
  sealed: Buffer,
): Promise<Readonly<Record<string, string>>> {
  return JSON.parse(await deps.sealedBox.open(view.db, locationOf(view), sealed))
}

function locationOf({ caller: { workspaceId } }: View): SecretLocation {
  return { workspaceId, table: 'workspaces', column: 'card_vault_secrets', rowId: workspaceId }
}
