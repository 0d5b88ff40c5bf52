/**
 * A unit of work in the control plane, like `transact` in a workspace: one transaction with one time, that may run again,
 * and that stores the response for its idempotency key. It cannot use tables of workspaces, which may be in another
 * database, and it emits no events.
 */
import { type CompiledQuery, sql } from 'kysely'
import { assert } from '../../kernel/assert.ts'
import type { Caller, ReplayScope } from '../../kernel/caller.ts'
import { type Reading, wallTimeOf } from '../../kernel/clock.ts'
import { idFromUuid, idMaker, type Kind, slotOf, uuidOf } from '../../kernel/id.ts'
import { crashpoint } from '../crashpoint.ts'
import { requireClaim } from './begin-transaction.ts'
import { send, sendText } from './bound-driver.ts'
import { inControlPlane } from './control.ts'
import type { Connection, Db } from './databases.ts'
import {
  endIfAnswered,
  isAnswered,
  lockNumberOf,
  markAnswered,
  retentionDays,
  type StoredResponse,
} from './replay.ts'
import {
  CommitLost,
  isConnectionLost,
  isReadOnlyServer,
  isStalePlan,
  retryOptionsOf,
  withRetries,
} from './retries.ts'
import { abandon, read, type Tx, type UnitDeps } from './unit-of-work.ts'
import { insideUnit } from './unit-scope.ts'

/** `plane` tells it apart from a `Tx`: a function of one plane does not accept a transaction of the other. */
export type ControlTx = Pick<Tx, 'db' | 'caller' | 'now' | 'newId'> & { readonly plane: 'control' }

type Deps = Pick<UnitDeps, 'databases' | 'clock'>

export async function transactControl<T>(
  deps: Deps,
  caller: Caller,
  body: (tx: ControlTx) => Promise<T>,
): Promise<T> {
  const scope = caller.request?.replay ?? null
  assert(
    scope === null || !isAnswered(scope),
    'A request with an idempotency key must be one unit of work: its response is already committed.',
  )
  // Processes of the previous release store these responses in the workspace.
  if (scope !== null) await read(deps, caller, (view) => endIfAnswered(view.db, caller))
  const result = await withRetries(inControlPlane(deps.databases, retryOptionsOf(caller)), () =>
    runOnce(deps, caller, body),
  )
  if (scope !== null) markAnswered(scope)
  crashpoint('control.committed')
  return result
}

async function runOnce<T>(deps: Deps, caller: Caller, body: (tx: ControlTx) => Promise<T>): Promise<T> {
  const { control } = deps.databases
  const connection = await control.connectToWrite()
  try {
    const startedAt = await begin(caller, connection)
    const tx = openTx(caller, connection.db, { startedAt, reading: deps.clock.read() })
    const result = await insideUnit(() => body(tx))
    control.requireWritable()
    await commit(connection, responseStatementOf(tx, result))
    connection.release()
    return result
  } catch (error) {
    if (isReadOnlyServer(error)) connection.retirePool()
    abandon(connection, isStalePlan(error))
    throw error
  }
}

/** Returns the start time of the transaction. */
async function begin(caller: Caller, { client, db }: Connection): Promise<Date> {
  const scope = caller.request?.replay ?? null
  const claim =
    scope === null ? '' : `, pg_try_advisory_xact_lock('${lockNumberOf(scope.scope)}'::bigint) as claimed`
  const beginning = sendText(
    client,
    `begin; set local role switchyard_control; select now() as started_at${claim}`,
  )
  // Sent after the lock, so it sees what the previous lock holder committed.
  const [results, stored] = await Promise.all([
    beginning,
    scope === null ? null : findStoredResponse(db, caller, scope),
  ])
  const [, , { rows }] = results as unknown as [unknown, unknown, { rows: BeginRow[] }]
  const [first] = rows as [BeginRow]
  if (scope !== null) requireClaim(caller, first.claimed === true, stored)
  return first.started_at
}

type BeginRow = { readonly started_at: Date; readonly claimed?: boolean }

async function findStoredResponse(
  db: Db,
  { workspaceId }: Caller,
  { scope }: ReplayScope,
): Promise<StoredResponse | null> {
  const { rows } = await sql<Omit<StoredResponse & { readonly state: 'done' }, 'id' | 'state'>>`
    select fingerprint, request_id, status, etag, body from control.idempotency_keys
    where workspace_id = ${uuidOf(workspaceId)} and scope = ${scope}
      and created_at > now() - make_interval(days => ${sql.lit(retentionDays)})`.execute(db)
  const [row] = rows
  return row === undefined ? null : { ...row, id: row.request_id, state: 'done' }
}

type UnitTime = { readonly startedAt: Date; readonly reading: Reading }

function openTx(caller: Caller, db: Db, { startedAt, reading }: UnitTime): ControlTx {
  const nextUuid = idMaker(startedAt, slotOf(caller.workspaceId))
  return {
    plane: 'control',
    db,
    caller,
    now: wallTimeOf(reading) ?? startedAt,
    newId: <K extends Kind>(kind: K) => idFromUuid(kind, caller.mode, nextUuid()),
  }
}

function responseStatementOf({ db, caller, newId }: ControlTx, result: unknown): CompiledQuery | null {
  const { workspaceId, request } = caller
  if (!request?.replay) return null
  const { scope, fingerprint, render } = request.replay
  const { status, etag, body } = render(result)
  const requestUuid = uuidOf(request.id ?? newId('request'))
  // An expired response to the same key is replaced.
  return sql`
    insert into control.idempotency_keys (workspace_id, scope, fingerprint, request_id, status, etag, body)
    values (${uuidOf(workspaceId)}, ${scope}, ${fingerprint}, ${requestUuid}, ${status}, ${etag}, ${body})
    on conflict (workspace_id, scope) do update set fingerprint = excluded.fingerprint,
      request_id = excluded.request_id, status = excluded.status, etag = excluded.etag, body = excluded.body,
      created_at = now()`.compile(db)
}

async function commit(connection: Connection, response: CompiledQuery | null): Promise<void> {
  const written = connection.sendWrites()
  connection.seal()
  const { client } = connection
  await Promise.all([written, response === null ? null : send(client, response), connection.commit()]).catch(
    (error) => Promise.reject(isConnectionLost(error) ? new CommitLost(error) : error),
  )
}

type Statement = (text: string) => Promise<{ readonly rowCount: number | null }>

/** Few enough that no request waits for the deletion. */
const batchSize = 5_000

/** Deletes responses that are no longer replayed. */
export async function deleteOldControlKeys(statement: Statement): Promise<void> {
  const text = `
    delete from control.idempotency_keys where (workspace_id, scope) in (
      select workspace_id, scope from control.idempotency_keys
      where created_at < now() - interval '${retentionDays} days'
      order by created_at limit ${batchSize} for update skip locked)`
  while ((await statement(text)).rowCount === batchSize);
}
