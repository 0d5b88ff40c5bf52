/** The control plane: organizations, people, the directory of tokens. It has a role of its own. */
import { sql } from 'kysely'
import { type Clock, wallOf } from '../../kernel/clock.ts'
import type { Databases, Db } from './databases.ts'
import { withRetries } from './retries.ts'
import type { Tx } from './unit-of-work.ts'

/** Reads there, and tries again as a unit of work would. */
export function readControl<T>(
  deps: { readonly databases: Databases },
  body: (db: Db) => Promise<T>,
): Promise<T> {
  return withRetries(null, () => deps.databases.control.as('switchyard_control', body))
}

/** Changes something there that belongs to no workspace and tells nobody. `now` is the instant of all of it. */
export function changeControl<T>(
  deps: { readonly databases: Databases; readonly clock: Clock },
  body: (db: Db, now: Date) => Promise<T>,
): Promise<T> {
  return readControl(deps, async (db) => body(db, wallOf(deps.clock.read()) ?? (await timeOf(db))))
}

async function timeOf(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return (rows[0] as { now: Date }).now
}

/** A visit inside a unit of work: the same commit, another role. */
export async function inControl<T>(tx: Tx, body: (db: Db) => Promise<T>): Promise<T> {
  await sql`set local role switchyard_control`.execute(tx.db)
  const result = await body(tx.db)
  await sql`set local role switchyard_app`.execute(tx.db)
  return result
}
