/**
 * Matches lines with postings of the ledger, set-based. A line is matched by the reference of the provider, then by our
 * own; later by amount and day, if the pair is unique on both sides. A posting is matched with at most one line: a unique
 * index enforces it.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { type Id, uuidOf } from '../../../../kernel/id.ts'
import { plannedEachTime } from '../../../../platform/db/bound-driver.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { SettlementImport } from '../settlement-import.ts'

/** How many lines one statement matches. */
export const windowSize = 50_000

/** The sums of the lines of a window that are in one payout and have the same currencies. */
export type LineSums = {
  readonly payoutReference: string | null
  readonly payoutAt: Date | null
  readonly currency: Currency
  readonly lineCurrency: Currency
  readonly lines: bigint
  readonly amount: bigint
  readonly converted: bigint
  readonly gross: bigint
  readonly feeProcessing: bigint
  readonly feeScheme: bigint
  readonly feeInterchange: bigint
  readonly feeAccount: bigint
  readonly rounding: bigint
  readonly net: bigint
  readonly payoutLines: bigint
}

/** The columns that are compared. */
const lineColumns = sql.raw(
  'id, kind, provider_reference, payment_reference, our_reference, our_payment_id, amount, currency, settlement_currency, created_at',
)

const workspaceOf = (tx: Tx) => sql`${uuidOf(tx.caller.workspaceId)}::uuid`

/** Matches the next pending lines of an import by reference, and returns their sums. Empty if there are none. */
export async function matchPendingLines(
  tx: Tx,
  { id, providerAccountId }: SettlementImport,
): Promise<LineSums[]> {
  const window = sql`
    select ${lineColumns} from settlement_lines
    where workspace_id = ${workspaceOf(tx)} and import_id = ${uuidOf(id)}::uuid and status = 'pending'
    order by id limit ${windowSize}`
  const { rows } = await sql<LineSums>`${plannedEachTime}
    with ${matchesByReference(tx, providerAccountId, window)},
    -- Grouped instead of joined: the planner expects few matches, and would compare every line with every match.
    outcome as (
      select id, max(cause_id::text)::uuid as cause_id, max(act) as act, max(posted_amount) as posted_amount
      from (
        select id, null::uuid as cause_id, null::text as act, null::int8 as posted_amount from line
        union all
        select line_id, cause_id, act, posted_amount from match) as found
      group by id),
    updated as (
      update settlement_lines as stored
      set status = ${statusOf}, cause_id = outcome.cause_id, act = outcome.act, posted_amount = outcome.posted_amount,
        needs_posting = stored.kind not in ('fee', 'payout') and stored.amount is distinct from outcome.posted_amount
      from outcome
      where stored.workspace_id = ${workspaceOf(tx)} and stored.id = outcome.id
      returning stored.*,
        -- A fee that was posted with its dispute is not posted again.
        case when stored.act = 'dispute_withdrawn' then (
          select fee_amount from disputes where disputes.workspace_id = ${workspaceOf(tx)}
            and disputes.id = stored.cause_id and fee_currency = stored.settlement_currency) end as dispute_fee)
    select payout_reference as "payoutReference", max(payout_at) as "payoutAt", settlement_currency as currency,
      currency as "lineCurrency", count(1) as lines,
      coalesce(sum(amount) filter (where kind not in ('fee', 'payout')), 0)::int8 as amount,
      coalesce(sum(gross) filter (where kind not in ('fee', 'payout')), 0)::int8 as converted,
      coalesce(sum(gross) filter (where kind <> 'payout'), 0)::int8 as gross,
      (sum(fee_processing) - coalesce(sum(dispute_fee), 0))::int8 as "feeProcessing",
      sum(fee_scheme)::int8 as "feeScheme", sum(fee_interchange)::int8 as "feeInterchange",
      coalesce(-sum(gross) filter (where kind = 'fee'), 0)::int8 as "feeAccount",
      coalesce(sum(gross - fee_processing - fee_scheme - fee_interchange - net)
        filter (where kind <> 'payout'), 0)::int8 as rounding,
      coalesce(sum(net) filter (where kind <> 'payout'), 0)::int8 as net,
      coalesce(-sum(net) filter (where kind = 'payout'), 0)::int8 as "payoutLines"
    from updated group by payout_reference, settlement_currency, currency`.execute(tx.db)
  return rows
}

const statusOf = sql`case
  when stored.kind in ('fee', 'payout') then 'matched'
  when outcome.cause_id is null then 'missing_here'
  when outcome.posted_amount = stored.amount then 'matched'
  else 'amount_differs' end`

/**
 * The statement parts `line`, the lines of the window, and `match`, at most one posting per line and one line
 * per posting. Of several candidates, one with the same amount is preferred. Lookups are lateral and limited,
 * so that the planner reads each of them from its index, even if it lacks statistics.
 */
function matchesByReference(
  tx: Tx,
  providerAccountId: Id<'provider_account'>,
  window: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [workspace, account] = [workspaceOf(tx), sql`${uuidOf(providerAccountId)}::uuid`]
  const operations = (condition: RawBuilder<unknown>) => sql`lateral (
    select id, kind, capture, payment_id, attempt_id, refund_id from operations where workspace_id = ${workspace} and ${condition}
      and provider_account_id = ${account} limit 20)`
  const found = (condition: RawBuilder<unknown>, rank: number, only: RawBuilder<unknown>) => sql`
    select line.id as line_id, line.kind as line_kind, line.amount as line_amount, line.currency as line_currency,
      ${sql.lit(rank)} as rank, operation.*
    from line cross join ${operations(condition)} as operation
    where line.kind in ('payment', 'refund') and (operation.kind = 'refund') = (line.kind = 'refund') and ${only}`
  return sql`
    line as materialized (${window}),
    found as materialized (
      ${found(sql`provider_reference = line.provider_reference`, 1, sql`line.provider_reference is not null`)}
      union all
      ${found(
        sql`provider_reference = line.payment_reference`,
        2,
        sql`line.kind = 'payment' and line.payment_reference is distinct from line.provider_reference`,
      )}
      union all
      ${found(
        sql`payment_id = line.our_payment_id and reference = line.our_reference`,
        3,
        sql`line.our_payment_id is not null`,
      )}
    ),
    candidate as (
      select line_id, line_amount as amount, line_currency as currency, rank,
        case when line_kind = 'refund' then refund_id else id end as cause_id,
        case when line_kind = 'payment' then 'payment_captured' when line_amount > 0 then 'refund_returned'
          else 'refund_succeeded' end as act,
        case when line_kind = 'payment' then ledger_posting_id(id, 0) when line_amount > 0 then ledger_posting_id(refund_id, 5)
          else ledger_posting_id(refund_id, 2) end as posting_id
      from found
      union all
      -- Some providers report the reference of the authorization instead of that of its capture.
      select line_id, line_amount, line_currency, 4, capture.id, 'payment_captured', ledger_posting_id(capture.id, 0)
      from found cross join ${operations(
        sql`payment_id = found.payment_id and attempt_id = found.attempt_id`,
      )} as capture
      where found.kind = 'authorize' and not found.capture and capture.kind = 'capture'
      union all
      -- Refunds that were created at the provider have no operation.
      select line.id, line.amount, line.currency, 2, refund.id, 'refund_succeeded', ledger_posting_id(refund.id, 2)
      from line cross join ${operations(sql`provider_reference = line.payment_reference`)} as operation
        cross join lateral (
          select id from refunds where workspace_id = ${workspace} and payment_id = operation.payment_id
            and provider_reference = line.provider_reference limit 1) as refund
      where line.kind = 'refund'
    ),
    posted as (
      select candidate.line_id, candidate.rank, candidate.cause_id, candidate.act, candidate.amount,
        case when candidate.act = 'refund_succeeded' then -posting.amount else posting.amount end as posted_amount
      from candidate cross join lateral (
        select amount from ledger_postings where workspace_id = ${workspace} and id = candidate.posting_id
          and act = candidate.act and currency = candidate.currency limit 1) as posting
      union all
      select line.id, 1, dispute.id, posting.act, line.amount,
        case when posting.act = 'dispute_withdrawn' then -posting.amount else posting.amount end
      from line
        cross join lateral (
          select id, postings from disputes where workspace_id = ${workspace} and provider_account_id = ${account}
            and provider_reference = line.provider_reference limit 1) as dispute
        cross join generate_series(0, dispute.postings - 1) as movement (number)
        cross join lateral (
          select act, amount from ledger_postings where workspace_id = ${workspace}
            and id = ledger_posting_id(dispute.id, movement.number) and currency = line.currency limit 1) as posting
      where line.kind in ('dispute', 'dispute_reversal')
        and posting.act = case when line.kind = 'dispute' then 'dispute_withdrawn' else 'dispute_returned' end
      union all
      select line.id, 1, payout.id, 'payout_paid', line.amount, payout.amount
      from line cross join lateral (
        select id, amount from payouts where workspace_id = ${workspace} and provider_account_id = ${account}
          and provider_reference = line.provider_reference and currency = line.settlement_currency limit 1) as payout
      where line.kind = 'payout_reversal'
    ),
    best as (
      select distinct on (line_id) * from posted where ${isUnmatched(tx, sql`posted`)}
      order by line_id, posted_amount = amount desc, rank, cause_id
    ),
    match as (
      select distinct on (cause_id, act) * from best order by cause_id, act, posted_amount = amount desc, line_id
    )`
}

/** Whether no line is matched with the posting. A scalar subquery is always read from the index. */
const isUnmatched = (tx: Tx, posting: RawBuilder<unknown>) => sql`(
  select true from settlement_lines as other where other.workspace_id = ${workspaceOf(tx)}
    and other.cause_id = ${posting}.cause_id and other.act = ${posting}.act and other.cause_id is not null
    and other.import_id is not null limit 1) is null`

/** The window of open lines of an account after a position: lines for which no posting was found. */
const openLines = (tx: Tx, { providerAccountId }: SettlementImport, after: string) => sql`
  select ${lineColumns} from settlement_lines
  where workspace_id = ${workspaceOf(tx)} and provider_account_id = ${uuidOf(providerAccountId)}::uuid
    and status = 'missing_here' and id > ${after}::uuid
  order by id limit ${windowSize}`

/** Matches open lines by reference again, because their payments may have been recorded since. */
export async function matchOpenLines(
  tx: Tx,
  settlementImport: SettlementImport,
  after: string,
): Promise<void> {
  await sql`${plannedEachTime}
    with ${matchesByReference(tx, settlementImport.providerAccountId, openLines(tx, settlementImport, after))}
    update settlement_lines as stored
    set status = case when outcome.posted_amount = stored.amount then 'matched' else 'amount_differs' end,
      cause_id = outcome.cause_id, act = outcome.act, posted_amount = outcome.posted_amount,
      needs_posting = stored.suspense <> stored.amount - outcome.posted_amount, version = stored.version + 1
    from match as outcome
    where stored.workspace_id = ${workspaceOf(tx)} and stored.id = outcome.line_id`.execute(tx.db)
}

/**
 * Matches open payments and refunds by amount, currency and day, if there is one line for the posting and one posting for
 * the line within three days. Returns the last line of the window; null if it was the last window. All comparisons are
 * sorts, so their cost does not depend on how many lines have the same amount.
 */
export async function matchByAmount(
  tx: Tx,
  settlementImport: SettlementImport,
  after: string,
): Promise<string | null> {
  const [workspace, account] = [workspaceOf(tx), sql`${uuidOf(settlementImport.providerAccountId)}::uuid`]
  const { rows } = await sql<{ readonly last: string | null }>`${plannedEachTime}
    with page as materialized (select id, created_at from (${openLines(tx, settlementImport, after)}) as line),
    period as materialized (
      select min(created_at) - interval '4 days' as start, max(created_at) + interval '4 days' as finish from page
    ),
    -- Includes lines of neighboring windows, because a pair must be unique among all open lines.
    item as (
      select id as line_id, null::uuid as cause_id, currency, amount, created_at as at,
        case when kind = 'refund' then 'refund_succeeded' else 'payment_captured' end as act
      from settlement_lines
      where workspace_id = ${workspace} and provider_account_id = ${account} and status = 'missing_here'
        and id >= (select uuid_floor(start - interval '4 days') from period)
        and id < (select uuid_floor(finish + interval '4 days') from period) and kind in ('payment', 'refund')
      union all
      select null, cause_id, currency, case when act = 'refund_succeeded' then -amount else amount end, booked_at, act
      from ledger_postings
      where workspace_id = ${workspace} and booked_at between (select start from period) and (select finish from period)
        and provider_account_id = ${account} and act in ('payment_captured', 'refund_succeeded')
        and ${isUnmatched(tx, sql`ledger_postings`)}
    ),
    near as (
      select *, count(line_id) over days as lines, count(cause_id) over days as postings,
        max(line_id::text) over days as near_line, max(cause_id::text) over days as near_cause
      from item
      window days as (
        partition by act, currency, amount order by (at at time zone 'UTC')::date - date '2000-01-01'
        range between 3 preceding and 3 following)
    ),
    match as (
      select near_line::uuid as line_id, near_cause::uuid as cause_id, act, amount from near
      where lines = 1 and postings = 1
      -- The line and the posting have no other candidate.
      group by near_line, near_cause, act, amount having count(line_id) = 1 and count(cause_id) = 1
    ),
    updated as (
      update settlement_lines as stored
      set status = 'matched', cause_id = match.cause_id, act = match.act, posted_amount = match.amount,
        needs_posting = stored.suspense <> 0, version = stored.version + 1
      from match where stored.workspace_id = ${workspace} and stored.id = match.line_id)
    select max(id::text) as last from page having count(1) = ${windowSize}`.execute(tx.db)
  return rows[0]?.last ?? null
}

/** Deletes reports of missing lines whose lines were imported since. */
export async function deleteFoundLines(tx: Tx, { providerAccountId }: SettlementImport): Promise<void> {
  await sql`${plannedEachTime}
    delete from settlement_lines as missing
    where workspace_id = ${workspaceOf(tx)} and status = 'missing_there'
      and provider_account_id = ${uuidOf(providerAccountId)}::uuid
      and exists (
        select from settlement_lines as line where line.workspace_id = ${workspaceOf(tx)}
          and line.cause_id = missing.cause_id and line.act = missing.act and line.import_id is not null)`.execute(
    tx.db,
  )
}

/**
 * Reports captures and refunds without a line, in the order of their booking, up to the time that the imports
 * cover, minus `settle_days`. Returns false if there are more.
 */
export async function reportMissingLines(tx: Tx, { providerAccountId }: SettlementImport): Promise<boolean> {
  const [workspace, account] = [workspaceOf(tx), sql`${uuidOf(providerAccountId)}::uuid`]
  const { rows } = await sql<{ readonly isLast: boolean }>`${plannedEachTime}
    with period as materialized (
      select greatest(compared_until_at, first_line_at) as start,
        last_line_at - settle_days * interval '1 day' as finish
      from settlement_accounts where workspace_id = ${workspace} and provider_account_id = ${account}
    ),
    page as materialized (
      select id, cause_id, act, currency, booked_at, provider_account_id,
        case when act = 'refund_succeeded' then -amount else amount end as posted_amount
      from ledger_postings
      where workspace_id = ${workspace} and booked_at > (select start from period)
        and booked_at <= (select finish from period)
      order by booked_at fetch first ${sql.lit(windowSize)} rows with ties
    ),
    missing as (
      insert into settlement_lines (workspace_id, id, provider_account_id, kind, status, amount, currency, gross, net,
        settlement_currency, cause_id, act, posted_amount, created_at, imported_at)
      select ${workspace}, id, ${account}, case when act = 'refund_succeeded' then 'refund' else 'payment' end,
        'missing_there', posted_amount, currency, posted_amount, posted_amount, currency, cause_id, act, posted_amount,
        booked_at, ${tx.now}::timestamptz
      from page
      where provider_account_id = ${account} and act in ('payment_captured', 'refund_succeeded')
        and ${isUnmatched(tx, sql`page`)}
      on conflict do nothing
    ),
    progress as (
      select count(1) < ${windowSize} as is_last, max(booked_at) as at from page
    ),
    moved as (
      update settlement_accounts
      set compared_until_at = greatest(compared_until_at,
        case when (select is_last from progress) then (select finish from period) else (select at from progress) end)
      where workspace_id = ${workspace} and provider_account_id = ${account}
    )
    select is_last as "isLast" from progress`.execute(tx.db)
  return rows[0]?.isLast ?? true
}
