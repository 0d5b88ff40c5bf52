// The backlog metrics of an installation: each kind is counted by mode, and is 0 again once it is resolved.

import { beforeEach, expect, test } from 'vitest'
import { reportDispute } from '../../../../test/support/disputes.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { cards, createToken } from '../../../../test/support/payment-methods.ts'
import { subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { createMetrics } from '../../../platform/metrics.ts'
import { disableWithReason } from '../../webhooks/webhook-endpoints/service.ts'
import { backlogKinds } from './backlog.ts'
import { updateBacklogMetrics, watchBacklog } from './service/backlog.ts'
import { countWaiting } from './store/backlog.ts'

const switchyard = await subscriptionsForThisFile()
const { deps, clock, databaseUrl } = switchyard
let metrics = createMetrics()
beforeEach(() => {
  metrics = createMetrics()
})

const sql = (text: string, values: readonly unknown[]) =>
  asOwner(databaseUrl, async (client) => {
    // The statement emits no event, so the triggers that require one are disabled.
    await client.query('set session_replication_role = replica')
    await client.query(text, [...values])
  })

const nowMs = () => {
  const reading = clock.read()
  if (reading.from !== 'harness') throw new Error('Tests use a clock that they advance themselves.')
  return reading.at.getTime()
}

type Gauge = { get(): Promise<{ values: { labels: object; value: number }[] }> }
const valuesOf = async (gauge: Gauge) =>
  (await gauge.get()).values.map(({ labels, value }) => ({ ...labels, value }))

async function readBacklog() {
  await updateBacklogMetrics(deps, metrics)
  const [counts, ages] = [await valuesOf(metrics.backlog), await valuesOf(metrics.backlogOldestSeconds)]
  const find = (values: readonly object[], mode: string, kind: string) =>
    (values as { mode: string; kind: string; value: number }[]).find(
      (entry) => entry.mode === mode && entry.kind === kind,
    )?.value
  return (kind: string, mode = 'test') => ({
    count: find(counts, mode, kind),
    oldest: find(ages, mode, kind),
  })
}

test('without a backlog every kind is 0 in both modes, so that alerts always have a value', async () => {
  const backlog = await readBacklog()

  for (const kind of backlogKinds)
    for (const mode of ['live', 'test']) expect(backlog(kind, mode), kind).toEqual({ count: 0, oldest: 0 })
  expect((await valuesOf(metrics.backlogLookedAt))[0]?.value).toBeGreaterThan(1_700_000_000)
})

test('payments with an unknown outcome or in review are counted, except on test clocks', async () => {
  const workspace = await switchyard.newWorkspace()
  const pay = async () => {
    const input = { amount: 1299, currency: 'eur', token: await createToken(workspace, cards.approved) }
    return uuidOf((await workspace.post('/payments', input)).body.id)
  }
  const since = new Date(nowMs() - 20 * 60_000)
  await sql('update payments set unresolved_since_at = $2 where id = $1', [await pay(), since])
  const updateOnTestClock =
    'update payments set unresolved_since_at = $2, test_clock_id = gen_random_uuid() where id = $1'
  await sql(updateOnTestClock, [await pay(), since])
  await sql(`update payments set review = 'needs_review' where id = $1`, [await pay()])
  await sql(`update payments set review = 'conflict', test_clock_id = gen_random_uuid() where id = $1`, [
    await pay(),
  ])

  const backlog = await readBacklog()

  expect(backlog('payments_unknown')).toEqual({ count: 1, oldest: 1200 })
  expect(backlog('payments_unknown', 'live')).toEqual({ count: 0, oldest: 0 })
  expect(backlog('payments_in_review')).toMatchObject({ count: 1 })
})

test('disputes that need a response are counted: all, those that are due within 72 hours, and overdue ones', async () => {
  const workspace = await switchyard.newWorkspace()
  for (const hours of [1, 50, 100]) {
    const input = { amount: 1299, currency: 'eur', token: await createToken(workspace, cards.approved) }
    const { id } = (await workspace.post('/payments', input)).body
    const respondByAt = new Date(nowMs() + hours * 3_600_000)
    await reportDispute(deps, workspace.workspaceId, id, { respondByAt })
  }
  clock.advance({ hours: 2 })
  await switchyard.settle()

  const backlog = await readBacklog()

  expect(backlog('disputes_open')).toEqual({ count: 3, oldest: 7_200 })
  expect(backlog('disputes_due')).toEqual({ count: 1, oldest: 7_200 })
  expect(backlog('disputes_overdue')).toEqual({ count: 1, oldest: 3_600 })
  expect(backlog('disputes_open', 'live')).toEqual({ count: 0, oldest: 0 })
})

test('failing and disabled endpoints and their due deliveries are counted', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = (await workspace.anEndpoint('http://127.0.0.1:1024/')) as Id<'webhook_endpoint'>
  await workspace.aCustomer()
  await sql(`update webhook_lanes set health = 'open', failing_since_at = $2 where id = $1`, [
    uuidOf(id),
    new Date(nowMs() - 60_000),
  ])

  const failing = await readBacklog()
  await inTransaction(deps, workspace.workspaceId, (tx) => disableWithReason(tx, id, 'gone'))
  const disabled = await readBacklog()

  expect(failing('endpoints_failing')).toEqual({ count: 1, oldest: 60 })
  expect(failing('deliveries_due').count).toBeGreaterThan(0)
  expect(disabled('endpoints_failing').count).toBe(0)
  expect(disabled('endpoints_disabled')).toMatchObject({ count: 1 })
})

test('a process that is no longer the leader exports no values', async () => {
  const watch = watchBacklog(deps, metrics)
  watch.runIfDue()
  await watch.stop()
  expect(await valuesOf(metrics.backlog)).toHaveLength(2 * backlogKinds.length)

  watch.resetMetrics()

  expect(await valuesOf(metrics.backlog)).toEqual([])
  expect((await valuesOf(metrics.backlogLookedAt))[0]?.value).toBe(0)
})

test('the result of a query that was in progress when the process lost its leadership is discarded', async () => {
  const watch = watchBacklog(deps, metrics)
  watch.runIfDue()
  watch.resetMetrics()
  await watch.stop()
  expect(await valuesOf(metrics.backlog)).toEqual([])

  watch.runIfDue()
  await watch.stop()
  expect(await valuesOf(metrics.backlog)).toHaveLength(2 * backlogKinds.length)
})

test('test data above the limit hides neither live data nor the age of the oldest entry', async () => {
  const [testWorkspace, live] = [await switchyard.newWorkspace(), await switchyard.newWorkspace('live')]
  const failingEndpoint = async (workspace: typeof live, minutes: number) =>
    sql(`update webhook_lanes set health = 'open', failing_since_at = $2 where id = $1`, [
      uuidOf((await workspace.anEndpoint('https://receiver.example/')) as Id<'webhook_endpoint'>),
      new Date(nowMs() - minutes * 60_000),
    ])
  for (const minutes of [1, 9, 3]) await failingEndpoint(testWorkspace, minutes)
  await failingEndpoint(live, 2)

  const counts = await deps.databases.control.as('switchyard_due', (db) =>
    countWaiting(db, 'endpoints_failing', clock.read(), 1),
  )

  expect(counts).toEqual([
    { mode: 'live', count: 1, oldestSeconds: 120 },
    { mode: 'test', count: 1, oldestSeconds: 540 },
  ])
})
