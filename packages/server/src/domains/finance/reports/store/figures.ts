/** Stores the figures of payments. They are incremented, never recomputed. */
import { sql } from 'kysely'
import { uuidFloor, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Cursor } from '../cursor.ts'
import type { TestClockRule } from '../definitions.ts'
import {
  type Counters,
  counterNames,
  type Figure,
  type Grain,
  type Group,
  grains,
  sumByGrain,
} from '../figures.ts'
import { type CursorRow, cursorColumns, toCursor } from './cursors.ts'

/** Represents null, because primary keys cannot contain null. */
const nilUuid = '00000000-0000-0000-0000-000000000000'

export async function addFigures(tx: Tx, figures: readonly Figure[]): Promise<void> {
  if (figures.length === 0) return
  const rows = grains.flatMap((grain) => sumByGrain(grain, figures).map((one) => ({ grain, ...one })))
  const column = <T>(pick: (row: (typeof rows)[number]) => T) => rows.map(pick)
  const amounts = (pick: (row: (typeof rows)[number]) => bigint) => column((row) => String(pick(row)))
  await sql`
    insert into payment_figures as stored (workspace_id, grain, id, at, currency, provider_account_id, reason, created,
      succeeded, failed, cancelled, volume, refunded, recovered, recovered_volume, attempts, approved)
    select ${uuidOf(tx.caller.workspaceId)}::uuid, * from unnest(
      ${column((row) => row.grain)}::text[], ${column((row) => uuidFloor(row.at))}::uuid[],
      ${column((row) => row.at)}::timestamptz[], ${column((row) => row.currency)}::text[],
      ${column((row) => row.accountUuid ?? nilUuid)}::uuid[], ${column((row) => row.reason ?? '')}::text[],
      ${amounts((row) => row.created)}::int8[], ${amounts((row) => row.succeeded)}::int8[],
      ${amounts((row) => row.failed)}::int8[], ${amounts((row) => row.cancelled)}::int8[],
      ${amounts((row) => row.volume)}::int8[], ${amounts((row) => row.refunded)}::int8[],
      ${amounts((row) => row.recovered)}::int8[], ${amounts((row) => row.recoveredVolume)}::int8[],
      ${amounts((row) => row.attempts)}::int8[], ${amounts((row) => row.approved)}::int8[])
    on conflict (workspace_id, grain, id, currency, provider_account_id, reason) do update set
      created = stored.created + excluded.created, succeeded = stored.succeeded + excluded.succeeded,
      failed = stored.failed + excluded.failed, cancelled = stored.cancelled + excluded.cancelled,
      volume = stored.volume + excluded.volume, refunded = stored.refunded + excluded.refunded,
      recovered = stored.recovered + excluded.recovered,
      recovered_volume = stored.recovered_volume + excluded.recovered_volume,
      attempts = stored.attempts + excluded.attempts, approved = stored.approved + excluded.approved`.execute(
    tx.db,
  )
}

export type ReportQuery = {
  readonly grain: Grain
  readonly group: Group
  readonly from: Date
  readonly to: Date
  readonly testClocks: TestClockRule
}

type FigureRow = Counters & { readonly at: Date; readonly currency: string; account: string; reason: string }

const sums = sql`sum(created)::int8 as created, sum(succeeded)::int8 as succeeded, sum(failed)::int8 as failed,
  sum(cancelled)::int8 as cancelled, sum(volume)::int8 as volume, sum(refunded)::int8 as refunded,
  sum(recovered)::int8 as recovered, sum(recovered_volume)::int8 as "recoveredVolume",
  sum(attempts)::int8 as attempts, sum(approved)::int8 as approved`

/** Reads the figures and the cursor in one statement, so that they are consistent. */
export async function readFigures(
  view: View,
  { grain, group, from, to }: ReportQuery,
): Promise<{ readonly cursor: Cursor; readonly figures: readonly Figure[] }> {
  const workspace = uuidOf(view.caller.workspaceId)
  const account = group === 'provider_account' ? sql`provider_account_id` : sql`${nilUuid}::uuid`
  const reason = group === 'reason' ? sql`reason` : sql`''`
  const { rows } = await sql<CursorRow & (FigureRow | { at: null })>`
    select ${cursorColumns}, figure.* from report_cursors left join (
      select at, currency, ${account} as account, ${reason} as reason, ${sums} from payment_figures
      where workspace_id = ${workspace} and grain = ${grain} and id >= ${uuidFloor(from)} and id < ${uuidFloor(to)}
      group by 1, 2, 3, 4
    ) as figure on true
    where report_cursors.workspace_id = ${workspace}`.execute(view.db)
  const figures = rows.flatMap((row) => (row.at === null ? [] : [toFigure(row)]))
  return { cursor: toCursor(rows[0] as CursorRow), figures }
}

function toFigure({ at, currency, account, reason, ...row }: FigureRow): Figure {
  const counters = Object.fromEntries(counterNames.map((name) => [name, row[name]])) as Counters
  const accountUuid = account === nilUuid ? null : account
  return { at, currency, accountUuid, reason: reason === '' ? null : reason, ...counters }
}
