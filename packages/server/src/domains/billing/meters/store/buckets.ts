/** Sums of usage per hour, and the number of the last event that they include. */
import { type RawBuilder, sql } from 'kysely'
import { type Id, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Aggregation, UsageRow } from '../meter.ts'

/** The range of event numbers to add: after `from`, up to and including `to`. */
type SeqRange = { readonly from: bigint; readonly to: bigint }

/** Locks the cursor, so that concurrent runs add events one after another. Null if there are no meters. */
export async function lockCursor(tx: Tx): Promise<bigint | null> {
  const { rows } = await sql<{ counted_seq: string }>`
    select counted_seq from meter_cursors where workspace_id = ${uuidOf(tx.caller.workspaceId)} for update`.execute(
    tx.db,
  )
  return rows[0] === undefined ? null : BigInt(rows[0].counted_seq)
}

/**
 * The next events to add, at most `limit`. Numbers are committed in ascending order, so all events up to the last
 * number of the stream are visible.
 */
export async function nextRange(tx: Tx, from: bigint, limit: number): Promise<SeqRange> {
  const workspaceUuid = uuidOf(tx.caller.workspaceId)
  const { rows: streams } = await sql<{ last_seq: string }>`
    select last_seq from meter_streams where workspace_id = ${workspaceUuid}`.execute(tx.db)
  const last = BigInt(streams[0]?.last_seq ?? 0)
  const { rows } = await sql<{ seq: string }>`
    select seq from meter_events
    where workspace_id = ${workspaceUuid} and seq > ${String(from)}::int8 and seq <= ${String(last)}::int8
    order by seq limit ${limit}`.execute(tx.db)
  return { from, to: rows.length < limit ? last : BigInt(rows.at(-1)?.seq ?? last) }
}

/** Adds the events of the range to the sums of their hours. */
export async function addToBuckets(tx: Tx, range: SeqRange): Promise<void> {
  await sql`
    insert into meter_buckets as stored (workspace_id, meter_id, customer_id, hour_at, dimensions, events, value_sum,
      value_max, last_at, last_event_id, last_value)
    select workspace_id, meter_id, customer_id, date_trunc('hour', occurred_at, 'UTC'), dimensions, count(id),
      coalesce(sum(value), 0), max(value), max(occurred_at),
      (array_agg(event_id order by occurred_at desc, event_id desc))[1],
      (array_agg(value order by occurred_at desc, event_id desc))[1]
    from meter_events where ${isIn(tx, range)} and cancelled_at is null
    group by 1, 2, 3, 4, 5
    on conflict (workspace_id, meter_id, customer_id, hour_at, dimensions) do update set
      events = stored.events + excluded.events,
      value_sum = stored.value_sum + excluded.value_sum,
      value_max = greatest(stored.value_max, excluded.value_max),
      (last_at, last_event_id, last_value) = (select last_at, last_event_id, last_value
        from (values (stored.last_at, stored.last_event_id, stored.last_value),
          (excluded.last_at, excluded.last_event_id, excluded.last_value)) as candidate (last_at, last_event_id, last_value)
        order by last_at desc, last_event_id desc limit 1)`.execute(tx.db)
  await sql`
    insert into meter_unique_values (workspace_id, meter_id, customer_id, hour_at, dimensions, value)
    select distinct workspace_id, meter_id, customer_id, date_trunc('hour', occurred_at, 'UTC'), dimensions, distinct_key
    from meter_events where ${isIn(tx, range)} and cancelled_at is null and distinct_key is not null
    on conflict do nothing`.execute(tx.db)
}

function isIn(tx: Tx, { from, to }: SeqRange): RawBuilder<boolean> {
  return sql<boolean>`workspace_id = ${uuidOf(tx.caller.workspaceId)} and seq > ${String(from)}::int8
    and seq <= ${String(to)}::int8`
}

/** Moves the cursor. The stream is locked last, because writers of events wait for it. */
export async function advanceCursor(tx: Tx, { to }: SeqRange): Promise<void> {
  const workspaceUuid = uuidOf(tx.caller.workspaceId)
  await sql`update meter_cursors set counted_seq = ${String(to)}::int8 where workspace_id = ${workspaceUuid}`.execute(
    tx.db,
  )
  const { rows } = await sql<{ due_at: Date | null }>`
    update meter_streams set due_at = case when last_seq > ${String(to)}::int8 then due_at end
    where workspace_id = ${workspaceUuid} returning due_at`.execute(tx.db)
  if (rows[0]?.due_at) tx.wake('meter.aggregate', tx.caller.workspaceId, rows[0].due_at)
}

type UsageFilter = {
  readonly meterId: Id<'meter'>
  readonly customerUuid: string
  readonly from: Date
  readonly to: Date
}

// biome-ignore format: one aggregation per line.
export const aggregates: { readonly [A in Exclude<Aggregation, 'unique'>]: RawBuilder<string> } = {
  sum:   sql`coalesce(sum(value_sum), 0)`,
  count: sql`coalesce(sum(events), 0)`,
  max:   sql`coalesce(max(value_max), 0)`,
  last:  sql`coalesce((array_agg(last_value order by last_at desc, last_event_id desc))[1], 0)`,
}

/** The usage of each combination of dimensions, and the total in a row with null. */
export async function readUsage(
  view: View,
  aggregation: Aggregation,
  { meterId, customerUuid, from, to }: UsageFilter,
  limit: number,
): Promise<readonly UsageRow[]> {
  const isUnique = aggregation === 'unique'
  const value = isUnique ? sql`count(distinct value)` : aggregates[aggregation]
  const { rows } = await sql<UsageRow>`
    select case when grouping(dimensions) = 0 then dimensions end as dimensions,
      trim_scale((${value})::numeric)::text as value
    from ${sql.table(isUnique ? 'meter_unique_values' : 'meter_buckets')}
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and meter_id = ${uuidOf(meterId)}
      and customer_id = ${customerUuid} and hour_at >= ${from} and hour_at < ${to}
    group by grouping sets ((), (dimensions)) order by grouping(dimensions) desc, dimensions limit ${limit}`.execute(
    view.db,
  )
  return rows
}

/** How many events were recorded, and how many of them are included in the sums, by their numbers. */
export async function readProgress(
  view: View,
): Promise<{ readonly recorded: bigint; readonly counted: bigint }> {
  const { rows } = await sql<{ last_seq: string; counted_seq: string }>`
    select last_seq, counted_seq from meter_streams join meter_cursors using (workspace_id)
    where workspace_id = ${uuidOf(view.caller.workspaceId)}`.execute(view.db)
  return { recorded: BigInt(rows[0]?.last_seq ?? 0), counted: BigInt(rows[0]?.counted_seq ?? 0) }
}

/** Whether all accepted events are included in the sums. */
export async function isCurrent(view: View): Promise<boolean> {
  const { recorded, counted } = await readProgress(view)
  return recorded <= counted
}
