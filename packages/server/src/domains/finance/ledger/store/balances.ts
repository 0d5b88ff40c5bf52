/** Reads balances: the stored sums plus the postings that are not rolled up yet. */
import { type RawBuilder, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { idFromUuid, type Mode } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { AccountSums } from '../balance.ts'
import type { DailySums } from '../balance-difference.ts'
import type { AccountName } from '../postings.ts'
import { isNotRolledUp, legsOf, rolledUp, workspaceOf, zeroUuid } from './legs.ts'

type SumsRow = {
  readonly account: string
  readonly provider_account_id: string
  readonly currency: string
  readonly debits: bigint
  readonly credits: bigint
}

/** One statement, so that the stored sums and the cursor are consistent. */
export async function readBalances(view: View, asOf: string | null): Promise<readonly AccountSums[]> {
  const isIncluded = asOf === null ? sql`true` : sql`day_on <= ${asOf}`
  const { rows } = await sql<SumsRow>`
    with ${rolledUp(view)}
    select account, provider_account_id, currency, sum(debits)::int8 as debits, sum(credits)::int8 as credits
    from (${storedAndNew(view)}) as part where ${isIncluded}
    group by account, provider_account_id, currency
    order by currency collate "C", account collate "C", provider_account_id`.execute(view.db)
  return rows.map((row) => toSums(view.caller.mode, row))
}

/** The statement must also contain `rolledUp`. */
function storedAndNew(view: View): RawBuilder<unknown> {
  return sql`
    select account, provider_account_id, currency, day_on, debits, credits from ledger_balances
    where workspace_id = ${workspaceOf(view)}
    union all ${legsOf(sql`ledger_postings`, isNotRolledUp(view))}`
}

function toSums(mode: Mode, { provider_account_id: uuid, ...row }: SumsRow): AccountSums {
  return {
    account: row.account as AccountName,
    providerAccountId: uuid === zeroUuid ? null : idFromUuid('provider_account', mode, uuid),
    currency: row.currency as Currency,
    debits: row.debits,
    credits: row.credits,
  }
}

type DailyRow = SumsRow & { readonly day_on: string }

/** The sums of each day, and the snapshot in which they were read. */
export async function readDailySums(
  view: View,
): Promise<{ readonly snapshot: string; readonly sums: readonly DailySums[] }> {
  const { rows } = await sql<{ readonly snapshot: string } & (DailyRow | { readonly account: null })>`
    with ${rolledUp(view)}
    select current.snapshot, sums.* from (select pg_current_snapshot()::text as snapshot) as current
    left join (${sumByDay(storedAndNew(view))}) as sums on true`.execute(view.db)
  return { snapshot: (rows[0] as { readonly snapshot: string }).snapshot, sums: toDailySums(view, rows) }
}

/** The sums of the days of a period. */
export async function readSumsOfDays(
  view: View,
  fromOn: string,
  toOn: string,
): Promise<readonly DailySums[]> {
  const { rows } = await sql<DailyRow>`
    with ${rolledUp(view)}
    select * from (${sumByDay(storedAndNew(view))}) as sums
    where day_on >= ${fromOn} and day_on <= ${toOn}`.execute(view.db)
  return toDailySums(view, rows)
}

const sumByDay = (legs: RawBuilder<unknown>) => sql`
  select account, provider_account_id, currency, day_on, sum(debits)::int8 as debits,
    sum(credits)::int8 as credits
  from (${legs}) as leg group by account, provider_account_id, currency, day_on`

function toDailySums({ caller }: View, rows: readonly (DailyRow | { readonly account: null })[]) {
  return rows.flatMap((row) =>
    row.account === null ? [] : [{ ...toSums(caller.mode, row), dayOn: row.day_on }],
  )
}

type PageOfPostings = { readonly after: string; readonly limit: number; readonly snapshot: string }

/**
 * Recomputes the sums of a page of postings, in the order of their ids, without those that the snapshot does not include.
 * Postings from before a restore from a dump have transaction ids that are not assigned yet, and are included.
 */
export async function recomputeDailySums(
  view: View,
  { after, limit, snapshot }: PageOfPostings,
): Promise<{ readonly lastUuid: string | null; readonly sums: readonly DailySums[] }> {
  const isIncluded = sql<boolean>`(pg_visible_in_snapshot(txid, ${snapshot}::pg_snapshot)
    or txid >= (select pg_snapshot_xmax(pg_current_snapshot())))`
  const { rows } = await sql<{ readonly last: string | null } & (DailyRow | { readonly account: null })>`
    with page as materialized (
      select id, txid, debit_account, credit_account, provider_account_id, currency, amount, effective_at
      from ledger_postings where workspace_id = ${workspaceOf(view)} and id > ${after}::uuid order by id limit ${limit})
    select current.last, sums.* from (select (select id from page order by id desc limit 1) as last) as current
    left join (${sumByDay(legsOf(sql`page`, isIncluded))}) as sums on true`.execute(view.db)
  return { lastUuid: rows[0]?.last ?? null, sums: toDailySums(view, rows) }
}
