/**
 * Matches lines with postings of the ledger, many per statement. A line is matched by the reference of the
 * provider, otherwise by our reference. Lines that are still open are matched by amount and day, if the pair
 * is unique on both sides. A posting is matched with at most one line: a unique index enforces it.
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

/** The sums of the matched lines, and the last of them. */
export type MatchedLines = { readonly sums: readonly LineSums[]; readonly last: string }

/**
 * Matches the next pending lines of an import after a position by reference. Null if there are none. Without the position,
 * the planner may choose an index that also contains the lines before it.
 */
export async function matchPendingLines(
  tx: Tx,
  { id, providerAccountId }: SettlementImport,
  after: string,
): Promise<MatchedLines | null> {
  const window = sql`
    select ${lineColumns} from settlement_lines
    where workspace_id = ${workspaceOf(tx)} and import_id = ${uuidOf(id)}::uuid and status = 'pending'
      and id > ${after}::uuid
    order by id limit ${windowSize}`
  const outcomes = await findMatches(tx, providerAccountId, window)
  if (outcomes === null) return null
  const { rows } = await sql<LineSums>`${plannedEachTime}
    with updated as (
      update settlement_lines as stored
      set status = ${statusOf}, cause_id = outcome.cause_id, act = outcome.act, posted_amount = outcome.posted_amount,
        needs_posting = stored.kind not in ('fee', 'payout') and stored.amount is distinct from outcome.posted_amount
      from ${outcomesFrom(outcomes)}
      where stored.workspace_id = ${workspaceOf(tx)} and stored.id = outcome.id
      returning stored.payout_reference, payout_at, settlement_currency, currency, kind, amount, gross, fee_processing,
        fee_scheme, fee_interchange, net,
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
  return { sums: rows, last: outcomes.last }
}

/** The lines of a window and the postings that they are matched with, as array literals. */
type Outcomes = {
  readonly last: string
  readonly lineIds: string | null
  readonly causeIds: string
  readonly acts: string
  readonly postedAmounts: string
}

/**
 * Finds the postings of the lines of a window. Null if it has no lines. Each lookup reads one index with all keys of the
 * window, in the order of the index, and is joined by hash. The planner expects few lines: without these settings it would
 * compare each line with each row, and read small tables completely for each key.
 */
async function findMatches(
  tx: Tx,
  providerAccountId: Id<'provider_account'>,
  window: RawBuilder<unknown>,
): Promise<Outcomes | null> {
  await sql`select set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true),
    set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('work_mem', '64MB', true)`.execute(tx.db)
  const { rows } = await sql<Outcomes>`${plannedEachTime}
    with ${matchesByReference(tx, providerAccountId, window)}
    select max(line.id::text) as last, array_agg(line.id)::text as "lineIds", array_agg(match.cause_id)::text as "causeIds",
      array_agg(match.act)::text as acts, array_agg(match.posted_amount)::text as "postedAmounts"
    from line left join match on match.line_id = line.id`.execute(tx.db)
  // Lines are updated by primary key.
  await sql`select set_config('enable_nestloop', 'on', true), set_config('enable_hashjoin', 'off', true)`.execute(
    tx.db,
  )
  const outcomes = rows[0] as Outcomes
  return outcomes.lineIds === null ? null : outcomes
}

/** Expanded in the select list, like the batches of an upload: in the from clause, PostgreSQL would store each array. */
const outcomesFrom = ({ lineIds, causeIds, acts, postedAmounts }: Outcomes) => sql`
  (select unnest(${lineIds}::uuid[]) as id, unnest(${causeIds}::uuid[]) as cause_id, unnest(${acts}::text[]) as act,
    unnest(${postedAmounts}::int8[]) as posted_amount) as outcome`

const statusOf = sql`case
  when stored.kind in ('fee', 'payout') then 'matched'
  when outcome.cause_id is null then 'missing_here'
  when outcome.posted_amount = stored.amount then 'matched'
  else 'amount_differs' end`

/**
 * The statement parts `line`, the lines of the window, and `match`, at most one posting per line and one line per posting.
 * If there are several candidates, one with the same amount is preferred.
 */
function matchesByReference(
  tx: Tx,
  providerAccountId: Id<'provider_account'>,
  window: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [workspace, account] = [workspaceOf(tx), sql`${uuidOf(providerAccountId)}::uuid`]
  // If many operations have the same reference, it identifies none of them, so reading a few is enough.
  const operations = (condition: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql`
    select * from (
      select id, kind, capture, payment_id, attempt_id, refund_id, provider_reference, reference,
        row_number() over (partition by ${key} order by id) as place
      from operations where workspace_id = ${workspace} and provider_account_id = ${account} and ${condition}) as operation
    where place <= 20`
  const found = (table: RawBuilder<unknown>, rank: number, condition: RawBuilder<unknown>) => sql`
    select line.id as line_id, line.kind as line_kind, line.amount as line_amount, line.currency as line_currency,
      ${sql.lit(rank)} as rank, operation.id, operation.kind, operation.capture, operation.payment_id,
      operation.attempt_id, operation.refund_id
    from line join ${table} as operation on ${condition}
    where line.kind in ('payment', 'refund') and (operation.kind = 'refund') = (line.kind = 'refund')`
  return sql`
    line as materialized (${window}),
    operation as materialized (${operations(
      sql`provider_reference = any (array(
        select provider_reference from line where kind in ('payment', 'refund')
        union select payment_reference from line where kind in ('payment', 'refund')))`,
      sql`provider_reference`,
    )}),
    own_operation as materialized (${operations(
      sql`payment_id = any (array(
          select our_payment_id from line where kind in ('payment', 'refund')
          union select payment_id from operation_references where workspace_id = ${workspace} and reference = any (array(
            select our_reference from line where our_payment_id is null and our_reference like 'R%'))))
        and reference = any (array(select our_reference from line))`,
      sql`payment_id, reference`,
    )}),
    found as materialized (
      ${found(sql`operation`, 1, sql`operation.provider_reference = line.provider_reference`)}
      union all
      ${found(
        sql`operation`,
        2,
        sql`operation.provider_reference = line.payment_reference and line.kind = 'payment'
          and line.payment_reference is distinct from line.provider_reference`,
      )}
      union all
      ${found(
        sql`own_operation`,
        3,
        sql`operation.reference = line.our_reference
          and operation.payment_id = coalesce(line.our_payment_id, operation.payment_id)`,
      )}
    ),
    capture as materialized (${operations(
      sql`payment_id = any (array(select payment_id from found where kind = 'authorize' and not capture))
        and kind = 'capture'`,
      sql`payment_id, attempt_id`,
    )}),
    candidate as materialized (
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
      from found join capture on capture.payment_id = found.payment_id and capture.attempt_id = found.attempt_id
      where found.kind = 'authorize' and not found.capture
      union all
      -- Refunds that were created at the provider have no operation.
      select line.id, line.amount, line.currency, 2, refund.id, 'refund_succeeded', ledger_posting_id(refund.id, 2)
      from line join operation on operation.provider_reference = line.payment_reference
        cross join lateral (
          select id from refunds where workspace_id = ${workspace} and payment_id = operation.payment_id
            and provider_reference = line.provider_reference limit 1) as refund
      where line.kind = 'refund'
    ),
    posting as materialized (
      select id, act, currency, amount from ledger_postings
      where workspace_id = ${workspace} and id = any (array(select posting_id from candidate))
    ),
    posted as materialized (
      select candidate.line_id, candidate.rank, candidate.cause_id, candidate.act, candidate.amount,
        case when candidate.act = 'refund_succeeded' then -posting.amount else posting.amount end as posted_amount
      from candidate join posting on posting.id = candidate.posting_id and posting.act = candidate.act
        and posting.currency = candidate.currency
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
    taken as materialized (
      select cause_id, act from settlement_lines
      where workspace_id = ${workspace} and cause_id = any (array(select cause_id from posted))
        and cause_id is not null and import_id is not null
    ),
    best as (
      select distinct on (line_id) * from posted
      where not exists (select from taken where taken.cause_id = posted.cause_id and taken.act = posted.act)
      order by line_id, posted_amount = amount desc, rank, cause_id
    ),
    match as materialized (
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
  const window = openLines(tx, settlementImport, after)
  const outcomes = await findMatches(tx, settlementImport.providerAccountId, window)
  if (outcomes === null) return
  await sql`${plannedEachTime}
    update settlement_lines as stored
    set status = case when outcome.posted_amount = stored.amount then 'matched' else 'amount_differs' end,
      cause_id = outcome.cause_id, act = outcome.act, posted_amount = outcome.posted_amount,
      needs_posting = stored.suspense <> stored.amount - outcome.posted_amount, version = stored.version + 1
    from ${outcomesFrom(outcomes)}
    where stored.workspace_id = ${workspaceOf(tx)} and stored.id = outcome.id and outcome.cause_id is not null`.execute(
    tx.db,
  )
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
