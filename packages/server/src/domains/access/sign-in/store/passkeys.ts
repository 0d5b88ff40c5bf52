/** The public keys of passkeys. The private keys never leave the devices. */
import { type Selectable, sql } from 'kysely'
import { type Id, idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import type { ControlPasskeys } from '../../../../platform/db/tables.generated.ts'
import type { Passkey } from '../passkey.ts'

const columns = [
  'id',
  'person_id',
  'name',
  'credential_id',
  'public_key',
  'counter',
  'transports',
  'created_at',
  'last_used_at',
] as const
type PasskeyRow = Pick<Selectable<ControlPasskeys>, (typeof columns)[number]>

/** Above the limit of passkeys per person, so that a list is always complete. */
const maxListed = 50

export async function listPasskeysOf(db: Db, personId: Id<'person'>): Promise<Passkey[]> {
  const rows = await db
    .selectFrom('control.passkeys')
    .select(columns)
    .where('person_id', '=', uuidOf(personId))
    .orderBy('id')
    .limit(maxListed)
    .execute()
  return rows.map(fromRow)
}

/** Returns null if the credential is unknown. */
export async function findByCredential(db: Db, credentialId: string): Promise<Passkey | null> {
  const row = await db
    .selectFrom('control.passkeys')
    .select(columns)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
  return row === undefined ? null : fromRow(row)
}

/** Returns false if the credential already exists. */
export async function insertPasskey(db: Db, passkey: Passkey): Promise<boolean> {
  const row = {
    id: uuidOf(passkey.id),
    person_id: uuidOf(passkey.personId),
    name: passkey.name,
    credential_id: passkey.credentialId,
    public_key: passkey.publicKey,
    counter: BigInt(passkey.counter),
    transports: [...passkey.transports],
    created_at: passkey.createdAt,
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('control.passkeys')
    .values(row)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Returns false if the passkey no longer exists. */
export async function recordUse(db: Db, id: Id<'passkey'>, counter: number, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('control.passkeys')
    .set({ counter: BigInt(counter), last_used_at: now })
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function deletePasskey(db: Db, personId: Id<'person'>, id: Id<'passkey'>): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('control.passkeys')
    .where('person_id', '=', uuidOf(personId))
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return numDeletedRows === 1n
}

export async function insertChallenge(db: Db, hash: Buffer, expiresAt: Date): Promise<void> {
  await db.insertInto('control.passkey_challenges').values({ hash, expires_at: expiresAt }).execute()
}

/** Deletes a challenge, so that it works only once. Returns false if it is unknown or has expired. */
export async function consumeChallenge(db: Db, hash: Buffer, now: Date): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('control.passkey_challenges')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Deletes expired challenges, at most 100 per call. */
export async function deleteExpiredChallenges(db: Db, now: Date): Promise<void> {
  await sql`
    delete from control.passkey_challenges
    where hash in (select hash from control.passkey_challenges where expires_at <= ${now} limit 100)`.execute(
    db,
  )
}

function fromRow(row: PasskeyRow): Passkey {
  return {
    id: idFromUuid('passkey', 'live', row.id),
    personId: idFromUuid('person', 'live', row.person_id),
    name: row.name,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: row.transports,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }
}
