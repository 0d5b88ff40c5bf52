import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { asOwner } from '../../../test/support/owner.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { systemCaller } from '../../kernel/caller.ts'
import type { Id } from '../../kernel/id.ts'
import { uuidOf } from '../../kernel/id.ts'
import { defineEvent } from './events.ts'
import { changeRow, insertRow } from './row-statements.ts'
import { ConcurrentChange, read, type Tx, transact, type View } from './unit-of-work.ts'

const switchyard = await switchyardForThisFile()
const { deps } = switchyard

async function createCaller() {
  const { workspaceId, aCustomer } = await switchyard.newWorkspace()
  const id = workspaceId as Id<'workspace'>
  return { caller: systemCaller({ workspaceId: id, id }), aCustomer }
}

test('events of one object written by 32 concurrent transactions have sequences 1..n with no gap', async () => {
  const { put, aCustomer, eventsOf } = await switchyard.newWorkspace()
  const id = await aCustomer()

  const responses = await Promise.all(
    Array.from({ length: 32 }, (_, index) => put(`/customers/${id}`, { name: `Name ${index}` })),
  )

  expect(responses.map(({ status }) => status)).toEqual(Array(32).fill(200))
  const sequences = (await eventsOf(id)).map((event: { sequence: number }) => event.sequence)
  expect(sequences.toSorted((a: number, b: number) => a - b)).toEqual(
    Array.from({ length: 33 }, (_, index) => index + 1),
  )
})

test('statements that are started together are executed in that order', async () => {
  const { caller } = await createCaller()
  const now = sql<Date>`clock_timestamp()`

  const order = await transact(deps, caller, async ({ db }) => {
    const built = () => db.selectFrom('workspaces').select(now.as('at')).executeTakeFirstOrThrow()
    const raw = async () => (await sql<{ at: string }>`select ${now}::text as at`.execute(db)).rows[0]
    const slow = sql`select pg_sleep(0.02)`.execute(db)
    const [, ...others] = await Promise.all([slow, raw(), built(), raw(), built(), built(), raw()])
    return others.map((row) => new Date(row?.at ?? 0).getTime())
  })

  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test.each([
  [
    'without an event',
    'sequence = sequence + 1, version = version + 1',
    'changed without an event of sequence 2',
  ],
  ['without a new sequence number', 'version = version + 1', 'one change is one event'],
])('the database itself rejects a change %s', async (_, alsoSet, message) => {
  const { caller, aCustomer } = await createCaller()
  const id = uuidOf((await aCustomer()) as Id<'customer'>)

  const update = transact(deps, caller, (tx) =>
    sql`update customers set name = 'Eve', ${sql.raw(alsoSet)}
      where workspace_id = ${uuidOf(caller.workspaceId)} and id = ${id}`.execute(tx.db),
  )

  await expect(update).rejects.toThrow(message)
})

test('the events of a unit are written with it, or not at all', async () => {
  const { caller } = await createCaller()
  const thing = defineEvent({
    type: 'thing.happened',
    about: 'A thing of the test happened.',
    schema: Type.Object({}),
    present: (row: { id: Id<'customer'>; sequence: number }) => ({ id: row.id }),
  })
  const emitAnd = (outcome: 'commit' | 'fail') =>
    transact(deps, caller, async (tx) => {
      tx.emit(thing, { after: { id: tx.newId('customer'), sequence: 1 } })
      if (outcome === 'fail') throw new Error('no')
    })
  const storedEvents = () =>
    read(deps, caller, (view) =>
      sql`select id from events where workspace_id = ${uuidOf(caller.workspaceId)}`.execute(view.db),
    )

  await expect(emitAnd('fail')).rejects.toThrow('no')
  expect((await storedEvents()).rows).toHaveLength(0)
  await emitAnd('commit')
  expect((await storedEvents()).rows).toHaveLength(1)
})

/** Units of work that write rows of `operation_references`, which need no rows in other tables, and read those not rebuilt. */
async function createReferenceWriter() {
  const { caller } = await createCaller()
  const workspaceUuid = uuidOf(caller.workspaceId)
  const referencesIn = async (view: View) => {
    const { rows } = await sql<{ reference: string }>`
      select reference from operation_references
      where workspace_id = ${workspaceUuid} and rebuilt_as is null`.execute(view.db)
    return rows.map(({ reference }) => reference)
  }
  const insert = (tx: Tx, reference: string) =>
    insertRow('operation_references', {
      workspace_id: workspaceUuid,
      reference,
      payment_id: uuidOf(tx.newId('payment')),
    })
  const rebuild = (reference: string) =>
    changeRow(
      'operation_references',
      { rebuilt_as: randomUUID() },
      { workspace_id: workspaceUuid, reference },
    )
  return { caller, referencesIn, insert, rebuild, stored: () => read(deps, caller, referencesIn) }
}

test('a queued write is visible to later statements of its unit, and is committed with it or not at all', async () => {
  const { caller, referencesIn, insert, rebuild, stored } = await createReferenceWriter()

  const seen = await transact(deps, caller, async (tx) => {
    tx.write(insert(tx, 'first'))
    const references = await referencesIn(tx)
    tx.write(insert(tx, 'second'))
    tx.write(rebuild('first'))
    return references
  })
  const failing = transact(deps, caller, async (tx) => {
    tx.write(insert(tx, 'third'))
    throw new Error('no')
  })

  expect(seen).toEqual(['first'])
  await expect(failing).rejects.toThrow('no')
  expect(await stored()).toEqual(['second'])
})

test('if a queued write fails, or a queued change finds no row, nothing is committed', async () => {
  const { caller, referencesIn, insert, rebuild, stored } = await createReferenceWriter()
  let runs = 0

  const repeated = () =>
    transact(deps, caller, async (tx) => {
      tx.write(insert(tx, 'first'))
      tx.write(insert(tx, 'first'))
    })
  const readAfterFailure = () =>
    transact(deps, caller, async (tx) => {
      tx.write(sql`select 1 / 0`.compile(tx.db))
      return referencesIn(tx)
    })
  const lost = () =>
    transact(deps, caller, async (tx) => {
      runs += 1
      tx.write(insert(tx, 'second'))
      tx.write(rebuild('missing'))
    })

  await expect(repeated()).rejects.toMatchObject({ code: '23505' })
  await expect(readAfterFailure()).rejects.toThrow('division by zero')
  await expect(lost()).rejects.toMatchObject({ code: 'conflict' })
  expect(runs).toBe(4)
  expect(await stored()).toEqual([])
})

test('first reads see the workspace of the unit, and their errors are thrown where they are awaited', async () => {
  const { caller, referencesIn, insert } = await createReferenceWriter()
  await transact(deps, caller, async (tx) => tx.write(insert(tx, 'first')))
  const failingRead = async () => {
    throw new Error('no such payment method')
  }

  const loaded = await transact(deps, caller, (_tx, loading: Promise<string[]>) => loading, referencesIn)
  const ignored = await transact(deps, caller, async () => 'done', failingRead)
  const awaited = transact(deps, caller, (_tx, loading: Promise<never>) => loading, failingRead)

  expect(loaded).toEqual(['first'])
  expect(ignored).toBe('done')
  await expect(awaited).rejects.toThrow('no such payment method')
})

test('a unit with a concurrent modification runs again, and finally fails with a conflict', async () => {
  const { caller } = await createCaller()
  let runs = 0

  const result = await transact(deps, caller, async (tx) => {
    runs += 1
    if (runs < 3) throw new ConcurrentChange(tx.newId('customer'))
    return runs
  })
  const alwaysConflicting = transact(deps, caller, async (tx) => {
    throw new ConcurrentChange(tx.newId('customer'))
  })

  expect(result).toBe(3)
  await expect(alwaysConflicting).rejects.toMatchObject({ code: 'conflict' })
})

test('two deadlocked units both succeed in the end', async () => {
  const { caller, aCustomer } = await createCaller()
  const ids = [await aCustomer(), await aCustomer()].map((id) => uuidOf(id as Id<'customer'>))
  const gate = Promise.withResolvers<void>()
  let waiting = 0
  const lockBoth = (order: readonly string[]) =>
    transact(deps, caller, async (tx) => {
      for (const [index, id] of order.entries()) {
        await sql`select 1 from customers where workspace_id = ${uuidOf(caller.workspaceId)} and id = ${id} for update`.execute(
          tx.db,
        )
        // Both hold their first row before either requests its second: a guaranteed deadlock.
        if (index === 0 && ++waiting === 2) gate.resolve()
        if (index === 0) await gate.promise
      }
      return 'done'
    })

  expect(await Promise.all([lockBoth(ids), lockBoth(ids.toReversed())])).toEqual(['done', 'done'])
})

test('a unit fails with the first error, even if the error of a later statement arrives sooner', async () => {
  const { caller } = await createCaller()
  const delayed = <T>(statement: Promise<T>) => statement.then((result) => result).finally(() => {})

  const unit = transact(deps, caller, ({ db }) =>
    Promise.all([delayed(sql`select 1 / 0`.execute(db)), sql`select 1`.execute(db)]),
  )

  await expect(unit).rejects.toThrow('division by zero')
})

test('a statement sent after the end of its unit is rejected, not executed in the next unit', async () => {
  const { caller } = await createCaller()
  const gate = Promise.withResolvers<void>()
  let late: Promise<unknown> = Promise.resolve()

  const failing = transact(deps, caller, async (tx) => {
    late = gate.promise.then(() => sql`update workspaces set name = 'late'`.execute(tx.db))
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  gate.resolve()

  await expect(late).rejects.toThrow('after the end of its transaction')
})

test('a request with an idempotency key cannot have a second unit of work', async () => {
  const { caller } = await createCaller()
  const replay = {
    scope: Buffer.alloc(32, 7),
    fingerprint: Buffer.alloc(32),
    render: () => ({ status: 200, etag: null, body: '{}' }),
  }
  const keyed = {
    ...caller,
    request: { id: 'request_test_01M7CYVGQTEAKSNTBFR026MPQ1' as Id<'request'>, idempotencyKey: 'k', replay },
  }

  await transact(deps, keyed, async () => 'first')

  await expect(transact(deps, keyed, async () => 'second')).rejects.toThrow('must be one unit of work')
})

test('units of work cannot be nested', async () => {
  const { caller } = await createCaller()

  const nested = transact(deps, caller, () => transact(deps, caller, async () => 'inner'))

  await expect(nested).rejects.toThrow('cannot be nested')
})

test('the whole unit has one timestamp, and its ids increase', async () => {
  const { caller } = await createCaller()

  const { ids, now } = await transact(deps, caller, async (tx) => ({
    ids: Array.from({ length: 100 }, () => tx.newId('customer')),
    now: tx.now,
  }))

  expect(now).toEqual(new Date('2026-11-14T12:00:00.000Z'))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(100)
})

test('row-level security hides rows of other workspaces and rejects writes to them', async () => {
  const [own, other] = [await createCaller(), await createCaller()]
  const id = uuidOf((await other.aCustomer()) as Id<'customer'>)

  const found = await read(deps, own.caller, (view) =>
    sql`select id from customers where id = ${id}`.execute(view.db),
  )
  const foreignInsert = transact(deps, own.caller, (tx) =>
    sql`insert into audit_heads (workspace_id, number, hash) values (${uuidOf(other.caller.workspaceId)}, 1, sha256(''))`.execute(
      tx.db,
    ),
  )

  expect(found.rows).toEqual([])
  await expect(foreignInsert).rejects.toThrow('row-level security')
})

test('a migration that invalidates a prepared statement causes a retry, not an error', async () => {
  const { caller } = await createCaller()
  const selectAll = () =>
    read(deps, caller, (view) =>
      view.db
        .selectFrom('workspaces')
        .selectAll()
        .where('workspace_id', '=', uuidOf(caller.workspaceId))
        .execute(),
    )
  for (let run = 0; run < 20; run += 1) await Promise.all(Array.from({ length: 8 }, selectAll))

  await asOwner(switchyard.databaseUrl, (client) =>
    client.query('alter table workspaces add column shoe_size int'),
  )

  expect(await Promise.all(Array.from({ length: 20 }, selectAll))).toHaveLength(20)
})

const externalServer = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
afterAll(() => void externalServer.close())

test.each(['fetch', 'node:http'])(
  'a unit that makes an outbound call by %s is not committed',
  async (client) => {
    const { caller, aCustomer } = await createCaller()
    const id = uuidOf((await aCustomer()) as Id<'customer'>)
    const url = `http://127.0.0.1:${(externalServer.address() as AddressInfo).port}/`
    const call = async () => {
      if (client === 'fetch') return void (await fetch(url))
      const { get } = await import('node:http')
      await new Promise((done) => get(url, (response) => response.resume().on('end', done)))
    }

    const unit = transact(deps, caller, async (tx) => {
      await sql`select 1 from customers where workspace_id = ${uuidOf(caller.workspaceId)} and id = ${id} for update`.execute(
        tx.db,
      )
      await call()
    })

    await expect(unit).rejects.toThrow('An HTTP call was made inside a transaction')
    await expect(call()).resolves.toBeUndefined()
  },
)
