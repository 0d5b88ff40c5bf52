/**
 * Parts of the statements that sum postings. A posting has two legs: a debit of one account and a credit of another. The
 * roll-up, the balances and their verification all use these parts, so that they agree.
 */
import { type RawBuilder, sql } from 'kysely'
import { uuidOf } from '../../../../kernel/id.ts'
import { lookBackSeconds } from '../../../../kernel/log-snapshot.ts'
import { isNotIncludedIn } from '../../../../platform/db/snapshots.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'

/** Represents no provider account, because primary keys cannot contain null. */
export const zeroUuid = '00000000-0000-0000-0000-000000000000'

export const workspaceOf = (view: View): RawBuilder<string> => sql`${uuidOf(view.caller.workspaceId)}::uuid`

export const lookBack = sql`${lookBackSeconds} * interval '1 second'`

/**
 * The cursor of the roll-up, for statements that use `isNotRolledUp`. It is one row, even if the workspace
 * has no cursor: then no posting is rolled up.
 */
export function rolledUp(view: View): RawBuilder<unknown> {
  return sql`rolled_up as materialized (
    select max(rolled_up_at) as at, max(rolled_up_snapshot)::pg_snapshot as snapshot, coalesce(max(
      case when rolled_up_snapshot is null then rolled_up_at else rolled_up_at - ${lookBack} end), '-infinity') as since
    from ledger_cursors where workspace_id = ${workspaceOf(view)})`
}

/** The upper bound has no effect on the result. It makes the planner expect few rows, and use the index. */
export function isNotRolledUp(view: View): RawBuilder<boolean> {
  const snapshot = sql`(select snapshot from rolled_up)`
  return sql`workspace_id = ${workspaceOf(view)}
    and booked_at > (select since from rolled_up) and booked_at < 'infinity'
    and (${snapshot} is null or ${isNotIncludedIn(snapshot, sql`booked_at > (select at from rolled_up)`)})`
}

/** The legs of postings, with the columns of `ledger_balances`. */
export function legsOf(postings: RawBuilder<unknown>, isIncluded: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`
    select leg.account,
      case when leg.account = 'clearing' then provider_account_id else ${zeroUuid}::uuid end as provider_account_id,
      currency, to_char(effective_at at time zone 'UTC', 'YYYY-MM-DD') as day_on, leg.debits, leg.credits
    from ${postings} cross join lateral (
      values (debit_account, amount, 0::int8), (credit_account, 0::int8, amount)) as leg (account, debits, credits)
    where ${isIncluded}`
}
