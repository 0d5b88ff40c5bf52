// Simulations of routes with historical payments, which run in the background.

import { expect, test } from 'vitest'
import { insertPastPayments, type PastPayments } from '../../../../test/support/past-payments.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

async function anAccount({ post }: Workspace): Promise<string> {
  const config = { base_url: 'http://127.0.0.1:1024' }
  return (await post('/provider-accounts', { provider: 'custom', display_name: 'Ours', config })).body.id
}

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
const history = { from_at: hoursAgo(1), payments: 'all' }
const dollars = { field: 'currency', op: 'eq', value: 'usd' }

/** A route that sends everything to the first account, and a draft that sends dollars to the second. */
async function setUp() {
  const workspace = await switchyard.newWorkspace()
  const [first, second] = [await anAccount(workspace), await anAccount(workspace)]
  const sendTo = (...targets: string[]) => ({ type: 'priority', targets })
  const { body: route } = await workspace.post('/payment-routes', {
    name: 'Cards',
    default: sendTo(first, second),
  })
  const path = `/payment-routes/${route.id}`
  await workspace.put(path, {
    rules: [{ name: 'Dollars', when: dollars, then: sendTo(second) }],
    draft: true,
  })
  const insertPayments = (...payments: PastPayments[]) =>
    insertPastPayments(switchyard.databaseUrl, workspace.workspaceId, payments)
  const run = async (body: object = {}) => {
    const { body: started } = await workspace.post(`${path}/simulate`, { history, ...body })
    await switchyard.settle()
    return (await workspace.get(`${path}/simulations/${started.id}`)).body
  }
  return { ...workspace, first, second, sendTo, route, path, insertPayments, run, updateRoute: workspace.put }
}

test('a draft is compared with the published revision, over all payments of a period', async () => {
  const { first, second, path, post, insertPayments, eventsOf, get } = await setUp()
  await insertPayments(
    { count: 3, account: first, currency: 'usd' },
    { count: 4, account: first, currency: 'eur' },
    { count: 5, account: first, currency: 'usd', secondsAgo: 7_200 },
  )

  const started = await post(`${path}/simulate`, { history })

  expect(started.status).toBe(202)
  const now = '2026-11-14T12:00:00.000Z'
  expect(started.body).toEqual({
    id: expect.stringMatching(/^route_simulation_test_/),
    object: 'route_simulation',
    payment_route_id: path.split('/')[2],
    revision: 2,
    against: 1,
    against_payment_route_id: path.split('/')[2],
    from_at: history.from_at,
    to_at: expect.any(String),
    payments: 'all',
    status: 'running',
    progress: { done: 0, total: null },
    result: null,
    created_at: now,
    updated_at: now,
    completed_at: null,
  })
  await switchyard.settle()
  const { body: completed } = await get(`${path}/simulations/${started.body.id}`)
  expect(completed).toMatchObject({ status: 'completed', progress: { done: 7, total: 7 }, completed_at: now })
  const noRates = { rated_payments: 0, expected: null }
  const accounts = { from_provider_account_id: first, to_provider_account_id: second }
  const example = {
    payment_id: expect.stringMatching(/^payment_test_/),
    ...accounts,
    cause: 'rule "Dollars"',
  }
  const segment = { currency: 'usd', card_brand: 'visa', card_country: 'DE' }
  const rate = { segment, rate: null }
  expect(completed.result).toEqual({
    payments: 7,
    elsewhere: 3,
    approvals: noRates,
    costs: [],
    settled_costs: [],
    moves: [{ ...accounts, payments: 3, approvals: noRates }],
    rates: [
      { provider_account_id: first, ...rate, attempts: 3, approved: 3, gains: 0, loses: 3 },
      { provider_account_id: second, ...rate, attempts: 0, approved: 0, gains: 3, loses: 0 },
    ],
    examples: [example, example],
  })
  const events = await eventsOf(started.body.id)
  expect(events.map(({ type }: { type: string }) => type)).toEqual([
    'route_simulation.created',
    'route_simulation.completed',
  ])
  expect(events[1].object).toEqual(completed)
  expect((await get(`${path}/simulations`)).body.data).toEqual([completed])
})

test('a route is compared with the current default route', async () => {
  const { first, second, path, post, insertPayments, run, sendTo } = await setUp()
  const { body: defaultRoute } = await post('/payment-routes', {
    name: 'Everything',
    default: sendTo(first),
    rules: [{ name: 'Pounds', when: { field: 'currency', op: 'eq', value: 'gbp' }, then: sendTo(second) }],
    is_default: true,
  })
  await insertPayments(
    { count: 3, account: first, currency: 'usd' },
    { count: 2, account: second, currency: 'gbp' },
    { count: 4, account: first, currency: 'eur' },
  )

  const completed = await run({ against_default: true, history: { from_at: history.from_at } })

  expect(completed).toMatchObject({
    revision: 2,
    against: 1,
    against_payment_route_id: defaultRoute.id,
    payments: 'all',
    result: { payments: 9, elsewhere: 5 },
  })
  const moves = completed.result.moves.map((move: { from_provider_account_id: string; payments: number }) => [
    move.from_provider_account_id,
    move.payments,
  ])
  expect(moves).toEqual([
    [first, 3],
    [second, 2],
  ])
  const rejected = await post(`${path}/simulate`, { history, against: 1, against_default: true })
  expect(rejected).toMatchObject({ status: 400, body: { errors: [{ pointer: '/against' }] } })
})

test('without a default route a simulation compares with the default order of the accounts', async () => {
  const { path, post, first, second, insertPayments, run } = await setUp()
  await insertPayments({ count: 3, account: first, currency: 'usd' })

  const completed = await run({ against_default: true })

  expect(completed).toMatchObject({ against: null, against_payment_route_id: null })
  expect(completed.result.moves).toMatchObject([
    { from_provider_account_id: first, to_provider_account_id: second, payments: 3 },
  ])
  const operands = { amount: '100', currency: 'eur' }
  const rejected = await post(`${path}/simulate`, { operands, against_default: true })
  expect(rejected).toMatchObject({ status: 400, body: { errors: [{ pointer: '/against_default' }] } })
})

test('expected approvals are based on the rates of similar cards, and have a confidence interval', async () => {
  const { first, second, insertPayments, run } = await setUp()
  const observed = (account: string, approved: number, declined: number, members: object) => [
    { count: approved, account, ...members },
    { count: declined, account, status: 'declined', ...members },
  ]
  await insertPayments(
    ...observed(first, 80, 20, { currency: 'usd' }),
    ...observed(second, 90, 10, { currency: 'usd' }),
    // The second account has too few observations of foreign cards, however good they are.
    ...observed(first, 60, 0, { currency: 'usd', country: 'US' }),
    ...observed(second, 49, 0, { currency: 'usd', country: 'US' }),
    // Attempts that have not ended are not counted.
    { count: 500, account: second, currency: 'usd', status: 'unresolved', country: 'FR' },
  )

  const { result } = await run()

  const germanCards = 200
  const rated = result.moves.find(({ approvals }: { approvals: object }) => approvals)
  expect(result.elsewhere).toBe(200 + 109 + 500)
  expect(result.approvals.rated_payments).toBe(germanCards)
  expect(rated.approvals).toEqual(result.approvals)
  const { change, low, high } = result.approvals.expected
  expect(change).toBeCloseTo(germanCards * (0.9 - 0.8), 5)
  // Two rates of a hundred observations each: the textbook interval, slightly widened by the correction.
  const margin = 1.96 * germanCards * Math.sqrt((0.9 * 0.1 + 0.8 * 0.2) / 100)
  expect(high - change).toBeGreaterThan(margin * 0.95)
  expect(high - change).toBeLessThan(margin * 1.1)
  expect(change - low).toBeCloseTo(high - change, 0)
  const rates = new Map<string, { rate: number | null; attempts: number }>(
    result.rates.map((rate: { provider_account_id: string; segment: { card_country: string } }) => [
      `${rate.provider_account_id} ${rate.segment.card_country}`,
      rate,
    ]),
  )
  expect(rates.get(`${second} DE`)).toMatchObject({ rate: 0.9, attempts: 100, gains: 200 })
  expect(rates.get(`${first} US`)).toMatchObject({ rate: 1, attempts: 60 })
  expect(rates.get(`${second} US`)).toMatchObject({ rate: null, attempts: 49, approved: 49 })
  expect(rates.get(`${second} FR`)).toMatchObject({ rate: null, attempts: 0, gains: 500 })
})

test('the estimated costs are compared with those of the accounts that approved the payments, by currency', async () => {
  const { first, second, insertPayments, run, put, post } = await setUp()
  const costs = (basis_points: number, fixed_amount: number) => [
    { currency: 'usd', card_countries: ['DE'], basis_points, fixed_amount },
    { currency: 'eur', basis_points: 0, fixed_amount },
  ]
  await put(`/provider-accounts/${first}`, { costs: costs(140, 25) })
  await put(`/provider-accounts/${second}`, { costs: costs(100, 10) })
  await insertPayments(
    // 1.4% of 12.99 is 0.18, and 1.0% is 0.13.
    { count: 3, account: first, currency: 'usd' },
    // Payments that stay at their account are included. Those at the second account already have the lower cost.
    { count: 2, account: second, currency: 'usd' },
    { count: 4, account: first, currency: 'eur' },
    // The costs for cards from other countries are unknown.
    { count: 5, account: first, currency: 'usd', country: 'FR' },
    // Failed attempts, and currencies without any costs, are not compared.
    { count: 6, account: first, currency: 'usd', status: 'declined' },
    { count: 7, account: first, currency: 'gbp' },
  )

  const { result } = await run()
  await post(`/provider-accounts/${first}/disable`)
  const afterDisabling = (await run()).result

  expect(result.costs).toEqual([
    {
      currency: 'usd',
      payments: 5,
      unknown_payments: 5,
      actual_amount: 3 * 43 + 2 * 23,
      simulated_amount: 5 * 23,
      change: -60,
    },
    {
      currency: 'eur',
      payments: 4,
      unknown_payments: 0,
      actual_amount: 100,
      simulated_amount: 100,
      change: 0,
    },
  ])
  // The costs of a disabled account still apply to the payments that it approved.
  expect(afterDisabling.costs).toMatchObject([
    { currency: 'usd', payments: 5, change: -60 },
    { currency: 'eur', payments: 4, change: -60 },
  ])
})

test('a payment that loses its account counts as not approved, and one that gains an account has the rate of that account', async () => {
  const { first, path, insertPayments, run, updateRoute } = await setUp()
  await insertPayments({ count: 60, account: first, currency: 'usd' })
  await updateRoute(path, { rules: [{ name: 'No', when: dollars, then: { type: 'decline' } }], draft: true })

  const lost = (await run()).result
  const won = (await run({ revision: 1, against: 3 })).result

  expect(lost.moves).toMatchObject([{ from_provider_account_id: first, to_provider_account_id: null }])
  expect(lost.approvals).toMatchObject({ rated_payments: 60, expected: { change: -60 } })
  expect(lost.examples[0].cause).toBe('declined by rule "No"')
  expect(won.moves).toMatchObject([{ from_provider_account_id: null, to_provider_account_id: first }])
  expect(won.approvals.expected.change).toBe(60)
})

test('only payments that the route decided are compared, unless all are requested', async () => {
  const { first, route, insertPayments, run, post, get, sendTo } = await setUp()
  await insertPayments(
    { count: 2, account: first, currency: 'usd', route: route.id },
    { count: 3, account: first, currency: 'usd' },
  )
  const from_at = hoursAgo(1)

  expect((await run({ history: { from_at } })).result).toMatchObject({ payments: 2, elsewhere: 2 })
  expect(await run({ history: { from_at } })).toMatchObject({ payments: 'route', progress: { done: 5 } })
  // A route that was never published has decided nothing, so it is compared on all payments with the default
  // order.
  const { body: draft } = await post('/payment-routes', { name: 'New', default: sendTo(first), draft: true })
  const { body } = await post(`/payment-routes/${draft.id}/simulate`, { history: { from_at } })
  await switchyard.settle()
  const { body: completed } = await get(`/payment-routes/${draft.id}/simulations/${body.id}`)
  expect(completed).toMatchObject({ payments: 'all', against: null, result: { payments: 5, elsewhere: 0 } })
})

test('rules can use metadata, and a card stored at one provider is not moved to another', async () => {
  const { first, second, path, insertPayments, run, updateRoute, sendTo } = await setUp()
  const gold = { field: 'metadata.tier', op: 'eq', value: 'gold' }
  await insertPayments(
    { count: 2, account: first, metadata: { tier: 'gold' } },
    { count: 3, account: first },
    { count: 4, account: first, metadata: { tier: 'gold' }, hasNumber: false },
  )
  await updateRoute(path, { rules: [{ name: 'Gold', when: gold, then: sendTo(second, first) }], draft: true })

  expect((await run()).result).toMatchObject({ payments: 9, elsewhere: 2 })
})

test('a current hold of an account is ignored', async () => {
  const { first, second, insertPayments, run, post } = await setUp()
  await insertPayments({ count: 2, account: first, currency: 'usd' })
  await post(`/provider-accounts/${second}/hold`, { reason: 'x', until_at: '2026-11-14T13:00:00.000Z' })

  expect((await run()).result).toMatchObject({ elsewhere: 2 })
})

test('thousands of payments are read in pages, each exactly once', async () => {
  const { first, insertPayments, run } = await setUp()
  await insertPayments({ count: 2_500, account: first, currency: 'usd' }, { count: 1_500, account: first })

  const { progress, result } = await run()

  expect(progress).toEqual({ done: 4_000, total: 4_000 })
  expect(result).toMatchObject({ payments: 4_000, elsewhere: 2_500, moves: [{ payments: 2_500 }] })
})

test('a route has at most one running simulation, and another can start after it is cancelled', async () => {
  const { path, post, get, insertPayments, first, eventsOf } = await setUp()
  await insertPayments({ count: 5, account: first, currency: 'usd' })
  const start = () => post(`${path}/simulate`, { history })

  const responses = await Promise.all([start(), start(), start()])

  expect(responses.map(({ status }) => status).toSorted()).toEqual([202, 409, 409])
  const rejected = responses.find(({ status }) => status === 409)
  expect(rejected?.body).toMatchObject({ current_status: 'running', allowed_actions: ['cancel'] })
  const { id } = responses.find(({ status }) => status === 202)?.body ?? {}
  const cancelled = await post(`${path}/simulations/${id}/cancel`)
  expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled', result: null } })
  expect((await post(`${path}/simulations/${id}/cancel`)).body).toEqual(cancelled.body)
  await switchyard.settle()
  expect((await get(`${path}/simulations/${id}`)).body).toEqual(cancelled.body)
  expect((await eventsOf(id)).map(({ type }: { type: string }) => type)).toEqual([
    'route_simulation.created',
    'route_simulation.cancelled',
  ])
  const second = await start()
  await switchyard.settle()
  expect(await post(`${path}/simulations/${second.body.id}/cancel`)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'completed', allowed_actions: [] },
  })
})

test('a repeat with the same idempotency key gets the same simulation', async () => {
  const { path, post, get } = await setUp()
  const sendTwice = async (key: string, body: object) => {
    const send = () => post(`${path}/simulate`, body, { headers: { 'idempotency-key': key } })
    return [await send(), await send()] as const
  }

  const [started, second] = await sendTwice('key-1', { history })
  const [simulated, simulatedAgain] = await sendTwice('key-2', { operands: { amount: 1, currency: 'eur' } })

  expect([started.status, second.status, second.body]).toEqual([202, 202, started.body])
  expect((await get(`${path}/simulations`)).body.data).toHaveLength(1)
  expect([simulated.status, simulatedAgain.status, simulatedAgain.body]).toEqual([200, 200, simulated.body])
})

test('incompatible members are rejected with their location', async () => {
  const { path, post } = await setUp()
  const simulate = (body: object) => post(`${path}/simulate`, body)
  const errorOf = async (body: object) => (await simulate(body)).body.errors?.[0]
  const operands = { amount: 1, currency: 'eur' }

  expect(await errorOf({ history, operands })).toMatchObject({ pointer: '/operands', code: 'not_together' })
  expect(await errorOf({ history, assume: {} })).toMatchObject({ pointer: '/assume' })
  expect(await errorOf({ operands, against: 1 })).toMatchObject({ pointer: '/against', code: 'not_together' })
  expect(await errorOf({ history: { from_at: hoursAgo(-1) } })).toMatchObject({
    pointer: '/history/from_at',
    code: 'too_large',
  })
  expect(await errorOf({ history: { from_at: hoursAgo(1), to_at: hoursAgo(2) } })).toMatchObject({
    pointer: '/history/to_at',
    code: 'too_small',
  })
  expect((await simulate({ history, revision: 9 })).status).toBe(404)
  expect((await simulate({ history, against: 9 })).status).toBe(404)
  const { body } = await simulate({ history: { ...history, to_at: hoursAgo(-5) } })
  // The end is limited to the present.
  expect(Date.parse(body.to_at)).toBeLessThan(Date.now() + 60_000)
})

test('a simulation is only found under its own route', async () => {
  const { path, post, get, run, sendTo, first } = await setUp()
  const { id } = await run()
  const { body: other } = await post('/payment-routes', { name: 'Other', default: sendTo(first) })

  expect((await get(`${path}/simulations/${id}`)).status).toBe(200)
  expect((await get(`/payment-routes/${other.id}/simulations/${id}`)).status).toBe(404)
  expect((await post(`/payment-routes/${other.id}/simulations/${id}/cancel`)).status).toBe(404)
  expect((await get(`/payment-routes/${other.id}/simulations`)).body.data).toEqual([])
})
