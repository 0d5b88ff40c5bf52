// Unhealthy accounts in API responses, in events, and in the health data that routing uses.

import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import type { ProviderCallResult } from '../../../deps.ts'
import type { Id } from '../../../kernel/id.ts'
import { HealthMonitor } from './service/health-monitor.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const { deps, clock, health } = switchyard

const fault = (code = 'timeout') => ({ code, message: 'No.' })
const money = { amount: 100n, currency: 'eur' } as const
const approved: ProviderCallResult['observed'] = { is: 'succeeded', ref: 'r', money }
const declined: ProviderCallResult['observed'] = { is: 'declined', decline: { code: 'do_not_honor' } }
const unknown: ProviderCallResult['observed'] = { is: 'unknown', fault: fault() }
const credentialsRejected: ProviderCallResult['observed'] = {
  is: 'rejected',
  fault: fault('provider_credentials_invalid'),
}

type Account = Id<'provider_account'>

/** A workspace with two simulator accounts; results are reported for one of them. */
async function aWorkspace() {
  const workspace = await switchyard.newWorkspace()
  const { body } = await workspace.get('/provider-accounts')
  const id = body.data[1].id as Account
  const path = `/provider-accounts/${id}`
  const ref = { workspaceId: workspace.workspaceId as Id<'workspace'>, id }
  const reportResults = async (
    observed: ProviderCallResult['observed'],
    times = 1,
    kind: ProviderCallResult['kind'] = 'authorize',
  ) => {
    for (let nth = 0; nth < times; nth += 1) deps.health.recordResult(ref, { kind, observed, tookMs: 40 })
    // The breaker is updated asynchronously after the call.
    await health.flush()
  }
  const getAccount = async () => (await workspace.get(path)).body
  return {
    ...workspace,
    workspace,
    ref,
    id,
    path,
    reportResults,
    health: async () => (await getAccount()).health,
  }
}

/** The events of the account after its creation. */
const eventTypesOf = async ({ eventsOf }: Workspace, id: string) =>
  (await eventsOf(id)).slice(1).map(({ type }: { type: string }) => type.replace('provider_account.', ''))

/** Advances time, runs due work, and lets this process read the breakers again. */
async function advanceAndRun(seconds: number): Promise<void> {
  clock.advance({ seconds })
  await switchyard.settle()
  await health.refresh()
}

async function anAccountWithOpenBreaker() {
  const account = await aWorkspace()
  await account.reportResults(unknown, 10)
  expect((await account.health()).breaker.authorize).toBe('open')
  return account
}

test('an account is degraded for all processes as soon as half of its calls fail', async () => {
  const { workspace, id, reportResults, health: fetchHealth, eventsOf } = await aWorkspace()
  const [openedAt, probedAt] = [clockAfter(0), clockAfter(30)]
  await reportResults(approved, 5)
  await reportResults(unknown, 4)
  expect([deps.health.isOpen(id, 'authorize'), await eventTypesOf(workspace, id)]).toEqual([false, []])

  await reportResults({ is: 'not_sent', fault: fault('connect_failed') })

  expect(deps.health.isOpen(id, 'authorize')).toBe(true)
  expect(deps.health.isOpen(id, 'rest')).toBe(false)
  expect(await fetchHealth()).toMatchObject({
    breaker: { authorize: 'open', rest: 'closed' },
    next_probe_at: probedAt,
  })
  const [, event] = await eventsOf(id)
  expect(event).toMatchObject({
    type: 'provider_account.degraded',
    object: { id, updated_at: openedAt, health: { breaker: { authorize: 'open' } } },
    previous: { health: { breaker: { authorize: 'closed' }, next_probe_at: null } },
  })
})

test('issuer declines never open the breaker, and captures do not open it for authorizations', async () => {
  const { id, reportResults } = await aWorkspace()
  await reportResults(declined, 40)
  expect(deps.health.isOpen(id, 'authorize')).toBe(false)
  await reportResults(unknown, 10, 'capture')
  expect([deps.health.isOpen(id, 'authorize'), deps.health.isOpen(id, 'rest')]).toEqual([false, true])
})

test('after its open period an account is probed, and after three good results it has recovered', async () => {
  const { workspace, id, health: fetchHealth } = await anAccountWithOpenBreaker()
  await advanceAndRun(29)
  expect((await fetchHealth()).breaker.authorize).toBe('open')

  await advanceAndRun(1)
  expect(await fetchHealth()).toMatchObject({
    breaker: { authorize: 'probing' },
    next_probe_at: clockAfter(2),
  })
  expect(deps.health.isOpen(id, 'authorize')).toBe(true)
  await advanceAndRun(2)
  await advanceAndRun(2)

  expect(await fetchHealth()).toMatchObject({ breaker: { authorize: 'closed' }, next_probe_at: null })
  expect(deps.health.isOpen(id, 'authorize')).toBe(false)
  expect(await eventTypesOf(workspace, id)).toEqual(['degraded', 'recovered'])
})

function clockAfter(seconds: number): string {
  const reading = clock.read()
  return reading.from === 'harness' ? new Date(reading.at.getTime() + seconds * 1000).toISOString() : ''
}

test('a provider with a continuing outage is probed every five seconds, and recovers soon after the outage ends', async () => {
  const { id, health: fetchHealth, workspace } = await anAccountWithOpenBreaker()
  await simulator.configure(id, { outage: true })
  for (let nth = 0; nth < 6; nth += 1) await advanceAndRun(nth === 0 ? 30 : 5)
  expect(await fetchHealth()).toMatchObject({
    breaker: { authorize: 'probing' },
    next_probe_at: clockAfter(5),
  })

  await simulator.configure(id, { outage: false })
  await advanceAndRun(5)
  await advanceAndRun(2)
  await advanceAndRun(2)
  expect((await fetchHealth()).breaker.authorize).toBe('closed')
  expect(await eventTypesOf(workspace, id)).toEqual(['degraded', 'recovered'])
})

test('payments count as probes too: three good ones in a row close the breaker, and a failure restarts the count', async () => {
  const { ref, health: fetchHealth } = await anAccountWithOpenBreaker()
  await simulator.configure(ref.id, { outage: true })
  await advanceAndRun(30)
  // A process writes results once per second, so several processes are needed.
  const reportFromNewProcess = async (observed: ProviderCallResult['observed']) =>
    (await anotherProcess()).reportResult(ref, { kind: 'authorize', observed, tookMs: 1 })
  await reportFromNewProcess(approved)
  await reportFromNewProcess(approved)
  await reportFromNewProcess(unknown)
  await reportFromNewProcess(approved)
  await reportFromNewProcess(declined)
  expect((await fetchHealth()).breaker.authorize).toBe('probing')
  await reportFromNewProcess(approved)
  expect((await fetchHealth()).breaker.authorize).toBe('closed')
})

test('one payment at a time may probe an account', async () => {
  const { id } = await anAccountWithOpenBreaker()
  const shouldProbe = () => deps.health.shouldProbe(id, 'authorize')
  expect([shouldProbe(), deps.health.shouldProbe(id, 'rest')]).toEqual([false, false])
  await simulator.configure(id, { outage: true })
  await advanceAndRun(30)
  expect([shouldProbe(), shouldProbe()]).toEqual([true, true])
  deps.health.recordProbeStart(id, 'authorize')
  expect(shouldProbe()).toBe(false)
})

test('an archived account is no longer probed, and no recovered event is emitted', async () => {
  const { workspace, id, path, health: fetchHealth, post } = await anAccountWithOpenBreaker()
  expect((await post(`${path}/archive`)).status).toBe(200)
  await advanceAndRun(30)
  expect((await fetchHealth()).breaker.authorize).toBe('closed')
  expect(await eventTypesOf(workspace, id)).toEqual(['degraded', 'updated'])
})

test('rejected credentials are reported hourly, and immediately if a new secret is rejected', async () => {
  const { workspace, ref, id, path, reportResults, post } = await aWorkspace()
  const reportRejection = async () =>
    (await anotherProcess()).reportResult(ref, {
      kind: 'authorize',
      observed: credentialsRejected,
      tookMs: 1,
    })
  await reportResults(credentialsRejected, 3)
  await reportRejection()
  expect(await eventTypesOf(workspace, id)).toEqual(['credentials_refused'])

  clock.advance({ seconds: 1 })
  await post(`${path}/rotate_secret`, {})
  await reportRejection()
  await reportRejection()
  const firstThree = ['credentials_refused', 'updated', 'credentials_refused']
  expect(await eventTypesOf(workspace, id)).toEqual(firstThree)
  clock.advance({ minutes: 59 })
  await reportRejection()
  expect(await eventTypesOf(workspace, id)).toEqual(firstThree)
  clock.advance({ minutes: 1 })
  await reportRejection()
  expect(await eventTypesOf(workspace, id)).toEqual([...firstThree, 'credentials_refused'])
})

test('results are counted per minute, and shown for the last hour and for any period', async () => {
  const { get, path, reportResults, health: fetchHealth } = await aWorkspace()
  await reportResults(approved, 6)
  await reportResults(unknown, 1)
  clock.advance({ minutes: 50 })
  await reportResults(declined, 2)
  await reportResults({ is: 'pending', ref: 'r' }, 1)
  await reportResults(approved, 4, 'refund')
  await health.flush()
  const lastHour = { attempts: 10, approved: 6, declined: 2, technical: 0, unknown: 1, p50_ms: 34 }
  expect((await fetchHealth()).last_hour).toEqual(lastHour)

  const { status, body } = await get(`${path}/health`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ object: 'provider_account_health', lane: 'authorize', step_seconds: 300 })
  expect(body.data.map(({ attempts }: { attempts: number }) => attempts)).toEqual([7, 3])
  expect((await get(`${path}/health?lane=rest`)).body.data).toMatchObject([{ attempts: 4, approved: 4 }])

  clock.advance({ minutes: 20 })
  expect((await fetchHealth()).last_hour).toMatchObject({ attempts: 3, declined: 2 })
})

test('figures of several processes are added up', async () => {
  const { ref, reportResults, health: fetchHealth } = await aWorkspace()
  const others = await Promise.all([anotherProcess(), anotherProcess()])
  const call = { kind: 'authorize', observed: declined, tookMs: 900 } as const
  await Promise.all([reportResults(approved, 3), ...others.map((other) => other.reportResult(ref, call))])
  expect((await fetchHealth()).last_hour).toMatchObject({ attempts: 5, approved: 3, declined: 2 })
})

test('a period that ends before it starts, or exceeds the retention, is rejected', async () => {
  const { get, path } = await aWorkspace()
  const [early, late] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z']
  const backwards = await get(`${path}/health?from=${late}&to=${early}`)
  expect(backwards).toMatchObject({ status: 400, body: { errors: [{ pointer: '/to' }] } })
  const tooLong = await get(`${path}/health?from=2026-01-01T00:00:00.000Z`)
  expect(tooLong).toMatchObject({ status: 400, body: { errors: [{ pointer: '/from' }] } })
  const short = await get(`${path}/health?from=${early}&to=2026-11-01T03:00:00.000Z`)
  expect(short.body).toMatchObject({ step_seconds: 60, from: early, data: [] })
})

/** Simulates another process: it shares only the database, and has read the breakers once. */
async function anotherProcess() {
  const monitor = new HealthMonitor({ deps, metrics: switchyard.metrics, processes: () => 1 })
  await monitor.refresh()
  return {
    async reportResult(...call: Parameters<typeof monitor.recordResult>): Promise<void> {
      monitor.recordResult(...call)
      await monitor.flush()
    },
  }
}
