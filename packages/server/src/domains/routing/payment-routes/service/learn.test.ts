import { afterEach, expect, test } from 'vitest'
import { insertPastPayments } from '../../../../../test/support/past-payments.ts'
import { simulatorForThisFile } from '../../../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../../../test/support/switchyard.ts'
import { compose } from '../../../../compose.ts'
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { watchCrashpoints } from '../../../../platform/crashpoint.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import { decideFor, routeFor } from './decide.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
afterEach(() => watchCrashpoints(() => {}))

const adaptive = { enabled: true, segment_by: ['currency'] }
const anHour = 3_600

async function setUp(members: object = {}) {
  const workspace = await switchyard.newWorkspace()
  const { body } = await workspace.get('/provider-accounts')
  const [second, first] = body.data.map(({ id }: { id: string }) => id) as [string, string]
  const action = { type: 'priority', targets: [first, second], adaptive }
  const { body: route } = await workspace.post('/payment-routes', {
    name: 'Cards',
    default: action,
    ...members,
  })
  const insertPayments = (payments: Parameters<typeof insertPastPayments>[2]) =>
    insertPastPayments(
      switchyard.databaseUrl,
      workspace.workspaceId,
      payments.map((payment) => ({ route: route.id, secondsAgo: anHour, ...payment })),
    )
  const simulate = async (operands: object = { amount: 1299, currency: 'eur' }) => {
    const response = await workspace.post(`/payment-routes/${route.id}/simulate`, { operands })
    return response.body.trace
  }
  return { workspace, first, second, action, route, insertPayments, simulate }
}

/** More than enough attempts, and the second account is significantly better. */
const enoughAttempts = (first: string, second: string) => [
  { count: 3_000, account: first },
  { count: 1_000, account: first, status: 'declined', decline: 'do_not_honor' },
  { count: 1_000, account: second },
]

/** Decides as a payment does, in a transaction. */
function decideIn(deps: Deps, workspaceId: string, routeId: string, payment = 'payment_1') {
  const id = workspaceId as Id<'workspace'>
  const operands = { amount: 1299, currency: 'eur', purpose: 'payment', 'card.brand': 'visa' }
  const keys = { payment, customer: null, card: null }
  return transact(deps, systemCaller({ workspaceId: id, id }), async (tx) =>
    decideFor(deps, tx, await routeFor(deps, tx, routeId), {
      operands,
      keys,
      instrument: { hasCardNumber: true, tokensAt: new Set<string>() },
      tried: [],
    }),
  )
}

async function advanceOneMinute() {
  switchyard.clock.advance({ minutes: 1 })
  await switchyard.settle()
}

test('first attempts count for or against their account, except declines due to the payer', async () => {
  const { first, second, insertPayments, simulate } = await setUp()
  await insertPayments([
    { count: 50, account: first },
    { count: 7, account: first, status: 'voided' },
    { count: 5, account: first, status: 'declined', decline: 'do_not_honor' },
    { count: 3, account: first, status: 'declined', decline: 'a_code_that_nobody_knows' },
    { count: 4, account: first, status: 'failed' },
    { count: 2, account: first, status: 'unresolved' },
    ...['insufficient_funds', 'lost_card', 'incorrect_cvc', 'authentication_failed', 'suspected_fraud'].map(
      (decline) => ({ count: 10, account: first, status: 'declined', decline }),
    ),
    ...['requires_action', 'started', 'expired'].map((status) => ({ count: 10, account: first, status })),
    { count: 20, account: second },
    // These payments are in another segment, or too recent to be counted.
    { count: 30, account: second, currency: 'usd' },
    { count: 1_000, account: second, secondsAgo: 60 },
  ])
  await switchyard.settle()

  const trace = await simulate()
  expect(trace.cause).toBe('default action of the route; adaptive: 91 of 5,000 attempts')
  expect(trace.adaptive).toMatchObject({
    snapshot: 1,
    segment: { currency: 'eur' },
    attempts: 91,
    decides: false,
    accounts: [
      { provider_account_id: first, attempts: 71, approved: 57 },
      { provider_account_id: second, attempts: 20, approved: 20 },
    ],
  })
  expect((await simulate({ amount: 1, currency: 'usd' })).adaptive.attempts).toBe(30)
})

test('with enough attempts the better account leads, and unchanged figures create no new snapshot', async () => {
  const { first, second, insertPayments, simulate } = await setUp()
  await insertPayments(enoughAttempts(first, second))
  await switchyard.settle()
  await advanceOneMinute()

  const trace = await simulate()
  expect(trace.order).toEqual([second, first])
  expect(trace.cause).toBe('default action of the route; adaptive: best approval rate')
  expect(trace.adaptive).toMatchObject({
    snapshot: 1,
    attempts: 5_000,
    needed: 5_000,
    decides: true,
    accounts: [
      { attempts: 4_000, approved: 3_000 },
      { attempts: 1_000, approved: 1_000, score: 1 },
    ],
  })
})

test('attempts older than the window do not count', async () => {
  const { workspace, first, action, route, insertPayments, simulate } = await setUp()
  await insertPayments([
    { count: 40, account: first, secondsAgo: 3 * 86_400 },
    { count: 7, account: first },
  ])
  await switchyard.settle()
  expect((await simulate()).adaptive.attempts).toBe(47)

  const shorter = { ...action, adaptive: { ...adaptive, window_days: 1 } }
  await workspace.put(`/payment-routes/${route.id}`, { default: shorter })
  await switchyard.settle()
  expect((await simulate()).adaptive).toMatchObject({ snapshot: 2, attempts: 7 })
})

test('every process uses the snapshot, and attempts keep the figures that were used', async () => {
  const { workspace, first, second, route, insertPayments } = await setUp()
  const other = compose(switchyard.config, { clock: switchyard.clock, publish: () => {} })
  try {
    const snapshotIn = async (deps: Deps) =>
      (await decideIn(deps, workspace.workspaceId, route.id)).trace.adaptive?.snapshot ?? null
    expect([await snapshotIn(switchyard.deps), await snapshotIn(other.deps)]).toEqual([null, null])
    await insertPayments(enoughAttempts(first, second))
    await switchyard.settle()

    for (const { deps } of [switchyard, other])
      await expect.poll(() => snapshotIn(deps), { timeout: 10_000, interval: 50 }).toBe(1)
    const paymentIds = Array.from({ length: 20 }, (_, nth) => `payment_${nth}`)
    for (const payment of paymentIds) {
      const expected = await decideIn(switchyard.deps, workspace.workspaceId, route.id, payment)
      expect(await decideIn(other.deps, workspace.workspaceId, route.id, payment)).toEqual(expected)
    }
  } finally {
    await other.close()
  }
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2036, cvc: '123' }
  const { body: token } = await workspace.post('/tokens', { type: 'card', card })
  const request = { amount: 1299, currency: 'eur', token: token.id, payment_route_id: route.id }
  const { body: payment } = await workspace.post('/payments', request)
  const { body: attempts } = await workspace.get(`/payments/${payment.id}/attempts`)
  const [attempt] = attempts.data

  expect(attempt.trace.adaptive).toMatchObject({ snapshot: 1, attempts: 5_000, decides: true })
  expect(
    attempt.trace.adaptive.accounts.map((account: { probability: number }) => account.probability),
  ).toEqual([0.01, 0.99])
  expect(attempt.provider_account_id).toBe(attempt.trace.order[0])
}, 60_000)

test('each rule has its own figures by name, even if its position changes in the next revision', async () => {
  const dollars = { field: 'currency', op: 'eq', value: 'usd' }
  const { workspace, first, second, action, insertPayments, simulate } = await setUp()
  const rule = { name: 'Dollars', when: dollars, then: action }
  const trace = { rules: [{ rule: 0, matched: true, failed_at: null }] }
  // The first revision has no rules, so its payments belong to the default.
  await insertPayments([{ count: 5, account: first, currency: 'usd' }])
  const { body: routeWithRules } = await workspace.post('/payment-routes', {
    name: 'By rules',
    rules: [rule],
    default: action,
  })
  await insertPayments([
    { count: 8, account: second, currency: 'usd', route: routeWithRules.id, trace },
    { count: 9, account: second, currency: 'usd', route: routeWithRules.id },
  ])
  const rules = [{ name: 'Yen', when: { ...dollars, value: 'jpy' }, then: action }, rule]
  await workspace.put(`/payment-routes/${routeWithRules.id}`, { rules })
  await switchyard.settle()

  expect((await simulate({ amount: 1, currency: 'usd' })).adaptive.attempts).toBe(5)
  const { body } = await workspace.post(`/payment-routes/${routeWithRules.id}/simulate`, {
    operands: { amount: 1, currency: 'usd' },
  })
  expect(body.trace.cause).toBe('rule "Dollars"; adaptive: 8 of 5,000 attempts')
})

test('after a crash no attempt is counted twice or missed', async () => {
  const { first, second, insertPayments, simulate } = await setUp()
  await insertPayments([
    { count: 15_000, account: first },
    { count: 10_000, account: second },
  ])
  let commits = 0
  watchCrashpoints((name) => {
    if (name === 'unit.committed') commits += 1
    if (commits === 1) throw new Error('simulated crash')
  })
  // Counting these payments takes several transactions.
  await expect(switchyard.settle()).rejects.toThrow('simulated crash')
  watchCrashpoints(() => {})
  expect((await simulate()).adaptive).toMatchObject({ snapshot: null, attempts: 0 })
  await switchyard.settle()

  expect((await simulate()).adaptive).toMatchObject({ snapshot: 1, attempts: 25_000 })
})

test('a route that is archived or no longer adaptive stops learning', async () => {
  const { workspace, first, second, action, route, insertPayments, simulate } = await setUp()
  await switchyard.settle()
  await workspace.put(`/payment-routes/${route.id}`, {
    default: { ...action, adaptive: { ...adaptive, enabled: false } },
  })
  await insertPayments(enoughAttempts(first, second))
  await advanceOneMinute()
  expect(await simulate()).not.toHaveProperty('adaptive')

  // Counting continues where it stopped.
  await workspace.put(`/payment-routes/${route.id}`, { default: action })
  await switchyard.settle()
  expect((await simulate()).adaptive.attempts).toBe(5_000)
  await workspace.post(`/payment-routes/${route.id}/archive`)
  await insertPayments([{ count: 10, account: first }])
  await advanceOneMinute()
  expect((await simulate()).adaptive).toMatchObject({ snapshot: null, attempts: 0 })
})
