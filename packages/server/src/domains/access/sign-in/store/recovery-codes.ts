/** Hashes of recovery codes. Used codes are deleted. */
import { type Id, uuidOf } from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'

/** Replaces all codes of the person. */
export async function replaceCodes(db: Db, personId: Id<'person'>, hashes: readonly Buffer[]): Promise<void> {
  const person_id = uuidOf(personId)
  await db.deleteFrom('control.recovery_codes').where('person_id', '=', person_id).execute()
  if (hashes.length === 0) return
  await db
    .insertInto('control.recovery_codes')
    .values(hashes.map((hash) => ({ person_id, hash })))
    .execute()
}

/** Deletes a code, so that it works only once. Returns false if there is no such code. */
export async function consumeCode(db: Db, personId: Id<'person'>, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('control.recovery_codes')
    .where('person_id', '=', uuidOf(personId))
    .where('hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
