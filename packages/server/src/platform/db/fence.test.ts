import { sql } from 'kysely'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { newDatabase } from '../../../test/support/database.ts'
import { receiverForThisFile } from '../../../test/support/receiver.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { systemCaller } from '../../kernel/caller.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { type Databases, openDatabases } from './databases.ts'
import { onShardOf } from './fence.ts'
import { asOwner } from './owner.ts'
import { read, transact, type View } from './unit-of-work.ts'

const switchyard = await switchyardForThisFile()
const receiver = await receiverForThisFile()
const { deps, databaseUrl } = switchyard

const withClient = <T>(body: (client: Client) => Promise<T>) => asOwner(databaseUrl, body)
const idOf = ({ workspaceId }: Workspace) => workspaceId as Id<'workspace'>
const callerOf = (workspace: Workspace) => systemCaller({ workspaceId: idOf(workspace), id: idOf(workspace) })

const close = (workspace: Workspace, { isOpen = false, url = databaseUrl } = {}) =>
  asOwner(url, (client) =>
    client.query('insert into placements (workspace_id, moved_to, is_open) values ($1, $2, $3)', [
      uuidOf(idOf(workspace)),
      'other',
      isOpen,
    ]),
  )
const open = (workspace: Workspace) =>
  withClient((client) =>
    client.query('delete from placements where workspace_id = $1', [uuidOf(idOf(workspace))]),
  )

test('while a workspace is closed, reads continue and changes wait until it is open again', async () => {
  const workspace = await switchyard.newWorkspace()
  const other = await switchyard.newWorkspace()
  await close(workspace)

  expect((await workspace.get('/customers')).status).toBe(200)
  expect((await other.post('/customers', {})).status).toBe(201)
  let isOpen = false
  const openLater = async () => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    isOpen = true
    await open(workspace)
  }
  const [created, stored] = await Promise.all([
    workspace.post('/customers', {}).then(({ status }) => ({ status, isOpen })),
    onShardOf(deps.databases, idOf(workspace), (shard) =>
      shard.inVault(idOf(workspace), async () => ({ isOpen })),
    ),
    openLater(),
  ])

  expect(created).toEqual({ status: 201, isOpen: true })
  expect(stored).toEqual({ isOpen: true })
})

test('changes that wait for a closed workspace use no connection', async () => {
  const workspace = await switchyard.newWorkspace()
  const other = await switchyard.newWorkspace()
  await close(workspace)
  // Send more changes than the pool has connections.
  const changes = Array.from({ length: 40 }, () => workspace.post('/customers', {}))

  expect((await other.post('/customers', {})).status).toBe(201)
  await open(workspace)
  expect(new Set((await Promise.all(changes)).map(({ status }) => status))).toEqual(new Set([201]))
})

test('a change is refused with 503 if its workspace stays closed', { timeout: 30_000 }, async () => {
  const workspace = await switchyard.newWorkspace()
  await close(workspace)

  const { status, body } = await workspace.post('/customers', {})

  expect({ status, code: body.code, retryable: body.retryable }).toEqual({
    status: 503,
    code: 'unavailable',
    retryable: true,
  })
})

test('a workspace cannot be locked for a move while a transaction changes it', async () => {
  const workspace = await switchyard.newWorkspace()
  const lockText = 'select pg_try_advisory_xact_lock(workspace_lock($1)) as locked'
  const tryLock = () =>
    withClient(async (client) => (await client.query(lockText, [uuidOf(idOf(workspace))])).rows[0].locked)

  const during = await transact(deps, callerOf(workspace), tryLock)
  const duringVault = await deps.databases.of(idOf(workspace)).inVault(idOf(workspace), tryLock)
  const duringRead = await read(deps, callerOf(workspace), tryLock)

  expect({ during, duringVault, duringRead, after: await tryLock() }).toEqual({
    during: false,
    duringVault: false,
    duringRead: true,
    after: true,
  })
})

test('a change waits while its workspace is locked for a move', async () => {
  const workspace = await switchyard.newWorkspace()
  await withClient(async (client) => {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock(workspace_lock($1))', [uuidOf(idOf(workspace))])
    let isLocked = true
    const creating = workspace.post('/customers', {}).then(({ status }) => ({ status, isLocked }))
    await new Promise((resolve) => setTimeout(resolve, 300))
    isLocked = false
    await client.query('rollback')

    expect(await creating).toEqual({ status: 201, isLocked: false })
  })
})

test('a statement that began before the workspace was closed is kept out', async () => {
  const workspace = await switchyard.newWorkspace()
  const uuid = uuidOf(idOf(workspace))

  const entering = withClient((client) =>
    client.query(`select pg_sleep(0.3), enter_workspace('${uuid}', true)`),
  )
  const checking = withClient((client) =>
    client.query(`select pg_sleep(0.3), can_change_workspace('${uuid}') as allowed`),
  )
  const closing = new Promise((resolve) => setTimeout(resolve, 100)).then(() => close(workspace))

  const [entered, checked] = await Promise.allSettled([entering, checking, closing])
  expect(entered).toMatchObject({ status: 'rejected', reason: { code: 'SWM02' } })
  expect(checked).toMatchObject({ status: 'fulfilled', value: { rows: [{ allowed: false }] } })
})

test('a process with an outdated map gets the current shard of the workspace from the fence, and continues there', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = idOf(workspace)
  const otherUrl = await newDatabase()
  const other = openDatabases({ url: otherUrl, poolSize: 2, onError: () => {} })
  const learned: string[] = []
  let place: Databases = deps.databases
  const databases: Databases = {
    ...deps.databases,
    of: () => place.of(id),
    learn(_, shard) {
      learned.push(shard)
      place = other
    },
  }
  const nameOf = async ({ db }: Pick<View, 'db'>) =>
    (await sql<{ name: string }>`select current_database() as name`.execute(db)).rows[0]?.name
  const otherName = new URL(otherUrl).pathname.slice(1)
  const moved = { ...deps, databases }
  await close(workspace, { isOpen: true })

  const runs = [
    () => read(moved, callerOf(workspace), nameOf),
    () => transact(moved, callerOf(workspace), nameOf),
    () => onShardOf(databases, id, (shard) => shard.inVault(id, (db) => nameOf({ db }))),
    () => onShardOf(databases, id, (shard) => shard.inWorkspace(id, (db) => nameOf({ db }))),
  ]
  for (const run of runs) {
    place = deps.databases
    expect(await run()).toBe(otherName)
  }

  expect(learned).toEqual(runs.map(() => 'other'))
  await other.close()
})

test('webhooks of a closed workspace are not sent before it is open again', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.anEndpoint(receiver.at('/closed'))
  await workspace.aCustomer()
  await close(workspace)

  await switchyard.deps.webhookDispatcher.serve({
    workspaceId: idOf(workspace),
    id: (await workspace.get('/webhook-endpoints')).body.data[0].id,
  })
  const whileClosed = receiver.requests.length
  await open(workspace)
  await switchyard.settle()

  expect(whileClosed).toBe(0)
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/closed'])
})
