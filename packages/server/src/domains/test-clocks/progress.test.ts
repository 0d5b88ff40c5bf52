// A clock that is on its way: who moves it, what is seen meanwhile, and what is told afterwards.

import { expect, test, vi } from 'vitest'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'

// A request does not wait long in this file.
const limits = { providerMs: 1_500, requestMs: 1_000 }
const switchyard = await switchyardForThisFile({ overrides: { limits } })
const newYear = '2027-01-01T00:00:00.000Z'
const aDayLater = '2027-01-02T00:00:00.000Z'

/** As it stands while somebody does what became due on it after an act: ready, with a lease on it. */
async function aHeldClock({ post }: Workspace): Promise<string> {
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

const onItsWay = { status: 'advancing', now_at: newYear, target_at: aDayLater, actions: 0 }

test('a way that takes longer than a request is answered with 202, and goes on by itself', async () => {
  const workspace = await switchyard.newWorkspace()
  const path = await aHeldClock(workspace)
  const accepted = await workspace.post(`${path}/advance`, { by: 'P1D' })
  expect(accepted.status).toBe(202)
  expect(accepted.body).toMatchObject(onItsWay)
  expect((await workspace.get(path)).body).toMatchObject(onItsWay)
  // Whoever held it has died: its lease ends.
  switchyard.clock.advance({ seconds: 31 })
  await switchyard.settle()
  // Whoever answered 202 goes on too, and either of them may be the one who moves it.
  await vi.waitFor(async () =>
    expect((await workspace.get(path)).body).toMatchObject({ status: 'ready', now_at: aDayLater }),
  )
})

test('two never run on one clock: a request waits for the one that is at it', async () => {
  const workspace = await switchyard.newWorkspace()
  const path = await aHeldClock(workspace)
  const answered = workspace.post(`${path}/advance`, { by: 'P1D' })
  await vi.waitFor(async () => expect((await workspace.get(path)).body).toMatchObject(onItsWay))
  switchyard.clock.advance({ seconds: 31 })
  expect(await answered).toMatchObject({ status: 200, body: { status: 'ready', now_at: aDayLater } })
})

test('an act leaves the lease of the one who runs alone', async () => {
  const workspace = await switchyard.newWorkspace()
  const path = await aHeldClock(workspace)
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
  // There is no card, so the end of the trial pauses it.
  await vi.waitFor(async () =>
    expect((await workspace.get(`/subscriptions/${body.id}`)).body.status).toBe('paused'),
  )
})

test('the timeline tells what happened on a clock, page by page and in its order', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: clock } = await workspace.post('/test-clocks', { now_at: newYear })
  const path = `/test-clocks/${clock.id}`
  const ids: string[] = []
  for (const by of ['P1D', 'P1M', 'P1Y']) {
    ids.push(await workspace.aCustomer({ test_clock_id: clock.id }))
    await workspace.post(`${path}/advance`, { by })
  }
  // Somebody who lives in the world is no part of it.
  await workspace.aCustomer()
  const { body: first } = await workspace.get(`${path}/timeline?limit=2`)
  expect(first).toMatchObject({ object: 'list', has_more: true, url: `${path}/timeline` })
  const after = first.data[1].id
  const { body: second } = await workspace.get(`${path}/timeline?limit=2&starting_after=${after}`)
  expect(second.has_more).toBe(false)
  const told = [...first.data, ...second.data]
  expect(told.map(({ at }) => at)).toEqual([newYear, aDayLater, '2027-02-02T00:00:00.000Z'])
  expect(told.map(({ object_id }) => object_id)).toEqual(ids)
  expect(told[0]).toMatchObject({ object: 'test_clock_entry', type: 'customer.created' })
  expect(told[0].sentence).toMatch(/^A customer .*\.$/)
  expect((await workspace.get(`${path}/timeline?starting_after=nobody`)).body.code).toBe('invalid_cursor')
  const stranger = await switchyard.newWorkspace()
  expect((await stranger.get(`${path}/timeline`)).status).toBe(404)
})
