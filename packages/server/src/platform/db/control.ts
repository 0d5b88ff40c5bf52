/** The control plane: organizations, people, and the token directory. It has a separate database role. */
import { sql } from 'kysely'
import { type Clock, wallTimeOf } from '../../kernel/clock.ts'
import type { Databases, Db } from './databases.ts'
import { type RetryOptions, withRetries } from './retries.ts'

/** Reads from the control plane, with the same retries as a unit of work. */
export function readControl<T>(
  deps: { readonly databases: Databases },
  body: (db: Db) => Promise<T>,
): Promise<T> {
  const options = inControlPlane(deps.databases, { isRepeatable: true })
  return withRetries(options, () => deps.databases.control.as('switchyard_control', body))
}

/** If the control plane has a database of its own, the refusal says what is not possible without it. */
export function inControlPlane({ control, shards }: Databases, options: RetryOptions): RetryOptions {
  return shards.includes(control) ? options : { ...options, unavailableDetail }
}

const unavailableDetail =
  'The database of the control plane does not respond. Until it does, sign-in is not possible, and only API tokens that were used within the last hour work.'

/**
 * Changes control-plane data that belongs to no workspace, and emits no event. `now` is the time of the whole
 * change.
 */
export function changeControl<T>(
  deps: { readonly databases: Databases; readonly clock: Clock },
  body: (db: Db, now: Date) => Promise<T>,
): Promise<T> {
  return withRetries(inControlPlane(deps.databases, { isRepeatable: false }), () =>
    deps.databases.control.as('switchyard_control', async (db) =>
      body(db, wallTimeOf(deps.clock.read()) ?? (await databaseTime(db))),
    ),
  )
}

async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  return (rows[0] as { now: Date }).now
}
