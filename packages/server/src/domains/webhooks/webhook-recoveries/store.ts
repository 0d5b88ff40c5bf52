import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import { lockName } from '../../../platform/db/name-lock.ts'
import type { WebhookRecoveries } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { Status } from './machine.ts'
import type { RecoverableState, WebhookRecovery } from './webhook-recovery.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'webhook_endpoint_id',
  'since_at',
  'until_at',
  'states',
  'event_types',
  'rate',
  'dry_run',
  'status',
  'matched',
  'released',
  'cursor',
  'due_at',
  'created_at',
  'updated_at',
  'completed_at',
  'version',
] as const
type RecoveryRow = Pick<Selectable<WebhookRecoveries>, (typeof columns)[number]>

/** Finds the running recovery of the endpoint. Concurrent requests wait until the transaction ends. */
export async function lockAndFindRunning(
  tx: Tx,
  endpointId: Id<'webhook_endpoint'>,
): Promise<WebhookRecovery | null> {
  const [workspace, endpoint] = [uuidOf(tx.caller.workspaceId), uuidOf(endpointId)]
  await lockName(tx, `webhook_recoveries of ${endpoint}`)
  // Ids are generated before the lock is taken, so the running recovery may not have the highest id.
  const latest = await tx.db
    .selectFrom('webhook_recoveries')
    .select(columns)
    .where('workspace_id', '=', workspace)
    .where('webhook_endpoint_id', '=', endpoint)
    .orderBy('id', 'desc')
    .limit(20)
    .execute()
  const running = latest.find(({ status }) => status === 'running')
  return running === undefined ? null : fromRow(tx.caller.mode, running)
}

export async function insertRecovery(tx: Tx, recovery: WebhookRecovery): Promise<void> {
  await tx.db
    .insertInto('webhook_recoveries')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(recovery.id),
      webhook_endpoint_id: uuidOf(recovery.webhookEndpointId),
      since_at: recovery.sinceAt,
      until_at: recovery.untilAt,
      states: [...recovery.states],
      event_types: recovery.eventTypes === null ? null : [...recovery.eventTypes],
      rate: recovery.rate,
      dry_run: recovery.dryRun,
      created_at: recovery.createdAt,
      ...changesToRow(tx, recovery),
    })
    .execute()
  tx.wake('webhook_recovery.run', recovery.id, recovery.dueAt)
}

export type Progress = Pick<
  WebhookRecovery,
  'status' | 'matched' | 'released' | 'cursor' | 'dueAt' | 'completedAt'
>

export async function updateRecovery(
  tx: Tx,
  before: WebhookRecovery,
  changes: Partial<Progress>,
): Promise<WebhookRecovery> {
  const row = await tx.db
    .updateTable('webhook_recoveries')
    .set({ ...changesToRow(tx, { ...before, ...changes }), version: before.version + 1 })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  const after = fromRow(tx.caller.mode, row)
  // Schedule the work here, so that no service function can forget it.
  tx.wake('webhook_recovery.run', after.id, after.dueAt)
  return after
}

export async function findRecovery(view: View, text: string): Promise<WebhookRecovery> {
  const row = await byId(view, text).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

export async function lockRecovery(tx: Tx, text: string): Promise<WebhookRecovery> {
  const row = await byId(tx, text).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

export const missing = 'There is no such recovery.'

function byId(view: View, text: string) {
  const uuid =
    uuidFromText('webhook_recovery', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return view.db
    .selectFrom('webhook_recoveries')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export function listRecoveries(view: View, range: IdRange, endpointId: Id<'webhook_endpoint'>) {
  return listRows(view, range, {
    table: 'webhook_recoveries',
    columns,
    only: sql`and webhook_endpoint_id = ${uuidOf(endpointId)}`,
    fromRow,
  })
}

function changesToRow(tx: Tx, progress: Progress) {
  return {
    status: progress.status,
    matched: progress.matched,
    released: progress.released,
    cursor: progress.cursor,
    due_at: progress.dueAt,
    completed_at: progress.completedAt,
    updated_at: tx.now,
  }
}

function fromRow(mode: Mode, row: RecoveryRow): WebhookRecovery {
  return {
    id: idFromUuid('webhook_recovery', mode, row.id),
    webhookEndpointId: idFromUuid('webhook_endpoint', mode, row.webhook_endpoint_id),
    sinceAt: row.since_at,
    untilAt: row.until_at,
    states: row.states as RecoverableState[],
    eventTypes: row.event_types,
    rate: row.rate,
    dryRun: row.dry_run,
    status: row.status as Status,
    matched: row.matched,
    released: row.released,
    cursor: row.cursor,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
    version: row.version,
  }
}
