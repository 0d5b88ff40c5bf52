/** Organizations and their workspaces. */
import type { Deps } from '../../../deps.ts'
import { assert } from '../../../kernel/assert.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { machineTime } from '../../../kernel/clock.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, idMaker, type Mode, randomSlot } from '../../../kernel/id.ts'
import { canonical } from '../../../kernel/json.ts'
import type { Cache } from '../../../platform/cache.ts'
import { changeControl, readControl } from '../../../platform/db/control.ts'
import type { ControlTx } from '../../../platform/db/control-unit.ts'
import { chooseSlot } from '../../../platform/db/placements.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { type AuditedTx, recordControlAct } from '../audit/service/outbox.ts'
import { recordAuditEntry } from '../audit/service.ts'
import { findLogoFault, type Seller, sellerOf } from './branding.ts'
import type { UpdateWorkspace } from './schema.ts'
import { changeCardData } from './service/card-data.ts'
import { changeElementOrigins } from './service/element-origins.ts'
import {
  addToDirectory,
  findFirstOrganization,
  insertOrganization,
  insertWorkspace,
  listDirectory,
  listWorkspaceIds,
  lockWorkspace,
  markOrganizationReady,
  markWorkspaceReady,
  readOrganizationName,
  readWorkspace,
  updateWorkspace,
} from './store.ts'
import type { Workspace } from './workspace.ts'

export type { Seller } from './branding.ts'

declare module '../../../deps.ts' {
  interface Caches {
    /** Sellers as payers see them. Used only by `findSeller`. */
    readonly sellers: Cache<Seller>
  }
}

/**
 * Registers an organization in the control plane, before its workspaces are created. It is not visible until
 * `openOrganization` is called. If `openOrganization` is not called within an hour, the organization is
 * removed.
 */
export function registerOrganization(deps: Deps, id: Id<'organization'>, name: string): Promise<void> {
  return changeControl(deps, (db, now) => insertOrganization(db, id, { name, now }))
}

/** Makes a registered organization visible. */
export async function openOrganization(tx: AuditedTx, id: Id<'organization'>): Promise<void> {
  assert(await markOrganizationReady(tx.db, id), removedMessage)
  recordControlAct(tx, 'organization.created', { objectId: id })
}

const removedMessage = 'The creation took longer than an hour, so the registration was removed. Start again.'

/**
 * Registers a new workspace in the control plane, before it is created on its shard. The shard with the
 * fewest workspaces is chosen.
 */
export async function registerWorkspace(
  deps: Deps,
  organizationId: Id<'organization'>,
  mode: Mode,
): Promise<Id<'workspace'>> {
  const { databases } = deps
  const names = databases.shards.map(({ name }) => name)
  const { id, shard } = await changeControl(deps, async (db, now) => {
    const { slot, shard } =
      names.length === 1 ? { slot: randomSlot(), shard: null } : await chooseSlot(db, names)
    const id = idFromUuid('workspace', mode, idMaker(machineTime(), slot)())
    await addToDirectory(db, id, { organizationId, now })
    return { id, shard }
  })
  if (shard !== null) databases.learn(id, shard)
  return id
}

/** Makes a registered workspace visible in its organization. */
export async function openWorkspace(tx: ControlTx, id: Id<'workspace'>): Promise<void> {
  assert(await markWorkspaceReady(tx.db, id), removedMessage)
}

/** Creates a registered workspace with the id `tx.caller.workspaceId`. */
export async function createWorkspace(
  tx: Tx,
  workspace: { organizationId: Id<'organization'>; name: string; apiVersion: string },
): Promise<Workspace> {
  const created = await insertWorkspace(tx, workspace)
  await recordAuditEntry(tx, 'workspace.created', { objectId: created.id, details: { mode: created.mode } })
  return created
}

/** Returns null before setup has run. */
export function findOrganization(deps: Deps): Promise<Id<'organization'> | null> {
  return readControl(deps, findFirstOrganization)
}

/** Lists of workspaces are not paginated, because no organization reaches this limit. */
const maxWorkspaces = 100

/** The workspaces of an organization, live workspaces first. */
export async function listWorkspaces(
  deps: Deps,
  organizationId: Id<'organization'>,
): Promise<readonly Workspace[]> {
  const ids = await readControl(deps, (db) => listDirectory(db, organizationId, maxWorkspaces))
  return Promise.all(ids.map((id) => getWorkspace(deps, systemCaller({ workspaceId: id, id }))))
}

/**
 * The home workspace of an organization: its oldest live workspace, or its oldest test workspace if it has no
 * other. Its audit log records changes to the organization itself, and its key encrypts secrets of people.
 */
export async function findHomeWorkspace(
  deps: Deps,
  organizationId: Id<'organization'>,
): Promise<Id<'workspace'>> {
  const [home] = await readControl(deps, (db) => listDirectory(db, organizationId, 1))
  assert(
    home !== undefined,
    'An organization must have a workspace: create its first workspace together with it.',
  )
  return home
}

export function findOrganizationName(deps: Deps, id: Id<'organization'>): Promise<string> {
  return readControl(deps, (db) => readOrganizationName(db, id))
}

/** All workspaces of all organizations, read in pages. */
export async function* eachWorkspace(deps: Deps): AsyncGenerator<Id<'workspace'>> {
  const pageSize = 500
  for (const shard of deps.databases.shards) {
    let after: Id<'workspace'> | null = null
    do {
      const from: Id<'workspace'> | null = after
      const page: Id<'workspace'>[] = await shard.as('switchyard_due', (db) =>
        listWorkspaceIds(db, from, pageSize),
      )
      yield* page
      after = page.length < pageSize ? null : (page.at(-1) ?? null)
    } while (after !== null)
  }
}

export function getWorkspace(deps: Deps, caller: Caller): Promise<Workspace> {
  return read(deps, caller, readWorkspace)
}

export async function changeWorkspace(
  deps: Deps,
  caller: Caller,
  input: UpdateWorkspace & { readonly ifMatch: number | null },
): Promise<Workspace> {
  const workspace = await transact(deps, caller, async (tx) => {
    const locked = await lockWorkspace(tx)
    if (input.ifMatch !== null && input.ifMatch !== locked.version) refuse('version_mismatch')
    const { card_data: cardData } = input
    const withCardData = cardData === undefined ? locked : await changeCardData(deps, tx, locked, cardData)
    const before = await changeElementOrigins(tx, withCardData, input.elements?.allowed_origins)
    const apiVersion = deps.versions.requireKnown(input.api_version ?? before.apiVersion)
    const name = input.name ?? before.name
    const branding = { ...before.branding, ...input.branding }
    requireLogo(input.branding?.logo_url ?? null)
    const isSame = name === before.name && apiVersion === before.apiVersion
    if (isSame && canonical(branding) === canonical(before.branding)) return before

    const after = await updateWorkspace(tx, before, { name, apiVersion, branding })
    const details = { api_version: after.apiVersion, previous_api_version: before.apiVersion }
    await recordAuditEntry(tx, 'workspace.updated', { objectId: after.id, details })
    return after
  })
  // Other processes show the change to payers a few seconds later, when their caches expire.
  deps.sellers.forget(caller.workspaceId)
  deps.openVaults.forget(caller.workspaceId)
  deps.elementOrigins.forget(caller.workspaceId)
  return workspace
}

function requireLogo(logo: string | null): void {
  const fault = logo === null ? null : findLogoFault(logo)
  if (fault !== null) refuseMember('/branding/logo_url', 'bad_format', fault)
}

/** The seller of a workspace, cached in every process for a few seconds. */
export function findSeller(deps: Deps, workspaceId: Id<'workspace'>): Promise<Seller> {
  return deps.sellers.get(workspaceId, async () => {
    const caller = systemCaller({ workspaceId, id: workspaceId })
    const { name, branding } = await read(deps, caller, readWorkspace)
    return sellerOf(name, branding)
  })
}
