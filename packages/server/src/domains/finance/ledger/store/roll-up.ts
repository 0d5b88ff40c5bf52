/** Adds postings to the stored balances, and stores which ones are included. */
import { sql } from 'kysely'
import { assert } from '../../../../kernel/assert.ts'
import { uuidOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { isNotRolledUp, legsOf, lookBack, rolledUp, workspaceOf } from './legs.ts'

/** Locks the cursor, so that concurrent runs follow one another. */
export async function lockCursor(tx: Tx): Promise<{ readonly idle: number }> {
  const { rows } = await sql<{ readonly idle: number }>`
    select idle from ledger_cursors where workspace_id = ${workspaceOf(tx)} for update`.execute(tx.db)
  const [cursor] = rows
  assert(cursor !== undefined, 'Every workspace must have a cursor: a trigger inserts it with the workspace.')
  return cursor
}

/**
 * During a backlog: the time of the last booking in the next batch. Null if the remaining postings fit in one
 * batch. All transactions that began before that time have ended, so no posting can be committed late.
 */
export async function findBatchEnd(tx: Tx, maxPostings: number): Promise<string | null> {
  const { rows } = await sql<{ readonly end: string }>`
    with ${rolledUp(tx)}, batch as (
      select booked_at from ledger_postings where ${isNotRolledUp(tx)}
      order by booked_at fetch first ${sql.lit(maxPostings)} rows with ties)
    select max(booked_at)::text as end from batch
    having count(booked_at) >= ${maxPostings} and max(booked_at) <= statement_timestamp() - ${lookBack}`.execute(
    tx.db,
  )
  return rows[0]?.end ?? null
}

type Added = {
  readonly hasNew: boolean
  /** The snapshot of the statement. The time is slightly before it. */
  readonly at: string
  readonly snapshot: string
}

/** Adds all new postings that were booked up to and including `batchEnd`. */
export async function addNewPostings(tx: Tx, batchEnd: string | null): Promise<Added> {
  const isInBatch = batchEnd === null ? sql`` : sql`and booked_at <= ${batchEnd}::timestamptz`
  const { rows } = await sql<Added>`
    with ${rolledUp(tx)}, added as (
      insert into ledger_balances as stored (workspace_id, account, provider_account_id, currency, day_on, debits, credits)
      select ${workspaceOf(tx)}, account, provider_account_id, currency, day_on, sum(debits)::int8, sum(credits)::int8
      from (${legsOf(sql`ledger_postings`, sql`${isNotRolledUp(tx)} ${isInBatch}`)}) as leg
      group by account, provider_account_id, currency, day_on
      on conflict (workspace_id, account, provider_account_id, currency, day_on) do update set
        debits = stored.debits + excluded.debits, credits = stored.credits + excluded.credits
      returning true)
    select exists (select from added) as "hasNew", statement_timestamp()::text as at,
      pg_current_snapshot()::text as snapshot`.execute(tx.db)
  return rows[0] as Added
}

export type NextCursor = {
  /**
   * All postings that are visible in the snapshot are included; without one, those that were booked up to and
   * including `at`.
   */
  readonly at: string
  readonly snapshot: string | null
  readonly idle: number
  readonly dueAt: Date
}

export async function updateCursor(tx: Tx, { at, snapshot, idle, dueAt }: NextCursor): Promise<void> {
  await tx.db
    .updateTable('ledger_cursors')
    .set({ rolled_up_at: sql<Date>`${at}::timestamptz`, rolled_up_snapshot: snapshot, idle, due_at: dueAt })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .execute()
  // Publish the next run only during a backlog: otherwise every workspace would cause a message every few seconds.
  if (snapshot === null) tx.wake('ledger.roll_up', tx.caller.workspaceId, dueAt)
}
