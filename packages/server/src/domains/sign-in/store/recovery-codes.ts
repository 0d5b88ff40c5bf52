/** Hashes of recovery codes. One that was used is gone. */
import { type Id, uuidOf } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'

/** New ones take the place of those before. */
export async function replaceCodes(db: Db, personId: Id<'person'>, hashes: readonly Buffer[]): Promise<void> {
  const person_id = uuidOf(personId)
  await db.deleteFrom('control.recovery_codes').where('person_id', '=', person_id).execute()
  if (hashes.length === 0) return
  await db
    .insertInto('control.recovery_codes')
    .values(hashes.map((hash) => ({ person_id, hash })))
    .execute()
}

/** False if there is no such code, or no more. */
export async function takeCode(db: Db, personId: Id<'person'>, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('control.recovery_codes')
    .where('person_id', '=', uuidOf(personId))
    .where('hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
