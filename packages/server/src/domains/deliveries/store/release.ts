/** Sending many once more, a portion at a time: what was held, given up, delivered, or never addressed. */
import { sql } from 'kysely'
import { type Id, uuidFloor, uuidOf } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { askedAs, isSpokenOf } from './resend.ts'

/** At most so many rows are looked at in one step, whether they fit or not. */
const mostLooked = 1_000

export type Search = {
  readonly endpoint: OpenEndpoint
  /** `missing`: events that were never addressed to the endpoint. */
  readonly states: readonly ('held' | 'exhausted' | 'delivered' | 'missing')[]
  /** Null: whatever was addressed to the endpoint, and of the rest what it asks for. */
  readonly eventTypes: readonly string[] | null
  /** Both belong to it. */
  readonly sinceAt: Date
  readonly untilAt: Date
  /** Where the last step ended; null: nowhere yet. */
  readonly cursor: string | null
  /** No more than so many are released. */
  readonly limit: number
  readonly onlyCount: boolean
}

/** An endpoint that what is released can be sent to. */
export type OpenEndpoint = {
  readonly id: Id<'webhook_endpoint'>
  readonly eventTypes: readonly string[]
  readonly ordered: boolean
}

/** Null: it is disabled or deleted. */
export async function findOpenEndpoint(tx: Tx, id: Id<'webhook_endpoint'>): Promise<OpenEndpoint | null> {
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

export type Found = {
  readonly matched: number
  readonly released: number
  readonly cursor: string | null
  readonly isLast: boolean
}

/** Looks at the next rows and releases those that fit. Where it ends depends on rows alone: it may run again. */
export async function releaseNext(tx: Tx, search: Search): Promise<Found> {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const endpoint = sql`${uuidOf(search.endpoint.id)}::uuid`
  const scope = { workspace, endpoint }
  const ordered = sql`${search.endpoint.ordered}::boolean`
  const { rows } = await sql<FoundRow>`
    with looked as materialized (${lookAt(search, scope)}),
    matched as materialized (
      select looked.*, row_number() over (order by place) as turn from looked
      where state = any(${search.states}::text[]) and ${fits(search, scope)}
      order by place limit ${search.limit}
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
    addressed as (
      insert into deliveries (workspace_id, id, event_id, webhook_endpoint_id, event_type, object_id, sequence,
        ordered, state, due_at, trigger)
      select ${workspace}, id, event_id, ${endpoint}, event_type, object_id, sequence, ${ordered},
        'pending', ${dueAt(tx, ordered, scope)}, 'recover'
      from matched where state = 'missing' and ${!search.onlyCount}
      on conflict (workspace_id, id) do nothing
      returning id
    )
    select (select count(id)::int from looked) as looked, (select count(id)::int from matched) as matched,
      (select count(id)::int from released) + (select count(id)::int from addressed) as released,
      (select max(place::text) from looked) as last_looked,
      (select max(place::text) from matched) as last_matched`.execute(tx.db)
  const found = toFound(search, rows[0] as FoundRow)
  if (found.released > 0) tx.wake('webhook_endpoint.deliver', search.endpoint.id, tx.now)
  return found
}

type FoundRow = {
  looked: number
  matched: number
  released: number
  last_looked: string | null
  last_matched: string | null
}

function toFound({ limit, cursor }: Search, row: FoundRow): Found {
  // What lies behind the last that was released has been looked at, but was not taken.
  const isFull = row.matched === limit
  return {
    matched: row.matched,
    released: row.released,
    cursor: (isFull ? row.last_matched : row.last_looked) ?? cursor,
    isLast: !isFull && row.looked < mostLooked,
  }
}

type Sql = ReturnType<typeof sql>
type Scope = { readonly workspace: Sql; readonly endpoint: Sql }

/**
 * They are sent in the order in which they happened: microseconds before now, so that all of them are due. Where
 * an object's events wait for each other, one is due no sooner than those before it that still wait.
 */
function dueAt(tx: Tx, ordered: Sql, { workspace, endpoint }: Scope): Sql {
  return sql`greatest(${tx.now}::timestamptz - (${mostLooked} - matched.turn) * interval '1 microsecond',
    case when ${ordered} then (
      select max(earlier.due_at) from deliveries as earlier
      where earlier.workspace_id = ${workspace} and earlier.webhook_endpoint_id = ${endpoint}
        and earlier.object_id = matched.object_id and earlier.sequence < matched.sequence
        and earlier.state = 'pending' and earlier.ordered) end)`
}

/** The next rows by id, each in the cheapest way that shows all states that are wanted. */
function lookAt(search: Search, scope: Scope): Sql {
  const { states } = search
  if (states.includes('missing')) return lookAtEvents(search, scope)
  if (states.includes('delivered')) return lookAtDeliveries(search, scope, sql``)
  // The index of those that need attention holds each state by itself.
  const each = states.map(
    (state) => sql`(${lookAtDeliveries(search, scope, sql`and state = ${sql.lit(state)}`)})`,
  )
  return sql`${sql.join(each, sql` union all `)} order by place limit ${sql.lit(mostLooked)}`
}

function lookAtDeliveries(search: Search, { workspace, endpoint }: Scope, state: Sql): Sql {
  return sql`
    select id as place, id, event_id, event_type, object_id, sequence, state, version from deliveries
    where workspace_id = ${workspace} and webhook_endpoint_id = ${endpoint} and trigger <> 'test'
      ${state} ${rangeOf(search)}
    order by id limit ${sql.lit(mostLooked)}`
}

function lookAtEvents(search: Search, { workspace, endpoint }: Scope): Sql {
  return sql`
    select event.id as place, delivery_id(event.id, ${endpoint}) as id, event.id as event_id,
      event.type as event_type, event.object_id, event.sequence, delivery.version,
      -- A trial was nobody's loss.
      case when delivery.trigger = 'test' then 'trial' else coalesce(delivery.state, 'missing') end as state
    from (
      select id, type, object_id, sequence from events
      where workspace_id = ${workspace} ${rangeOf(search)} order by id limit ${sql.lit(mostLooked)}
    ) as event
      -- One step of the key for each, never a join with all deliveries there are.
      left join lateral (
        select state, trigger, version from deliveries
        where workspace_id = ${workspace} and id = delivery_id(event.id, ${endpoint}) limit 1
      ) as delivery on true`
}

function rangeOf({ sinceAt, untilAt, cursor }: Search): Sql {
  const after = cursor === null ? sql`` : sql`and id > ${cursor}::uuid`
  const [from, below] = [uuidFloor(sinceAt), uuidFloor(new Date(untilAt.getTime() + 1))]
  return sql`and id >= ${from}::uuid and id < ${below}::uuid ${after}`
}

/** What was addressed to the endpoint may be asked for by type; the rest must be of a type it would get. */
function fits({ eventTypes, endpoint: { eventTypes: usual } }: Search, { workspace, endpoint }: Scope): Sql {
  const asked = askedAs(sql`event_type`)
  const isOf = (types: readonly string[]) => sql`${asked} && ${types}::text[]`
  const ofType = eventTypes === null ? sql`(state <> 'missing' or ${isOf(usual)})` : isOf(eventTypes)
  const about = { workspace, endpoint, type: sql`event_type`, object: sql`object_id` }
  return sql`${ofType} and (state <> 'missing' or not ${isSpokenOf(about)})`
}
