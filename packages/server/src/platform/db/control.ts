/** A visit to the control plane inside a unit of work: the same commit, another role. */
import { sql } from 'kysely'
import type { Db } from './databases.ts'
import type { Tx } from './unit-of-work.ts'

export async function inControl<T>(tx: Tx, body: (db: Db) => Promise<T>): Promise<T> {
  await sql`set local role switchyard_control`.execute(tx.db)
  const result = await body(tx.db)
  await sql`set local role switchyard_app`.execute(tx.db)
  return result
}
