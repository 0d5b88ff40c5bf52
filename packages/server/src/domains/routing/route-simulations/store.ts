/**
 * Rows of route simulations. Saving progress increments only the version; a change with an event also
 * increments the sequence.
 */
import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import { lockName } from '../../../platform/db/name-lock.ts'
import type { RouteSimulations } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { Status } from './machine.ts'
import type { Result } from './result.ts'
import type { RouteSimulation, Scope } from './route-simulation.ts'
import type { Tally } from './tally.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'payment_route_id',
  'revision',
  'against',
  'from_at',
  'to_at',
  'payments',
  'status',
  'total',
  'done',
  'cursor',
  'tally',
  'result',
  'due_at',
  'created_at',
  'updated_at',
  'completed_at',
  'version',
  'sequence',
  'against_payment_route_id',
] as const
type SimulationRow = Pick<Selectable<RouteSimulations>, (typeof columns)[number]>

export async function insertSimulation(tx: Tx, simulation: RouteSimulation): Promise<void> {
  await tx.db
    .insertInto('route_simulations')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(simulation.id),
      payment_route_id: uuidOf(simulation.paymentRouteId),
      revision: simulation.revision,
      against: simulation.against,
      against_payment_route_id: simulation.againstRouteId === null ? null : uuidOf(simulation.againstRouteId),
      from_at: simulation.fromAt,
      to_at: simulation.toAt,
      payments: simulation.payments,
      created_at: simulation.createdAt,
      ...changesToRow(tx, simulation),
    })
    .execute()
  tx.wake('route_simulation.run', simulation.id, simulation.dueAt)
}

export type Progress = Pick<RouteSimulation, 'total' | 'done' | 'cursor' | 'tally' | 'dueAt'>
export type SimulationEnd = Pick<RouteSimulation, 'status' | 'result' | 'completedAt'>

/** Writes progress, for which no event is emitted. */
export function updateProgress(
  tx: Tx,
  before: RouteSimulation,
  changes: Partial<Progress>,
): Promise<RouteSimulation> {
  return write(tx, before, { ...before, ...changes })
}

/** Writes a change that emits one event: increments the version and the event sequence by one. */
export function updateWithEvent(
  tx: Tx,
  before: RouteSimulation,
  changes: Partial<Progress & SimulationEnd>,
): Promise<RouteSimulation> {
  return write(tx, before, { ...before, ...changes, sequence: before.sequence + 1 })
}

async function write(tx: Tx, before: RouteSimulation, after: RouteSimulation): Promise<RouteSimulation> {
  const row = await tx.db
    .updateTable('route_simulations')
    .set({ ...changesToRow(tx, after), version: before.version + 1, sequence: after.sequence })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  // Every write of the due column schedules the work, so that no service function can forget it.
  tx.wake('route_simulation.run', before.id, after.dueAt)
  return fromRow(tx.caller.mode, row)
}

function changesToRow(tx: Tx, simulation: RouteSimulation) {
  const { tally, result } = simulation
  return {
    status: simulation.status,
    total: simulation.total,
    done: simulation.done,
    cursor: simulation.cursor,
    tally: tally === null ? null : JSON.stringify(tally),
    result: result === null ? null : JSON.stringify(result),
    due_at: simulation.dueAt,
    completed_at: simulation.completedAt,
    updated_at: tx.now,
  }
}

/** The running simulation of the route. Until the transaction ends, concurrent requests wait. */
export async function lockRunning(
  tx: Tx,
  routeId: Id<'payment_route'>,
): Promise<Pick<RouteSimulation, 'id' | 'status'> | null> {
  const [workspace, route] = [uuidOf(tx.caller.workspaceId), uuidOf(routeId)]
  await lockName(tx, `route_simulations of ${route}`)
  const row = await tx.db
    .selectFrom('route_simulations')
    .select(['id', 'status'])
    .where('workspace_id', '=', workspace)
    .where('payment_route_id', '=', route)
    .where('status', '=', 'running')
    .executeTakeFirst()
  if (row === undefined) return null
  return { id: idFromUuid('route_simulation', tx.caller.mode, row.id), status: row.status as Status }
}

export const missing = 'There is no such route simulation.'

export async function findSimulation(view: View, text: string): Promise<RouteSimulation> {
  const row = await byId(view, text).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

export async function lockSimulation(tx: Tx, text: string): Promise<RouteSimulation> {
  const row = await byId(tx, text).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

function byId(view: View, text: string) {
  const uuid =
    uuidFromText('route_simulation', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return view.db
    .selectFrom('route_simulations')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export function listSimulations(view: View, range: IdRange, routeId: Id<'payment_route'>) {
  return listRows(view, range, {
    table: 'route_simulations',
    columns,
    only: sql`and payment_route_id = ${uuidOf(routeId)}`,
    fromRow,
  })
}

function fromRow(mode: Mode, row: SimulationRow): RouteSimulation {
  return {
    id: idFromUuid('route_simulation', mode, row.id),
    paymentRouteId: idFromUuid('payment_route', mode, row.payment_route_id),
    revision: row.revision,
    againstRouteId: againstRouteOf(mode, row),
    against: row.against,
    fromAt: row.from_at,
    toAt: row.to_at,
    payments: row.payments as Scope,
    status: row.status as Status,
    total: row.total,
    done: row.done,
    cursor: row.cursor,
    tally: row.tally as Tally | null,
    result: row.result as Result | null,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
    version: row.version,
    sequence: row.sequence,
  }
}

/** Rows from before the column was added compare two revisions of the simulated route. */
function againstRouteOf(mode: Mode, row: SimulationRow): Id<'payment_route'> | null {
  if (row.against === null) return null
  return idFromUuid('payment_route', mode, row.against_payment_route_id ?? row.payment_route_id)
}
