/** Stores the totals of subscriptions and dunning campaigns, and their changes by day. */
import { sql } from 'kysely'
import { uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { ContributionKind, DayChange, Total } from '../billing.ts'
import type { Cursor } from '../cursor.ts'
import { type CursorRow, cursorColumns, toCursor } from './cursors.ts'

export async function addTotals(tx: Tx, totals: readonly Total[]): Promise<void> {
  if (totals.length === 0) return
  const column = <T>(pick: (total: Total) => T) => totals.map(pick)
  await sql`
    insert into billing_totals as stored (workspace_id, kind, status, currency, objects, amount)
    select ${uuidOf(tx.caller.workspaceId)}::uuid, * from unnest(
      ${column((one) => one.kind)}::text[], ${column((one) => one.status)}::text[],
      ${column((one) => one.currency)}::text[], ${column((one) => String(one.objects))}::int8[],
      ${column((one) => String(one.amount))}::int8[])
    on conflict (workspace_id, kind, status, currency) do update
      set objects = stored.objects + excluded.objects, amount = stored.amount + excluded.amount`.execute(
    tx.db,
  )
}

export async function addDays(tx: Tx, days: readonly DayChange[]): Promise<void> {
  if (days.length === 0) return
  const column = <T>(pick: (day: DayChange) => T) => days.map(pick)
  await sql`
    insert into billing_days as stored (workspace_id, day_on, currency, mrr_change, active_change, recovered,
      recovered_amount)
    select ${uuidOf(tx.caller.workspaceId)}::uuid, * from unnest(
      ${column((one) => one.dayOn)}::text[], ${column((one) => one.currency)}::text[],
      ${column((one) => String(one.mrrChange))}::int8[], ${column((one) => String(one.activeChange))}::int8[],
      ${column((one) => String(one.recovered))}::int8[], ${column((one) => String(one.recoveredAmount))}::int8[])
    on conflict (workspace_id, day_on, currency) do update set
      mrr_change = stored.mrr_change + excluded.mrr_change,
      active_change = stored.active_change + excluded.active_change,
      recovered = stored.recovered + excluded.recovered,
      recovered_amount = stored.recovered_amount + excluded.recovered_amount`.execute(tx.db)
}

export type StoredBilling = {
  readonly cursor: Cursor
  readonly totals: readonly Total[]
  readonly days: readonly DayChange[]
}

type Texts<T> = { readonly [Name in keyof T]: string }
type StoredBillingRow = CursorRow & { totals: readonly Texts<Total>[]; days: readonly Texts<DayChange>[] }

/**
 * Reads the totals, the changes since a day, and the cursor in one statement, so that they are consistent.
 */
export async function readStoredBilling(view: View, sinceDay: string): Promise<StoredBilling> {
  const workspace = uuidOf(view.caller.workspaceId)
  // Numbers as strings: large ones would lose digits as JSON numbers.
  const { rows } = await sql<StoredBillingRow>`
    select ${cursorColumns}, array(
        select jsonb_build_object('kind', kind, 'status', status, 'currency', currency, 'objects', objects::text,
          'amount', amount::text)
        from billing_totals where workspace_id = ${workspace}) as totals, array(
        select jsonb_build_object('dayOn', day_on, 'currency', currency, 'mrrChange', mrr_change::text,
          'activeChange', active_change::text, 'recovered', recovered::text,
          'recoveredAmount', recovered_amount::text)
        from billing_days where workspace_id = ${workspace} and day_on >= ${sinceDay}) as days
    from report_cursors where report_cursors.workspace_id = ${workspace}`.execute(view.db)
  const row = rows[0] as StoredBillingRow
  return { cursor: toCursor(row), totals: row.totals.map(toTotal), days: row.days.map(toDayChange) }
}

function toTotal({ kind, status, currency, objects, amount }: Texts<Total>): Total {
  return {
    kind: kind as ContributionKind,
    status,
    currency,
    objects: BigInt(objects),
    amount: BigInt(amount),
  }
}

function toDayChange(row: Texts<DayChange>): DayChange {
  return {
    dayOn: row.dayOn,
    currency: row.currency,
    mrrChange: BigInt(row.mrrChange),
    activeChange: BigInt(row.activeChange),
    recovered: BigInt(row.recovered),
    recoveredAmount: BigInt(row.recoveredAmount),
  }
}
