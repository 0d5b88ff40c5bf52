/** Single-use sign-in links. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'

export async function insertLink(
  db: Db,
  link: { readonly hash: Buffer; readonly personId: Id<'person'>; readonly expiresAt: Date },
): Promise<void> {
  const row = { hash: link.hash, person_id: uuidOf(link.personId), expires_at: link.expiresAt }
  await db.insertInto('control.sign_in_links').values(row).execute()
}

/** Deletes a link, so that it works only once. Returns null if there is none, or it has expired. */
export async function consumeLink(db: Db, hash: Buffer, now: Date): Promise<Id<'person'> | null> {
  const { rows } = await sql<{ person_id: string }>`
    delete from control.sign_in_links where hash = ${hash} and expires_at > ${now} returning person_id`.execute(
    db,
  )
  return rows[0] === undefined ? null : idFromUuid('person', 'live', rows[0].person_id)
}

/** Deletes expired links of all people, at most 100 per call. */
export async function deleteExpiredLinks(db: Db, now: Date): Promise<void> {
  await sql`
    delete from control.sign_in_links
    where hash in (select hash from control.sign_in_links where expires_at <= ${now} limit 100)`.execute(db)
}
