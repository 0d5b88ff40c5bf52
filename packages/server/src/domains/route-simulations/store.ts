/** Rows of dry runs. Progress moves the version; what is told moves the sequence too. */
import { type Selectable, sql } from 'kysely'
import { refuse } from '../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../kernel/id.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { listRows } from '../../platform/db/list-rows.ts'
import type { RouteSimulations } from '../../platform/db/tables.generated.ts'
import { Overtaken, type Tx, type View } from '../../platform/db/unit-of-work.ts'
import type { Status } from './machine.ts'
import type { Result } from './result.ts'
import type { RouteSimulation, Scope } from './route-simulation.ts'
import type { Tally } from './tally.ts'

/** By name, never `*`: a column that a migration adds must not change what a running process has prepared. */
const columns = [
  ...(['id', 'payment_route_id', 'revision', 'against', 'from_at', 'to_at', 'payments', 'status'] as const),
  ...(['total', 'done', 'cursor', 'tally', 'result', 'due_at', 'created_at', 'updated_at'] as const),
  ...(['completed_at', 'version', 'sequence'] as const),
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
export type End = Pick<RouteSimulation, 'status' | 'result' | 'completedAt'>

/** Of which nobody is told. */
export function updateProgress(
  tx: Tx,
  before: RouteSimulation,
  changes: Partial<Progress>,
): Promise<RouteSimulation> {
  return write(tx, before, { ...before, ...changes })
}

/** A change the world is told of: one version, one step of the event sequence. */
export function updateTold(
  tx: Tx,
  before: RouteSimulation,
  changes: Partial<Progress & End>,
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
  if (row === undefined) throw new Overtaken(before.id)
  // Whoever writes the due column rings, so no verb can forget to.
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

/** The one that runs for the route. Until the unit ends, others that ask wait for its answer. */
export async function lockRunning(
  tx: Tx,
  routeId: Id<'payment_route'>,
): Promise<Pick<RouteSimulation, 'id' | 'status'> | null> {
  const [workspace, route] = [uuidOf(tx.caller.workspaceId), uuidOf(routeId)]
  // There is no row to lock for one that does not exist yet.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`route_simulations of ${route}`}, 0))`.execute(
    tx.db,
  )
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
