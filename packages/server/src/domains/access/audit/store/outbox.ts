/** Audit entries in the control plane that are not in the chain of their workspace yet. */
import { type Id, idFromUuid, type Mode, modeOf, uuidOf } from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { fromText, type NewEntry, toText } from '../audit-entry.ts'

export type OutboxEntry = { readonly workspaceId: Id<'workspace'>; readonly entry: NewEntry }

export async function insertOutboxEntries(
  { db }: { readonly db: Db },
  entries: readonly OutboxEntry[],
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map(({ workspaceId, entry }) => ({
    id: uuidOf(entry.id),
    workspace_id: uuidOf(workspaceId),
    mode: modeOf(workspaceId),
    // The number is assigned when the entry is appended.
    entry: toText({ ...entry, number: 0n }),
  }))
  await db.insertInto('control.audit_outbox').values(rows).execute()
}

/** A page of entries, the oldest first. */
export async function listOutboxEntries(
  db: Db,
  after: OutboxEntry | null,
  limit: number,
): Promise<OutboxEntry[]> {
  const rows = await db
    .selectFrom('control.audit_outbox')
    .select(['workspace_id', 'mode', 'entry'])
    .$if(after !== null, (query) => query.where('id', '>', uuidOf((after as OutboxEntry).entry.id)))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    workspaceId: idFromUuid('workspace', row.mode as Mode, row.workspace_id),
    entry: fromText(row.entry),
  }))
}

export async function deleteOutboxEntries(db: Db, entries: readonly OutboxEntry[]): Promise<void> {
  const ids = entries.map(({ entry }) => uuidOf(entry.id))
  await db.deleteFrom('control.audit_outbox').where('id', 'in', ids).execute()
}
