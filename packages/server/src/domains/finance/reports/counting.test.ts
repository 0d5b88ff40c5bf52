// The counting work counts each event once, even if it is stopped, repeated or run concurrently.

import { expect, test } from 'vitest'
import { sumReportRows } from '../../../../test/support/expected-figures.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { insertPastPayments } from '../../../../test/support/past-payments.ts'
import { beginTransaction, type RawEvent, writeEvents } from '../../../../test/support/raw-events.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { eventTypes } from '../../../event-types.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { billingTypes } from './counted-event-types.ts'
import { countBatch, countNewEvents } from './service/count.ts'

const switchyard = await switchyardForThisFile()
const { deps, databaseUrl } = switchyard

/** Creates a workspace with succeeded payments that have no events yet. */
async function workspaceWithPayments(payments: number) {
  const workspace = await switchyard.newWorkspace()
  const id = workspace.workspaceId as Id<'workspace'>
  await insertPastPayments(databaseUrl, id, [
    { count: payments, amount: 100, account: `provider_account_test_${'0'.repeat(25)}1` },
  ])
  const { rows } = await asOwner(databaseUrl, (client) =>
    client.query('select id from payments where workspace_id = $1 order by id', [uuidOf(id)]),
  )
  const ref = { workspaceId: id, id }
  return {
    ...workspace,
    payments: rows.map((row) => row.id as string),
    count: () => countNewEvents(deps, ref),
    inTransaction: <T>(body: (tx: Tx) => Promise<T>) => transact(deps, systemCaller(ref), body),
    begin: () => beginTransaction(databaseUrl, id),
    write: (events: readonly RawEvent[]) => writeEvents(databaseUrl, id, events),
    /** The stored sums. A report also adds events that have not been counted yet. */
    storedSums: async () => {
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

const succeededEvents = (uuids: readonly string[]): RawEvent[] =>
  uuids.map((object) => ({ object, sequence: 2, type: 'payment.succeeded' }))

const reportedCount = async ({ get }: Pick<Workspace, 'get'>) =>
  sumReportRows((await get('/reports/payments')).body.data).eur?.succeeded ?? 0

test('six concurrent runs and a seventh after them count each event once', async () => {
  const workspace = await workspaceWithPayments(40)
  await workspace.write(succeededEvents(workspace.payments))

  await Promise.all(Array.from({ length: 6 }, workspace.count))
  await workspace.count()

  expect(await workspace.storedSums()).toEqual({ succeeded: 40, volume: 4000 })
  expect(await reportedCount(workspace)).toBe(40)
})

test('a run that is killed before its commit counts nothing, and the next run counts all events', async () => {
  const workspace = await workspaceWithPayments(40)
  await workspace.write(succeededEvents(workspace.payments))

  const killed = workspace.inTransaction(async (tx) => {
    await countBatch(tx)
    throw new Error('The process was killed.')
  })
  await expect(killed).rejects.toThrow('killed')
  expect(await workspace.storedSums()).toEqual({ succeeded: 0, volume: 0 })
  await workspace.count()

  expect(await workspace.storedSums()).toEqual({ succeeded: 40, volume: 4000 })
})

test('an event that is committed late is counted, although events with later ids were already counted', async () => {
  const workspace = await workspaceWithPayments(3)
  const [first, second, third] = workspace.payments.map((uuid) => succeededEvents([uuid]))
  const [slow, quick] = [await workspace.begin(), await workspace.begin()]
  await slow.insert(first ?? [])
  await quick.insert(second ?? [])

  await quick.commit()
  await workspace.count()
  expect([await workspace.storedSums(), await reportedCount(workspace)]).toEqual([
    { succeeded: 1, volume: 100 },
    1,
  ])
  await slow.commit()
  expect([await workspace.storedSums(), await reportedCount(workspace)]).toEqual([
    { succeeded: 1, volume: 100 },
    2,
  ])
  await workspace.count()
  await workspace.write(third ?? [])
  await workspace.count()

  expect(await workspace.storedSums()).toEqual({ succeeded: 3, volume: 300 })
})

test('a backlog is counted in batches, including events that are committed late', async () => {
  const workspace = await workspaceWithPayments(2_400)
  const slow = await workspace.begin()
  await slow.insert(succeededEvents(workspace.payments.slice(0, 100)))
  await workspace.write(succeededEvents(workspace.payments.slice(100, 2_300)))

  await workspace.count()
  expect((await workspace.storedSums()).succeeded).toBe(1_000)
  // A report does not read a whole backlog, and its counted_at is null.
  expect((await workspace.get('/reports/payments')).body.counted_at).toBeNull()
  await slow.commit()
  await workspace.write(succeededEvents(workspace.payments.slice(2_300)))
  await switchyard.settle()
  switchyard.clock.advance({ hours: 1 })
  await switchyard.settle()

  expect(await workspace.storedSums()).toEqual({ succeeded: 2_400, volume: 240_000 })
  expect(await reportedCount(workspace)).toBe(2_400)
})

test('an event is counted in the bucket that contains its time', async () => {
  const workspace = await workspaceWithPayments(4)
  const hour = new Date(Math.floor(Date.now() / 3_600_000 - 3) * 3_600_000)
  const at = (minutes: number) => new Date(hour.getTime() + minutes * 60_000)
  const minutes = [0, 14, 15, 61]
  await workspace.write(
    succeededEvents(workspace.payments).map((event, index) => ({ ...event, at: at(minutes[index] ?? 0) })),
  )
  const bucketCounts = async (query: string) => {
    const { body } = await workspace.get(`/reports/payments?from=${hour.toISOString()}&${query}`)
    return body.data.map((row: { start: string; succeeded: number }) => [row.start, row.succeeded])
  }
  const quarterHours = [
    [at(0).toISOString(), 2],
    [at(15).toISOString(), 1],
    [at(60).toISOString(), 1],
  ]

  expect(await bucketCounts('bucket=15m')).toEqual(quarterHours)
  await workspace.count()
  expect(await bucketCounts('bucket=15m')).toEqual(quarterHours)
  expect(await bucketCounts('bucket=1h')).toEqual([
    [at(0).toISOString(), 3],
    [at(60).toISOString(), 1],
  ])
  expect(await bucketCounts(`bucket=15m&to=${at(15).toISOString()}`)).toEqual(quarterHours.slice(0, 1))
})

test('counting continues after a restore from a dump, which resets transaction ids', async () => {
  const workspace = await workspaceWithPayments(2)
  const [first, second] = workspace.payments.map((uuid) => succeededEvents([uuid]))
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

  expect((await workspace.storedSums()).succeeded).toBe(2)
})

test('in an idle workspace the counting work runs less often, and reports still show new events immediately', async () => {
  const workspace = await workspaceWithPayments(1)
  const waits: number[] = []
  for (let run = 0; run < 12; run += 1) {
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
  await workspace.write(succeededEvents(workspace.payments))
  expect([await reportedCount(workspace), (await workspace.storedSums()).succeeded]).toEqual([1, 0])
})

test('every event type of subscriptions and dunning campaigns is counted', () => {
  const existing = eventTypes
    .map(({ type }) => type)
    .filter((type) => /^(subscription|dunning_campaign)\./.test(type))

  expect([...billingTypes].toSorted()).toEqual(existing.toSorted())
})
