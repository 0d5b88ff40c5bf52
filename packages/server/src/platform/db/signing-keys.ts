/** Signing keys in the control plane, encrypted with a master key. */
import type { Db } from './databases.ts'

export type StoredSigningKey = {
  readonly name: string
  readonly masterKeyId: string
  readonly wrapped: Buffer
}

export async function listSigningKeys(db: Db): Promise<StoredSigningKey[]> {
  const rows = await db
    .selectFrom('control.proof_keys')
    .select(['name', 'master_key_id', 'wrapped'])
    .orderBy('created_at')
    .orderBy('name')
    .execute()
  return rows.map((row) => ({ name: row.name, masterKeyId: row.master_key_id, wrapped: row.wrapped }))
}

/** Keeps an existing key of the same name. */
export async function insertSigningKey(db: Db, key: StoredSigningKey): Promise<void> {
  await db
    .insertInto('control.proof_keys')
    .values({ name: key.name, master_key_id: key.masterKeyId, wrapped: key.wrapped })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Stores the key encrypted with another master key, unless another process has done so. */
export async function updateSigningKey(
  db: Db,
  before: StoredSigningKey,
  after: StoredSigningKey,
): Promise<void> {
  await db
    .updateTable('control.proof_keys')
    .set({ master_key_id: after.masterKeyId, wrapped: after.wrapped })
    .where('name', '=', before.name)
    .where('master_key_id', '=', before.masterKeyId)
    .execute()
}
