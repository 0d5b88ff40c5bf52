// Meters and usage events: each event is recorded once, and the sums equal those of the distinct events.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { billingForThisFile } from '../../../../test/support/billing.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import type { Id } from '../../../kernel/id.ts'
import { aggregateEvents } from './service/aggregate.ts'
import { addToBuckets, nextRange } from './store/buckets.ts'

const switchyard = await billingForThisFile()
const { clock, deps } = switchyard

const refOf = ({ workspaceId }: Workspace) => {
  const id = workspaceId as Id<'workspace'>
  return { workspaceId: id, id }
}
const aggregate = (workspace: Workspace) => aggregateEvents(deps, refOf(workspace))
const hour = 3_600_000
const nowMs = () => {
  const reading = clock.read()
  return reading.from === 'database' ? Number.NaN : reading.at.getTime()
}
const minutesAgo = (minutes: number) => new Date(nowMs() - minutes * 60_000).toISOString()

async function createMeter(workspace: Workspace, terms: object): Promise<string> {
  const { status, body } = await workspace.post('/meters', terms)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

async function record(workspace: Workspace, events: readonly object[]) {
  const { status, body } = await workspace.post('/meter-events', { events })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

async function usageOf(workspace: Workspace, meter: string, customer: string) {
  const end = Math.ceil((nowMs() + 1) / hour) * hour
  const [from, to] = [end - 40 * 24 * hour, end + hour].map((at) => new Date(at).toISOString())
  const query = `customer_id=${customer}&from=${from}&to=${to}`
  const { status, body } = await workspace.get(`/meters/${meter}/usage?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

test('usage is added up in total and by dimensions, and a repeated event is not counted again', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const meter = await createMeter(workspace, {
    event_name: 'bytes',
    aggregation: 'sum',
    dimensions: ['region'],
  })
  const event = (id: string, value: string, region: string) => ({
    id,
    event_name: 'bytes',
    customer_id,
    value,
    occurred_at: minutesAgo(90),
    dimensions: { region },
  })
  const events = [event('1', '1.5', 'eu'), event('2', '2', 'us'), event('3', '4', 'eu')]
  expect(await record(workspace, [...events, events[0] as object])).toMatchObject({
    accepted: 3,
    duplicates: 1,
  })
  expect(await usageOf(workspace, meter, customer_id)).toMatchObject({
    value: '0',
    groups: [],
    current: false,
  })
  await aggregate(workspace)
  // Events with the same ids in another month are duplicates too.
  const moved = events.map((repeated) => ({ ...repeated, occurred_at: minutesAgo(34 * 24 * 60) }))
  expect(await record(workspace, moved)).toMatchObject({ accepted: 0, duplicates: 3, errors: [] })
  await aggregate(workspace)
  expect(await usageOf(workspace, meter, customer_id)).toMatchObject({
    value: '7.5',
    current: true,
    groups: [
      { dimensions: { region: 'eu' }, value: '5.5' },
      { dimensions: { region: 'us' }, value: '2' },
    ],
  })
  expect(await usageOf(workspace, meter, await workspace.aCustomer())).toMatchObject({ value: '0' })
})

test('a report has the usage by interval, by customer and by dimensions', async () => {
  const workspace = await switchyard.newWorkspace()
  const [ada, grace] = [await workspace.aCustomer(), await workspace.aCustomer()]
  const meters: Record<string, string> = {}
  for (const aggregation of aggregations)
    meters[aggregation] = await createMeter(workspace, {
      event_name: aggregation,
      aggregation,
      dimensions: ['region'],
      ...(aggregation === 'unique' ? { value_key: 'user' } : {}),
    })
  const uses = [
    { customer_id: ada, minutes: 0, value: '2', region: 'eu', user: 'a' },
    { customer_id: ada, minutes: 60, value: '5', region: 'us', user: 'a' },
    { customer_id: grace, minutes: 60, value: '4.5', region: 'eu', user: 'b' },
    { customer_id: grace, minutes: 25 * 60, value: '1', region: 'eu', user: 'b' },
  ]
  const events = aggregations.flatMap((event_name) =>
    uses.map(({ customer_id, minutes, value, region, user }, index) => {
      const dimensions = { region, user }
      return { id: `${index}`, event_name, customer_id, value, dimensions, occurred_at: minutesAgo(minutes) }
    }),
  )
  expect(await record(workspace, events)).toMatchObject({ accepted: events.length })
  await aggregate(workspace)
  const thisHour = Math.floor(nowMs() / hour) * hour
  const at = (ms: number) => new Date(ms).toISOString()
  const reportOf = async (aggregation: string, members = '') => {
    const period = `from=${at(thisHour - 2 * hour)}&to=${at(thisHour + hour)}`
    const path = `/meters/${meters[aggregation]}/report?${period}&interval=hour${members}`
    const { status, body } = await workspace.get(path)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  expect(await reportOf('sum')).toEqual({
    object: 'meter_report',
    meter_id: meters.sum,
    customer_id: null,
    from: at(thisHour - 2 * hour),
    to: at(thisHour + hour),
    interval: 'hour',
    value: '11.5',
    intervals: [
      { start_at: at(thisHour - 2 * hour), value: '0' },
      { start_at: at(thisHour - hour), value: '9.5' },
      { start_at: at(thisHour), value: '2' },
    ],
    customers: [
      { customer_id: ada, value: '7' },
      { customer_id: grace, value: '4.5' },
    ],
    groups: [
      { dimensions: { region: 'eu' }, value: '6.5' },
      { dimensions: { region: 'us' }, value: '5' },
    ],
    current: true,
  })
  expect(await reportOf('sum', `&customer_id=${grace}`)).toMatchObject({
    customer_id: grace,
    value: '4.5',
    customers: [{ customer_id: grace, value: '4.5' }],
  })
  const valuesOf = async (aggregation: string) => {
    const { value, intervals } = await reportOf(aggregation)
    return [value, ...intervals.map((one: { value: string }) => one.value)]
  }
  expect(await valuesOf('count')).toEqual(['3', '0', '2', '1'])
  expect(await valuesOf('max')).toEqual(['5', '0', '5', '2'])
  expect(await valuesOf('last')).toEqual(['2', '0', '4.5', '2'])
  expect(await valuesOf('unique')).toEqual(['2', '0', '2', '1'])
})

test('a report by day begins at its start, and a period that is too long is refused', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const meter = await createMeter(workspace, { event_name: 'call', aggregation: 'count' })
  const day = 24 * hour
  const today = Math.floor(nowMs() / day) * day
  const times = [today - 13 * hour, today - 12 * hour, today - hour, today]
  const at = (ms: number) => new Date(ms).toISOString()
  await record(
    workspace,
    times.map((ms) => ({ id: at(ms), event_name: 'call', customer_id, occurred_at: at(ms) })),
  )
  await aggregate(workspace)
  const path = `/meters/${meter}/report`
  const { body } = await workspace.get(`${path}?from=${at(today - 12 * hour)}&to=${at(today + day)}`)
  expect(body).toMatchObject({
    interval: 'day',
    value: '3',
    groups: [],
    intervals: [
      { start_at: at(today - 12 * hour), value: '2' },
      { start_at: at(today), value: '1' },
    ],
  })
  const refused = async (query: string) => (await workspace.get(`${path}?${query}`)).body.errors?.[0]?.pointer
  expect(await refused(`from=${at(today - 1000 * day)}&to=${at(today + hour)}`)).toBe('/to')
  expect(await refused(`from=${at(today)}&to=${at(today)}`)).toBe('/to')
  expect(await refused(`from=${at(today + 1)}&to=${at(today + day)}`)).toBe('/from')
})

test('invalid events are listed, and the others are recorded', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  await createMeter(workspace, { event_name: 'bytes', aggregation: 'max', dimensions: ['region'] })
  const valid = { event_name: 'bytes', customer_id, value: '1', dimensions: { region: 'eu' } }
  const { accepted, errors } = await record(workspace, [
    { ...valid, id: 'ok' },
    { ...valid, id: 'a', event_name: 'other' },
    { ...valid, id: 'b', customer_id: 'cus_test_01M7CYVGQTEAKSNTBFR026MPQ1'.replace('cus', 'customer') },
    { ...valid, id: 'c', occurred_at: minutesAgo(35 * 24 * 60 + 1) },
    { ...valid, id: 'd', occurred_at: minutesAgo(-6) },
    { ...valid, id: 'e', value: undefined },
    { ...valid, id: 'f', dimensions: {} },
    { ...valid, id: 'oldest', occurred_at: minutesAgo(35 * 24 * 60) },
    { ...valid, id: 'newest', occurred_at: minutesAgo(-5) },
  ])
  expect(accepted).toBe(3)
  expect(
    errors.map(({ index, id, code }: { index: number; id: string; code: string }) => [index, id, code]),
  ).toEqual([
    [1, 'a', 'unknown_event_name'],
    [2, 'b', 'unknown_customer'],
    [3, 'c', 'too_old'],
    [4, 'd', 'in_the_future'],
    [5, 'e', 'value_required'],
    [6, 'f', 'dimension_required'],
  ])
})

test('an event is cancelled once, and its id is not recorded again', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const meter = await createMeter(workspace, { event_name: 'bytes', aggregation: 'sum' })
  const event = (id: string, value: string) => ({ id, event_name: 'bytes', customer_id, value })
  await record(workspace, [event('1', '5'), event('2', '7')])
  await aggregate(workspace)
  const cancel = async (...ids: string[]) =>
    (
      await workspace.post('/meter-events/cancel', {
        events: [...ids.map((id) => ({ event_name: 'bytes', id })), { event_name: 'unknown', id: '1' }],
      })
    ).body

  expect(await cancel('1', '1', '3')).toMatchObject({
    cancelled: 1,
    duplicates: 1,
    errors: [
      { index: 2, id: '3', code: 'unknown_event' },
      { index: 3, id: '1', code: 'unknown_event_name' },
    ],
  })
  expect(await usageOf(workspace, meter, customer_id)).toMatchObject({ value: '7' })
  expect(await record(workspace, [event('1', '5')])).toMatchObject({ accepted: 0, duplicates: 1 })
  expect(await cancel('1', '2')).toMatchObject({ cancelled: 1, duplicates: 1 })
  await aggregate(workspace)
  expect(await usageOf(workspace, meter, customer_id)).toMatchObject({ value: '0', groups: [] })

  // Of concurrent requests, exactly one cancels the event.
  await record(workspace, [event('4', '1')])
  const [, ...answers] = await Promise.all([aggregate(workspace), cancel('4'), cancel('4'), cancel('4')])
  expect(answers.reduce((sum, { cancelled }) => sum + cancelled, 0)).toBe(1)
  await aggregate(workspace)
  expect(await usageOf(workspace, meter, customer_id)).toMatchObject({ value: '0' })
})

test('a meter needs a value_key only for `unique`, and each event name has one meter', async () => {
  const workspace = await switchyard.newWorkspace()
  const refused = async (terms: object) => (await workspace.post('/meters', terms)).body.errors?.[0]?.pointer
  expect(await refused({ event_name: 'login', aggregation: 'unique' })).toBe('/value_key')
  expect(await refused({ event_name: 'login', aggregation: 'sum', value_key: 'user' })).toBe('/value_key')
  const id = await createMeter(workspace, { event_name: 'login', aggregation: 'unique', value_key: 'user' })
  expect(await refused({ event_name: 'login', aggregation: 'count' })).toBe('/event_name')
  expect((await workspace.get('/meters')).body.data).toMatchObject([
    { id, value_key: 'user', dimensions: [] },
  ])
  expect((await workspace.get(`/meters/${id}/usage?customer_id=x&from=y&to=z`)).status).toBe(400)
})

test('concurrent calls are committed together, and each event is accepted by exactly one of them', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const meter = await createMeter(workspace, { event_name: 'call', aggregation: 'count' })
  const events = Array.from({ length: 40 }, (_, index) => ({
    id: String(index),
    event_name: 'call',
    customer_id,
  }))
  const results = await Promise.all(Array.from({ length: 20 }, () => record(workspace, events)))
  expect(results.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(40)
  expect(results.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(19 * 40)
  await Promise.all([aggregate(workspace), aggregate(workspace), aggregate(workspace)])
  expect(await usageOf(workspace, meter, customer_id)).toMatchObject({ value: '40', current: true })
})

const aggregations = ['sum', 'count', 'max', 'last', 'unique'] as const
type GeneratedEvent = { id: number; minutes: number; value: number; user: number }
type Step =
  | { do: 'send'; events: GeneratedEvent[] }
  | { do: 'cancel'; ids: number[] }
  | { do: 'aggregate' | 'killed' | 'aggregate_twice' }

/** What the distinct events add up to. The first event with an id counts, unless it was cancelled. */
function fold(
  sent: readonly GeneratedEvent[],
  cancelled: ReadonlySet<number>,
): Record<(typeof aggregations)[number], string> {
  const first = new Map(sent.toReversed().map((event) => [event.id, event]))
  const distinct = [...first.values()].filter(({ id }) => !cancelled.has(id))
  const latest = distinct.toSorted((a, b) => a.minutes - b.minutes || (`e${a.id}` < `e${b.id}` ? 1 : -1))[0]
  return {
    sum: String(distinct.reduce((sum, { value }) => sum + value, 0)),
    count: String(distinct.length),
    max: String(distinct.length === 0 ? 0 : Math.max(...distinct.map(({ value }) => value))),
    last: String(latest?.value ?? 0),
    unique: String(new Set(distinct.map(({ user }) => user)).size),
  }
}

test('the sums equal those of the distinct events, in any order, and despite repeated calls, redeliveries, cancellations and killed processes', async () => {
  const event = fc.record({
    id: fc.integer({ min: 0, max: 12 }),
    minutes: fc.integer({ min: 0, max: 34 * 24 * 60 }),
    value: fc.integer({ min: -50, max: 50 }),
    user: fc.integer({ min: 0, max: 3 }),
  })
  const steps = fc.array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          do: fc.constant('send'),
          events: fc.array(event, { minLength: 1, maxLength: 8 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('cancel'),
          ids: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 4 }),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('aggregate', 'killed', 'aggregate_twice') }) },
    ),
    { minLength: 2, maxLength: 8 },
  ) as fc.Arbitrary<Step[]>
  const workspace = await switchyard.newWorkspace()
  const meters: string[] = []
  for (const aggregation of aggregations)
    meters.push(
      await createMeter(workspace, {
        event_name: aggregation,
        aggregation,
        ...(aggregation === 'unique' ? { value_key: 'user' } : {}),
      }),
    )
  let run = 0
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      run += 1
      const customer_id = await workspace.aCustomer()
      const sent: GeneratedEvent[] = []
      const cancelled = new Set<number>()
      for (const step of history) {
        if (step.do === 'cancel') {
          const known = new Set(step.ids.filter((id) => sent.some((event) => event.id === id)))
          const events = step.ids.flatMap((id) =>
            aggregations.map((event_name) => ({ event_name, id: `${run} e${id}` })),
          )
          const { body } = await workspace.post('/meter-events/cancel', { events })
          const added = [...known].filter((id) => !cancelled.has(id)).length
          expect(body.cancelled).toBe(added * aggregations.length)
          for (const id of known) cancelled.add(id)
          continue
        }
        if (step.do !== 'send') {
          await interrupt(workspace, step.do)
          continue
        }
        sent.push(...step.events)
        await record(
          workspace,
          aggregations.flatMap((name) => step.events.map(toInput(name, customer_id, run))),
        )
      }
      await aggregate(workspace)
      const found = await Promise.all(meters.map((meter) => usageOf(workspace, meter, customer_id)))
      const expected = fold(sent, cancelled)
      expect(found.map(({ value, current }) => [value, current])).toEqual(
        aggregations.map((name) => [expected[name], true]),
      )
    }),
    { numRuns: 12 },
  )
})

const toInput = (event_name: string, customer_id: string, run: number) => (event: GeneratedEvent) => ({
  id: `${run} e${event.id}`,
  event_name,
  customer_id,
  occurred_at: minutesAgo(event.minutes),
  value: String(event.value),
  dimensions: { user: `u${event.user}` },
})

async function interrupt(
  workspace: Workspace,
  how: 'aggregate' | 'killed' | 'aggregate_twice',
): Promise<void> {
  if (how === 'aggregate') return aggregate(workspace)
  if (how === 'aggregate_twice') {
    await Promise.all([aggregate(workspace), aggregate(workspace)])
    return
  }
  // The process is killed after the sums were written and before the cursor moved.
  const killed = inTransaction(deps, workspace.workspaceId, async (tx) => {
    await addToBuckets(tx, await nextRange(tx, 0n, 10_000))
    throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
}
