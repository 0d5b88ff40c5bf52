/**
 * Keys that seal security codes, one for each half hour. A code may be stored for a quarter of an hour and not
 * be found again later, in no page and no backup. So its key lies in a table that is never logged, and the
 * table is truncated once the key is over: by the chores of every hour, or by the key that needs the place. The
 * time is that of the database, whatever a clock of ours says: this is about disks, not about business.
 */
import { sql } from 'kysely'
import { assert } from '../../kernel/assert.ts'
import type { Db } from './databases.ts'

const periodSeconds = 30 * 60
const places = [0, 1, 2] as const
/** How long a code is stored at most. */
export const codeLifeSeconds = 15 * 60

export type CodeKey = { readonly period: number; readonly key: Buffer }

const tableOf = (period: number) => `vault.code_keys_${period % places.length}`
const allKeys = sql.join(
  places.map((place) => sql`select period, key from ${sql.table(tableOf(place))}`),
  sql` union all `,
)

/** That of this half hour. `key` is null if nobody has made it yet. */
export async function findCurrentCodeKey(db: Db): Promise<{ period: number; key: Buffer | null }> {
  const { rows } = await sql<{ period: number; key: Buffer | null }>`
    select present.period, held.key
    from (select floor(extract(epoch from now()) / ${sql.lit(periodSeconds)})::int as period) as present
      left join (${allKeys}) as held on held.period = present.period`.execute(db)
  const [row] = rows
  assert(row !== undefined, 'There is always a half hour.')
  return row
}

/** Null: it was destroyed, or a crash of the database has emptied its table. */
export async function findCodeKey(db: Db, period: number): Promise<Buffer | null> {
  const { rows } = await sql<{ key: Buffer }>`
    select key from ${sql.table(tableOf(period))} where period = ${period}`.execute(db)
  return rows[0]?.key ?? null
}

/**
 * Makes the key of that half hour, and takes away the one whose place it gets. In a transaction of its own: it
 * waits for those who read the table, so it must not be one of them.
 */
export async function makeCodeKey(db: Db, period: number): Promise<CodeKey> {
  const table = sql.table(tableOf(period))
  await sql`lock table ${table} in access exclusive mode`.execute(db)
  // Another process may have been quicker.
  const made = await findCodeKey(db, period)
  if (made !== null) return { period, key: made }
  await sql`truncate ${table}`.execute(db)
  // Drawn by the database: as a parameter of a statement, a key might be written to its log.
  const { rows } = await sql<{ key: Buffer }>`
    insert into ${table} (period, key)
    values (${period}, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
    returning key`.execute(db)
  return { period, key: (rows[0] as { key: Buffer }).key }
}

type Run = (sql: string) => Promise<{ rows: { [column: string]: unknown }[] }>

/** Takes the keys away whose codes are all over. Gives the names of the tables in which they lay. */
export async function destroyOldCodeKeys(run: Run, now: Date): Promise<string[]> {
  const destroyed: string[] = []
  for (const place of places) {
    if (!(await holdsOldKey(run, place, now))) continue
    // Looked at again behind the lock: meanwhile somebody may have put a new key there.
    await run(`begin; set local lock_timeout = '2s'; lock table ${tableOf(place)} in access exclusive mode`)
    if (await holdsOldKey(run, place, now)) await run(`truncate ${tableOf(place)}`)
    await run('commit')
    destroyed.push(tableOf(place))
  }
  return destroyed
}

async function holdsOldKey(run: Run, place: number, now: Date): Promise<boolean> {
  const { rows } = await run(`select max(period) as period from ${tableOf(place)}`)
  const period = rows[0]?.period
  if (typeof period !== 'number') return false
  return now.getTime() >= ((period + 1) * periodSeconds + codeLifeSeconds) * 1000
}
