// Inserts postings directly into the database, in transactions that a test begins and commits.

import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { type Id, idMaker, slotOf, uuidOf } from '../../src/kernel/id.ts'
import { databaseUrlOf } from './owner.ts'

export type RawPosting = {
  readonly amount: number
  /** The default is the time at which the transaction began. */
  readonly bookedAt?: Date
  readonly effectiveAt?: Date
}

/** Begins a transaction, which stays open until the test commits it or ends. */
export async function beginPostings(databaseUrl: string, workspaceId: string) {
  const client = new Client({ connectionString: databaseUrlOf(databaseUrl, workspaceId) })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  const workspace = workspaceId as Id<'workspace'>
  return {
    /** Posts each amount as paid out of band: a debit of `cash` and a credit of `receivable`. */
    insert: (postings: readonly RawPosting[]) =>
      client.query(
        `insert into ledger_postings (workspace_id, id, cause_id, line, act, debit_account, credit_account,
           debit_object, credit_object, currency, amount, effective_at, booked_at)
         select $1, ledger_posting_id(cause, 4), cause, 4, 'invoice_paid_out_of_band', 'cash', 'receivable', cause,
           cause, 'eur', amount, coalesce(effective_at, now()), coalesce(booked_at, now())
         from unnest($2::uuid[], $3::int8[], $4::timestamptz[], $5::timestamptz[])
           as posting (cause, amount, effective_at, booked_at)`,
        toColumns(workspace, postings),
      ),
    commit: () => client.query('commit'),
  }
}

/** Inserts postings in one transaction. */
export async function writePostings(
  databaseUrl: string,
  workspaceId: string,
  postings: readonly RawPosting[],
) {
  const transaction = await beginPostings(databaseUrl, workspaceId)
  await transaction.insert(postings)
  await transaction.commit()
}

function toColumns(workspace: Id<'workspace'>, postings: readonly RawPosting[]) {
  const nextUuid = idMaker(new Date(), slotOf(workspace))
  return [
    uuidOf(workspace),
    postings.map(() => nextUuid()),
    postings.map(({ amount }) => amount),
    postings.map(({ effectiveAt }) => effectiveAt ?? null),
    postings.map(({ bookedAt }) => bookedAt ?? null),
  ]
}
