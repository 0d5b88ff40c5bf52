// `npm run bench:year`: advances a subscription on a test clock by a year in one call, with a trial, a declined card,
// dunning and a pause. Measures the duration of the call and its CPU time. `--subscriptions 100` puts that many on one
// clock. Postgres uses fsync as in production.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { getTestClock } from '../packages/server/src/domains/billing/test-clocks/service.ts'
import { systemCaller } from '../packages/server/src/kernel/caller.ts'
import { startSimulator } from '../packages/simulator/src/index.ts'
import { startApiServer } from './counters/api-server.ts'
import { loadAverage, processMs, processTreeMs } from './ratios/processor.ts'
import { startTemporaryPostgres } from './temporary-postgres.ts'

const { values } = parseArgs({
  options: {
    subscriptions: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
  },
})
const subscriptions = Number(values.subscriptions)
const script = 'approve x3, decline:51 x4, approve'
const summerPause = { at: '2027-06-01T00:00:00.000Z', resumes_at: '2027-07-15T00:00:00.000Z' }

const postgres = await startTemporaryPostgres({})
const simulator = await startSimulator()
const api = await startApiServer(postgres.url, { simulatorUrl: simulator.url })
const post = (path: string, body: object) => api.call({ method: 'POST', path, body })

console.log(`${subscriptions} subscriptions on one clock, a year in one call. System load: ${loadAverage()}.`)
for (let round = 1; round <= Number(values.rounds); round += 1) {
  const clock = await fill()
  const before = {
    wall: performance.now(),
    ownCpuMs: processMs(process.pid),
    postgres: processTreeMs(postgres.pid),
  }
  await post(`/test-clocks/${clock}/advance`, { by: 'P1Y' })
  await waitForClock(clock)
  const wall = performance.now() - before.wall
  const ownCpuMs = processMs(process.pid) - before.ownCpuMs
  const database = processTreeMs(postgres.pid) - before.postgres
  const ms = (value: number) => `${value.toFixed(0)} ms`
  console.log(
    `${round}: ${ms(wall)}; CPU time: server and simulator ${ms(ownCpuMs)}, Postgres ${ms(database)}`,
  )
}
await api.close()
await simulator.stop()
await postgres.remove()

/** Waits for the clock, which continues in the background if it takes longer than a request. */
async function waitForClock(clock: string): Promise<void> {
  const { workspaceId, switchyard } = api
  const caller = systemCaller({ workspaceId, id: workspaceId })
  while ((await getTestClock(switchyard.deps, caller, clock)).status === 'advancing') await sleep(100)
}

/** Creates a clock with its customers and subscriptions. */
async function fill(): Promise<string> {
  const clock = await post('/test-clocks', { now_at: '2027-01-01T00:00:00.000Z' })
  const product = await post('/products', { name: 'Team plan' })
  const priceInput = { product_id: product, currency: 'usd', unit_amount: 2999 }
  const price_id = await post('/prices', { ...priceInput, recurring: { interval: 'month' } })
  for (let nth = 0; nth < subscriptions; nth += 1) {
    const customer_id = await post('/customers', { test_clock_id: clock })
    const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
    const token = await post('/tokens', { type: 'card', card })
    const method = await post('/payment-methods', { token, metadata: { simulate: script } })
    await post(`/payment-methods/${method}/attach`, { customer_id })
    const request = { customer_id, items: [{ price_id }], trial: { days: 14 } }
    const subscription = await post('/subscriptions', request)
    await api.call({ method: 'PUT', path: `/subscriptions/${subscription}/pause`, body: summerPause })
  }
  return clock
}
