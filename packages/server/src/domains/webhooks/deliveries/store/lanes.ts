/**
 * A lane is an endpoint with its due deliveries. One process at a time serves a lane: it holds a lease in
 * `webhook_lanes`. Every statement here handles many lanes, of any workspace.
 */
import { sql } from 'kysely'
import type { Reading } from '../../../../kernel/clock.ts'
import { idFromUuid, type Mode } from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { canBeDispatched, instantOf } from '../../../../platform/db/due.ts'
import type { AttemptTrigger } from '../delivery.ts'

/** A process that does not renew its leases for this long loses its lanes to other processes. */
const leaseSeconds = 15

/**
 * A lane to read, the maximum number of deliveries, and the version of the endpoint whose secrets are cached.
 */
export type RefillRequest = {
  readonly workspaceUuid: string
  readonly endpointUuid: string
  readonly limit: number
  readonly knownVersion: number
}

export type Refill =
  /** This process holds the lease. Contains the due deliveries. */
  | ({ readonly kind: 'claimed' } & ClaimedLane)
  /** Another process holds the lease. */
  | { readonly kind: 'elsewhere'; readonly owner: string }
  /** Another transaction has locked the lane. */
  | { readonly kind: 'locked' }
  | { readonly kind: 'nothing_due'; readonly nextDueAt: Date | null }

export type ClaimedLane = {
  /** Incremented whenever the health is reset. */
  readonly epoch: number
  readonly settings: LaneSettings
  /** Null: the cached version is current. */
  readonly secrets: readonly SealedSecret[] | null
  readonly health: LaneHealth
  readonly due: readonly DueDelivery[]
  /** When the next delivery that is not due yet becomes due. */
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
  readonly event: EventContent
  readonly objectUuid: string
  readonly sequence: number
  /** Whether it waits for earlier deliveries of its object. A delivery that was resent manually does not. */
  readonly ordered: boolean
  readonly version: number
  /** Attempts in the current round; a resend starts a new round. */
  readonly tries: number
  /** The total number of attempts. */
  readonly attempts: number
  readonly trigger: Exclude<AttemptTrigger, 'probe'>
}

/** The content of a request body. All lanes of a refill that get the same event share one object. */
export type EventContent = {
  readonly uuid: string
  readonly type: string
  readonly createdAt: Date
  readonly apiVersion: string
  readonly fanOut: number
  readonly data: string
}

type LaneRow = {
  position: number
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

/** Whether `delivery` does not have to wait for an earlier event of its object. */
const isNotBlocked = sql`(not delivery.ordered or not exists (
  select from deliveries as earlier
  where earlier.workspace_id = delivery.workspace_id and earlier.webhook_endpoint_id = delivery.webhook_endpoint_id
    and earlier.object_id = delivery.object_id and earlier.sequence < delivery.sequence
    and earlier.state = 'pending' and earlier.ordered))`

/**
 * Claims the lanes with due deliveries that no other process serves, and reads these deliveries. The result
 * has the order of `requests`.
 */
export async function refillLanes(
  db: Db,
  owner: string,
  now: Reading,
  requests: readonly RefillRequest[],
): Promise<Refill[]> {
  const at = instantOf(now)
  const lanes = requests.map(({ workspaceUuid, endpointUuid, limit, knownVersion }, position) => ({
    position,
    workspace_id: workspaceUuid,
    id: endpointUuid,
    row_limit: limit,
    known: knownVersion,
  }))
  const { rows } = await sql<LaneRow>`
    with requested as materialized (
      select * from json_to_recordset(${JSON.stringify(lanes)}::json)
        as requested (position int, workspace_id uuid, id uuid, row_limit int, known int)
    ),
    latest as materialized (
      select requested.position, lane.owner, lane.lease_until, lane.rest_until, lane.xmin as written_by
      from requested join webhook_lanes as lane using (workspace_id, id)
      for update of lane skip locked
    ),
    -- The locked row is current, but all other rows are read as of the start of the statement. If another
    -- process released the lane in between, deliveries that it completed would look due, so such a lane is
    -- read again.
    locked as materialized (
      select latest.* from latest
        join requested using (position)
        join webhook_lanes as lane using (workspace_id, id)
      where lane.xmin = latest.written_by or latest.owner = ${owner}::uuid
    ),
    claimed as (
      update webhook_lanes as lane
      set owner = ${owner}::uuid, lease_until = now() + ${leaseSeconds} * interval '1 second'
      from requested join locked using (position)
        join webhook_endpoints as endpoint
          on endpoint.workspace_id = requested.workspace_id and endpoint.id = requested.id
      where lane.workspace_id = requested.workspace_id and lane.id = requested.id
        and (locked.owner is null or locked.owner = ${owner}::uuid or locked.lease_until < now())
        and (locked.rest_until is null or locked.rest_until <= ${at})
        and endpoint.status = 'enabled' and endpoint.deleted_at is null
        and can_change_workspace(lane.workspace_id)
        and exists (
          select from deliveries as delivery
          where delivery.workspace_id = lane.workspace_id and delivery.webhook_endpoint_id = lane.id
            and delivery.state = 'pending' and delivery.due_at <= ${at} and ${isNotBlocked})
      returning requested.position, requested.row_limit, requested.known, lane.workspace_id, lane.id, lane.epoch,
        lane.health, lane.probe_wait_seconds, lane.failing_since_at, lane.failed_deliveries, lane.failures_in_a_row,
        lane.warnings, endpoint.version, endpoint.url, endpoint.ordering, endpoint.max_in_flight,
        endpoint.rate_limit, endpoint.timeout_seconds
    ),
    due as materialized (
      select claimed.position, picked.*
      from claimed cross join lateral (
        select delivery.workspace_id, delivery.id, delivery.event_id, delivery.object_id, delivery.sequence,
          delivery.ordered, delivery.version, delivery.tries, delivery.attempts, delivery.trigger
        from deliveries as delivery
        where delivery.workspace_id = claimed.workspace_id and delivery.webhook_endpoint_id = claimed.id
          and delivery.state = 'pending' and delivery.due_at <= ${at} and ${isNotBlocked}
        order by delivery.due_at limit claimed.row_limit
      ) as picked
    )
    select requested.position, lane.id is not null as present, locked.position is not null as locked,
      claimed.position is not null as claimed,
      case when lane.owner <> ${owner}::uuid and lane.lease_until >= now() then lane.owner end as other_owner,
      case when lane.rest_until > ${at} then lane.rest_until else (
        select min(later.due_at) from deliveries as later
        where later.workspace_id = requested.workspace_id and later.webhook_endpoint_id = requested.id
          and later.state = 'pending' and later.due_at > ${at}
      ) end as next_due_at,
      claimed.epoch, claimed.version, claimed.url, claimed.ordering, claimed.max_in_flight,
      claimed.rate_limit, claimed.timeout_seconds, claimed.health, claimed.probe_wait_seconds,
      claimed.failing_since_at, claimed.failed_deliveries, claimed.failures_in_a_row, claimed.warnings,
      case when claimed.version <> claimed.known then ${secretsOf('claimed')} end as secrets,
      (
        select json_agg(json_build_array(due.id, due.event_id, due.object_id, due.sequence, due.ordered, due.version,
          due.tries, due.attempts, due.trigger))
        from due where due.position = requested.position
      ) as due,
      -- Each event is returned once, even if several lanes get it.
      case when requested.position = 0 then (
        select json_agg(json_build_array(event.id, event.type, event.created_at, event.api_version,
          event.fan_out, event.data))
        from (select distinct workspace_id, event_id from due) as needed
          join events as event on event.workspace_id = needed.workspace_id and event.id = needed.event_id
      ) end as events
    from requested
      left join locked using (position)
      left join claimed using (position)
      left join webhook_lanes as lane on lane.workspace_id = requested.workspace_id and lane.id = requested.id`.execute(
    db,
  )
  return toRefills(rows)
}

function toRefills(rows: readonly LaneRow[]): Refill[] {
  const sorted = rows.toSorted((a, b) => a.position - b.position)
  const events = new Map((sorted[0]?.events ?? []).map((tuple) => [tuple[0], toEvent(tuple)]))
  return sorted.map((row) => toRefill(row, events))
}

function toRefill(row: LaneRow, events: ReadonlyMap<string, EventContent>): Refill {
  if (row.other_owner !== null) return { kind: 'elsewhere', owner: row.other_owner }
  if (row.claimed) return { kind: 'claimed', ...toLane(row, events) }
  // A missing lane has no lock to wait for.
  return row.locked || !row.present ? { kind: 'nothing_due', nextDueAt: row.next_due_at } : { kind: 'locked' }
}

function toLane(row: LaneRow, events: ReadonlyMap<string, EventContent>): ClaimedLane {
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

/** All secrets of the endpoint of this row, newest first. */
export function secretsOf(row: string) {
  return sql<SealedSecretRow[] | null>`(
    select json_agg(json_build_object('id', secret.id, 'sealed', encode(secret.sealed, 'base64'),
      'expires_at', secret.expires_at) order by secret.created_at desc, secret.id desc)
    from webhook_secrets as secret
    where secret.workspace_id = ${sql.ref(`${row}.workspace_id`)}
      and secret.webhook_endpoint_id = ${sql.ref(`${row}.id`)})`
}

export function toSecret(row: SealedSecretRow): SealedSecret {
  return {
    uuid: row.id,
    sealed: Buffer.from(row.sealed, 'base64'),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
  }
}

/** A delivery whose event was deleted at the end of its retention period cannot be sent. */
function toDue(tuple: DueTuple, events: ReadonlyMap<string, EventContent>): DueDelivery[] {
  const [uuid, eventUuid, objectUuid, sequence, ordered, version, tries, attempts, trigger] = tuple
  const event = events.get(eventUuid)
  if (event === undefined) return []
  return [{ uuid, event, objectUuid, sequence, ordered, version, tries, attempts, trigger }]
}

function toEvent([uuid, type, createdAt, apiVersion, fanOut, data]: EventTuple): EventContent {
  return { uuid, type, createdAt: new Date(createdAt), apiVersion, fanOut, data }
}

type LaneKey = { readonly workspaceUuid: string; readonly endpointUuid: string }

/**
 * Renews the leases. Returns the endpoints of lanes that another process has taken over. Locked lanes are
 * skipped and renewed the next time.
 */
export async function renewLeases(db: Db, owner: string, lanes: readonly LaneKey[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    with lockable as materialized (
      select lane.workspace_id, lane.id from webhook_lanes as lane join ${laneKeys(lanes)} using (workspace_id, id)
      where lane.owner = ${owner}::uuid
      order by lane.workspace_id, lane.id for update of lane skip locked
    ),
    renewed as (
      update webhook_lanes as lane set lease_until = now() + ${leaseSeconds} * interval '1 second'
      from lockable where lane.workspace_id = lockable.workspace_id and lane.id = lockable.id
    )
    select lane.id from webhook_lanes as lane join ${laneKeys(lanes)} using (workspace_id, id)
    where lane.owner <> ${owner}::uuid`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Releases lanes, so that other processes can serve them immediately. */
export async function releaseLanes(db: Db, owner: string, lanes: readonly LaneKey[]): Promise<void> {
  await sql`
    update webhook_lanes as lane set owner = null, lease_until = null
    from ${laneKeys(lanes)}
    where lane.workspace_id = lane_key.workspace_id and lane.id = lane_key.id and lane.owner = ${owner}::uuid`.execute(
    db,
  )
}

function laneKeys(lanes: readonly LaneKey[]) {
  return sql`unnest(${lanes.map((lane) => lane.workspaceUuid)}::uuid[],
    ${lanes.map((lane) => lane.endpointUuid)}::uuid[]) as lane_key (workspace_id, id)`
}

/**
 * Lanes with due deliveries that are neither served nor paused. The cost depends on the number of lanes, not
 * on the number of pending deliveries.
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
      ) as stored
      join workspaces on workspaces.workspace_id = lane.workspace_id
    where first.due_at <= ${at}
      and (stored.owner is null or stored.lease_until < now())
      and (stored.rest_until is null or stored.rest_until <= ${at})
      and ${canBeDispatched(work, at, { workspace: 'lane.workspace_id', object: 'lane.id' })}
    order by first.due_at limit ${limit}`.execute(db)
  return rows.map((row) => ({
    workspaceId: idFromUuid('workspace', row.mode, row.workspace_id),
    id: idFromUuid('webhook_endpoint', row.mode, row.id),
    dueAt: row.due_at,
  }))
}
