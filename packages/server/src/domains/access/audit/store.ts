import { sql } from 'kysely'
import { uuidOf } from '../../../kernel/id.ts'
import { type IdRange, keysetOf, pageOf } from '../../../platform/db/keyset.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { type AuditEntry, fromText } from './audit-entry.ts'
import { type ChainEnd, emptyChain, type Link } from './chain.ts'

/** Locks the head of the workspace's chain, so that concurrent entries are appended one after another. */
export async function lockHead(tx: Tx): Promise<ChainEnd> {
  const workspaceId = uuidOf(tx.caller.workspaceId)
  await tx.db
    .insertInto('audit_heads')
    .values({ workspace_id: workspaceId, ...emptyChain })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return tx.db
    .selectFrom('audit_heads')
    .select(['number', 'hash'])
    .where('workspace_id', '=', workspaceId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export async function insertEntry(tx: Tx, entry: AuditEntry, link: Link): Promise<void> {
  const workspaceId = uuidOf(tx.caller.workspaceId)
  await tx.db
    .insertInto('audit_entries')
    .values({ workspace_id: workspaceId, id: uuidOf(entry.id), ...link, ...filterColumns(entry) })
    .execute()
  await tx.db
    .updateTable('audit_heads')
    .set({ number: link.number, hash: link.hash })
    .where('workspace_id', '=', workspaceId)
    .execute()
}

/** The members that lists filter by. They are also stored in columns, because the text has no index. */
function filterColumns({ act, objectId, personId, tokenId }: AuditEntry) {
  return { act, object_id: objectId, person_id: personId, api_token_id: tokenId }
}

type Column = keyof ReturnType<typeof filterColumns>

/** Lists with at most one filter, since each filter has its own index. */
export async function listEntries(
  view: View,
  range: IdRange,
  filter: { readonly [column in Column]: string | undefined },
) {
  const conditions = Object.entries(filter).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`and ${sql.id(column)} = ${value}`],
  )
  const { rows } = await sql<{ entry: string }>`
    select entry from audit_entries
    where workspace_id = ${uuidOf(view.caller.workspaceId)} ${sql.join(conditions, sql` `)} ${keysetOf(range)}`.execute(
    view.db,
  )
  return pageOf(
    rows.map(({ entry }) => fromText(entry)),
    range,
  )
}

export async function readHead(view: View): Promise<ChainEnd> {
  const head = await view.db
    .selectFrom('audit_heads')
    .select(['number', 'hash'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .executeTakeFirst()
  return head ?? emptyChain
}

export function readLinks(view: View, after: bigint, limit: number): Promise<Link[]> {
  return view.db
    .selectFrom('audit_entries')
    .select(['number', 'entry', 'hash'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute()
}

export async function hasEntry(view: View, id: AuditEntry['id']): Promise<boolean> {
  const row = await view.db
    .selectFrom('audit_entries')
    .select('number')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return row !== undefined
}
