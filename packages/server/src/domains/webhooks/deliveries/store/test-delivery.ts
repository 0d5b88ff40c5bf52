/** Reads a test delivery with all data that a request needs, whatever the state of its endpoint. */
import { sql } from 'kysely'
import type { Db } from '../../../../platform/db/databases.ts'
import {
  type DueDelivery,
  type LaneSettings,
  type SealedSecret,
  type SealedSecretRow,
  secretsOf,
  toSecret,
} from './lanes.ts'

export type TestDelivery = {
  readonly endpointUuid: string
  readonly settings: LaneSettings
  readonly secrets: readonly SealedSecret[]
  readonly delivery: DueDelivery
}

type TestDeliveryRow = {
  endpoint_id: string
  endpoint_version: number
  url: string
  ordering: string
  max_in_flight: number
  rate_limit: number | null
  timeout_seconds: number
  secrets: SealedSecretRow[] | null
  id: string
  object_id: string
  sequence: number
  ordered: boolean
  version: number
  tries: number
  attempts: number
  event_id: string
  type: string
  created_at: Date
  api_version: string
  fan_out: number
  data: string
}

export async function findTestDelivery(
  db: Db,
  workspaceUuid: string,
  uuid: string,
): Promise<TestDelivery | null> {
  const { rows } = await sql<TestDeliveryRow>`
    select endpoint.id as endpoint_id, endpoint.version as endpoint_version, endpoint.url, endpoint.ordering,
      endpoint.max_in_flight, endpoint.rate_limit, endpoint.timeout_seconds,
      ${secretsOf('endpoint')} as secrets,
      delivery.id, delivery.object_id, delivery.sequence, delivery.ordered, delivery.version, delivery.tries,
      delivery.attempts,
      event.id as event_id, event.type, event.created_at, event.api_version, event.fan_out, event.data
    from deliveries as delivery
      join events as event on event.workspace_id = delivery.workspace_id and event.id = delivery.event_id
      join webhook_endpoints as endpoint
        on endpoint.workspace_id = delivery.workspace_id and endpoint.id = delivery.webhook_endpoint_id
    where delivery.workspace_id = ${workspaceUuid}::uuid and delivery.id = ${uuid}::uuid
      and endpoint.deleted_at is null`.execute(db)
  const [row] = rows
  return row === undefined ? null : fromRow(row)
}

function fromRow(row: TestDeliveryRow): TestDelivery {
  return {
    endpointUuid: row.endpoint_id,
    settings: {
      version: row.endpoint_version,
      url: row.url,
      ordered: row.ordering === 'object',
      maxInFlight: row.max_in_flight,
      rateLimit: row.rate_limit,
      timeoutSeconds: row.timeout_seconds,
    },
    // An endpoint has at least one secret, so the fallback is never used.
    secrets: (row.secrets ?? []).map(toSecret),
    delivery: {
      uuid: row.id,
      event: {
        uuid: row.event_id,
        type: row.type,
        createdAt: row.created_at,
        apiVersion: row.api_version,
        fanOut: row.fan_out,
        data: row.data,
      },
      objectUuid: row.object_id,
      sequence: row.sequence,
      ordered: row.ordered,
      version: row.version,
      tries: row.tries,
      attempts: row.attempts,
      trigger: 'test',
    },
  }
}
