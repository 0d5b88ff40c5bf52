// Usage alerts: each triggers once for a customer and a period, whatever is repeated or stopped.

import { expect, test } from 'vitest'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import type { Id } from '../../../kernel/id.ts'
import { aggregateEvents } from '../meters/service/aggregate.ts'
import { addToBuckets, nextRange } from '../meters/store/buckets.ts'
import { triggerUsageAlerts } from './service.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, deps, settle, aPayer } = switchyard

const nowMs = () => {
  const reading = clock.read()
  return reading.from === 'database' ? Number.NaN : reading.at.getTime()
}
const hoursAgo = (hours: number) => new Date(nowMs() - hours * 3_600_000).toISOString()
let events = 0

type Trigger = { customer_id: string; usage: string; threshold: string; period: Record<string, string> }

/** A meter with an alert, and functions that use them. */
async function alerting(threshold: string, members: { customer_id?: string; meter?: object } = {}) {
  const workspace = await switchyard.newWorkspace()
  return inWorkspace(workspace, threshold, members)
}

async function inWorkspace(
  workspace: Workspace,
  threshold: string,
  { meter: terms = { aggregation: 'sum' }, ...members }: { customer_id?: string; meter?: object } = {},
) {
  const created = await workspace.post('/meters', { event_name: 'requests', ...terms })
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  const meter_id: string = created.body.id
  const input = { meter_id, name: 'Included requests', threshold, ...members }
  const alert = await workspace.post('/usage-alerts', input)
  expect(alert.status, JSON.stringify(alert.body)).toBe(201)
  const record = async (customer_id: string, values: readonly (number | string)[], extra: object = {}) => {
    const sent = values.map((value) => ({
      id: `event ${events++}`,
      event_name: created.body.event_name,
      customer_id,
      value: String(value),
      ...extra,
    }))
    const { body } = await workspace.post('/meter-events', { events: sent })
    expect(body).toMatchObject({ accepted: values.length, errors: [] })
    return sent.map(({ id }) => id)
  }
  const workspaceId = workspace.workspaceId as Id<'workspace'>
  const aggregate = () => aggregateEvents(deps, { workspaceId, id: workspaceId })
  const use = async (customer_id: string, values: readonly (number | string)[], extra: object = {}) => {
    const ids = await record(customer_id, values, extra)
    await aggregate()
    return ids
  }
  const triggersOf = async (id: string = alert.body.id): Promise<Trigger[]> => {
    const { status, body } = await workspace.get(`/usage-alerts/${id}/triggers`)
    expect(status, JSON.stringify(body)).toBe(200)
    return body.data.toReversed()
  }
  /** The API objects of the events, oldest first. */
  const emitted = async () => {
    const { body } = await workspace.get('/events?type=usage_alert.triggered&limit=100')
    return body.data.map(({ data }: { data: string }) => JSON.parse(data).object).toReversed()
  }
  return { workspace, meter_id, alert: alert.body, record, aggregate, use, triggersOf, emitted }
}

test('an alert triggers at its threshold and not below, once in a calendar month, and again in the next', async () => {
  const { workspace, alert, use, triggersOf, emitted } = await alerting('10.5')
  const customer = await workspace.aCustomer()
  await use(customer, ['4', '6.4'])
  expect(await triggersOf()).toEqual([])
  await use(customer, ['0.1'])
  const month = new Date(nowMs()).toISOString().slice(0, 7)
  const [trigger] = await triggersOf()
  expect(trigger).toMatchObject({
    object: 'usage_alert_trigger',
    usage_alert_id: alert.id,
    meter_id: alert.meter_id,
    customer_id: customer,
    threshold: '10.5',
    usage: '10.5',
    period: { start_at: `${month}-01T00:00:00.000Z` },
  })
  await use(customer, ['100'])
  expect(await triggersOf()).toHaveLength(1)
  expect(await emitted()).toEqual([trigger])

  clock.advance({ days: 31 })
  await use(customer, ['10'])
  expect(await triggersOf()).toHaveLength(1)
  await use(customer, ['1'])
  expect((await triggersOf()).map(({ usage }) => usage)).toEqual(['10.5', '11'])
  const [first, second] = await triggersOf()
  expect(second?.period.start_at).toBe(first?.period.end_at)
})

test('an alert for one customer ignores others, and an alert for each customer triggers for each', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const other = await workspace.aCustomer()
  const { meter_id, use, triggersOf, emitted } = await inWorkspace(workspace, '5', { customer_id })
  const { body: all } = await workspace.post('/usage-alerts', { meter_id, name: 'All', threshold: '7' })
  await use(other, [9])
  await use(customer_id, [6])
  expect(await triggersOf()).toMatchObject([{ customer_id, usage: '6' }])
  expect(await triggersOf(all.id)).toMatchObject([{ customer_id: other, usage: '9' }])
  await use(customer_id, [1])
  expect(await triggersOf(all.id)).toMatchObject([{ customer_id: other }, { customer_id, usage: '7' }])
  expect(await emitted()).toHaveLength(3)
  // Other meters do not count.
  await workspace.post('/meters', { event_name: 'other', aggregation: 'sum' })
  expect((await workspace.get(`/usage-alerts?meter_id=${meter_id}`)).body.data).toMatchObject([
    { id: all.id, customer_id: null },
    { customer_id },
  ])
  expect((await workspace.get(`/usage-alerts?customer_id=${customer_id}`)).body.data).toHaveLength(1)
})

test('every aggregation is compared, over all dimensions', async () => {
  const cases: [object, object[], string][] = [
    [{ aggregation: 'count' }, [{}, {}, {}], '3'],
    [{ aggregation: 'max' }, [{ value: '2' }, { value: '1' }, { value: '3' }], '3'],
    [{ aggregation: 'last' }, [{ value: '1', occurred_at: hoursAgo(1) }, { value: '3' }], '3'],
    [
      { aggregation: 'unique', value_key: 'user', dimensions: ['region'] },
      ['a', 'b', 'b', 'c'].map((user, index) => ({ dimensions: { user, region: `r${index % 2}` } })),
      '3',
    ],
    [
      { aggregation: 'sum', dimensions: ['region'] },
      ['eu', 'us'].map((region) => ({ value: '1.5', dimensions: { region } })),
      '3',
    ],
  ]
  const workspace = await switchyard.newWorkspace()
  const customer = await workspace.aCustomer()
  for (const [terms, inputs, usage] of cases) {
    const meter = { event_name: `requests_${events}`, ...terms }
    const { record, aggregate, triggersOf } = await inWorkspace(workspace, '3', { meter })
    for (const input of inputs.slice(0, -1)) await record(customer, [1], input)
    await aggregate()
    expect(await triggersOf()).toEqual([])
    await record(customer, [1], inputs.at(-1))
    await aggregate()
    expect(await triggersOf(), JSON.stringify(meter)).toMatchObject([{ usage }])
  }
})

test('an alert triggers once despite concurrent, repeated and stopped work', async () => {
  const { workspace, record, aggregate, triggersOf, emitted } = await alerting('10')
  const customers = [await workspace.aCustomer(), await workspace.aCustomer()]
  for (const customer of customers) await record(customer, [6, 6])
  const workspaceId = workspace.workspaceId as Id<'workspace'>
  const killed = inTransaction(deps, workspaceId, async (tx) => {
    const range = await nextRange(tx, 0n, 10_000)
    await addToBuckets(tx, range)
    await triggerUsageAlerts(tx, range)
    throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
  expect(await emitted()).toEqual([])
  await Promise.all([aggregate(), aggregate(), aggregate(), aggregate()])
  await Promise.all(
    customers.flatMap((customer) => [record(customer, [1]), record(customer, [1]), aggregate(), aggregate()]),
  )
  await aggregate()
  await aggregate()
  // The same events again, as if the cursor had not moved.
  await inTransaction(deps, workspaceId, async (tx) =>
    triggerUsageAlerts(tx, await nextRange(tx, 0n, 10_000)),
  )
  expect(new Set((await triggersOf()).map(({ customer_id }) => customer_id))).toEqual(new Set(customers))
  expect(await triggersOf()).toHaveLength(2)
  expect(await emitted()).toHaveLength(2)
})

test('the period of a subscription that bills the meter is used, exact to the second, and each period triggers again', async () => {
  const workspace = await switchyard.newWorkspace()
  const { meter_id, use, triggersOf } = await inWorkspace(workspace, '10')
  const { customerId: customer } = await aPayer(workspace)
  await use(customer, [4], { occurred_at: hoursAgo(2) })
  clock.advance({ minutes: 17 })
  const price_id = await aPrice(workspace, { meter_id })
  const { id } = await aSubscription(workspace, { customer_id: customer, items: [{ price_id }] })
  await settle()
  const { current_period: period } = (await workspace.get(`/subscriptions/${id}`)).body
  clock.advance({ seconds: 30 })
  // The usage before the subscription, in the same hour, is not part of its period.
  await use(customer, [5], { occurred_at: new Date(Date.parse(period.start_at) - 1000).toISOString() })
  await use(customer, [9], { occurred_at: period.start_at })
  expect(await triggersOf()).toEqual([])
  clock.advance({ days: 2 })
  await use(customer, [1.5])
  const { start_at, end_at } = period
  expect(await triggersOf()).toMatchObject([{ usage: '10.5', period: { start_at, end_at } }])

  clock.advance({ seconds: Math.ceil((Date.parse(end_at) - nowMs()) / 1000) + 60 })
  await settle()
  await use(customer, [10], { occurred_at: new Date(nowMs() - 30_000).toISOString() })
  expect((await triggersOf()).map((trigger) => trigger.period.start_at)).toEqual([start_at, end_at])
})

test('usage that is counted after the end of a period, but before the renewal, triggers without another event', async () => {
  const workspace = await switchyard.newWorkspace()
  const { meter_id, use, record, triggersOf, emitted } = await inWorkspace(workspace, '10')
  const { customerId: customer } = await aPayer(workspace)
  const price_id = await aPrice(workspace, { meter_id })
  const { id } = await aSubscription(workspace, { customer_id: customer, items: [{ price_id }] })
  await settle()
  const { end_at } = (await workspace.get(`/subscriptions/${id}`)).body.current_period
  clock.advance({ seconds: Math.ceil((Date.parse(end_at) - nowMs()) / 1000) + 60 })
  // The subscription is not renewed yet, so the events have no period.
  await use(customer, [7])
  await use(customer, [5])
  expect(await triggersOf()).toEqual([])
  // Renewed, and an hour later the period that has ended is billed.
  await settle()
  clock.advance({ hours: 1 })
  await settle()

  expect(await triggersOf()).toMatchObject([{ usage: '12', period: { start_at: end_at } }])
  await record(customer, [20])
  await settle()
  expect(await emitted()).toHaveLength(1)
})

test('late events trigger for their own period, unless it ended before the alert was created', async () => {
  const workspace = await switchyard.newWorkspace()
  clock.advance({ seconds: (Date.UTC(2026, 11, 30) - nowMs()) / 1000 })
  const { meter_id, use, triggersOf } = await inWorkspace(workspace, '10')
  const customer = await workspace.aCustomer()
  await use(customer, [9])
  clock.advance({ days: 5 })
  const { body: later } = await workspace.post('/usage-alerts', { meter_id, name: 'Later', threshold: '10' })
  await use(customer, [3])
  expect(await triggersOf()).toEqual([])
  await use(customer, [2], { occurred_at: '2026-12-31T23:59:59.000Z' })
  const period = { start_at: '2026-12-01T00:00:00.000Z', end_at: '2027-01-01T00:00:00.000Z' }
  expect(await triggersOf()).toMatchObject([{ usage: '11', period }])
  expect(await triggersOf(later.id)).toEqual([])
  await use(customer, [7])
  expect((await triggersOf()).map(({ usage }) => usage)).toEqual(['11', '10'])
  expect(await triggersOf(later.id)).toMatchObject([{ usage: '10' }])
})

test('cancelled events do not count, and cancelling them later does not remove a trigger', async () => {
  const { workspace, record, use, triggersOf, emitted } = await alerting('10')
  const customer = await workspace.aCustomer()
  const [cancelled] = await record(customer, [50])
  const cancel = (id: string | undefined) =>
    workspace.post('/meter-events/cancel', { events: [{ event_name: 'requests', id }] })
  expect((await cancel(cancelled)).body).toMatchObject({ cancelled: 1 })
  await use(customer, [3])
  expect(await triggersOf()).toEqual([])
  const [large] = await use(customer, [20])
  expect(await triggersOf()).toMatchObject([{ usage: '23' }])
  expect((await cancel(large)).body).toMatchObject({ cancelled: 1 })
  await use(customer, [30])
  expect(await triggersOf()).toMatchObject([{ usage: '23' }])
  expect(await emitted()).toHaveLength(1)
})

test('an archived alert does not trigger, and triggers with the next event after it is active again', async () => {
  const { workspace, alert, use, triggersOf } = await alerting('10')
  const customer = await workspace.aCustomer()
  const path = `/usage-alerts/${alert.id}`
  const archived = await workspace.put(path, { active: false, name: 'Old' })
  expect(archived).toMatchObject({
    status: 200,
    body: { ...alert, active: false, name: 'Old', updated_at: expect.any(String) },
  })
  await use(customer, [11])
  expect(await triggersOf()).toEqual([])
  const stale = { headers: { 'if-match': '"1"' } }
  expect((await workspace.put(path, { active: true }, stale)).body.code).toBe('version_mismatch')
  expect((await workspace.put(path, { active: true })).status).toBe(200)
  expect((await workspace.put(path, { active: true })).status).toBe(200)
  await use(customer, [1])
  expect(await triggersOf()).toMatchObject([{ usage: '12' }])
  const types = (await workspace.eventsOf(alert.id)).map(({ type }: { type: string }) => type)
  expect(types).toEqual(['usage_alert.created', 'usage_alert.updated', 'usage_alert.updated'])
})

test('an invalid alert is refused', async () => {
  const { workspace, alert } = await alerting('10.50')
  expect(alert).toMatchObject({ threshold: '10.5', customer_id: null, active: true, metadata: {} })
  const { meter_id } = alert
  const deleted = await workspace.aCustomer()
  expect((await workspace.delete(`/customers/${deleted}`)).status).toBe(200)
  const cases: [object, string][] = [
    [{ threshold: '0' }, '/threshold'],
    [{ threshold: '0.000' }, '/threshold'],
    [{ threshold: '-1' }, '/threshold'],
    [{ threshold: 'many' }, '/threshold'],
    [{ threshold: 10 }, '/threshold'],
    [{ name: '' }, '/name'],
    [{ meter_id: 'meter_test_01M7CYVGQTEAKSNTBFR026MPQ1' }, '/meter_id'],
    [{ customer_id: 'customer_test_01M7CYVGQTEAKSNTBFR026MPQ1' }, '/customer_id'],
    [{ customer_id: deleted }, '/customer_id'],
    [{ surprise: true }, '/surprise'],
  ]
  for (const [members, pointer] of cases) {
    const { status, body } = await workspace.post('/usage-alerts', {
      meter_id,
      name: 'Included requests',
      threshold: '1',
      ...members,
    })
    expect([status, body.errors?.[0]?.pointer], JSON.stringify(members)).toEqual([
      expect.toBeOneOf([400, 422]),
      pointer,
    ])
  }
  const both = await workspace.get(`/usage-alerts?meter_id=${meter_id}&customer_id=${deleted}`)
  expect(both.body.errors).toMatchObject([{ pointer: '/customer_id' }])
})

test('another workspace cannot see, change or be triggered by an alert', async () => {
  const { workspace, alert, use, triggersOf } = await alerting('1')
  await use(await workspace.aCustomer(), [1])
  const other = await switchyard.newWorkspace()
  const path = `/usage-alerts/${alert.id}`
  expect((await other.get(path)).status).toBe(404)
  expect((await other.get(`${path}/triggers`)).status).toBe(404)
  expect((await other.put(path, { active: false })).status).toBe(404)
  const input = { meter_id: alert.meter_id, name: 'Theirs', threshold: '1' }
  expect((await other.post('/usage-alerts', input)).body.code).toBe('reference_not_found')
  expect((await other.get('/usage-alerts')).body.data).toEqual([])
  expect(await triggersOf()).toHaveLength(1)
})
