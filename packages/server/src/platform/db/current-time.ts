import { sql } from 'kysely'
import type { Reading } from '../../kernel/clock.ts'
import { instantOf } from './due.ts'
import type { View } from './unit-of-work.ts'

/** The current time, for reads that have no `tx.now`. */
export async function currentTime(view: View, now: Reading): Promise<Date> {
  if (now.from === 'harness') return now.at
  const { rows } = await sql<{ now: Date }>`select ${instantOf(now)} as now`.execute(view.db)
  return (rows[0] as { now: Date }).now
}
