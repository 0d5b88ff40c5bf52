/** Rows of payouts, and what each import adds to them. */
import { type Selectable, sql } from 'kysely'
import type { Reading } from '../../../../kernel/clock.ts'
import type { Currency } from '../../../../kernel/currency.ts'
import { idFromUuid, idOrNull, type Mode, uuidOf } from '../../../../kernel/id.ts'
import { plannedEachTime } from '../../../../platform/db/bound-driver.ts'
import { instantOf } from '../../../../platform/db/due.ts'
import { type IdRange, keysetOf, pageOf } from '../../../../platform/db/keyset.ts'
import type { Payouts } from '../../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { PayoutEntry } from '../entry-acts.ts'
import type { Payout, PayoutStatus } from '../payout.ts'
import type { SettlementImport } from '../settlement-import.ts'
import type { LineSums } from './matching.ts'

const columns = [
  'id',
  'provider_account_id',
  'provider_reference',
  'currency',
  'amount',
  'gross',
  'fees',
  'lines',
  'arrives_at',
  'failed_at',
  'created_at',
  'updated_at',
  'version',
] as const
type PayoutRow = Pick<Selectable<Payouts>, (typeof columns)[number]> & { readonly is_in_transit: boolean }

type PayoutFilter = { readonly accountUuid: string | null; readonly now: Reading }

export async function listPayouts(view: View, range: IdRange, { accountUuid, now }: PayoutFilter) {
  const only = accountUuid === null ? sql`` : sql`and provider_account_id = ${accountUuid}::uuid`
  const { rows } = await sql<PayoutRow>`
    select ${sql.join(columns.map((name) => sql.ref(name)))},
      coalesce(arrives_at > ${instantOf(now)}, false) as is_in_transit
    from payouts where workspace_id = ${uuidOf(view.caller.workspaceId)} ${only} ${keysetOf(range)}`.execute(
    view.db,
  )
  return pageOf(
    rows.map((row) => fromRow(view.caller.mode, row)),
    range,
  )
}

function statusOf({ failed_at, is_in_transit }: PayoutRow): PayoutStatus {
  if (failed_at !== null) return 'failed'
  return is_in_transit ? 'in_transit' : 'paid'
}

function fromRow(mode: Mode, row: PayoutRow): Payout {
  return {
    id: idFromUuid('payout', mode, row.id),
    providerAccountId: idFromUuid('provider_account', mode, row.provider_account_id),
    providerReference: row.provider_reference,
    status: statusOf(row),
    currency: row.currency as Currency,
    amount: row.amount,
    gross: row.gross,
    fees: row.fees,
    lines: row.lines,
    arrivesAt: row.arrives_at,
    failedAt: row.failed_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}

/** What one window adds to the payouts of an import. */
export type AddedSums = LineSums & { readonly paidOut: bigint }

/** Adds sums to payouts and to the entries of the import. */
export async function addToPayouts(
  tx: Tx,
  { id, providerAccountId }: SettlementImport,
  sums: readonly AddedSums[],
): Promise<void> {
  const column = <T>(pick: (sum: AddedSums) => T) => sums.map(pick)
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const account = sql`${uuidOf(providerAccountId)}::uuid`
  await sql`${plannedEachTime}
    with added as materialized (
      select * from unnest(${column(() => uuidOf(tx.newId('payout')))}::uuid[],
        ${column(() => uuidOf(tx.newId('payout_entry')))}::uuid[],
        ${column(({ payoutReference }) => payoutReference)}::text[], ${column(({ payoutAt }) => payoutAt)}::timestamptz[],
        ${column(({ currency }) => currency)}::text[], ${column(({ lineCurrency }) => lineCurrency)}::text[],
        ${column(({ lines }) => lines)}::int8[], ${column(({ amount }) => amount)}::int8[],
        ${column(({ converted }) => converted)}::int8[], ${column(({ gross }) => gross)}::int8[],
        ${column(({ feeProcessing }) => feeProcessing)}::int8[], ${column(({ feeScheme }) => feeScheme)}::int8[],
        ${column(({ feeInterchange }) => feeInterchange)}::int8[], ${column(({ feeAccount }) => feeAccount)}::int8[],
        ${column(({ rounding }) => rounding)}::int8[], ${column(({ paidOut }) => paidOut)}::int8[])
      as sum (payout_id, entry_id, reference, payout_at, currency, line_currency, lines, amount, converted, gross,
        fee_processing, fee_scheme, fee_interchange, fee_account, rounding, paid_out)),
    payout as (
      insert into payouts as stored (workspace_id, id, provider_account_id, provider_reference, currency, amount, gross,
        fees, lines, arrives_at, created_at, updated_at)
      select ${workspace}, min(payout_id::text)::uuid, ${account}, reference, currency, sum(paid_out), sum(gross + fee_account),
        sum(fee_processing + fee_scheme + fee_interchange + fee_account), sum(lines), max(payout_at),
        ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from added where reference is not null group by reference, currency order by reference, currency
      on conflict (workspace_id, provider_account_id, provider_reference, currency) do update set
        amount = stored.amount + excluded.amount, gross = stored.gross + excluded.gross,
        fees = stored.fees + excluded.fees, lines = stored.lines + excluded.lines,
        arrives_at = greatest(stored.arrives_at, excluded.arrives_at), updated_at = excluded.updated_at,
        version = stored.version + 1
      returning id, provider_reference, currency)
    insert into payout_entries as stored (workspace_id, id, provider_account_id, payout_id, import_id, currency,
      line_currency, lines, amount, converted, fee_processing, fee_scheme, fee_interchange, fee_account, rounding, paid_out)
    select ${workspace}, added.entry_id, ${account}, payout.id, ${uuidOf(id)}::uuid, added.currency, line_currency, lines,
      amount, converted, fee_processing, fee_scheme, fee_interchange, fee_account, rounding, paid_out
    from added left join payout on payout.provider_reference = added.reference and payout.currency = added.currency
    on conflict (workspace_id, import_id, payout_id, currency, line_currency) do update set
      lines = stored.lines + excluded.lines, amount = stored.amount + excluded.amount,
      converted = stored.converted + excluded.converted, fee_processing = stored.fee_processing + excluded.fee_processing,
      fee_scheme = stored.fee_scheme + excluded.fee_scheme,
      fee_interchange = stored.fee_interchange + excluded.fee_interchange,
      fee_account = stored.fee_account + excluded.fee_account, rounding = stored.rounding + excluded.rounding,
      paid_out = stored.paid_out + excluded.paid_out
    where stored.workspace_id = ${workspace}`.execute(tx.db)
}

type EntryRow = {
  readonly id: string
  readonly payout_id: string | null
  readonly currency: Currency
  readonly line_currency: Currency
  readonly amount: bigint
  readonly converted: bigint
  readonly fee_processing: bigint
  readonly fee_scheme: bigint
  readonly fee_interchange: bigint
  readonly fee_account: bigint
  readonly rounding: bigint
  readonly paid_out: bigint
}

/** Marks the next entries of an import as posted and returns them. */
export async function takeEntriesToPost(
  tx: Tx,
  { id, providerAccountId }: SettlementImport,
  limit: number,
): Promise<PayoutEntry[]> {
  const { mode, workspaceId } = tx.caller
  const { rows } = await sql<EntryRow>`
    update payout_entries as entry set posted_at = ${tx.now}::timestamptz
    from (
      select id from payout_entries
      where workspace_id = ${uuidOf(workspaceId)} and import_id = ${uuidOf(id)}::uuid and posted_at is null
      order by id limit ${limit} for update) as next
    where entry.workspace_id = ${uuidOf(workspaceId)} and entry.id = next.id
    returning entry.id, payout_id, currency, line_currency, amount, converted, fee_processing, fee_scheme,
      fee_interchange, fee_account, rounding, paid_out`.execute(tx.db)
  return rows.map((row) => ({
    id: idFromUuid('payout_entry', mode, row.id),
    providerAccountId,
    payoutId: idOrNull('payout', mode, row.payout_id),
    currency: row.currency,
    lineCurrency: row.line_currency,
    amount: row.amount,
    converted: row.converted,
    feeProcessing: row.fee_processing,
    feeScheme: row.fee_scheme,
    feeInterchange: row.fee_interchange,
    feeAccount: row.fee_account,
    rounding: row.rounding,
    paidOut: row.paid_out,
  }))
}

/** Marks payouts whose reversal was matched as failed, and returns them. */
export async function failReversedPayouts(
  tx: Tx,
  { providerAccountId }: SettlementImport,
): Promise<Payout[]> {
  const { mode, workspaceId } = tx.caller
  const { rows } = await sql<PayoutRow>`
    update payouts set failed_at = ${tx.now}::timestamptz, updated_at = ${tx.now}::timestamptz, version = version + 1
    where workspace_id = ${uuidOf(workspaceId)} and provider_account_id = ${uuidOf(providerAccountId)}::uuid
      and failed_at is null and exists (
        select from settlement_lines as line where line.workspace_id = ${uuidOf(workspaceId)}
          and line.cause_id = payouts.id and line.act = 'payout_paid' and line.import_id is not null)
    returning ${sql.join(columns.map((name) => sql.ref(name)))}, false as is_in_transit`.execute(tx.db)
  return rows.map((row) => fromRow(mode, row))
}
