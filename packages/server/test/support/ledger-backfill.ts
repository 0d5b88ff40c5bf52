// Removes postings as if objects had been changed before the ledger existed, and runs the backfill.

import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Deps } from '../../src/deps.ts'
import { backfillWorkspace, startBackfill } from '../../src/domains/finance/ledger/service/backfill.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { inTransaction } from './invoices.ts'
import { asOwner } from './owner.ts'

export type BackfilledServer = {
  readonly deps: Deps
  readonly databaseUrl: string
  readonly clock: { advance(by: { readonly minutes: number }): void }
}

const refOf = (workspace: string) => {
  const id = workspace as Id<'workspace'>
  return { workspaceId: id, id }
}

/** All postings of a workspace, without the times at which they were booked. */
export async function storedPostings(
  { databaseUrl }: BackfilledServer,
  workspace: string,
): Promise<string[]> {
  return asOwner(databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select format('%s %s %s > %s %s %s %s %s %s %s', id, act, debit_account, credit_account, amount, currency,
         debit_object, credit_object, provider_account_id, line) as text
       from ledger_postings where workspace_id = $1 order by id`,
      [uuidOf(workspace as Id<'workspace'>)],
    )
    return rows.map(({ text }) => text)
  })
}

/** The columns that are derived from the ledger. */
export async function derivedColumns(
  { databaseUrl }: BackfilledServer,
  workspace: string,
): Promise<string[]> {
  return asOwner(databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select id::text || ' ' || amount_unapplied as text from payments where workspace_id = $1
       union all select id::text || ' ' || (earned_at is not null) from invoices where workspace_id = $1 order by 1`,
      [uuidOf(workspace as Id<'workspace'>)],
    )
    return rows.map(({ text }) => text)
  })
}

/**
 * Deletes the postings for which `isDeleted` is true, without triggers, and resets the columns that are
 * derived from them.
 */
export async function deletePostings(
  { databaseUrl }: BackfilledServer,
  workspace: string,
  isDeleted: (act: string) => boolean = () => true,
): Promise<number> {
  const uuid = uuidOf(workspace as Id<'workspace'>)
  return asOwner(databaseUrl, async (client) => {
    await client.query('set session_replication_role = replica')
    const { rows } = await client.query(
      'select id, act from ledger_postings where workspace_id = $1 order by id',
      [uuid],
    )
    const ids = rows.filter(({ act }) => isDeleted(act)).map(({ id }) => id)
    await client.query('delete from ledger_postings where workspace_id = $1 and id = any($2)', [uuid, ids])
    // The balances include postings that are deleted now. They are summed again from the beginning.
    await client.query('delete from ledger_balances where workspace_id = $1', [uuid])
    await client.query(
      'update ledger_cursors set rolled_up_at = null, rolled_up_snapshot = null where workspace_id = $1',
      [uuid],
    )
    await client.query('update payments set amount_unapplied = 0 where workspace_id = $1', [uuid])
    await client.query('update invoices set earned_at = null where workspace_id = $1', [uuid])
    return ids.length
  })
}

export function beginBackfill({ deps }: BackfilledServer, workspace: string): Promise<void> {
  return startBackfill(deps, systemCaller(refOf(workspace)))
}

type BackfillRow = {
  readonly stage: string
  readonly walk_started_at: Date | null
  readonly found_missing: boolean
  readonly due_at: Date | null
  readonly done_at: Date | null
}

export async function readBackfill({ deps }: BackfilledServer, workspace: string): Promise<BackfillRow> {
  const { rows } = await inTransaction(deps, workspace, (tx) =>
    sql<BackfillRow>`select stage, walk_started_at, found_missing, due_at, done_at from ledger_backfills`.execute(
      tx.db,
    ),
  )
  return rows[0] as BackfillRow
}

/** Runs one batch. */
export function runBatch({ deps }: BackfilledServer, workspace: string, limit: number): Promise<void> {
  return backfillWorkspace(deps, refOf(workspace), limit)
}

/** Runs batches until the pass ends, and returns how many there were. */
export async function runPass(server: BackfilledServer, workspace: string, limit = 3): Promise<number> {
  for (let batches = 1; batches < 1_000; batches += 1) {
    await runBatch(server, workspace, limit)
    const { walk_started_at, done_at } = await readBackfill(server, workspace)
    if (walk_started_at === null || done_at !== null) return batches
  }
  throw new Error('The pass does not end.')
}

/** Makes passes until nothing is missing, with the pause between passes. */
export async function backfillCompletely(
  server: BackfilledServer,
  workspace: string,
  limit = 3,
): Promise<void> {
  await beginBackfill(server, workspace)
  for (let passes = 0; passes < 5; passes += 1) {
    await runPass(server, workspace, limit)
    if ((await readBackfill(server, workspace)).done_at !== null) return
    server.clock.advance({ minutes: 31 })
  }
  expect.unreachable('The backfill does not end.')
}
