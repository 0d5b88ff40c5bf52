// What waits in an installation, as its operators see it: each kind is counted by the mode of its workspace, and gone
// when it is mended.

import { beforeEach, expect, test } from 'vitest'
import { inUnit } from '../../../test/support/invoices.ts'
import { aToken, cards } from '../../../test/support/payment-methods.ts'
import { subscriptionsForThisFile } from '../../../test/support/subscriptions.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { disableAs } from '../webhook-endpoints/service.ts'
import { backlogKinds } from './backlog.ts'
import { lookAtBacklog, watchBacklog } from './service/backlog.ts'
import { findWaiting } from './store/backlog.ts'

const switchyard = await subscriptionsForThisFile()
const { deps, clock, databaseUrl } = switchyard
let metrics = createMetrics()
beforeEach(() => {
  metrics = createMetrics()
})

const sql = (text: string, values: readonly unknown[]) =>
  asOwner(databaseUrl, async (client) => {
    // Nothing tells of it, so the triggers that ask for an event sleep meanwhile.
    await client.query('set session_replication_role = replica')
    await client.query(text, [...values])
  })

const nowMs = () => {
  const reading = clock.read()
  if (reading.from !== 'harness') throw new Error('The harness turns its clock by hand.')
  return reading.at.getTime()
}

type Gauge = { get(): Promise<{ values: { labels: object; value: number }[] }> }
const valuesOf = async (gauge: Gauge) =>
  (await gauge.get()).values.map(({ labels, value }) => ({ ...labels, value }))

async function look() {
  await lookAtBacklog(deps, metrics)
  const [counts, ages] = [await valuesOf(metrics.backlog), await valuesOf(metrics.backlogOldestSeconds)]
  const find = (found: readonly object[], mode: string, kind: string) =>
    (found as { mode: string; kind: string; value: number }[]).find(
      (one) => one.mode === mode && one.kind === kind,
    )?.value
  return (kind: string, mode = 'test') => ({
    count: find(counts, mode, kind),
    oldest: find(ages, mode, kind),
  })
}

test('where nothing waits every kind is 0 in both modes, so that an alert never misses it', async () => {
  const found = await look()

  for (const kind of backlogKinds)
    for (const mode of ['live', 'test']) expect(found(kind, mode), kind).toEqual({ count: 0, oldest: 0 })
  expect((await valuesOf(metrics.backlogLookedAt))[0]?.value).toBeGreaterThan(1_700_000_000)
})

test('money whose fate nobody knows is counted with its age, and one on a test clock is not', async () => {
  const workspace = await switchyard.newWorkspace()
  const pay = async () => {
    const order = { amount: 1299, currency: 'eur', token: await aToken(workspace, cards.good) }
    return uuidOf((await workspace.post('/payments', order)).body.id)
  }
  const since = new Date(nowMs() - 20 * 60_000)
  await sql('update payments set unresolved_since_at = $2 where id = $1', [await pay(), since])
  const onClock =
    'update payments set unresolved_since_at = $2, test_clock_id = gen_random_uuid() where id = $1'
  await sql(onClock, [await pay(), since])
  await sql(`update payments set review = 'needs_review' where id = $1`, [await pay()])

  const found = await look()

  expect(found('payments_unknown')).toEqual({ count: 1, oldest: 1200 })
  expect(found('payments_unknown', 'live')).toEqual({ count: 0, oldest: 0 })
  expect(found('payments_in_review')).toMatchObject({ count: 1 })
})

test('receivers are failing, then disabled, and their webhooks wait', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = (await workspace.anEndpoint('http://127.0.0.1:1024/')) as Id<'webhook_endpoint'>
  await workspace.aCustomer()
  await sql(`update webhook_lanes set health = 'open', failing_since_at = $2 where id = $1`, [
    uuidOf(id),
    new Date(nowMs() - 60_000),
  ])

  const failing = await look()
  await inUnit(deps, workspace.workspaceId, (tx) => disableAs(tx, id, 'gone'))
  const disabled = await look()

  expect(failing('endpoints_failing')).toEqual({ count: 1, oldest: 60 })
  expect(failing('deliveries_due').count).toBeGreaterThan(0)
  expect(disabled('endpoints_failing').count).toBe(0)
  expect(disabled('endpoints_disabled')).toMatchObject({ count: 1 })
})

test('a process that no longer reconciles says nothing', async () => {
  const watch = watchBacklog(deps, metrics)
  watch.lookIfDue()
  await watch.stop()
  expect(await valuesOf(metrics.backlog)).toHaveLength(2 * backlogKinds.length)

  watch.forget()

  expect(await valuesOf(metrics.backlog)).toEqual([])
  expect((await valuesOf(metrics.backlogLookedAt))[0]?.value).toBe(0)
})

test('a look that was under way when another process took over shows nothing, and the next one does', async () => {
  const watch = watchBacklog(deps, metrics)
  watch.lookIfDue()
  watch.forget()
  await watch.stop()
  expect(await valuesOf(metrics.backlog)).toEqual([])

  watch.lookIfDue()
  await watch.stop()
  expect(await valuesOf(metrics.backlog)).toHaveLength(2 * backlogKinds.length)
})

test('a mass of test data beyond the limit hides neither what is live nor the oldest', async () => {
  const [tested, live] = [await switchyard.newWorkspace(), await switchyard.newWorkspace('live')]
  const fail = async (workspace: typeof live, minutes: number) =>
    sql(`update webhook_lanes set health = 'open', failing_since_at = $2 where id = $1`, [
      uuidOf((await workspace.anEndpoint('https://receiver.example/')) as Id<'webhook_endpoint'>),
      new Date(nowMs() - minutes * 60_000),
    ])
  for (const minutes of [1, 9, 3]) await fail(tested, minutes)
  await fail(live, 2)

  const found = await deps.databases.control.as('switchyard_due', (db) =>
    findWaiting(db, 'endpoints_failing', clock.read(), 1),
  )

  expect(found).toEqual([
    { mode: 'live', count: 1, oldestSeconds: 120 },
    { mode: 'test', count: 1, oldestSeconds: 540 },
  ])
})
