// The work that keeps figures: once for each event, however it is stopped, repeated, or overtaken.

import { expect, test } from 'vitest'
import { putHistory } from '../../../test/support/history.ts'
import { beginTransaction, type RawEvent, writeEvents } from '../../../test/support/raw-events.ts'
import { addUp } from '../../../test/support/recount.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { eventTypes } from '../../event-types.ts'
import { systemCaller } from '../../kernel/caller.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { type Tx, transact } from '../../platform/db/unit-of-work.ts'
import { billingTypes } from './counted.ts'
import { countNews, countPortion } from './service/count.ts'

const switchyard = await switchyardForThisFile()
const { deps, databaseUrl } = switchyard

/** A workspace with payments that succeeded, of which nothing has been told yet. */
async function aWorkspace(payments: number) {
  const workspace = await switchyard.newWorkspace()
  const id = workspace.workspaceId as Id<'workspace'>
  await putHistory(databaseUrl, id, [
    { count: payments, amount: 100, account: `provider_account_test_${'0'.repeat(25)}1` },
  ])
  const { rows } = await asOwner(databaseUrl, (client) =>
    client.query('select id from payments where workspace_id = $1 order by id', [uuidOf(id)]),
  )
  const ref = { workspaceId: id, id }
  return {
    ...workspace,
    payments: rows.map((row) => row.id as string),
    count: () => countNews(deps, ref),
    inUnit: <T>(body: (tx: Tx) => Promise<T>) => transact(deps, systemCaller(ref), body),
    begin: () => beginTransaction(databaseUrl, id),
    write: (events: readonly RawEvent[]) => writeEvents(databaseUrl, id, events),
    /** What is kept, without what a reader adds to it. */
    kept: async () => {
      const { rows: sums } = await asOwner(databaseUrl, (client) =>
        client.query(
          `select coalesce(sum(succeeded), 0)::int as succeeded, coalesce(sum(volume), 0)::int as volume
           from payment_figures where workspace_id = $1 and grain = '1h'`,
          [uuidOf(id)],
        ),
      )
      return sums[0]
    },
  }
}

const told = (uuids: readonly string[]): RawEvent[] =>
  uuids.map((object) => ({ object, sequence: 2, type: 'payment.succeeded' }))

const shown = async ({ get }: Pick<Workspace, 'get'>) =>
  addUp((await get('/reports/payments')).body.data).eur?.succeeded ?? 0

test('six at once, and a seventh after them, count each event once', async () => {
  const workspace = await aWorkspace(40)
  await workspace.write(told(workspace.payments))

  await Promise.all(Array.from({ length: 6 }, workspace.count))
  await workspace.count()

  expect(await workspace.kept()).toEqual({ succeeded: 40, volume: 4000 })
  expect(await shown(workspace)).toBe(40)
})

test('one that is killed before its commit has counted nothing, and the next counts all', async () => {
  const workspace = await aWorkspace(40)
  await workspace.write(told(workspace.payments))

  const killed = workspace.inUnit(async (tx) => {
    await countPortion(tx)
    throw new Error('The process was killed.')
  })
  await expect(killed).rejects.toThrow('killed')
  expect(await workspace.kept()).toEqual({ succeeded: 0, volume: 0 })
  await workspace.count()

  expect(await workspace.kept()).toEqual({ succeeded: 40, volume: 4000 })
})

test('an event that is committed late is counted, although later ones were counted before it', async () => {
  const workspace = await aWorkspace(3)
  const [first, second, third] = workspace.payments.map((uuid) => told([uuid]))
  const [slow, quick] = [await workspace.begin(), await workspace.begin()]
  await slow.insert(first ?? [])
  await quick.insert(second ?? [])

  await quick.commit()
  await workspace.count()
  expect([await workspace.kept(), await shown(workspace)]).toEqual([{ succeeded: 1, volume: 100 }, 1])
  await slow.commit()
  expect([await workspace.kept(), await shown(workspace)]).toEqual([{ succeeded: 1, volume: 100 }, 2])
  await workspace.count()
  await workspace.write(third ?? [])
  await workspace.count()

  expect(await workspace.kept()).toEqual({ succeeded: 3, volume: 300 })
})

test('a backlog is caught up in portions, with what is committed late in the middle of it', async () => {
  const workspace = await aWorkspace(2_400)
  const slow = await workspace.begin()
  await slow.insert(told(workspace.payments.slice(0, 100)))
  await workspace.write(told(workspace.payments.slice(100, 2_300)))

  await workspace.count()
  expect((await workspace.kept()).succeeded).toBe(1_000)
  // What is behind says so, rather than reading a backlog for every report.
  expect((await workspace.get('/reports/payments')).body.counted_at).toBeNull()
  await slow.commit()
  await workspace.write(told(workspace.payments.slice(2_300)))
  await switchyard.settle()
  switchyard.clock.advance({ hours: 1 })
  await switchyard.settle()

  expect(await workspace.kept()).toEqual({ succeeded: 2_400, volume: 240_000 })
  expect(await shown(workspace)).toBe(2_400)
})

test('what happened stands in the bucket in which it happened', async () => {
  const workspace = await aWorkspace(4)
  const hour = new Date(Math.floor(Date.now() / 3_600_000 - 3) * 3_600_000)
  const at = (minutes: number) => new Date(hour.getTime() + minutes * 60_000)
  const minutes = [0, 14, 15, 61]
  await workspace.write(
    told(workspace.payments).map((event, place) => ({ ...event, at: at(minutes[place] ?? 0) })),
  )
  const starts = async (query: string) => {
    const { body } = await workspace.get(`/reports/payments?from=${hour.toISOString()}&${query}`)
    return body.data.map((row: { start: string; succeeded: number }) => [row.start, row.succeeded])
  }
  const inQuarters = [
    [at(0).toISOString(), 2],
    [at(15).toISOString(), 1],
    [at(60).toISOString(), 1],
  ]

  expect(await starts('bucket=15m')).toEqual(inQuarters)
  await workspace.count()
  expect(await starts('bucket=15m')).toEqual(inQuarters)
  expect(await starts('bucket=1h')).toEqual([
    [at(0).toISOString(), 3],
    [at(60).toISOString(), 1],
  ])
  expect(await starts(`bucket=15m&to=${at(15).toISOString()}`)).toEqual(inQuarters.slice(0, 1))
})

test('a database that was restored from a dump, whose transactions count from anew, goes on', async () => {
  const workspace = await aWorkspace(2)
  const [first, second] = workspace.payments.map((uuid) => told([uuid]))
  await workspace.write(first ?? [])
  await workspace.count()
  await asOwner(databaseUrl, (client) =>
    client.query(
      `update report_cursors set seen_snapshot = '9000000000:9000000000:' where workspace_id = $1`,
      [uuidOf(workspace.workspaceId as Id<'workspace'>)],
    ),
  )

  await workspace.write(second ?? [])
  await workspace.count()
  await workspace.count()

  expect((await workspace.kept()).succeeded).toBe(2)
})

test('the less happens, the more seldom is looked; what happens is shown at once all the same', async () => {
  const workspace = await aWorkspace(1)
  const waits: number[] = []
  for (let look = 0; look < 12; look += 1) {
    await workspace.count()
    const { rows } = await asOwner(databaseUrl, (client) =>
      client.query('select due_at from report_cursors where workspace_id = $1', [
        uuidOf(workspace.workspaceId as Id<'workspace'>),
      ]),
    )
    const reading = switchyard.clock.read()
    waits.push((rows[0].due_at.getTime() - (reading.from === 'harness' ? reading.at.getTime() : 0)) / 1000)
  }

  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect([waits[0], waits.at(-1)]).toEqual([20, 3_600])
  await workspace.write(told(workspace.payments))
  expect([await shown(workspace), (await workspace.kept()).succeeded]).toEqual([1, 0])
})

test('every type of event that is told of subscriptions and campaigns is counted', () => {
  const there = eventTypes
    .map(({ type }) => type)
    .filter((type) => /^(subscription|dunning_campaign)\./.test(type))

  expect([...billingTypes].toSorted()).toEqual(there.toSorted())
})
