/** What became of attempts, for many deliveries of any workspace in one statement. */
import { type RawBuilder, sql } from 'kysely'
import type { Reading } from '../../../kernel/clock.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { instantOf } from '../../../platform/db/due.ts'
import type { Attempt, DeliveryState } from '../delivery.ts'

export type Result = {
  readonly workspaceUuid: string
  readonly deliveryUuid: string
  /** What it was when it was handed out. A delivery that was changed since keeps what it has. */
  readonly version: number
  readonly state: DeliveryState
  /** Whether an event tells that it was given up. Such events are counted, without a gap. */
  readonly told: boolean
  readonly tries: number
  readonly attempts: number
  /** Until it is due again; null if it is settled. */
  readonly waitSeconds: number | null
  /** Null: there was none, the fault was ours. */
  readonly attempt:
    | (Omit<Attempt, 'nextAttemptAt' | 'secretIds'> & { readonly secretUuids: readonly string[] })
    | null
  /** Its place among the events of its object, if the endpoint wants them in order. */
  readonly ahead: {
    readonly endpointUuid: string
    readonly objectUuid: string
    readonly sequence: number
    /** Whether those behind it wait as long as it does. One that was sent again by hand keeps nobody waiting. */
    readonly holdsUp: boolean
  } | null
}

/** How a lane fares, written as a whole. */
export type LaneChange = {
  readonly workspaceUuid: string
  readonly endpointUuid: string
  /** What is known of a receiver counts only until somebody has it forgotten. */
  readonly epoch: number
  readonly health: 'healthy' | 'failing' | 'open'
  readonly restSeconds: number | null
  readonly probeWaitSeconds: number
  readonly failingSinceAt: Date | null
  readonly failedDeliveries: number
  readonly failuresInARow: number
  readonly succeeded: boolean
  readonly release: boolean
}

/**
 * Applied twice it changes nothing: what is logged is not logged again, and versions have moved on. Gives the
 * endpoints of lanes that somebody is changing at this moment: nothing was written of those.
 */
export async function writeResults(
  db: Db,
  owner: string,
  now: Reading,
  { results, lanes }: { readonly results: readonly Result[]; readonly lanes: readonly LaneChange[] },
): Promise<ReadonlySet<string>> {
  const at = instantOf(now)
  const { rows } = await sql<{ id: string }>`
    with given as materialized (${resultsOf(results)}),
    -- An attempt that was under way while somebody had it sent again is logged too, so numbers are asked for.
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
    lane as materialized (${lanesOf(lanes)}),
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
      update deliveries as one set
        state = result.state,
        due_at = coalesce(${at} + result.wait * interval '1 second', one.due_at),
        -- A trial stays one: it is not sent again with others.
        trigger = case when one.trigger = 'test' then 'test' else 'schedule' end,
        tries = result.tries,
        attempts = case when result.outcome is null then one.attempts else result.number end,
        last_outcome = coalesce(result.outcome, one.last_outcome),
        last_status = case when result.outcome is null then one.last_status else result.status end,
        exhaustions = one.exhaustions + result.told::int,
        settled_at = case when result.state = 'pending' then null else ${at} end,
        version = one.version + 1
      from result
      where one.workspace_id = result.workspace_id and one.id = result.id and one.version = result.version
      returning one.workspace_id, one.id
    ),
    behind as (
      update deliveries as later set due_at = ${at} + coalesce(result.wait, 0) * interval '1 second'
      from result join applied using (workspace_id, id)
      where result.endpoint_id is not null
        and later.workspace_id = result.workspace_id and later.webhook_endpoint_id = result.endpoint_id
        and later.object_id = result.object_id and later.sequence > result.sequence
        and later.state = 'pending' and later.ordered
        and case when result.wait is null then later.tries = 0 and later.due_at > ${at} and not ${isHeldUp}
          else result.holds_up and later.due_at < ${at} + result.wait * interval '1 second' end
    ),
    free as materialized (
      select known.workspace_id, known.id from webhook_lanes as known join lane using (workspace_id, id)
      where known.owner = ${owner}::uuid
      order by known.workspace_id, known.id for update of known skip locked
    ),
    noted as (${noteLanes(at)})
    select known.id from webhook_lanes as known join lane using (workspace_id, id)
    where known.owner = ${owner}::uuid
      and not exists (select from free where free.workspace_id = known.workspace_id and free.id = known.id)`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Whether `later` waits for another than the one that was just settled. */
const isHeldUp = sql`exists (
  select from deliveries as earlier
  where earlier.workspace_id = later.workspace_id and earlier.webhook_endpoint_id = later.webhook_endpoint_id
    and earlier.object_id = later.object_id and earlier.sequence < later.sequence
    and earlier.state = 'pending' and earlier.ordered and earlier.id <> result.id)`

/** Who was asked to forget is not reminded by a process that has not heard of it. */
function noteLanes(at: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    update webhook_lanes as known set
      health = case when known.epoch = lane.epoch then lane.health else known.health end,
      rest_until = case when known.epoch = lane.epoch then ${at} + lane.rest * interval '1 second'
        else known.rest_until end,
      probe_wait_seconds = case when known.epoch = lane.epoch then lane.probe_wait else known.probe_wait_seconds end,
      failing_since_at = case when known.epoch = lane.epoch then lane.failing_since_at
        else known.failing_since_at end,
      failed_deliveries = case when known.epoch = lane.epoch then lane.failed_deliveries
        else known.failed_deliveries end,
      failures_in_a_row = case when known.epoch = lane.epoch then lane.failures_in_a_row
        else known.failures_in_a_row end,
      last_success_at = case when lane.succeeded then ${at} else known.last_success_at end,
      owner = case when lane.release then null else known.owner end,
      lease_until = case when lane.release then null else known.lease_until end
    from lane join free using (workspace_id, id)
    where known.workspace_id = lane.workspace_id and known.id = lane.id`
}

function resultsOf(results: readonly Result[]): RawBuilder<unknown> {
  const rows = results.map(({ attempt, ahead, ...result }) => ({
    workspace_id: result.workspaceUuid,
    id: result.deliveryUuid,
    version: result.version,
    state: result.state,
    told: result.told,
    tries: result.tries,
    attempts: result.attempts,
    wait: result.waitSeconds,
    endpoint_id: ahead?.endpointUuid,
    object_id: ahead?.objectUuid,
    sequence: ahead?.sequence,
    holds_up: ahead?.holdsUp,
    ...(attempt === null ? {} : attemptToRow(attempt)),
  }))
  return sql`
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as result (workspace_id uuid, id uuid, version int,
      state text, told boolean, tries int, attempts int, wait float8, endpoint_id uuid, object_id uuid, sequence int,
      holds_up boolean, trigger text, started_at timestamptz, duration_ms int, dns_ms int, connect_ms int, tls_ms int,
      first_byte_ms int, connection_reused boolean, outcome text, status int2, remote_ip text, detail text,
      response_headers jsonb, response_body text, signature_digest text, webhook_signature text,
      webhook_timestamp bigint, secret_ids uuid[], worker uuid)`
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

function lanesOf(lanes: readonly LaneChange[]): RawBuilder<unknown> {
  const rows = lanes.map((lane) => ({
    workspace_id: lane.workspaceUuid,
    id: lane.endpointUuid,
    epoch: lane.epoch,
    health: lane.health,
    rest: lane.restSeconds,
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
      failures_in_a_row int, epoch int, succeeded boolean, release boolean)`
}
