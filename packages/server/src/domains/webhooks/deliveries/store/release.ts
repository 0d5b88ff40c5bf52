/**
 * Schedules deliveries for sending or resending, in batches: those held for an endpoint, and those that a webhook
 * recovery selects. `missing` creates the delivery of an event that has none.
 */
import { sql } from 'kysely'
import { type Id, uuidFloor, uuidOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { isAboutEndpoint, subscriptionsMatching } from './resend.ts'

/** The maximum number of rows read in one batch, whether they match or not. */
const maxRowsRead = 1_000

export type BatchQuery = {
  readonly endpoint: EnabledEndpoint
  /** `missing`: events without a delivery to the endpoint. */
  readonly states: readonly ('held' | 'exhausted' | 'pending' | 'delivered' | 'missing')[]
  /** Null: all existing deliveries, and events of subscribed types that have no delivery. */
  readonly eventTypes: readonly string[] | null
  /** Both bounds are inclusive. */
  readonly sinceAt: Date
  readonly untilAt: Date
  /** Where the last batch ended; null: start with the first row. */
  readonly cursor: string | null
  /** The maximum number of deliveries to schedule. */
  readonly limit: number
  readonly onlyCount: boolean
}

/** An endpoint that deliveries can be sent to. */
export type EnabledEndpoint = {
  readonly id: Id<'webhook_endpoint'>
  readonly eventTypes: readonly string[]
  readonly ordered: boolean
}

/** Returns null if the endpoint is disabled or deleted. */
export async function findEnabledEndpoint(
  tx: Tx,
  id: Id<'webhook_endpoint'>,
): Promise<EnabledEndpoint | null> {
  const row = await tx.db
    .selectFrom('webhook_endpoints')
    .select(['event_types', 'ordering'])
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .where('status', '=', 'enabled')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row === undefined ? null : { id, eventTypes: row.event_types, ordered: row.ordering === 'object' }
}

export type ReleasedBatch = {
  readonly matched: number
  readonly released: number
  readonly cursor: string | null
  readonly isLast: boolean
}

/**
 * Reads the next rows and schedules the matching ones. The cursor is derived only from the rows that were read, so
 * repeating a batch after a failure is safe.
 */
export async function releaseNext(tx: Tx, search: BatchQuery): Promise<ReleasedBatch> {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const endpoint = sql`${uuidOf(search.endpoint.id)}::uuid`
  const scope = { workspace, endpoint }
  const ordered = sql`${search.endpoint.ordered}::boolean`
  const { rows } = await sql<BatchRow>`
    with examined as materialized (${selectNextRows(search, scope)}),
    matched as materialized (
      select examined.*, row_number() over (order by position) as rank from examined
      where state = any(${search.states}::text[]) and ${matchesFilter(search, scope)}
      order by position limit ${search.limit}
    ),
    released as (
      update deliveries as delivery
      set state = 'pending', due_at = ${dueAt(tx, sql`delivery.ordered`, scope)}, trigger = 'recover', tries = 0,
        settled_at = null, version = delivery.version + 1
      from matched
      where delivery.workspace_id = ${workspace} and delivery.id = matched.id
        and delivery.version = matched.version and ${!search.onlyCount}
      returning delivery.id
    ),
    created as (
      insert into deliveries (workspace_id, id, event_id, webhook_endpoint_id, event_type, object_id, sequence,
        ordered, state, due_at, trigger)
      select ${workspace}, id, event_id, ${endpoint}, event_type, object_id, sequence, ${ordered},
        'pending', ${dueAt(tx, ordered, scope)}, 'recover'
      from matched where state = 'missing' and ${!search.onlyCount}
      on conflict (workspace_id, id) do nothing
      returning id
    )
    select (select count(id)::int from examined) as examined, (select count(id)::int from matched) as matched,
      (select count(id)::int from released) + (select count(id)::int from created) as released,
      (select max(position::text) from examined) as last_examined,
      (select max(position::text) from matched) as last_matched`.execute(tx.db)
  const batch = toBatch(search, rows[0] as BatchRow)
  if (batch.released > 0) tx.wake('webhook_endpoint.deliver', search.endpoint.id, tx.now)
  return batch
}

type BatchRow = {
  examined: number
  matched: number
  released: number
  last_examined: string | null
  last_matched: string | null
}

function toBatch({ limit, cursor }: BatchQuery, row: BatchRow): ReleasedBatch {
  // If the limit was reached, the next batch continues after the last released row.
  const isLimitReached = row.matched === limit
  return {
    matched: row.matched,
    released: row.released,
    cursor: (isLimitReached ? row.last_matched : row.last_examined) ?? cursor,
    isLast: !isLimitReached && row.examined < maxRowsRead,
  }
}

type Sql = ReturnType<typeof sql>
type Scope = { readonly workspace: Sql; readonly endpoint: Sql }

/**
 * Due times that are microseconds apart, so that deliveries are sent in the order of their events. For an
 * ordered endpoint a delivery is not due before earlier pending deliveries of its object.
 */
function dueAt(tx: Tx, ordered: Sql, { workspace, endpoint }: Scope): Sql {
  return sql`greatest(${tx.now}::timestamptz - (${maxRowsRead} - matched.rank) * interval '1 microsecond',
    case when ${ordered} then (
      select max(earlier.due_at) from deliveries as earlier
      where earlier.workspace_id = ${workspace} and earlier.webhook_endpoint_id = ${endpoint}
        and earlier.object_id = matched.object_id and earlier.sequence < matched.sequence
        and earlier.state = 'pending' and earlier.ordered
        -- Deliveries that are released in the same batch become due now as well.
        and not exists (select from matched as other where other.id = earlier.id)) end)`
}

/** The next rows by id, with the cheapest query that covers the requested states. */
function selectNextRows(search: BatchQuery, scope: Scope): Sql {
  const { states } = search
  if (states.includes('missing')) return selectNextEvents(search, scope)
  if (states.includes('delivered') || states.includes('pending'))
    return selectNextDeliveries(search, scope, sql``)
  // The partial index for `held` and `exhausted` needs a separate query for each state.
  const each = states.map(
    (state) => sql`(${selectNextDeliveries(search, scope, sql`and state = ${sql.lit(state)}`)})`,
  )
  return sql`${sql.join(each, sql` union all `)} order by position limit ${sql.lit(maxRowsRead)}`
}

function selectNextDeliveries(search: BatchQuery, { workspace, endpoint }: Scope, state: Sql): Sql {
  return sql`
    select id as position, id, event_id, event_type, object_id, sequence, state, version from deliveries
    where workspace_id = ${workspace} and webhook_endpoint_id = ${endpoint} and trigger <> 'test'
      ${state} ${idRange(search)}
    order by id limit ${sql.lit(maxRowsRead)}`
}

function selectNextEvents(search: BatchQuery, { workspace, endpoint }: Scope): Sql {
  return sql`
    select event.id as position, delivery_id(event.id, ${endpoint}) as id, event.id as event_id,
      event.type as event_type, event.object_id, event.sequence, delivery.version,
      -- A recovery never resends test events.
      case when delivery.trigger = 'test' then 'test' else coalesce(delivery.state, 'missing') end as state
    from (
      select id, type, object_id, sequence from events
      where workspace_id = ${workspace} ${idRange(search)} order by id limit ${sql.lit(maxRowsRead)}
    ) as event
      -- One primary key lookup for each event, instead of a join with all deliveries.
      left join lateral (
        select state, trigger, version from deliveries
        where workspace_id = ${workspace} and id = delivery_id(event.id, ${endpoint}) limit 1
      ) as delivery on true`
}

function idRange({ sinceAt, untilAt, cursor }: BatchQuery): Sql {
  const after = cursor === null ? sql`` : sql`and id > ${cursor}::uuid`
  const [from, below] = [uuidFloor(sinceAt), uuidFloor(new Date(untilAt.getTime() + 1))]
  return sql`and id >= ${from}::uuid and id < ${below}::uuid ${after}`
}

/**
 * With a filter, only events of its types match. Without one, all existing deliveries match, and missing ones if
 * their type is subscribed.
 */
function matchesFilter(
  { eventTypes, endpoint: { eventTypes: subscribed } }: BatchQuery,
  { workspace, endpoint }: Scope,
): Sql {
  const subscriptions = subscriptionsMatching(sql`event_type`)
  const matchesAny = (types: readonly string[]) => sql`${subscriptions} && ${types}::text[]`
  const matchesType =
    eventTypes === null ? sql`(state <> 'missing' or ${matchesAny(subscribed)})` : matchesAny(eventTypes)
  const event = { workspace, endpoint, type: sql`event_type`, object: sql`object_id` }
  return sql`${matchesType} and (state <> 'missing' or not ${isAboutEndpoint(event)})`
}
