/** Lines whose amount in suspense has to change. */
import { sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import { plannedEachTime } from '../../../../platform/db/bound-driver.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { type UnexplainedLine, unexplainedOf } from '../entry-acts.ts'
import type { SettlementImport } from '../settlement-import.ts'
import type { LineStatus } from '../settlement-line.ts'

type UnexplainedRow = {
  readonly id: string
  readonly status: LineStatus
  readonly amount: bigint
  readonly currency: Currency
  readonly posted_amount: bigint | null
  readonly suspense: bigint
  readonly postings: number
}

/** Locks the next lines of the account whose status has changed since they were posted. */
export async function lockLinesToPost(
  tx: Tx,
  { providerAccountId }: SettlementImport,
  limit: number,
): Promise<UnexplainedLine[]> {
  const { mode, workspaceId } = tx.caller
  const { rows } = await sql<UnexplainedRow>`
    select id, status, amount, currency, posted_amount, suspense, postings from settlement_lines
    where workspace_id = ${uuidOf(workspaceId)} and provider_account_id = ${uuidOf(providerAccountId)}::uuid
      and needs_posting
    order by id limit ${limit} for update`.execute(tx.db)
  return rows.map((row) => ({
    id: idFromUuid('settlement_line', mode, row.id),
    providerAccountId,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    postedAmount: row.posted_amount,
    suspense: row.suspense,
    postings: row.postings,
  }))
}

/** Stores what is in suspense after the postings of these lines. */
export async function storeSuspense(tx: Tx, lines: readonly UnexplainedLine[]): Promise<void> {
  await sql`${plannedEachTime}
    update settlement_lines as stored
    set suspense = line.suspense, postings = stored.postings + (stored.suspense <> line.suspense)::int, needs_posting = false
    from unnest(${lines.map(({ id }) => uuidOf(id))}::uuid[], ${lines.map(unexplainedOf)}::int8[]) as line (id, suspense)
    where stored.workspace_id = ${uuidOf(tx.caller.workspaceId)} and stored.id = line.id`.execute(tx.db)
}
