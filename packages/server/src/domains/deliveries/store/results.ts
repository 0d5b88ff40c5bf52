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
  /** Those behind it wait as long, if the endpoint wants the events of an object in order. */
  readonly ahead: {
    readonly endpointUuid: string
    readonly objectUuid: string
    readonly sequence: number
  } | null
}

/** What changed about a lane. Members that are left out stay as they are. */
export type LaneChange = {
  readonly workspaceUuid: string
  readonly endpointUuid: string
  readonly health: 'healthy' | 'failing' | 'open'
  readonly restSeconds: number | null
  readonly probeWaitSeconds: number
  readonly failingSinceAt: Date | null
  readonly failedDeliveries: number
  readonly warnings: number
  readonly succeeded: boolean
  readonly release: boolean
}

/** Applied twice it changes nothing: what is logged is not logged again, and versions have moved on. */
export async function writeResults(
  db: Db,
  owner: string,
  now: Reading,
  { results, lanes }: { readonly results: readonly Result[]; readonly lanes: readonly LaneChange[] },
): Promise<void> {
  const at = instantOf(now)
  await sql`
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
        trigger = 'schedule',
        tries = result.tries,
        attempts = case when result.outcome is null then one.attempts else result.number end,
        last_outcome = coalesce(result.outcome, one.last_outcome),
        last_status = case when result.outcome is null then one.last_status else result.status end,
        exhaustions = one.exhaustions + result.told::int,
        settled_at = case when result.state = 'pending' then null else ${at} end,
        version = one.version + 1
      from result
      where one.workspace_id = result.workspace_id and one.id = result.id and one.version = result.version
    ),
    behind as (
      update deliveries as later set due_at = ${at} + result.wait * interval '1 second'
      from result
      where result.endpoint_id is not null and result.wait is not null
        and later.workspace_id = result.workspace_id and later.webhook_endpoint_id = result.endpoint_id
        and later.object_id = result.object_id and later.sequence > result.sequence
        and later.state = 'pending' and later.ordered
        and later.due_at < ${at} + result.wait * interval '1 second'
    )
    update webhook_lanes as known set
      health = lane.health,
      rest_until = ${at} + lane.rest * interval '1 second',
      probe_wait_seconds = lane.probe_wait,
      failing_since_at = lane.failing_since_at,
      failed_deliveries = lane.failed_deliveries,
      warnings = lane.warnings,
      last_success_at = case when lane.succeeded then ${at} else known.last_success_at end,
      owner = case when lane.release then null else known.owner end,
      lease_until = case when lane.release then null else known.lease_until end
    from lane
    where known.workspace_id = lane.workspace_id and known.id = lane.id and known.owner = ${owner}::uuid`.execute(
    db,
  )
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
    ...(attempt === null ? {} : attemptToRow(attempt)),
  }))
  return sql`
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as result (workspace_id uuid, id uuid, version int,
      state text, told boolean, tries int, attempts int, wait float8, endpoint_id uuid, object_id uuid, sequence int,
      trigger text, started_at timestamptz, duration_ms int, dns_ms int, connect_ms int, tls_ms int,
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
    health: lane.health,
    rest: lane.restSeconds,
    probe_wait: lane.probeWaitSeconds,
    failing_since_at: lane.failingSinceAt,
    failed_deliveries: lane.failedDeliveries,
    warnings: lane.warnings,
    succeeded: lane.succeeded,
    release: lane.release,
  }))
  return sql`
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as lane (workspace_id uuid, id uuid, health text,
      rest float8, probe_wait int, failing_since_at timestamptz, failed_deliveries int, warnings int,
      succeeded boolean, release boolean)`
}
