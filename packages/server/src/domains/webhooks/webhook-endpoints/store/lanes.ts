/** The lane of an endpoint: its health, and when it is swept next. */
import { type Selectable, sql } from 'kysely'
import { addSeconds } from '../../../../kernel/clock.ts'
import { type Id, idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import type { WebhookLanes } from '../../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { type Sweep, secondPassSeconds } from '../sweep.ts'
import type { Health, HealthState } from '../webhook-endpoint.ts'

type Endpoint = Id<'webhook_endpoint'>

const healthColumns = ['id', 'health', 'failing_since_at', 'last_success_at', 'rest_until'] as const
type HealthRow = Pick<Selectable<WebhookLanes>, (typeof healthColumns)[number]>

export async function insertLane(tx: Tx, id: Endpoint): Promise<void> {
  await tx.db.insertInto('webhook_lanes').values(keyOf(tx, id)).execute()
}

export async function findHealth(
  view: View,
  endpoints: readonly Endpoint[],
): Promise<ReadonlyMap<Endpoint, Health>> {
  const rows = await view.db
    .selectFrom('webhook_lanes')
    .select(healthColumns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', sql<string>`any(${endpoints.map(uuidOf)}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [idFromUuid('webhook_endpoint', view.caller.mode, row.id), toHealth(row)]))
}

function toHealth(row: HealthRow): Health {
  return {
    state: row.health as HealthState,
    failingSinceAt: row.failing_since_at,
    lastSuccessAt: row.last_success_at,
    pausedUntil: row.rest_until,
  }
}

/** Resets the health, because the URL changed or the endpoint was enabled again. */
export async function closeBreaker(tx: Tx, id: Endpoint): Promise<void> {
  await sql`
    update webhook_lanes set health = 'healthy', failing_since_at = null, rest_until = null, probe_wait_seconds = 0,
      failed_deliveries = 0, failures_in_a_row = 0, warnings = 0, epoch = epoch + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)}`.execute(tx.db)
  tx.wake('webhook_endpoint.deliver', id, tx.now)
}

/** Whether the health was not reset since `epoch`. The caller holds the lock on the endpoint. */
export async function isCurrentEpoch(tx: Tx, id: Endpoint, epoch: number): Promise<boolean> {
  const { rows } = await sql`
    select from webhook_lanes
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)}
      and epoch = ${epoch}::int`.execute(tx.db)
  return rows.length > 0
}

/** Returns whether this warning level is new. */
export async function recordWarning(
  tx: Tx,
  id: Endpoint,
  { level, epoch }: { readonly level: number; readonly epoch: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhook_lanes set warnings = ${level}::int
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)} and warnings < ${level}::int
      and epoch = ${epoch}::int`.execute(tx.db)
  return numAffectedRows === 1n
}

/** Returns whether a warning was emitted before, so that the recovery must be emitted. */
export async function recordRecovery(tx: Tx, id: Endpoint): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhook_lanes set warnings = 0, health = 'healthy', failing_since_at = null
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)} and warnings > 0`.execute(
    tx.db,
  )
  return numAffectedRows === 1n
}

/**
 * Schedules a sweep after the endpoint was enabled, disabled or deleted: now, and once more when no
 * transaction that read the old status can be running.
 */
export async function scheduleSweep(tx: Tx, id: Endpoint, releaseHeld: boolean): Promise<void> {
  const sweep_until = addSeconds(tx.now, secondPassSeconds)
  await update(tx, id, { sweep_at: tx.now, sweep_until, release_held: releaseHeld })
  tx.wake('webhook_endpoint.sweep', id, tx.now)
}

/** Schedules a sweep no later than `at`. */
export async function scheduleSweepBy(tx: Tx, id: Endpoint, at: Date): Promise<void> {
  const { rows } = await sql<{ sweep_at: Date }>`
    update webhook_lanes set sweep_at = least(sweep_at, ${at})
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)} returning sweep_at`.execute(
    tx.db,
  )
  tx.wake('webhook_endpoint.sweep', id, rows[0]?.sweep_at ?? null)
}

export async function lockSweep(tx: Tx, id: Endpoint): Promise<Sweep> {
  const { workspace_id, id: uuid } = keyOf(tx, id)
  const row = await tx.db
    .selectFrom('webhook_lanes')
    .select(['sweep_at', 'sweep_until', 'release_held'])
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', uuid)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return { sweepAt: row.sweep_at, sweepUntil: row.sweep_until, releaseHeld: row.release_held }
}

export async function updateSweep(tx: Tx, id: Endpoint, sweep: Sweep): Promise<void> {
  const { sweepAt: sweep_at, sweepUntil: sweep_until, releaseHeld: release_held } = sweep
  await update(tx, id, { sweep_at, sweep_until, release_held })
  tx.wake('webhook_endpoint.sweep', id, sweep_at)
}

async function update(tx: Tx, id: Endpoint, changes: Partial<Selectable<WebhookLanes>>): Promise<void> {
  const { workspace_id, id: uuid } = keyOf(tx, id)
  await tx.db
    .updateTable('webhook_lanes')
    .set(changes)
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', uuid)
    .execute()
}

function keyOf(tx: Tx, id: Endpoint) {
  return { workspace_id: uuidOf(tx.caller.workspaceId), id: uuidOf(id) }
}
