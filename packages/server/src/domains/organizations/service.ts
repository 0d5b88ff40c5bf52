/** Organizations and their workspaces. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refuse } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'
import { readControl } from '../../platform/db/control.ts'
import { read, type Tx, transact } from '../../platform/db/unit-of-work.ts'
import { recordAct } from '../audit/service.ts'
import type { UpdateWorkspace } from './schema.ts'
import {
  findFirstOrganization,
  insertOrganization,
  insertWorkspace,
  listWorkspaceIds,
  lockWorkspace,
  readWorkspace,
  updateWorkspace,
} from './store.ts'
import type { Workspace } from './workspace.ts'

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
  await recordAct(tx, 'workspace.created', { objectId: created.id, details: { mode: created.mode } })
  return created
}

/** Null until setup has run. */
export function findOrganization(deps: Deps): Promise<Id<'organization'> | null> {
  return readControl(deps, findFirstOrganization)
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

export function changeWorkspace(
  deps: Deps,
  caller: Caller,
  input: UpdateWorkspace & { readonly ifMatch: number | null },
): Promise<Workspace> {
  return transact(deps, caller, async (tx) => {
    const before = await lockWorkspace(tx)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const apiVersion = deps.versions.requireKnown(input.api_version ?? before.apiVersion)
    const name = input.name ?? before.name
    if (name === before.name && apiVersion === before.apiVersion) return before

    const after = await updateWorkspace(tx, before, { name, apiVersion })
    const details = { api_version: after.apiVersion, previous_api_version: before.apiVersion }
    await recordAct(tx, 'workspace.updated', { objectId: after.id, details })
    return after
  })
}
