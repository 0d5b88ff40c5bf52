/**
 * Counts the latest deliveries of an endpoint. The cost does not depend on the total number of deliveries.
 */
import { sql } from 'kysely'
import { type Id, idFromUuid, timeOf, uuidOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { DeliveryOutcome, DeliveryState } from '../delivery.ts'
import { consideredDeliveries, type GroupedDeliveries } from '../figures.ts'

export async function groupLatestDeliveries(
  view: View,
  endpointId: Id<'webhook_endpoint'>,
): Promise<GroupedDeliveries> {
  const workspace = sql`${uuidOf(view.caller.workspaceId)}::uuid`
  const endpoint = sql`${uuidOf(endpointId)}::uuid`
  const latest = sql`latest as materialized (
    select id, state from deliveries
    where workspace_id = ${workspace} and webhook_endpoint_id = ${endpoint}
    order by id desc limit ${consideredDeliveries})`
  const states = sql<{ state: DeliveryState; count: number; oldest: string }>`
    with ${latest} select state, count(id)::int as count, min(id::text) as oldest from latest group by state`
  const attempts = sql<{ outcome: DeliveryOutcome; is_first: boolean; durations: number[] }>`
    with ${latest}
    select attempt.outcome, attempt.number = 1 as is_first, array_agg(attempt.duration_ms) as durations
    from latest join delivery_attempts as attempt
      on attempt.workspace_id = ${workspace} and attempt.delivery_id = latest.id
    group by 1, 2`
  const next = sql<{ at: Date | null }>`
    select min(due_at) as at from deliveries
    where workspace_id = ${workspace} and webhook_endpoint_id = ${endpoint} and state = 'pending'`
  const [byState, byOutcome, nextDue] = await Promise.all([
    states.execute(view.db),
    attempts.execute(view.db),
    next.execute(view.db),
  ])
  const [oldest] = byState.rows.map((row) => row.oldest).toSorted()
  return {
    deliveries: byState.rows,
    attempts: byOutcome.rows.map((row) => ({
      outcome: row.outcome,
      isFirst: row.is_first,
      durationsMs: row.durations,
    })),
    sinceAt: oldest === undefined ? null : timeOf(idFromUuid('delivery', view.caller.mode, oldest)),
    nextAttemptAt: nextDue.rows[0]?.at ?? null,
  }
}
