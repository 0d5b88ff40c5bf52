// Advancing a test clock: which process runs it, what the API returns in the meantime, and the timeline of the clock.

import { expect, test, vi } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

// Short limits, so that an advance exceeds the time limit of a request.
const limits = { providerMs: 1_500, requestMs: 1_000 }
const switchyard = await switchyardForThisFile({ overrides: { limits } })
const newYear = '2027-01-01T00:00:00.000Z'
const aDayLater = '2027-01-02T00:00:00.000Z'

/** A ready clock that another process has leased. */
async function aLeasedClock({ post }: Workspace): Promise<string> {
  const { body: clock } = await post('/test-clocks', { now_at: newYear })
  const reading = switchyard.clock.read()
  const now = reading.from === 'harness' ? reading.at : new Date()
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(`update test_clocks set due_at = $1::timestamptz + interval '30 seconds' where id = $2`, [
      now.toISOString(),
      uuidOf(clock.id as Id<'test_clock'>),
    ]),
  )
  return `/test-clocks/${clock.id}`
}

const advancing = { status: 'advancing', now_at: newYear, target_at: aDayLater, actions: 0 }

test('an advance that takes longer than a request is answered with 202, and continues automatically', async () => {
  const workspace = await switchyard.newWorkspace()
  const path = await aLeasedClock(workspace)
  const accepted = await workspace.post(`${path}/advance`, { by: 'P1D' })
  expect(accepted.status).toBe(202)
  expect(accepted.body).toMatchObject(advancing)
  expect((await workspace.get(path)).body).toMatchObject(advancing)
  // The lease expires, as if the worker that held it had crashed.
  switchyard.clock.advance({ seconds: 31 })
  await switchyard.settle()
  // The process that answered 202 also continues, so either process may move the clock.
  await vi.waitFor(async () =>
    expect((await workspace.get(path)).body).toMatchObject({ status: 'ready', now_at: aDayLater }),
  )
})

test('a clock is moved by one process at a time: a request waits until the lease of the other process expires', async () => {
  const workspace = await switchyard.newWorkspace()
  const path = await aLeasedClock(workspace)
  const response = workspace.post(`${path}/advance`, { by: 'P1D' })
  await vi.waitFor(async () => expect((await workspace.get(path)).body).toMatchObject(advancing))
  switchyard.clock.advance({ seconds: 31 })
  expect(await response).toMatchObject({ status: 200, body: { status: 'ready', now_at: aDayLater } })
})

test('changing an object on a clock does not affect the lease of the process that runs the clock', async () => {
  const workspace = await switchyard.newWorkspace()
  const path = await aLeasedClock(workspace)
  const customer_id = await workspace.aCustomer({ test_clock_id: path.split('/').at(-1) })
  const { body: product } = await workspace.post('/products', { name: 'Team plan' })
  const terms = { product_id: product.id, currency: 'usd', unit_amount: 2999 }
  const { body: price } = await workspace.post('/prices', { ...terms, recurring: { interval: 'month' } })
  const items = [{ price_id: price.id }]
  const { body } = await workspace.post('/subscriptions', { customer_id, items, trial: { days: 14 } })
  await switchyard.settle()
  expect((await workspace.post(`${path}/advance`, { by: 'P20D' })).status).toBe(202)
  switchyard.clock.advance({ seconds: 31 })
  await switchyard.settle()
  // There is no card, so the subscription is paused at the end of the trial.
  await vi.waitFor(async () =>
    expect((await workspace.get(`/subscriptions/${body.id}`)).body.status).toBe('paused'),
  )
})

test('the timeline lists what happened on a clock, in order and in pages', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: clock } = await workspace.post('/test-clocks', { now_at: newYear })
  const path = `/test-clocks/${clock.id}`
  const ids: string[] = []
  for (const by of ['P1D', 'P1M', 'P1Y']) {
    ids.push(await workspace.aCustomer({ test_clock_id: clock.id }))
    await workspace.post(`${path}/advance`, { by })
  }
  // A customer who is not on the clock is not in its timeline.
  await workspace.aCustomer()
  const { body: first } = await workspace.get(`${path}/timeline?limit=2`)
  expect(first).toMatchObject({ object: 'list', has_more: true, url: `${path}/timeline` })
  const after = first.data[1].id
  const { body: second } = await workspace.get(`${path}/timeline?limit=2&starting_after=${after}`)
  expect(second.has_more).toBe(false)
  const entries = [...first.data, ...second.data]
  expect(entries.map(({ at }) => at)).toEqual([newYear, aDayLater, '2027-02-02T00:00:00.000Z'])
  expect(entries.map(({ object_id }) => object_id)).toEqual(ids)
  expect(entries[0]).toMatchObject({ object: 'test_clock_entry', type: 'customer.created' })
  expect(entries[0].sentence).toMatch(/^A customer .*\.$/)
  expect((await workspace.get(`${path}/timeline?starting_after=nobody`)).body.code).toBe('invalid_cursor')
  const otherWorkspace = await switchyard.newWorkspace()
  expect((await otherWorkspace.get(`${path}/timeline`)).status).toBe(404)
})
