/** Organizations and their workspaces. */
import type { Deps } from '../../deps.ts'
import { assert } from '../../kernel/assert.ts'
import { type Caller, systemCaller } from '../../kernel/caller.ts'
import { refuse, refuseMember } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'
import { canonical } from '../../kernel/json.ts'
import { readControl } from '../../platform/db/control.ts'
import { read, type Tx, transact } from '../../platform/db/unit-of-work.ts'
import { recordAct } from '../audit/service.ts'
import { faultOfLogo, type Seller, sellerOf } from './branding.ts'
import type { UpdateWorkspace } from './schema.ts'
import {
  addToDirectory,
  findFirstOrganization,
  insertOrganization,
  insertWorkspace,
  listDirectory,
  listWorkspaceIds,
  lockWorkspace,
  readOrganizationName,
  readWorkspace,
  updateWorkspace,
} from './store.ts'
import type { Workspace } from './workspace.ts'

export type { Seller } from './branding.ts'

export async function createOrganization(tx: Tx, id: Id<'organization'>, name: string): Promise<void> {
  await insertOrganization(tx, id, name)
  await recordAct(tx, 'organization.created', { objectId: id })
}

/** The unit's own workspace: its caller names an id that has no row yet. */
export async function createWorkspace(
  tx: Tx,
  workspace: { organizationId: Id<'organization'>; name: string; apiVersion: string },
): Promise<Workspace> {
  const created = await insertWorkspace(tx, workspace)
  await addToDirectory(tx, workspace.organizationId)
  await recordAct(tx, 'workspace.created', { objectId: created.id, details: { mode: created.mode } })
  return created
}

/** Null until setup has run. */
export function findOrganization(deps: Deps): Promise<Id<'organization'> | null> {
  return readControl(deps, findFirstOrganization)
}

/** More than anybody has; a page shows all of them. */
const mostWorkspaces = 100

/** The workspaces of an organization, those of production first. */
export async function workspacesOf(
  deps: Deps,
  organizationId: Id<'organization'>,
): Promise<readonly Workspace[]> {
  const ids = await readControl(deps, (db) => listDirectory(db, organizationId, mostWorkspaces))
  return Promise.all(ids.map((id) => getWorkspace(deps, systemCaller({ workspaceId: id, id }))))
}

/**
 * Where what happens to the organization itself is written down, and with whose key its secrets are sealed: its
 * oldest workspace of production, or of tests if it has no other.
 */
export async function homeOf(deps: Deps, organizationId: Id<'organization'>): Promise<Id<'workspace'>> {
  const [home] = await readControl(deps, (db) => listDirectory(db, organizationId, 1))
  assert(home !== undefined, 'An organization has a workspace from its first moment.')
  return home
}

export function nameOfOrganization(deps: Deps, id: Id<'organization'>): Promise<string> {
  return readControl(deps, (db) => readOrganizationName(db, id))
}

/** Every workspace there is, a page at a time. */
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
  const changed = await transact(deps, caller, async (tx) => {
    const before = await lockWorkspace(tx)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const apiVersion = deps.versions.requireKnown(input.api_version ?? before.apiVersion)
    const name = input.name ?? before.name
    const branding = { ...before.branding, ...input.branding }
    requireLogo(input.branding?.logo_url ?? null)
    const isSame = name === before.name && apiVersion === before.apiVersion
    if (isSame && canonical(branding) === canonical(before.branding)) return before

    const after = await updateWorkspace(tx, before, { name, apiVersion, branding })
    const details = { api_version: after.apiVersion, previous_api_version: before.apiVersion }
    await recordAct(tx, 'workspace.updated', { objectId: after.id, details })
    return after
  })
  // In other processes payers see it a few seconds later.
  deps.sellers.forget(caller.workspaceId)
  return changed
}

function requireLogo(logo: string | null): void {
  const fault = logo === null ? null : faultOfLogo(logo)
  if (fault !== null) refuseMember('/branding/logo_url', 'bad_format', fault)
}

/** Whom payers pay, as every process remembers it for a few seconds. */
export function findSeller(deps: Deps, workspaceId: Id<'workspace'>): Promise<Seller> {
  return deps.sellers.get(workspaceId, async () => {
    const caller = systemCaller({ workspaceId, id: workspaceId })
    const { name, branding } = await read(deps, caller, readWorkspace)
    return sellerOf(name, branding)
  }) as Promise<Seller>
}
