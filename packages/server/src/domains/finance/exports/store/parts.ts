/** The parts of exported files. */
import { sql } from 'kysely'
import { type Id, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { EncodedPart } from '../formats.ts'

export async function insertPart(
  tx: Tx,
  id: Id<'export'>,
  number: number,
  { content, directory }: EncodedPart,
): Promise<void> {
  await tx.db
    .insertInto('export_parts')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      export_id: uuidOf(id),
      number,
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
      directory,
    })
    .execute()
}

/** The content of a part; null if it was deleted. */
export async function readPart(view: View, id: Id<'export'>, number: number): Promise<Uint8Array | null> {
  const row = await view.db
    .selectFrom('export_parts')
    .select('content')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('export_id', '=', uuidOf(id))
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.content ?? null
}

/** The directory entries of the parts, in the order of the parts. */
export async function readDirectories(view: View, id: Id<'export'>): Promise<readonly (string | null)[]> {
  const rows = await view.db
    .selectFrom('export_parts')
    .select('directory')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('export_id', '=', uuidOf(id))
    .orderBy('number')
    .execute()
  return rows.map(({ directory }) => directory)
}

/** Deletes up to `limit` parts and returns how many there were. */
export async function deleteParts(tx: Tx, id: Id<'export'>, limit: number): Promise<number> {
  const isOfExport = sql`workspace_id = ${uuidOf(tx.caller.workspaceId)} and export_id = ${uuidOf(id)}`
  const { rows } = await sql`
    delete from export_parts where ${isOfExport} and number in (
      select number from export_parts where ${isOfExport} order by number limit ${limit})
    returning number`.execute(tx.db)
  return rows.length
}
