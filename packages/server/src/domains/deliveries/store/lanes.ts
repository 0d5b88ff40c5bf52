/**
 * A lane is an endpoint with what is due to it. One process at a time serves a lane: it holds a lease in
 * `webhook_lanes`. Every statement here is about many lanes, of any workspace.
 */
import { sql } from 'kysely'
import type { Reading } from '../../../kernel/clock.ts'
import { idFromUuid, type Mode } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { instantOf, mayBeHandedOut } from '../../../platform/db/due.ts'
import type { AttemptTrigger } from '../delivery.ts'

/** How long a process may be silent before another takes its lanes. */
const leaseSeconds = 15

/** Which lane, how many it has room for, and in which version its configuration is known. */
export type Wanted = {
  readonly workspaceUuid: string
  readonly endpointUuid: string
  readonly room: number
  readonly knownVersion: number
}

export type Refill =
  /** Ours: here is what is due. */
  | ({ readonly is: 'claimed' } & ClaimedLane)
  | { readonly is: 'elsewhere'; readonly owner: string }
  /** Somebody is changing the lane at this moment. */
  | { readonly is: 'busy' }
  | { readonly is: 'nothing'; readonly nextDueAt: Date | null }

export type ClaimedLane = {
  /** Raised whenever what was known of the receiver is to be forgotten. */
  readonly epoch: number
  readonly settings: LaneSettings
  /** Null: those in the known version still hold. */
  readonly secrets: readonly SealedSecret[] | null
  readonly health: LaneHealth
  readonly due: readonly DueDelivery[]
  /** When the next one becomes due that is not yet. */
  readonly nextDueAt: Date | null
}

export type LaneSettings = {
  readonly version: number
  readonly url: string
  readonly ordered: boolean
  readonly maxInFlight: number
  readonly rateLimit: number | null
  readonly timeoutSeconds: number
}

export type LaneHealth = {
  readonly open: boolean
  readonly probeWaitSeconds: number
  readonly failingSinceAt: Date | null
  readonly failedDeliveries: number
  readonly failuresInARow: number
  readonly warnings: number
}

export type SealedSecret = {
  readonly uuid: string
  readonly sealed: Buffer
  readonly expiresAt: Date | null
}

export type DueDelivery = {
  readonly uuid: string
  readonly event: EventText
  readonly objectUuid: string
  readonly sequence: number
  /** Whether it waits for earlier ones of its object. One that was sent again by hand does not. */
  readonly ordered: boolean
  readonly version: number
  readonly tries: number
  readonly attempts: number
  readonly trigger: Exclude<AttemptTrigger, 'probe'>
}

/** What a body is made of. One object for all lanes of a refill that get the same event. */
export type EventText = {
  readonly uuid: string
  readonly type: string
  readonly createdAt: Date
  readonly apiVersion: string
  readonly fanOut: number
  readonly data: string
}

type LaneRow = {
  place: number
  present: boolean
  locked: boolean
  claimed: boolean
  other_owner: string | null
  next_due_at: Date | null
  epoch: number
  version: number
  url: string
  ordering: string
  max_in_flight: number
  rate_limit: number | null
  timeout_seconds: number
  health: string
  probe_wait_seconds: number
  failing_since_at: Date | null
  failed_deliveries: number
  failures_in_a_row: number
  warnings: number
  secrets: SealedSecretRow[] | null
  due: DueTuple[] | null
  events: EventTuple[] | null
}
type DueTuple = [string, string, string, number, boolean, number, number, number, DueDelivery['trigger']]
type EventTuple = [string, string, string, string, number, string]

/** Whether `one` waits for no earlier event of its object. */
const isFirst = sql`(not one.ordered or not exists (
  select from deliveries as earlier
  where earlier.workspace_id = one.workspace_id and earlier.webhook_endpoint_id = one.webhook_endpoint_id
    and earlier.object_id = one.object_id and earlier.sequence < one.sequence
    and earlier.state = 'pending' and earlier.ordered))`

/** Claims the lanes that have something due and nobody else serves, and reads what is due. In the given order. */
export async function refill(
  db: Db,
  owner: string,
  now: Reading,
  wanted: readonly Wanted[],
): Promise<Refill[]> {
  const at = instantOf(now)
  const lanes = wanted.map(({ workspaceUuid, endpointUuid, room, knownVersion }, place) => ({
    ...{ place, workspace_id: workspaceUuid, id: endpointUuid, room, known: knownVersion },
  }))
  const { rows } = await sql<LaneRow>`
    with wanted as materialized (
      select * from json_to_recordset(${JSON.stringify(lanes)}::json)
        as wanted (place int, workspace_id uuid, id uuid, room int, known int)
    ),
    latest as materialized (
      select wanted.place, lane.owner, lane.lease_until, lane.rest_until, lane.xmin as written_by
      from wanted join webhook_lanes as lane using (workspace_id, id)
      for update of lane skip locked
    ),
    -- The lock shows the lane as it is, all else is read as it was when the statement began. If another process
    -- let go of the lane in between, what it has delivered would look due: such a lane is looked at again.
    locked as materialized (
      select latest.* from latest
        join wanted using (place)
        join webhook_lanes as lane using (workspace_id, id)
      where lane.xmin = latest.written_by or latest.owner = ${owner}::uuid
    ),
    claimed as (
      update webhook_lanes as lane
      set owner = ${owner}::uuid, lease_until = now() + ${leaseSeconds} * interval '1 second'
      from wanted join locked using (place)
        join webhook_endpoints as endpoint
          on endpoint.workspace_id = wanted.workspace_id and endpoint.id = wanted.id
      where lane.workspace_id = wanted.workspace_id and lane.id = wanted.id
        and (locked.owner is null or locked.owner = ${owner}::uuid or locked.lease_until < now())
        and (locked.rest_until is null or locked.rest_until <= ${at})
        and endpoint.status = 'enabled' and endpoint.deleted_at is null
        and exists (
          select from deliveries as one
          where one.workspace_id = lane.workspace_id and one.webhook_endpoint_id = lane.id
            and one.state = 'pending' and one.due_at <= ${at} and ${isFirst})
      returning wanted.place, wanted.room, wanted.known, lane.workspace_id, lane.id, lane.epoch, lane.health,
        lane.probe_wait_seconds, lane.failing_since_at, lane.failed_deliveries, lane.failures_in_a_row,
        lane.warnings, endpoint.version, endpoint.url, endpoint.ordering, endpoint.max_in_flight,
        endpoint.rate_limit, endpoint.timeout_seconds
    ),
    due as materialized (
      select claimed.place, picked.*
      from claimed cross join lateral (
        select one.workspace_id, one.id, one.event_id, one.object_id, one.sequence, one.ordered, one.version,
          one.tries, one.attempts, one.trigger
        from deliveries as one
        where one.workspace_id = claimed.workspace_id and one.webhook_endpoint_id = claimed.id
          and one.state = 'pending' and one.due_at <= ${at} and ${isFirst}
        order by one.due_at limit claimed.room
      ) as picked
    )
    select wanted.place, lane.id is not null as present, locked.place is not null as locked,
      claimed.place is not null as claimed,
      case when lane.owner <> ${owner}::uuid and lane.lease_until >= now() then lane.owner end as other_owner,
      case when lane.rest_until > ${at} then lane.rest_until else (
        select min(later.due_at) from deliveries as later
        where later.workspace_id = wanted.workspace_id and later.webhook_endpoint_id = wanted.id
          and later.state = 'pending' and later.due_at > ${at}
      ) end as next_due_at,
      claimed.epoch, claimed.version, claimed.url, claimed.ordering, claimed.max_in_flight,
      claimed.rate_limit, claimed.timeout_seconds, claimed.health, claimed.probe_wait_seconds,
      claimed.failing_since_at, claimed.failed_deliveries, claimed.failures_in_a_row, claimed.warnings,
      case when claimed.version <> claimed.known then ${secretsOf('claimed')} end as secrets,
      (
        select json_agg(json_build_array(due.id, due.event_id, due.object_id, due.sequence, due.ordered, due.version,
          due.tries, due.attempts, due.trigger))
        from due where due.place = wanted.place
      ) as due,
      -- Each text once, however many lanes it goes to.
      case when wanted.place = 0 then (
        select json_agg(json_build_array(event.id, event.type, event.created_at, event.api_version,
          event.fan_out, event.data))
        from (select distinct workspace_id, event_id from due) as needed
          join events as event on event.workspace_id = needed.workspace_id and event.id = needed.event_id
      ) end as events
    from wanted
      left join locked using (place)
      left join claimed using (place)
      left join webhook_lanes as lane on lane.workspace_id = wanted.workspace_id and lane.id = wanted.id`.execute(
    db,
  )
  return inOrder(rows)
}

function inOrder(rows: readonly LaneRow[]): Refill[] {
  const sorted = rows.toSorted((one, other) => one.place - other.place)
  const events = new Map((sorted[0]?.events ?? []).map((tuple) => [tuple[0], toEvent(tuple)]))
  return sorted.map((row) => toRefill(row, events))
}

function toRefill(row: LaneRow, events: ReadonlyMap<string, EventText>): Refill {
  if (row.other_owner !== null) return { is: 'elsewhere', owner: row.other_owner }
  if (row.claimed) return { is: 'claimed', ...toLane(row, events) }
  // Where there is no lane there is nobody to wait for either.
  return row.locked || !row.present ? { is: 'nothing', nextDueAt: row.next_due_at } : { is: 'busy' }
}

function toLane(row: LaneRow, events: ReadonlyMap<string, EventText>): ClaimedLane {
  return {
    epoch: row.epoch,
    settings: {
      version: row.version,
      url: row.url,
      ordered: row.ordering === 'object',
      maxInFlight: row.max_in_flight,
      rateLimit: row.rate_limit,
      timeoutSeconds: row.timeout_seconds,
    },
    secrets: row.secrets?.map(toSecret) ?? null,
    health: {
      open: row.health === 'open',
      probeWaitSeconds: row.probe_wait_seconds,
      failingSinceAt: row.failing_since_at,
      failedDeliveries: row.failed_deliveries,
      failuresInARow: row.failures_in_a_row,
      warnings: row.warnings,
    },
    due: (row.due ?? []).flatMap((tuple) => toDue(tuple, events)),
    nextDueAt: row.next_due_at,
  }
}

export type SealedSecretRow = {
  readonly id: string
  readonly sealed: string
  readonly expires_at: string | null
}

/** All secrets of the endpoint that the row of this name is about, the newest first. */
export function secretsOf(row: string) {
  return sql<SealedSecretRow[] | null>`(
    select json_agg(json_build_object('id', secret.id, 'sealed', encode(secret.sealed, 'base64'),
      'expires_at', secret.expires_at) order by secret.created_at desc, secret.id desc)
    from webhook_secrets as secret
    where secret.workspace_id = ${sql.ref(`${row}.workspace_id`)}
      and secret.webhook_endpoint_id = ${sql.ref(`${row}.id`)})`
}

export function toSecret(one: SealedSecretRow): SealedSecret {
  return {
    uuid: one.id,
    sealed: Buffer.from(one.sealed, 'base64'),
    expiresAt: one.expires_at === null ? null : new Date(one.expires_at),
  }
}

/** A delivery whose event is not there any more is older than anything we keep. */
function toDue(tuple: DueTuple, events: ReadonlyMap<string, EventText>): DueDelivery[] {
  const [uuid, eventUuid, objectUuid, sequence, ordered, version, tries, attempts, trigger] = tuple
  const event = events.get(eventUuid)
  if (event === undefined) return []
  return [{ uuid, event, objectUuid, sequence, ordered, version, tries, attempts, trigger }]
}

function toEvent([uuid, type, createdAt, apiVersion, fanOut, data]: EventTuple): EventText {
  return { uuid, type, createdAt: new Date(createdAt), apiVersion, fanOut, data }
}

type LaneKey = { readonly workspaceUuid: string; readonly endpointUuid: string }

/**
 * Says that we are still at it. Gives the endpoints of the lanes that another process has taken. One that
 * somebody is changing at this moment is passed over: it is renewed the next time.
 */
export async function renewLeases(db: Db, owner: string, lanes: readonly LaneKey[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    with free as materialized (
      select lane.workspace_id, lane.id from webhook_lanes as lane join ${keysOf(lanes)} using (workspace_id, id)
      where lane.owner = ${owner}::uuid
      order by lane.workspace_id, lane.id for update of lane skip locked
    ),
    renewed as (
      update webhook_lanes as lane set lease_until = now() + ${leaseSeconds} * interval '1 second'
      from free where lane.workspace_id = free.workspace_id and lane.id = free.id
    )
    select lane.id from webhook_lanes as lane join ${keysOf(lanes)} using (workspace_id, id)
    where lane.owner <> ${owner}::uuid`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Lets go of lanes, so that anybody may serve them at once. */
export async function releaseLanes(db: Db, owner: string, lanes: readonly LaneKey[]): Promise<void> {
  await sql`
    update webhook_lanes as lane set owner = null, lease_until = null
    from ${keysOf(lanes)}
    where lane.workspace_id = mine.workspace_id and lane.id = mine.id and lane.owner = ${owner}::uuid`.execute(
    db,
  )
}

function keysOf(lanes: readonly LaneKey[]) {
  return sql`unnest(${lanes.map((lane) => lane.workspaceUuid)}::uuid[],
    ${lanes.map((lane) => lane.endpointUuid)}::uuid[]) as mine (workspace_id, id)`
}

/**
 * Lanes with something due that nobody serves and that do not rest: one step of the index per lane, however
 * many deliveries wait behind it.
 */
export async function dueLanes(db: Db, work: string, now: Reading, limit: number) {
  const at = instantOf(now)
  const { rows } = await sql<{ workspace_id: string; id: string; due_at: Date; mode: Mode }>`
    with recursive lane as (
      (select workspace_id, webhook_endpoint_id as id from deliveries where state = 'pending'
        order by workspace_id, webhook_endpoint_id limit 1)
      union all
      select next.workspace_id, next.webhook_endpoint_id
      from lane cross join lateral (
        select workspace_id, webhook_endpoint_id from deliveries
        where state = 'pending' and (workspace_id, webhook_endpoint_id) > (lane.workspace_id, lane.id)
        order by workspace_id, webhook_endpoint_id limit 1
      ) as next
    )
    select lane.workspace_id, lane.id, first.due_at, workspaces.mode
    from lane
      cross join lateral (
        select due_at from deliveries
        where workspace_id = lane.workspace_id and webhook_endpoint_id = lane.id and state = 'pending'
        order by due_at limit 1
      ) as first
      cross join lateral (
        select owner, lease_until, rest_until from webhook_lanes
        where workspace_id = lane.workspace_id and id = lane.id limit 1
      ) as known
      join workspaces on workspaces.workspace_id = lane.workspace_id
    where first.due_at <= ${at}
      and (known.owner is null or known.lease_until < now())
      and (known.rest_until is null or known.rest_until <= ${at})
      and ${mayBeHandedOut(work, at, { workspace: 'lane.workspace_id', object: 'lane.id' })}
    order by first.due_at limit ${limit}`.execute(db)
  return rows.map((row) => ({
    workspaceId: idFromUuid('workspace', row.mode, row.workspace_id),
    id: idFromUuid('webhook_endpoint', row.mode, row.id),
    dueAt: row.due_at,
  }))
}
