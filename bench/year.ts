// `npm run bench:year`: a year of a subscription on a test clock in one call, with a trial, a card that fails, dunning
// and a pause: how long the call takes, and how much of that is computing. `--subscriptions 100` puts so many on one
// clock. The disk is waited for as in production.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { getTestClock } from '../packages/server/src/domains/test-clocks/service.ts'
import { systemCaller } from '../packages/server/src/kernel/caller.ts'
import { startSimulator } from '../packages/simulator/src/index.ts'
import { openFrontDoor } from './counters/front-door.ts'
import { familyMs, loadAverage, processMs } from './ratios/processor.ts'
import { throwawayPostgres } from './throwaway.ts'

const { values } = parseArgs({
  options: {
    subscriptions: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
  },
})
const subscriptions = Number(values.subscriptions)
const script = 'approve x3, decline:51 x4, approve'
const summer = { at: '2027-06-01T00:00:00.000Z', resumes_at: '2027-07-15T00:00:00.000Z' }

const postgres = await throwawayPostgres({})
const simulator = await startSimulator()
const door = await openFrontDoor(postgres.url, { simulatorUrl: simulator.url })
const post = (path: string, body: object) => door.call({ method: 'POST', path, body })

console.log(`${subscriptions} on one clock, a year in one call. Load of the machine: ${loadAverage()}.`)
for (let round = 1; round <= Number(values.rounds); round += 1) {
  const clock = await fill()
  const before = { wall: performance.now(), own: processMs(process.pid), postgres: familyMs(postgres.pid) }
  await post(`/test-clocks/${clock}/advance`, { by: 'P1Y' })
  await arrival(clock)
  const wall = performance.now() - before.wall
  const own = processMs(process.pid) - before.own
  const database = familyMs(postgres.pid) - before.postgres
  const ms = (value: number) => `${value.toFixed(0)} ms`
  console.log(`${round}: ${ms(wall)}; computing: server and simulator ${ms(own)}, Postgres ${ms(database)}`)
}
await door.close()
await simulator.stop()
await postgres.remove()

/** What takes longer than a request goes on by itself. */
async function arrival(clock: string): Promise<void> {
  const { workspaceId, switchyard } = door
  const caller = systemCaller({ workspaceId, id: workspaceId })
  while ((await getTestClock(switchyard.deps, caller, clock)).status === 'advancing') await sleep(100)
}

/** A clock with those who live on it. */
async function fill(): Promise<string> {
  const clock = await post('/test-clocks', { now_at: '2027-01-01T00:00:00.000Z' })
  const product = await post('/products', { name: 'Team plan' })
  const terms = { product_id: product, currency: 'usd', unit_amount: 2999 }
  const price_id = await post('/prices', { ...terms, recurring: { interval: 'month' } })
  for (let place = 0; place < subscriptions; place += 1) {
    const customer_id = await post('/customers', { test_clock_id: clock })
    const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
    const token = await post('/tokens', { type: 'card', card })
    const method = await post('/payment-methods', { token, metadata: { simulate: script } })
    await post(`/payment-methods/${method}/attach`, { customer_id })
    const wanted = { customer_id, items: [{ price_id }], trial: { days: 14 } }
    const subscription = await post('/subscriptions', wanted)
    await door.call({ method: 'PUT', path: `/subscriptions/${subscription}/pause`, body: summer })
  }
  return clock
}
