/** Rows of payment routes. Revisions and publications are append-only. */
import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { listRows } from '../../../../platform/db/list-rows.ts'
import { lockName } from '../../../../platform/db/name-lock.ts'
import type { PaymentRoutes } from '../../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import { paymentRouteMachine, type Status } from '../machine.ts'
import { maxCounts, type RouteHead } from '../payment-route.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'status',
  'is_default',
  'revision',
  'latest_revision',
  'metadata',
  'created_at',
  'updated_at',
  'deleted_at',
  'version',
  'sequence',
] as const
type RouteRow = Pick<Selectable<PaymentRoutes>, (typeof columns)[number]>

export const missing = 'There is no such payment route.'

/** Until the transaction ends, no other transaction can create a route or choose a default. */
export async function lockRoutes(tx: Tx): Promise<void> {
  const name = `payment_routes of ${uuidOf(tx.caller.workspaceId)}`
  await lockName(tx, name)
}

/** Archived routes do not count. */
export async function isAtLimit(tx: Tx): Promise<boolean> {
  const rows = await rowsOf(tx).where('status', '=', 'active').limit(maxCounts.routes).execute()
  return rows.length >= maxCounts.routes
}

type NewRoute = Pick<RouteHead, 'isDefault' | 'revision' | 'metadata'>

export async function insertRoute(tx: Tx, route: NewRoute): Promise<RouteHead> {
  const row = await tx.db
    .insertInto('payment_routes')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('payment_route')),
      status: paymentRouteMachine.initial,
      is_default: route.isDefault,
      revision: route.revision,
      latest_revision: 1,
      metadata: JSON.stringify(route.metadata),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

type Changes = Partial<
  Pick<RouteHead, 'status' | 'isDefault' | 'revision' | 'latestRevision' | 'metadata' | 'deletedAt'>
>

/** Writes a change that emits one event: increments the version and the event sequence by one. */
export async function updateRoute(tx: Tx, before: RouteHead, changes: Changes): Promise<RouteHead> {
  const after = { ...before, ...changes }
  const row = await tx.db
    .updateTable('payment_routes')
    .set({
      status: after.status,
      is_default: after.isDefault,
      revision: after.revision,
      latest_revision: after.latestRevision,
      metadata: JSON.stringify(after.metadata),
      deleted_at: after.deletedAt,
      version: before.version + 1,
      sequence: before.sequence + 1,
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  return fromRow(tx.caller.mode, row)
}

export async function requireRoute(view: View, text: string): Promise<RouteHead> {
  const uuid = uuidFromText('payment_route', view.caller.mode, text)
  const route = uuid === null ? null : await findByUuid(view, uuid)
  return route ?? refuse('not_found', { detail: missing })
}

/** Null if the workspace has no such route. */
export function findRoute(view: View, id: Id<'payment_route'>): Promise<RouteHead | null> {
  return findByUuid(view, uuidOf(id))
}

async function findByUuid(view: View, uuid: string): Promise<RouteHead | null> {
  const row = await rowsOf(view).where('id', '=', uuid).executeTakeFirst()
  return row === undefined ? null : fromRow(view.caller.mode, row)
}

/** Locks the route before a change. Also finds deleted routes. */
export async function lockRoute(tx: Tx, text: string): Promise<RouteHead> {
  const row = await tx.db
    .selectFrom('payment_routes')
    .select(columns)
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidIn(tx, text))
    .forUpdate()
    .executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** Null if there is none. Callers that change it hold `lockRoutes`. */
export async function lockDefault(tx: Tx): Promise<RouteHead | null> {
  const row = await rowsOf(tx).where('is_default', '=', true).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : null
}

function uuidIn(view: View, text: string): string {
  return uuidFromText('payment_route', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
}

function rowsOf(view: View) {
  return view.db
    .selectFrom('payment_routes')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('deleted_at', 'is', null)
}

export function listRoutes(view: View, range: IdRange) {
  return listRows(view, range, {
    table: 'payment_routes',
    columns,
    only: sql`and deleted_at is null`,
    fromRow,
  })
}

/** The routes that new payments can use. */
export type PublishedRoute = {
  readonly id: Id<'payment_route'>
  readonly revision: number
  readonly isDefault: boolean
}

export async function listPublished(view: View): Promise<readonly PublishedRoute[]> {
  const rows = await view.db
    .selectFrom('payment_routes')
    .select(['id', 'revision', 'is_default'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('status', '=', 'active')
    .where('deleted_at', 'is', null)
    .where('revision', 'is not', null)
    .limit(maxCounts.routes)
    .execute()
  return rows.map(({ id, revision, is_default: isDefault }) => ({
    id: idFromUuid('payment_route', view.caller.mode, id),
    revision: revision as number,
    isDefault,
  }))
}

/** The version of all data that decisions depend on; null before the first change. */
export async function readRoutingVersion(view: View): Promise<string | null> {
  const { rows } = await sql<{ version: string }>`
    select version::text from routing_versions
    where workspace_id = ${uuidOf(view.caller.workspaceId)}`.execute(view.db)
  return rows[0]?.version ?? null
}

function fromRow(mode: Mode, row: RouteRow): RouteHead {
  return {
    id: idFromUuid('payment_route', mode, row.id),
    status: row.status as Status,
    isDefault: row.is_default,
    revision: row.revision,
    latestRevision: row.latest_revision,
    metadata: row.metadata as Record<string, string>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
    version: row.version,
    sequence: row.sequence,
  }
}
