// A dry run over tens of thousands of payments: it can be cancelled in the middle, and dies without a loss.

import { afterEach, expect, test } from 'vitest'
import { putHistory } from '../../../../test/support/history.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import type { Id, Ref } from '../../../kernel/id.ts'
import { watchCrashpoints } from '../../../platform/crashpoint.ts'
import { runSimulation } from './run.ts'

const switchyard = await switchyardForThisFile()
afterEach(() => watchCrashpoints(() => {}))

/** More than are looked at before progress is written for the first time. */
const many = 30_000
const workspace = await switchyard.newWorkspace()
const [first, second] = await Promise.all(
  [1, 2].map(async () => {
    const config = { base_url: 'http://127.0.0.1:1024' }
    const account = { provider: 'custom', display_name: 'Ours', config }
    return (await workspace.post('/provider-accounts', account)).body.id as string
  }),
)
const half = { count: many / 2, account: first as string }
await putHistory(switchyard.databaseUrl, workspace.workspaceId, [
  { ...half, currency: 'usd' },
  { ...half, status: 'declined', currency: 'eur' },
])
const to = (target: string | undefined) => ({ type: 'priority', targets: [target] })

async function begun() {
  const { body: route } = await workspace.post('/payment-routes', { name: 'Cards', default: to(first) })
  const dollars = { field: 'currency', op: 'eq', value: 'usd' }
  const rules = [{ name: 'Dollars', when: dollars, then: to(second) }]
  await workspace.put(`/payment-routes/${route.id}`, { rules, draft: true })
  const history = { from_at: new Date(Date.now() - 3_600_000).toISOString(), payments: 'all' }
  const { body } = await workspace.post(`/payment-routes/${route.id}/simulate`, { history })
  const path = `/payment-routes/${route.id}/simulations/${body.id}`
  const ref: Ref<'route_simulation'> = { workspaceId: workspace.workspaceId as Id<'workspace'>, id: body.id }
  const look = async () => (await workspace.get(path)).body
  return { path, look, run: () => runSimulation(switchyard.deps, ref) }
}

const found = { payments: many, elsewhere: many / 2, moves: [{ payments: many / 2 }] }

test('a run that is cancelled in the middle stops there', async () => {
  const { path, look, run } = await begun()
  const running = run()
  await expect.poll(async () => (await look()).progress.done, { interval: 5 }).toBeGreaterThan(0)

  const { body: cancelled } = await workspace.post(`${path}/cancel`)
  await running

  expect(cancelled).toMatchObject({ status: 'cancelled', result: null, progress: { total: many } })
  expect(cancelled.progress.done).toBeLessThan(many)
  expect(await look()).toEqual(cancelled)
})

// The first takes it, the second writes how many there are, the third how far it got.
test.each([1, 2, 3])(
  'whoever dies after commit %i leaves it to another, and nothing is counted twice',
  async (nth) => {
    const { look, run } = await begun()
    let commits = 0
    watchCrashpoints((name) => {
      if (name === 'unit.committed') commits += 1
      if (commits === nth) throw new Error('It died here.')
    })
    await expect(run()).rejects.toThrow('It died here.')
    watchCrashpoints(() => {})
    const left = await look()

    // Until the lease is over nobody touches it.
    await switchyard.settle()
    expect(await look()).toEqual(left)
    switchyard.clock.advance({ seconds: 15 })
    await switchyard.settle()

    expect(left).toMatchObject({ status: 'running', progress: { total: nth === 1 ? null : many } })
    expect(left.progress.done > 0).toBe(nth === 3)
    expect(await look()).toMatchObject({ status: 'completed', progress: { done: many }, result: found })
  },
)

test('whoever comes while somebody is at it leaves it to them', async () => {
  const { look, run } = await begun()

  await Promise.all([run(), run()])

  expect(await look()).toMatchObject({ status: 'completed', progress: { done: many }, result: found })
})
