/** Tries to sign in, counted in the database: several processes count the same. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/databases.ts'
import type { Tries } from '../tries.ts'

/** Takes the row of a key, so that those who come at once are counted one after another. */
export async function lockTries(db: Db, key: Buffer, now: Date): Promise<Tries | null> {
  await sql`
    insert into control.sign_in_tries (key, wrong, tried_at) values (${key}, 0, ${now})
    on conflict (key) do nothing`.execute(db)
  const row = await db
    .selectFrom('control.sign_in_tries')
    .select(['wrong', 'tried_at', 'blocked_until'])
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirst()
  return row === undefined
    ? null
    : { wrong: row.wrong, triedAt: row.tried_at, blockedUntil: row.blocked_until }
}

export async function updateTries(db: Db, key: Buffer, tries: Tries): Promise<void> {
  await db
    .updateTable('control.sign_in_tries')
    .set({ wrong: tries.wrong, tried_at: tries.triedAt, blocked_until: tries.blockedUntil })
    .where('key', '=', key)
    .execute()
}

export async function forgetTries(db: Db, key: Buffer): Promise<void> {
  await db.deleteFrom('control.sign_in_tries').where('key', '=', key).execute()
}

/** Those of long ago, a few at a time. */
export async function sweepTries(db: Db, before: Date): Promise<void> {
  await sql`
    delete from control.sign_in_tries
    where key in (select key from control.sign_in_tries where tried_at < ${before} order by tried_at limit 100)`.execute(
    db,
  )
}
