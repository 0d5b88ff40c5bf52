/** Workspace keys in the database, encrypted with a master key. */
import { sql } from 'kysely'
import { type Id, idFromUuid, type Mode, uuidOf } from '../../kernel/id.ts'
import type { Db } from './databases.ts'

export type WrappedKey = {
  readonly workspaceId: Id<'workspace'>
  readonly number: number
  readonly masterKeyId: string
  readonly wrapped: Buffer
}

const columns = ['number', 'master_key_id', 'wrapped'] as const

export async function findWorkspaceKey(
  db: Db,
  workspaceId: Id<'workspace'>,
  number: number,
): Promise<(WrappedKey & { readonly isOfThisTransaction: boolean }) | null> {
  const row = await db
    .selectFrom('workspace_keys')
    .select(columns)
    .select(sql<boolean>`coalesce(xmin = pg_current_xact_id_if_assigned()::xid, false)`.as('is_own'))
    .where('workspace_id', '=', uuidOf(workspaceId))
    // The number can come from corrupted bytes and exceed the type of the column.
    .where('number', '=', sql<number>`${number}::int8`)
    .executeTakeFirst()
  return row === undefined ? null : { ...fromRow(workspaceId, row), isOfThisTransaction: row.is_own }
}

/** Keeps an existing key. */
export async function insertWorkspaceKey(db: Db, key: WrappedKey): Promise<void> {
  await db
    .insertInto('workspace_keys')
    .values({
      workspace_id: uuidOf(key.workspaceId),
      number: key.number,
      master_key_id: key.masterKeyId,
      wrapped: key.wrapped,
      created_at: sql<Date>`now()`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The keys of the workspace that are encrypted with a different master key. */
export async function lockKeysOfOtherMasterKeys(
  db: Db,
  workspaceId: Id<'workspace'>,
  masterKeyId: string,
): Promise<WrappedKey[]> {
  const rows = await db
    .selectFrom('workspace_keys')
    .select(columns)
    .where('workspace_id', '=', uuidOf(workspaceId))
    .where('master_key_id', '<>', masterKeyId)
    .orderBy('number')
    .forUpdate()
    .execute()
  return rows.map((row) => fromRow(workspaceId, row))
}

export async function updateWorkspaceKey(db: Db, key: WrappedKey): Promise<void> {
  await db
    .updateTable('workspace_keys')
    .set({ master_key_id: key.masterKeyId, wrapped: key.wrapped })
    .where('workspace_id', '=', uuidOf(key.workspaceId))
    .where('number', '=', key.number)
    .execute()
}

/** How many workspaces have a key encrypted with another master key. Needs a role that sees all workspaces. */
export async function countWorkspacesOfOtherMasterKeys(db: Db, masterKeyId: string): Promise<number> {
  const { count } = await db
    .selectFrom('workspace_keys')
    .select(({ fn }) => fn.count<bigint>('workspace_id').distinct().as('count'))
    .where('master_key_id', '<>', masterKeyId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The workspaces that have a key encrypted with a different master key, ordered by id. */
export async function listWorkspacesOfOtherMasterKeys(
  db: Db,
  masterKeyId: string,
  page: { readonly after: Id<'workspace'> | null; readonly limit: number },
): Promise<Id<'workspace'>[]> {
  const { after, limit } = page
  const rows = await db
    .selectFrom('workspace_keys')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'workspace_keys.workspace_id')
    .select(['workspaces.workspace_id', 'workspaces.mode'])
    .distinct()
    .where('master_key_id', '<>', masterKeyId)
    .$if(after !== null, (query) =>
      query.where('workspace_keys.workspace_id', '>', uuidOf(after as Id<'workspace'>)),
    )
    .orderBy('workspaces.workspace_id')
    .limit(limit)
    .execute()
  return rows.map((row) => idFromUuid('workspace', row.mode as Mode, row.workspace_id))
}

function fromRow(
  workspaceId: Id<'workspace'>,
  row: { number: number; master_key_id: string; wrapped: Buffer },
): WrappedKey {
  return { workspaceId, number: row.number, masterKeyId: row.master_key_id, wrapped: row.wrapped }
}
