/** Writes results of attempts, for many deliveries of any workspace in one statement. */
import { type RawBuilder, sql } from 'kysely'
import type { Reading } from '../../../../kernel/clock.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { instantOf } from '../../../../platform/db/due.ts'
import type { Attempt, DeliveryState } from '../delivery.ts'

export type Result = {
  readonly workspaceUuid: string
  readonly deliveryUuid: string
  /** The version when the attempt started. If the delivery was changed since, its state is not updated. */
  readonly version: number
  readonly state: DeliveryState
  /** Whether `delivery.exhausted` is emitted. These events are counted, and the count is their `sequence`. */
  readonly emitsEvent: boolean
  readonly tries: number
  readonly attempts: number
  /** The wait until the delivery is due again; null if it has ended. */
  readonly waitSeconds: number | null
  /** Null: the request failed because of an internal error, which does not count as an attempt. */
  readonly attempt:
    | (Omit<Attempt, 'nextAttemptAt' | 'secretIds'> & { readonly secretUuids: readonly string[] })
    | null
  /** The position of the event among the events of its object, if the endpoint is ordered. */
  readonly orderPosition: {
    readonly endpointUuid: string
    readonly objectUuid: string
    readonly sequence: number
    /** Whether later events wait for this delivery. A delivery that was resent manually delays none. */
    readonly delaysLater: boolean
  } | null
}

/** The complete new state of a lane. */
export type LaneChange = {
  readonly workspaceUuid: string
  readonly endpointUuid: string
  /** The health is only written if it was not reset since this epoch. */
  readonly epoch: number
  readonly health: 'healthy' | 'failing' | 'open'
  readonly pauseSeconds: number | null
  readonly probeWaitSeconds: number
  readonly failingSinceAt: Date | null
  readonly failedDeliveries: number
  readonly failuresInARow: number
  readonly succeeded: boolean
  readonly release: boolean
}

/**
 * Writes results and lanes. Repeating the write has no effect: logged attempts are skipped, and the versions
 * have changed. Returns the endpoints of locked lanes, whose state was not written.
 */
export async function writeResults(
  db: Db,
  owner: string,
  now: Reading,
  { results, lanes }: { readonly results: readonly Result[]; readonly lanes: readonly LaneChange[] },
): Promise<ReadonlySet<string>> {
  const at = instantOf(now)
  const { rows } = await sql<{ id: string }>`
    with given as materialized (${resultRows(results)}),
    -- An attempt that was in flight during a resend is logged too, so its number is the next free one.
    result as materialized (
      select given.*, greatest(given.attempts, 1 + coalesce((
          select max(earlier.number) from delivery_attempts as earlier
          where earlier.workspace_id = given.workspace_id and earlier.delivery_id = given.id), 0)) as number,
        exists (
          select from delivery_attempts as same
          where same.workspace_id = given.workspace_id and same.delivery_id = given.id
            and same.worker = given.worker and same.started_at = given.started_at) as is_logged
      from given
    ),
    lane as materialized (${laneRows(lanes)}),
    logged as (
      insert into delivery_attempts (workspace_id, delivery_id, number, trigger, started_at, duration_ms, dns_ms,
        connect_ms, tls_ms, first_byte_ms, connection_reused, outcome, status, remote_ip, detail, response_headers,
        response_body, signature_digest, webhook_signature, webhook_timestamp, secret_ids, next_attempt_at, worker)
      select workspace_id, id, number, trigger, started_at, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms,
        connection_reused, outcome, status, remote_ip, detail, response_headers, response_body, signature_digest,
        webhook_signature, webhook_timestamp, secret_ids, ${at} + wait * interval '1 second', worker
      from result where outcome is not null and not is_logged
      on conflict do nothing
    ),
    applied as (
      update deliveries as delivery set
        state = result.state,
        due_at = coalesce(${at} + result.wait * interval '1 second', delivery.due_at),
        -- A test event keeps its trigger, so that recoveries do not resend it.
        trigger = case when delivery.trigger = 'test' then 'test' else 'schedule' end,
        tries = result.tries,
        attempts = case when result.outcome is null then delivery.attempts else result.number end,
        last_outcome = coalesce(result.outcome, delivery.last_outcome),
        last_status = case when result.outcome is null then delivery.last_status else result.status end,
        exhaustions = delivery.exhaustions + result.emits_event::int,
        settled_at = case when result.state = 'pending' then null else ${at} end,
        version = delivery.version + 1
      from result
      where delivery.workspace_id = result.workspace_id and delivery.id = result.id and delivery.version = result.version
      returning delivery.workspace_id, delivery.id
    ),
    rescheduled as (
      update deliveries as later set due_at = ${at} + coalesce(result.wait, 0) * interval '1 second'
      from result join applied using (workspace_id, id)
      where result.endpoint_id is not null
        and later.workspace_id = result.workspace_id and later.webhook_endpoint_id = result.endpoint_id
        and later.object_id = result.object_id and later.sequence > result.sequence
        and later.state = 'pending' and later.ordered
        and case when result.wait is null then later.tries = 0 and later.due_at > ${at} and not ${isBlockedByOther}
          else result.delays_later and later.due_at < ${at} + result.wait * interval '1 second' end
    ),
    lockable as materialized (
      select stored.workspace_id, stored.id from webhook_lanes as stored join lane using (workspace_id, id)
      where stored.owner = ${owner}::uuid
      order by stored.workspace_id, stored.id for update of stored skip locked
    ),
    updated as (${updateLanes(at)})
    select stored.id from webhook_lanes as stored join lane using (workspace_id, id)
    where stored.owner = ${owner}::uuid
      and not exists (select from lockable where lockable.workspace_id = stored.workspace_id and lockable.id = stored.id)`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Whether `later` still waits for an earlier delivery other than `result`. */
const isBlockedByOther = sql`exists (
  select from deliveries as earlier
  where earlier.workspace_id = later.workspace_id and earlier.webhook_endpoint_id = later.webhook_endpoint_id
    and earlier.object_id = later.object_id and earlier.sequence < later.sequence
    and earlier.state = 'pending' and earlier.ordered and earlier.id <> result.id)`

/** Updates the lanes. Health from before a reset is ignored. */
function updateLanes(at: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    update webhook_lanes as stored set
      health = case when stored.epoch = lane.epoch then lane.health else stored.health end,
      rest_until = case when stored.epoch = lane.epoch then ${at} + lane.rest * interval '1 second'
        else stored.rest_until end,
      probe_wait_seconds = case when stored.epoch = lane.epoch then lane.probe_wait else stored.probe_wait_seconds end,
      failing_since_at = case when stored.epoch = lane.epoch then lane.failing_since_at
        else stored.failing_since_at end,
      failed_deliveries = case when stored.epoch = lane.epoch then lane.failed_deliveries
        else stored.failed_deliveries end,
      failures_in_a_row = case when stored.epoch = lane.epoch then lane.failures_in_a_row
        else stored.failures_in_a_row end,
      last_success_at = case when lane.succeeded then ${at} else stored.last_success_at end,
      owner = case when lane.release then null else stored.owner end,
      lease_until = case when lane.release then null else stored.lease_until end
    from lane join lockable using (workspace_id, id)
    where stored.workspace_id = lane.workspace_id and stored.id = lane.id`
}

function resultRows(results: readonly Result[]): RawBuilder<unknown> {
  const rows = results.map(({ attempt, orderPosition, ...result }) => ({
    workspace_id: result.workspaceUuid,
    id: result.deliveryUuid,
    version: result.version,
    state: result.state,
    emits_event: result.emitsEvent,
    tries: result.tries,
    attempts: result.attempts,
    wait: result.waitSeconds,
    endpoint_id: orderPosition?.endpointUuid,
    object_id: orderPosition?.objectUuid,
    sequence: orderPosition?.sequence,
    delays_later: orderPosition?.delaysLater,
    ...(attempt === null ? {} : attemptToRow(attempt)),
  }))
  return sql`
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as result (workspace_id uuid, id uuid, version int,
      state text, emits_event boolean, tries int, attempts int, wait float8, endpoint_id uuid, object_id uuid, sequence int,
      delays_later boolean, trigger text, started_at timestamptz, duration_ms int, dns_ms int, connect_ms int, tls_ms int,
      first_byte_ms int, connection_reused boolean, outcome text, status int2, remote_ip text, detail text,
      response_headers jsonb, response_body text, signature_digest text, webhook_signature text,
      webhook_timestamp bigint, secret_ids uuid[], worker uuid)
    where can_change_workspace(workspace_id)`
}

function attemptToRow(attempt: NonNullable<Result['attempt']>) {
  return {
    trigger: attempt.trigger,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    dns_ms: attempt.dnsMs,
    connect_ms: attempt.connectMs,
    tls_ms: attempt.tlsMs,
    first_byte_ms: attempt.firstByteMs,
    connection_reused: attempt.connectionReused,
    outcome: attempt.outcome,
    status: attempt.status,
    remote_ip: attempt.remoteIp,
    detail: attempt.detail,
    response_headers: attempt.responseHeaders,
    response_body: attempt.responseBody,
    signature_digest: attempt.signatureDigest,
    webhook_signature: attempt.webhookSignature,
    webhook_timestamp: attempt.webhookTimestamp,
    secret_ids: attempt.secretUuids,
    worker: attempt.worker,
  }
}

function laneRows(lanes: readonly LaneChange[]): RawBuilder<unknown> {
  const rows = lanes.map((lane) => ({
    workspace_id: lane.workspaceUuid,
    id: lane.endpointUuid,
    epoch: lane.epoch,
    health: lane.health,
    rest: lane.pauseSeconds,
    probe_wait: lane.probeWaitSeconds,
    failing_since_at: lane.failingSinceAt,
    failed_deliveries: lane.failedDeliveries,
    failures_in_a_row: lane.failuresInARow,
    succeeded: lane.succeeded,
    release: lane.release,
  }))
  return sql`
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as lane (workspace_id uuid, id uuid, health text,
      rest float8, probe_wait int, failing_since_at timestamptz, failed_deliveries int,
      failures_in_a_row int, epoch int, succeeded boolean, release boolean)
    where can_change_workspace(workspace_id)`
}
