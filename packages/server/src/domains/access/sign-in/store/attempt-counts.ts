/** Counts of sign-in attempts, in the database because all processes share them. */
import { sql } from 'kysely'
import type { Db } from '../../../../platform/db/databases.ts'
import type { AttemptCount } from '../attempt-limits.ts'

/** Locks the row of a key, so that concurrent attempts are counted one after another. */
export async function lockCount(db: Db, key: Buffer, now: Date): Promise<AttemptCount | null> {
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

export async function updateCount(db: Db, key: Buffer, attempts: AttemptCount): Promise<void> {
  await db
    .updateTable('control.sign_in_tries')
    .set({ wrong: attempts.wrong, tried_at: attempts.triedAt, blocked_until: attempts.blockedUntil })
    .where('key', '=', key)
    .execute()
}

export async function deleteCount(db: Db, key: Buffer): Promise<void> {
  await db.deleteFrom('control.sign_in_tries').where('key', '=', key).execute()
}
