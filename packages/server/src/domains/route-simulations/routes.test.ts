// What a route would have done with payments that there were, in the background.

import { expect, test } from 'vitest'
import { type Past, putHistory } from '../../../test/support/history.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

async function anAccount({ post }: Workspace): Promise<string> {
  const config = { base_url: 'http://127.0.0.1:1024' }
  return (await post('/provider-accounts', { provider: 'custom', display_name: 'Ours', config })).body.id
}

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
const history = { from_at: hoursAgo(1), payments: 'all' }
const dollars = { field: 'currency', op: 'eq', value: 'usd' }

/** A route by which all goes to the first account, and a draft by which dollars go to the second. */
async function aScene() {
  const workspace = await switchyard.newWorkspace()
  const [first, second] = [await anAccount(workspace), await anAccount(workspace)]
  const to = (...targets: string[]) => ({ type: 'priority', targets })
  const { body: route } = await workspace.post('/payment-routes', {
    name: 'Cards',
    default: to(first, second),
  })
  const path = `/payment-routes/${route.id}`
  await workspace.put(path, { rules: [{ name: 'Dollars', when: dollars, then: to(second) }], draft: true })
  const put = (...pasts: Past[]) => putHistory(switchyard.databaseUrl, workspace.workspaceId, pasts)
  const run = async (body: object = {}) => {
    const { body: begun } = await workspace.post(`${path}/simulate`, { history, ...body })
    await switchyard.settle()
    return (await workspace.get(`${path}/simulations/${begun.id}`)).body
  }
  return { ...workspace, first, second, to, route, path, put, run, change: workspace.put }
}

test('a draft is compared with what is published, over all payments of a time', async () => {
  const { first, second, path, post, put, eventsOf, get } = await aScene()
  await put(
    { count: 3, account: first, currency: 'usd' },
    { count: 4, account: first, currency: 'eur' },
    { count: 5, account: first, currency: 'usd', secondsAgo: 7_200 },
  )

  const begun = await post(`${path}/simulate`, { history })

  expect(begun.status).toBe(202)
  const now = '2026-11-14T12:00:00.000Z'
  expect(begun.body).toEqual({
    id: expect.stringMatching(/^route_simulation_test_/),
    object: 'route_simulation',
    payment_route_id: path.split('/')[2],
    ...{ revision: 2, against: 1, from_at: history.from_at, to_at: expect.any(String), payments: 'all' },
    status: 'running',
    progress: { done: 0, total: null },
    result: null,
    ...{ created_at: now, updated_at: now, completed_at: null },
  })
  await switchyard.settle()
  const { body: done } = await get(`${path}/simulations/${begun.body.id}`)
  expect(done).toMatchObject({ status: 'completed', progress: { done: 7, total: 7 }, completed_at: now })
  const nobodyKnows = { rated_payments: 0, expected: null }
  const ends = { from_provider_account_id: first, to_provider_account_id: second }
  const example = { payment_id: expect.stringMatching(/^payment_test_/), ...ends, cause: 'rule "Dollars"' }
  const segment = { currency: 'usd', card_brand: 'visa', card_country: 'DE' }
  const rate = { segment, rate: null }
  expect(done.result).toEqual({
    payments: 7,
    elsewhere: 3,
    approvals: nobodyKnows,
    moves: [{ ...ends, payments: 3, approvals: nobodyKnows }],
    rates: [
      { provider_account_id: first, ...rate, attempts: 3, approved: 3, gains: 0, loses: 3 },
      { provider_account_id: second, ...rate, attempts: 0, approved: 0, gains: 3, loses: 0 },
    ],
    examples: [example, example],
  })
  const told = await eventsOf(begun.body.id)
  expect(told.map(({ type }: { type: string }) => type)).toEqual([
    'route_simulation.created',
    'route_simulation.completed',
  ])
  expect(told[1].object).toEqual(done)
  expect((await get(`${path}/simulations`)).body.data).toEqual([done])
})

test('approvals are expected by the rates that were observed with such cards, with an interval', async () => {
  const { first, second, put, run } = await aScene()
  const observed = (account: string, approved: number, declined: number, members: object) => [
    { count: approved, account, ...members },
    { count: declined, account, status: 'declined', ...members },
  ]
  await put(
    ...observed(first, 80, 20, { currency: 'usd' }),
    ...observed(second, 90, 10, { currency: 'usd' }),
    // Of cards from elsewhere the second has seen too few, however well it did.
    ...observed(first, 60, 0, { currency: 'usd', country: 'US' }),
    ...observed(second, 49, 0, { currency: 'usd', country: 'US' }),
    // What is not over says nothing.
    { count: 500, account: second, currency: 'usd', status: 'unresolved', country: 'FR' },
  )

  const { result } = await run()

  const germans = 200
  const rated = result.moves.find(({ approvals }: { approvals: object }) => approvals)
  expect(result.elsewhere).toBe(200 + 109 + 500)
  expect(result.approvals.rated_payments).toBe(germans)
  expect(rated.approvals).toEqual(result.approvals)
  const { change, low, high } = result.approvals.expected
  expect(change).toBeCloseTo(germans * (0.9 - 0.8), 5)
  // Two rates of a hundred observations each, as any textbook has it, within what caution adds.
  const margin = 1.96 * germans * Math.sqrt((0.9 * 0.1 + 0.8 * 0.2) / 100)
  expect(high - change).toBeGreaterThan(margin * 0.95)
  expect(high - change).toBeLessThan(margin * 1.1)
  expect(change - low).toBeCloseTo(high - change, 0)
  const rates = new Map<string, { rate: number | null; attempts: number }>(
    result.rates.map((one: { provider_account_id: string; segment: { card_country: string } }) => [
      `${one.provider_account_id} ${one.segment.card_country}`,
      one,
    ]),
  )
  expect(rates.get(`${second} DE`)).toMatchObject({ rate: 0.9, attempts: 100, gains: 200 })
  expect(rates.get(`${first} US`)).toMatchObject({ rate: 1, attempts: 60 })
  expect(rates.get(`${second} US`)).toMatchObject({ rate: null, attempts: 49, approved: 49 })
  expect(rates.get(`${second} FR`)).toMatchObject({ rate: null, attempts: 0, gains: 500 })
})

test('a payment that nobody would take any more is lost for certain, and one that was is won', async () => {
  const { first, path, put, run, change } = await aScene()
  await put({ count: 60, account: first, currency: 'usd' })
  await change(path, { rules: [{ name: 'No', when: dollars, then: { type: 'decline' } }], draft: true })

  const lost = (await run()).result
  const won = (await run({ revision: 1, against: 3 })).result

  expect(lost.moves).toMatchObject([{ from_provider_account_id: first, to_provider_account_id: null }])
  expect(lost.approvals).toMatchObject({ rated_payments: 60, expected: { change: -60 } })
  expect(lost.examples[0].cause).toBe('rule "No" declines it')
  expect(won.moves).toMatchObject([{ from_provider_account_id: null, to_provider_account_id: first }])
  expect(won.approvals.expected.change).toBe(60)
})

test('of the payments of a time those count that the route has decided, unless all are asked for', async () => {
  const { first, route, put, run, post, get, to } = await aScene()
  await put(
    { count: 2, account: first, currency: 'usd', route: route.id },
    { count: 3, account: first, currency: 'usd' },
  )
  const from_at = hoursAgo(1)

  expect((await run({ history: { from_at } })).result).toMatchObject({ payments: 2, elsewhere: 2 })
  expect(await run({ history: { from_at } })).toMatchObject({ payments: 'route', progress: { done: 5 } })
  // What was never published has decided nothing, so it is tried with all, against the order of the accounts.
  const { body: draft } = await post('/payment-routes', { name: 'New', default: to(first), draft: true })
  const { body } = await post(`/payment-routes/${draft.id}/simulate`, { history: { from_at } })
  await switchyard.settle()
  const { body: done } = await get(`/payment-routes/${draft.id}/simulations/${body.id}`)
  expect(done).toMatchObject({ payments: 'all', against: null, result: { payments: 5, elsewhere: 0 } })
})

test('rules see what they ask for: metadata, and a card that one provider alone can use stays there', async () => {
  const { first, second, path, put, run, change, to } = await aScene()
  const gold = { field: 'metadata.tier', op: 'eq', value: 'gold' }
  await put(
    { count: 2, account: first, metadata: { tier: 'gold' } },
    { count: 3, account: first },
    { count: 4, account: first, metadata: { tier: 'gold' }, hasNumber: false },
  )
  await change(path, { rules: [{ name: 'Gold', when: gold, then: to(second, first) }], draft: true })

  expect((await run()).result).toMatchObject({ payments: 9, elsewhere: 2 })
})

test('who is on hold today counts as on any other day', async () => {
  const { first, second, put, run, post } = await aScene()
  await put({ count: 2, account: first, currency: 'usd' })
  await post(`/provider-accounts/${second}/hold`, { reason: 'x', until_at: '2026-11-14T13:00:00.000Z' })

  expect((await run()).result).toMatchObject({ elsewhere: 2 })
})

test('payments by the thousand are read in pages, each once', async () => {
  const { first, put, run } = await aScene()
  await put({ count: 2_500, account: first, currency: 'usd' }, { count: 1_500, account: first })

  const { progress, result } = await run()

  expect(progress).toEqual({ done: 4_000, total: 4_000 })
  expect(result).toMatchObject({ payments: 4_000, elsewhere: 2_500, moves: [{ payments: 2_500 }] })
})

test('one runs at a time for each route, and a cancelled one is over', async () => {
  const { path, post, get, put, first, eventsOf } = await aScene()
  await put({ count: 5, account: first, currency: 'usd' })
  const start = () => post(`${path}/simulate`, { history })

  const answers = await Promise.all([start(), start(), start()])

  expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409])
  const refused = answers.find(({ status }) => status === 409)
  expect(refused?.body).toMatchObject({ current_status: 'running', allowed_actions: ['cancel'] })
  const { id } = answers.find(({ status }) => status === 202)?.body ?? {}
  const cancelled = await post(`${path}/simulations/${id}/cancel`)
  expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled', result: null } })
  expect((await post(`${path}/simulations/${id}/cancel`)).body).toEqual(cancelled.body)
  await switchyard.settle()
  expect((await get(`${path}/simulations/${id}`)).body).toEqual(cancelled.body)
  expect((await eventsOf(id)).map(({ type }: { type: string }) => type)).toEqual([
    'route_simulation.created',
    'route_simulation.cancelled',
  ])
  const again = await start()
  await switchyard.settle()
  expect(await post(`${path}/simulations/${again.body.id}/cancel`)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'completed', allowed_actions: [] },
  })
})

test('a repeat under the same key gets the same simulation, and the same trial', async () => {
  const { path, post, get } = await aScene()
  const twice = async (key: string, body: object) => {
    const ask = () => post(`${path}/simulate`, body, { headers: { 'idempotency-key': key } })
    return [await ask(), await ask()] as const
  }

  const [begun, again] = await twice('key-1', { history })
  const [tried, triedAgain] = await twice('key-2', { operands: { amount: 1, currency: 'eur' } })

  expect([begun.status, again.status, again.body]).toEqual([202, 202, begun.body])
  expect((await get(`${path}/simulations`)).body.data).toHaveLength(1)
  expect([tried.status, triedAgain.status, triedAgain.body]).toEqual([200, 200, tried.body])
})

test('what does not fit together is refused with its place', async () => {
  const { path, post } = await aScene()
  const simulate = (body: object) => post(`${path}/simulate`, body)
  const faultOf = async (body: object) => (await simulate(body)).body.errors?.[0]
  const operands = { amount: 1, currency: 'eur' }

  expect(await faultOf({ history, operands })).toMatchObject({ pointer: '/operands', code: 'not_together' })
  expect(await faultOf({ history, assume: {} })).toMatchObject({ pointer: '/assume' })
  expect(await faultOf({ operands, against: 1 })).toMatchObject({ pointer: '/against', code: 'not_together' })
  expect(await faultOf({ history: { from_at: hoursAgo(-1) } })).toMatchObject({
    pointer: '/history/from_at',
    code: 'too_large',
  })
  expect(await faultOf({ history: { from_at: hoursAgo(1), to_at: hoursAgo(2) } })).toMatchObject({
    pointer: '/history/to_at',
    code: 'too_small',
  })
  expect((await simulate({ history, revision: 9 })).status).toBe(404)
  expect((await simulate({ history, against: 9 })).status).toBe(404)
  const { body } = await simulate({ history: { ...history, to_at: hoursAgo(-5) } })
  // What has not happened yet is no history.
  expect(Date.parse(body.to_at)).toBeLessThan(Date.now() + 60_000)
})

test('a simulation is found under its own route alone', async () => {
  const { path, post, get, run, to, first } = await aScene()
  const { id } = await run()
  const { body: other } = await post('/payment-routes', { name: 'Other', default: to(first) })

  expect((await get(`${path}/simulations/${id}`)).status).toBe(200)
  expect((await get(`/payment-routes/${other.id}/simulations/${id}`)).status).toBe(404)
  expect((await post(`/payment-routes/${other.id}/simulations/${id}/cancel`)).status).toBe(404)
  expect((await get(`/payment-routes/${other.id}/simulations`)).body.data).toEqual([])
})
