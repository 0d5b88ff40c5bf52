// Accounts that fare badly, as those who run them see it: the answers of the API, its events, and what this
// process says to whoever chooses an account.

import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import type { HeardCall } from '../../deps.ts'
import type { Id } from '../../kernel/id.ts'
import { HealthWatch } from './service/watch.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const { deps, clock, health } = switchyard

const fault = (code = 'timeout') => ({ code, message: 'No.' })
const money = { amount: 100n, currency: 'eur' } as const
const approved: HeardCall['learned'] = { is: 'succeeded', ref: 'r', money }
const declined: HeardCall['learned'] = { is: 'declined', decline: { code: 'do_not_honor' } }
const unknown: HeardCall['learned'] = { is: 'unknown', fault: fault() }
const refused: HeardCall['learned'] = { is: 'rejected', fault: fault('provider_credentials_invalid') }

type Account = Id<'provider_account'>

/** A workspace with two simulators; what is said is said of the first. */
async function aWorkspace() {
  const workspace = await switchyard.newWorkspace()
  const { body } = await workspace.get('/provider-accounts')
  const id = body.data[1].id as Account
  const path = `/provider-accounts/${id}`
  const ref = { workspaceId: workspace.workspaceId as Id<'workspace'>, id }
  const note = async (learned: HeardCall['learned'], times = 1, kind: HeardCall['kind'] = 'authorize') => {
    for (let nth = 0; nth < times; nth += 1) deps.health.note(ref, { kind, learned, tookMs: 40 })
    // What follows from it goes on after the call.
    await health.flush()
  }
  const shown = async () => (await workspace.get(path)).body
  return { ...workspace, workspace, ref, id, path, note, health: async () => (await shown()).health }
}

/** The events of the account after its creation. */
const told = async ({ eventsOf }: Workspace, id: string) =>
  (await eventsOf(id)).slice(1).map(({ type }: { type: string }) => type.replace('provider_account.', ''))

/** Time goes on, also for this process, and what is due is done. */
async function wait(seconds: number): Promise<void> {
  clock.advance({ seconds })
  await switchyard.settle()
  await health.look()
}

async function anOpenOne() {
  const one = await aWorkspace()
  await one.note(unknown, 10)
  expect((await one.health()).breaker.authorize).toBe('open')
  return one
}

test('an account half of whose calls fail is degraded, at once and for everybody to see', async () => {
  const { workspace, id, note, health: read, eventsOf } = await aWorkspace()
  const [at, until] = [clockAfter(0), clockAfter(30)]
  await note(approved, 5)
  await note(unknown, 4)
  expect([deps.health.isOpen(id, 'authorize'), await told(workspace, id)]).toEqual([false, []])

  await note({ is: 'not_sent', fault: fault('connect_failed') })

  expect(deps.health.isOpen(id, 'authorize')).toBe(true)
  expect(deps.health.isOpen(id, 'rest')).toBe(false)
  expect(await read()).toMatchObject({ breaker: { authorize: 'open', rest: 'closed' }, next_probe_at: until })
  const [, event] = await eventsOf(id)
  expect(event).toMatchObject({
    type: 'provider_account.degraded',
    object: { id, updated_at: at, health: { breaker: { authorize: 'open' } } },
    previous: { health: { breaker: { authorize: 'closed' }, next_probe_at: null } },
  })
})

test('what issuers decline never opens it, and captures do not open it for authorizations', async () => {
  const { id, note } = await aWorkspace()
  await note(declined, 40)
  expect(deps.health.isOpen(id, 'authorize')).toBe(false)
  await note(unknown, 10, 'capture')
  expect([deps.health.isOpen(id, 'authorize'), deps.health.isOpen(id, 'rest')]).toEqual([false, true])
})

test('when its time is over it is asked how it is, and after three good answers it has recovered', async () => {
  const { workspace, id, health: read } = await anOpenOne()
  await wait(29)
  expect((await read()).breaker.authorize).toBe('open')

  await wait(1)
  expect(await read()).toMatchObject({
    breaker: { authorize: 'probing' },
    next_probe_at: clockAfter(2),
  })
  expect(deps.health.isOpen(id, 'authorize')).toBe(true)
  await wait(2)
  await wait(2)

  expect(await read()).toMatchObject({ breaker: { authorize: 'closed' }, next_probe_at: null })
  expect(deps.health.isOpen(id, 'authorize')).toBe(false)
  expect(await told(workspace, id)).toEqual(['degraded', 'recovered'])
})

function clockAfter(seconds: number): string {
  const reading = clock.read()
  return reading.from === 'harness' ? new Date(reading.at.getTime() + seconds * 1000).toISOString() : ''
}

test('a provider that is still out is asked every five seconds, and soon after its return it has recovered', async () => {
  const { id, health: read, workspace } = await anOpenOne()
  await simulator.configure(id, { outage: true })
  for (let nth = 0; nth < 6; nth += 1) await wait(nth === 0 ? 30 : 5)
  expect(await read()).toMatchObject({ breaker: { authorize: 'probing' }, next_probe_at: clockAfter(5) })

  await simulator.configure(id, { outage: false })
  await wait(5)
  await wait(2)
  await wait(2)
  expect((await read()).breaker.authorize).toBe('closed')
  expect(await told(workspace, id)).toEqual(['degraded', 'recovered'])
})

test('payments prove it too: three in a row that go well close it, one that fails begins the count anew', async () => {
  const { ref, health: read } = await anOpenOne()
  await simulator.configure(ref.id, { outage: true })
  await wait(30)
  // A process writes what it sees once a second, so it takes some of them.
  const result = async (learned: HeardCall['learned']) =>
    (await aProcess()).note(ref, { kind: 'authorize', learned, tookMs: 1 })
  await result(approved)
  await result(approved)
  await result(unknown)
  await result(approved)
  await result(declined)
  expect((await read()).breaker.authorize).toBe('probing')
  await result(approved)
  expect((await read()).breaker.authorize).toBe('closed')
})

test('one payment at a time keeps its place at an account that is probed', async () => {
  const { id } = await anOpenOne()
  const may = () => deps.health.mayProbe(id, 'authorize')
  expect([may(), deps.health.mayProbe(id, 'rest')]).toEqual([false, false])
  await simulator.configure(id, { outage: true })
  await wait(30)
  expect([may(), may()]).toEqual([true, true])
  deps.health.began(id, 'authorize')
  expect(may()).toBe(false)
})

test('one that is archived is asked no more, and nobody is told that it is well', async () => {
  const { workspace, id, path, health: read, post } = await anOpenOne()
  expect((await post(`${path}/archive`)).status).toBe(200)
  await wait(30)
  expect((await read()).breaker.authorize).toBe('closed')
  expect(await told(workspace, id)).toEqual(['degraded', 'updated'])
})

test('credentials that are refused are told of by the hour, and at once after a new secret', async () => {
  const { workspace, ref, id, path, note, post } = await aWorkspace()
  const refuse = async () => (await aProcess()).note(ref, { kind: 'authorize', learned: refused, tookMs: 1 })
  await note(refused, 3)
  await refuse()
  expect(await told(workspace, id)).toEqual(['credentials_refused'])

  clock.advance({ seconds: 1 })
  await post(`${path}/rotate_secret`, {})
  await refuse()
  await refuse()
  const sofar = ['credentials_refused', 'updated', 'credentials_refused']
  expect(await told(workspace, id)).toEqual(sofar)
  clock.advance({ minutes: 59 })
  await refuse()
  expect(await told(workspace, id)).toEqual(sofar)
  clock.advance({ minutes: 1 })
  await refuse()
  expect(await told(workspace, id)).toEqual([...sofar, 'credentials_refused'])
})

test('what its calls came to is counted by the minute, and shown for the last hour and for any time', async () => {
  const { get, path, note, health: read } = await aWorkspace()
  await note(approved, 6)
  await note(unknown, 1)
  clock.advance({ minutes: 50 })
  await note(declined, 2)
  await note({ is: 'pending', ref: 'r' }, 1)
  await note(approved, 4, 'refund')
  await health.flush()
  const lastHour = { attempts: 10, approved: 6, declined: 2, technical: 0, unknown: 1, p50_ms: 34 }
  expect((await read()).last_hour).toEqual(lastHour)

  const { status, body } = await get(`${path}/health`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ object: 'provider_account_health', lane: 'authorize', step_seconds: 300 })
  expect(body.data.map(({ attempts }: { attempts: number }) => attempts)).toEqual([7, 3])
  expect((await get(`${path}/health?lane=rest`)).body.data).toMatchObject([{ attempts: 4, approved: 4 }])

  clock.advance({ minutes: 20 })
  expect((await read()).last_hour).toMatchObject({ attempts: 3, declined: 2 })
})

test('figures of many processes add up', async () => {
  const { ref, note, health: read } = await aWorkspace()
  const others = await Promise.all([aProcess(), aProcess()])
  const call = { kind: 'authorize', learned: declined, tookMs: 900 } as const
  await Promise.all([note(approved, 3), ...others.map((other) => other.note(ref, call))])
  expect((await read()).last_hour).toMatchObject({ attempts: 5, approved: 3, declined: 2 })
})

test('a time that ends before it begins, or is longer than figures are kept, is refused', async () => {
  const { get, path } = await aWorkspace()
  const [early, late] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z']
  const backwards = await get(`${path}/health?from=${late}&to=${early}`)
  expect(backwards).toMatchObject({ status: 400, body: { errors: [{ pointer: '/to' }] } })
  const long = await get(`${path}/health?from=2026-01-01T00:00:00.000Z`)
  expect(long).toMatchObject({ status: 400, body: { errors: [{ pointer: '/from' }] } })
  const narrow = await get(`${path}/health?from=${early}&to=2026-11-01T03:00:00.000Z`)
  expect(narrow.body).toMatchObject({ step_seconds: 60, from: early, data: [] })
})

/** Another process over the same database: a memory of its own, that has looked once. */
async function aProcess() {
  const watch = new HealthWatch({ deps, metrics: switchyard.metrics, processes: () => 1 })
  await watch.look()
  return {
    async note(...call: Parameters<typeof watch.note>): Promise<void> {
      watch.note(...call)
      await watch.flush()
    },
  }
}
