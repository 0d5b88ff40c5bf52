// A simulation with tens of thousands of payments can be cancelled while it runs, and continues after a
// crash.

import { afterEach, expect, test } from 'vitest'
import { insertPastPayments } from '../../../../../test/support/past-payments.ts'
import { switchyardForThisFile } from '../../../../../test/support/switchyard.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import { watchCrashpoints } from '../../../../platform/crashpoint.ts'
import { runSimulation } from './run.ts'

const switchyard = await switchyardForThisFile()
afterEach(() => watchCrashpoints(() => {}))

/** More payments than are processed before progress is first saved. */
const paymentCount = 30_000
const workspace = await switchyard.newWorkspace()
const [first, second] = await Promise.all(
  [1, 2].map(async () => {
    const config = { base_url: 'http://127.0.0.1:1024' }
    const account = { provider: 'custom', display_name: 'Ours', config }
    return (await workspace.post('/provider-accounts', account)).body.id as string
  }),
)
const halfOfPayments = { count: paymentCount / 2, account: first as string }
await insertPastPayments(switchyard.databaseUrl, workspace.workspaceId, [
  { ...halfOfPayments, currency: 'usd' },
  { ...halfOfPayments, status: 'declined', currency: 'eur' },
])
const sendTo = (target: string | undefined) => ({ type: 'priority', targets: [target] })

async function startSimulation() {
  const { body: route } = await workspace.post('/payment-routes', { name: 'Cards', default: sendTo(first) })
  const dollars = { field: 'currency', op: 'eq', value: 'usd' }
  const rules = [{ name: 'Dollars', when: dollars, then: sendTo(second) }]
  await workspace.put(`/payment-routes/${route.id}`, { rules, draft: true })
  const history = { from_at: new Date(Date.now() - 3_600_000).toISOString(), payments: 'all' }
  const { body } = await workspace.post(`/payment-routes/${route.id}/simulate`, { history })
  const path = `/payment-routes/${route.id}/simulations/${body.id}`
  const ref: Ref<'route_simulation'> = { workspaceId: workspace.workspaceId as Id<'workspace'>, id: body.id }
  const getSimulation = async () => (await workspace.get(path)).body
  return { path, getSimulation, run: () => runSimulation(switchyard.deps, ref) }
}

const expectedResult = {
  payments: paymentCount,
  elsewhere: paymentCount / 2,
  moves: [{ payments: paymentCount / 2 }],
}

test('a simulation that is cancelled while it runs stops', async () => {
  const { path, getSimulation, run } = await startSimulation()
  const running = run()
  await expect.poll(async () => (await getSimulation()).progress.done, { interval: 5 }).toBeGreaterThan(0)

  const { body: cancelled } = await workspace.post(`${path}/cancel`)
  await running

  expect(cancelled).toMatchObject({ status: 'cancelled', result: null, progress: { total: paymentCount } })
  expect(cancelled.progress.done).toBeLessThan(paymentCount)
  expect(await getSimulation()).toEqual(cancelled)
})

// The first commit takes the lease, the second writes the total, and the third writes progress.
test.each([1, 2, 3])(
  'after a crash following commit %i another worker continues, and nothing is counted twice',
  async (nth) => {
    const { getSimulation, run } = await startSimulation()
    let commits = 0
    watchCrashpoints((name) => {
      if (name === 'unit.committed') commits += 1
      if (commits === nth) throw new Error('simulated crash')
    })
    await expect(run()).rejects.toThrow('simulated crash')
    watchCrashpoints(() => {})
    const afterCrash = await getSimulation()

    // No other worker continues before the lease expires.
    await switchyard.settle()
    expect(await getSimulation()).toEqual(afterCrash)
    switchyard.clock.advance({ seconds: 15 })
    await switchyard.settle()

    expect(afterCrash).toMatchObject({
      status: 'running',
      progress: { total: nth === 1 ? null : paymentCount },
    })
    expect(afterCrash.progress.done > 0).toBe(nth === 3)
    expect(await getSimulation()).toMatchObject({
      status: 'completed',
      progress: { done: paymentCount },
      result: expectedResult,
    })
  },
)

test('a second worker does not touch a running simulation', async () => {
  const { getSimulation, run } = await startSimulation()

  await Promise.all([run(), run()])

  expect(await getSimulation()).toMatchObject({
    status: 'completed',
    progress: { done: paymentCount },
    result: expectedResult,
  })
})
