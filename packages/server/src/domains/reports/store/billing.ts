/** Sums over subscriptions and dunning campaigns, and what changed by the day. */
import { sql } from 'kysely'
import { uuidOf } from '../../../kernel/id.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import type { DayChange, ShareKind, Total } from '../billing.ts'
import type { Cursor } from '../cursor.ts'
import { type CursorRow, cursorColumns, cursorFrom } from './cursors.ts'

export async function addTotals(tx: Tx, totals: readonly Total[]): Promise<void> {
  if (totals.length === 0) return
  const column = <T>(pick: (total: Total) => T) => totals.map(pick)
  await sql`
    insert into billing_totals as known (workspace_id, kind, status, currency, objects, amount)
    select ${uuidOf(tx.caller.workspaceId)}::uuid, * from unnest(
      ${column((one) => one.kind)}::text[], ${column((one) => one.status)}::text[],
      ${column((one) => one.currency)}::text[], ${column((one) => String(one.objects))}::int8[],
      ${column((one) => String(one.amount))}::int8[])
    on conflict (workspace_id, kind, status, currency) do update
      set objects = known.objects + excluded.objects, amount = known.amount + excluded.amount`.execute(tx.db)
}

export async function addDays(tx: Tx, days: readonly DayChange[]): Promise<void> {
  if (days.length === 0) return
  const column = <T>(pick: (day: DayChange) => T) => days.map(pick)
  await sql`
    insert into billing_days as known (workspace_id, day_on, currency, mrr_change, active_change, recovered,
      recovered_amount)
    select ${uuidOf(tx.caller.workspaceId)}::uuid, * from unnest(
      ${column((one) => one.dayOn)}::text[], ${column((one) => one.currency)}::text[],
      ${column((one) => String(one.mrrChange))}::int8[], ${column((one) => String(one.activeChange))}::int8[],
      ${column((one) => String(one.recovered))}::int8[], ${column((one) => String(one.recoveredAmount))}::int8[])
    on conflict (workspace_id, day_on, currency) do update set
      mrr_change = known.mrr_change + excluded.mrr_change,
      active_change = known.active_change + excluded.active_change,
      recovered = known.recovered + excluded.recovered,
      recovered_amount = known.recovered_amount + excluded.recovered_amount`.execute(tx.db)
}

export type Books = {
  readonly cursor: Cursor
  readonly totals: readonly Total[]
  readonly days: readonly DayChange[]
}

type Texts<T> = { readonly [Name in keyof T]: string }
type BooksRow = CursorRow & { totals: readonly Texts<Total>[]; days: readonly Texts<DayChange>[] }

/** The sums, the days since one of them, and how far both go: one statement, so that none is newer than another. */
export async function readBooks(view: View, sinceDay: string): Promise<Books> {
  const workspace = uuidOf(view.caller.workspaceId)
  // As texts: a number of JSON would lose the last digits of a long one.
  const { rows } = await sql<BooksRow>`
    select ${cursorColumns}, array(
        select jsonb_build_object('kind', kind, 'status', status, 'currency', currency, 'objects', objects::text,
          'amount', amount::text)
        from billing_totals where workspace_id = ${workspace}) as totals, array(
        select jsonb_build_object('dayOn', day_on, 'currency', currency, 'mrrChange', mrr_change::text,
          'activeChange', active_change::text, 'recovered', recovered::text,
          'recoveredAmount', recovered_amount::text)
        from billing_days where workspace_id = ${workspace} and day_on >= ${sinceDay}) as days
    from report_cursors where report_cursors.workspace_id = ${workspace}`.execute(view.db)
  const row = rows[0] as BooksRow
  return { cursor: cursorFrom(row), totals: row.totals.map(totalFrom), days: row.days.map(dayFrom) }
}

function totalFrom({ kind, status, currency, objects, amount }: Texts<Total>): Total {
  return { kind: kind as ShareKind, status, currency, objects: BigInt(objects), amount: BigInt(amount) }
}

function dayFrom(row: Texts<DayChange>): DayChange {
  return {
    ...{ dayOn: row.dayOn, currency: row.currency },
    ...{ mrrChange: BigInt(row.mrrChange), activeChange: BigInt(row.activeChange) },
    ...{ recovered: BigInt(row.recovered), recoveredAmount: BigInt(row.recoveredAmount) },
  }
}
