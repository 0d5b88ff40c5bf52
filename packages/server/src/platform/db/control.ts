/** The control plane: organizations, people, and the token directory. It has a separate database role. */
import { sql } from 'kysely'
import { type Clock, wallTimeOf } from '../../kernel/clock.ts'
import type { Databases, Db } from './databases.ts'
import { withRetries } from './retries.ts'
import type { Tx } from './unit-of-work.ts'

/** Reads from the control plane, with the same retries as a unit of work. */
export function readControl<T>(
  deps: { readonly databases: Databases },
  body: (db: Db) => Promise<T>,
): Promise<T> {
  return withRetries(null, () => deps.databases.control.as('switchyard_control', body))
}

/**
 * Changes control-plane data that belongs to no workspace, and emits no event. `now` is the time of the whole
 * change.
 */
export function changeControl<T>(
  deps: { readonly databases: Databases; readonly clock: Clock },
  body: (db: Db, now: Date) => Promise<T>,
): Promise<T> {
  return readControl(deps, async (db) => body(db, wallTimeOf(deps.clock.read()) ?? (await databaseTime(db))))
}

async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return (rows[0] as { now: Date }).now
}

/** Switches to the control role within a unit of work, in the same transaction. */
export async function inControl<T>(tx: Tx, body: (db: Db) => Promise<T>): Promise<T> {
  await sql`set local role switchyard_control`.execute(tx.db)
  const result = await body(tx.db)
  await sql`set local role switchyard_app`.execute(tx.db)
  return result
}
