/** Stores usage events. Each event is stored once per meter, even if it is sent again for a different month. */
import { sql } from 'kysely'
import { idFromUuid, uuidFloor, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { MeterEvent } from '../meter.ts'

/** The ids of existing customers among these. */
export async function findExistingCustomers(
  view: View,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { mode, workspaceId } = view.caller
  const uuids = ids.flatMap((id) => uuidFromText('customer', mode, id) ?? [])
  const { rows } = await sql<{ id: string }>`
    select id from customers
    where workspace_id = ${uuidOf(workspaceId)} and id = any(${uuids}::uuid[]) and deleted_at is null`.execute(
    view.db,
  )
  return new Set(rows.map(({ id }) => idFromUuid('customer', mode, id)))
}

/**
 * Reserves numbers for events. Concurrent writers wait until this transaction ends: numbers are therefore committed
 * in ascending order, and an event cannot be stored twice in two partitions.
 */
export async function reserveNumbers(tx: Tx, count: number): Promise<{ readonly before: bigint }> {
  const { rows } = await sql<{ last_seq: string; due_at: Date }>`
    update meter_streams set last_seq = last_seq + ${count}, due_at = coalesce(due_at, ${tx.now})
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} returning last_seq, due_at`.execute(tx.db)
  const [row] = rows
  if (row === undefined) return { before: 0n }
  // Earlier events that are not counted yet have already scheduled the work.
  if (row.due_at.getTime() === tx.now.getTime()) tx.wake('meter.aggregate', tx.caller.workspaceId, tx.now)
  return { before: BigInt(row.last_seq) - BigInt(count) }
}

type EventKey = { readonly meter_id: string; readonly event_id: string }

/** Stores the events that are new, and returns their keys. The events must be distinct. */
export async function insertEvents(
  tx: Tx,
  events: readonly MeterEvent[],
  before: bigint,
): Promise<readonly EventKey[]> {
  const column = <T>(pick: (event: MeterEvent) => T) => events.map(pick)
  const workspaceUuid = uuidOf(tx.caller.workspaceId)
  const { rows } = await sql<EventKey>`
    insert into meter_events (workspace_id, id, seq, meter_id, event_id, customer_id, occurred_at, value,
      distinct_key, dimensions, created_at)
    select ${workspaceUuid}::uuid, (left(input.floor, 13) || right(gen_random_uuid()::text, 23))::uuid,
      ${String(before)}::int8 + input.position, input.meter_id, input.event_id, input.customer_id, input.occurred_at,
      input.value, input.distinct_key, input.dimensions::jsonb, ${tx.now}
    from unnest(${column(({ occurredAt }) => uuidFloor(occurredAt))}::text[],
      ${column(({ meterId }) => uuidOf(meterId))}::uuid[], ${column(({ eventId }) => eventId)}::text[],
      ${column(({ customerId }) => uuidOf(customerId))}::uuid[], ${column(({ occurredAt }) => occurredAt)}::timestamptz[],
      ${column(({ value }) => value)}::numeric[], ${column(({ distinctKey }) => distinctKey)}::text[],
      ${column(({ dimensions }) => JSON.stringify(dimensions))}::text[]) with ordinality
      as input (floor, meter_id, event_id, customer_id, occurred_at, value, distinct_key, dimensions, position)
    where not exists (
      select from meter_events as stored
      where stored.workspace_id = ${workspaceUuid} and stored.meter_id = input.meter_id
        and stored.event_id = input.event_id)
    on conflict do nothing
    returning meter_id, event_id`.execute(tx.db)
  return rows
}
