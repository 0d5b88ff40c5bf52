import { afterEach, expect, test } from 'vitest'
import { putHistory } from '../../../../test/support/history.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { compose } from '../../../compose.ts'
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import { watchCrashpoints } from '../../../platform/crashpoint.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
import { decideFor, routeFor } from './decide.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
afterEach(() => watchCrashpoints(() => {}))

const adaptive = { enabled: true, segment_by: ['currency'] }
const anHour = 3_600

async function aScene(members: object = {}) {
  const workspace = await switchyard.newWorkspace()
  const { body } = await workspace.get('/provider-accounts')
  const [second, first] = body.data.map(({ id }: { id: string }) => id) as [string, string]
  const action = { type: 'priority', targets: [first, second], adaptive }
  const { body: route } = await workspace.post('/payment-routes', {
    name: 'Cards',
    default: action,
    ...members,
  })
  const put = (pasts: Parameters<typeof putHistory>[2]) =>
    putHistory(
      switchyard.databaseUrl,
      workspace.workspaceId,
      pasts.map((past) => ({ route: route.id, secondsAgo: anHour, ...past })),
    )
  const simulate = async (operands: object = { amount: 1299, currency: 'eur' }) => {
    const answer = await workspace.post(`/payment-routes/${route.id}/simulate`, { operands })
    return answer.body.trace
  }
  return { workspace, first, second, action, route, put, simulate }
}

/** More than enough, and the second account is better beyond chance. */
const enough = (first: string, second: string) => [
  { count: 3_000, account: first },
  { count: 1_000, account: first, status: 'declined', decline: 'do_not_honor' },
  { count: 1_000, account: second },
]

/** As a payment does it, in its own unit. */
function decideIn(deps: Deps, workspaceId: string, routeId: string, payment = 'payment_1') {
  const id = workspaceId as Id<'workspace'>
  const operands = { amount: 1299, currency: 'eur', purpose: 'payment', 'card.brand': 'visa' }
  const keys = { payment, customer: null, card: null }
  return transact(deps, systemCaller({ workspaceId: id, id }), async (tx) =>
    decideFor(deps, tx, await routeFor(deps, tx, routeId), {
      ...{ operands, keys, instrument: { hasNumber: true, onlyAt: null }, tried: [] },
    }),
  )
}

async function aMinuteLater() {
  switchyard.clock.advance({ minutes: 1 })
  await switchyard.settle()
}

test('first attempts are counted for and against accounts, but not what is the payer’s own', async () => {
  const { first, second, put, simulate } = await aScene()
  await put([
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
    // Elsewhere, or not for sure over yet.
    { count: 30, account: second, currency: 'usd' },
    { count: 1_000, account: second, secondsAgo: 60 },
  ])
  await switchyard.settle()

  const trace = await simulate()
  expect(trace.cause).toBe('the default of the route; adaptive: 91 of 5,000 attempts')
  expect(trace.adaptive).toMatchObject({
    ...{ snapshot: 1, segment: { currency: 'eur' }, attempts: 91, decides: false },
    accounts: [
      { provider_account_id: first, attempts: 71, approved: 57 },
      { provider_account_id: second, attempts: 20, approved: 20 },
    ],
  })
  expect((await simulate({ amount: 1, currency: 'usd' })).adaptive.attempts).toBe(30)
})

test('with enough attempts the better account leads, and figures that stay the same are no new snapshot', async () => {
  const { first, second, put, simulate } = await aScene()
  await put(enough(first, second))
  await switchyard.settle()
  await aMinuteLater()

  const trace = await simulate()
  expect(trace.order).toEqual([second, first])
  expect(trace.cause).toBe('the default of the route; adaptive: goes to the leader')
  expect(trace.adaptive).toMatchObject({
    ...{ snapshot: 1, attempts: 5_000, needed: 5_000, decides: true },
    accounts: [
      { attempts: 4_000, approved: 3_000 },
      { attempts: 1_000, approved: 1_000, score: 1 },
    ],
  })
})

test('what is older than the window does not count', async () => {
  const { workspace, first, action, route, put, simulate } = await aScene()
  await put([
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

test('payments are decided by it in every process, and keep what was known with their attempt', async () => {
  const { workspace, first, second, route, put } = await aScene()
  const other = compose(switchyard.config, { clock: switchyard.clock, publish: () => {} })
  try {
    const snapshotIn = async (deps: Deps) =>
      (await decideIn(deps, workspace.workspaceId, route.id)).trace.adaptive?.snapshot ?? null
    expect([await snapshotIn(switchyard.deps), await snapshotIn(other.deps)]).toEqual([null, null])
    await put(enough(first, second))
    await switchyard.settle()

    for (const { deps } of [switchyard, other])
      await expect.poll(() => snapshotIn(deps), { timeout: 10_000, interval: 50 }).toBe(1)
    const all = Array.from({ length: 20 }, (_, nth) => `payment_${nth}`)
    for (const payment of all) {
      const here = await decideIn(switchyard.deps, workspace.workspaceId, route.id, payment)
      expect(await decideIn(other.deps, workspace.workspaceId, route.id, payment)).toEqual(here)
    }
  } finally {
    await other.close()
  }
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2036, cvc: '123' }
  const { body: token } = await workspace.post('/tokens', { type: 'card', card })
  const asked = { amount: 1299, currency: 'eur', token: token.id, payment_route_id: route.id }
  const { body: payment } = await workspace.post('/payments', asked)
  const { body: attempts } = await workspace.get(`/payments/${payment.id}/attempts`)
  const [attempt] = attempts.data

  expect(attempt.trace.adaptive).toMatchObject({ snapshot: 1, attempts: 5_000, decides: true })
  expect(attempt.trace.adaptive.accounts.map((one: { probability: number }) => one.probability)).toEqual([
    0.01, 0.99,
  ])
  expect(attempt.provider_account_id).toBe(attempt.trace.order[0])
}, 60_000)

test('each rule learns for itself, by its name, also when it stands elsewhere in the next revision', async () => {
  const dollars = { field: 'currency', op: 'eq', value: 'usd' }
  const { workspace, first, second, action, put, simulate } = await aScene()
  const rule = { name: 'Dollars', when: dollars, then: action }
  const trace = { rules: [{ rule: 0, matched: true, failed_at: null }] }
  // The first revision has no rules yet, so what was made by it belongs to the default.
  await put([{ count: 5, account: first, currency: 'usd' }])
  const { body: fresh } = await workspace.post('/payment-routes', {
    ...{ name: 'By rules', rules: [rule], default: action },
  })
  await put([
    { count: 8, account: second, currency: 'usd', route: fresh.id, trace },
    { count: 9, account: second, currency: 'usd', route: fresh.id },
  ])
  const rules = [{ name: 'Yen', when: { ...dollars, value: 'jpy' }, then: action }, rule]
  await workspace.put(`/payment-routes/${fresh.id}`, { rules })
  await switchyard.settle()

  expect((await simulate({ amount: 1, currency: 'usd' })).adaptive.attempts).toBe(5)
  const { body } = await workspace.post(`/payment-routes/${fresh.id}/simulate`, {
    operands: { amount: 1, currency: 'usd' },
  })
  expect(body.trace.cause).toBe('rule "Dollars"; adaptive: 8 of 5,000 attempts')
})

test('whoever dies after a commit leaves nothing that is counted twice, or not at all', async () => {
  const { first, second, put, simulate } = await aScene()
  await put([
    { count: 15_000, account: first },
    { count: 10_000, account: second },
  ])
  let commits = 0
  watchCrashpoints((name) => {
    if (name === 'unit.committed') commits += 1
    if (commits === 1) throw new Error('It died here.')
  })
  // More than one unit counts at a time.
  await expect(switchyard.settle()).rejects.toThrow('It died here.')
  watchCrashpoints(() => {})
  expect((await simulate()).adaptive).toMatchObject({ snapshot: null, attempts: 0 })
  await switchyard.settle()

  expect((await simulate()).adaptive).toMatchObject({ snapshot: 1, attempts: 25_000 })
})

test('a route that is archived, or does not ask for it any more, learns nothing more', async () => {
  const { workspace, first, second, action, route, put, simulate } = await aScene()
  await switchyard.settle()
  await workspace.put(`/payment-routes/${route.id}`, {
    default: { ...action, adaptive: { ...adaptive, enabled: false } },
  })
  await put(enough(first, second))
  await aMinuteLater()
  expect(await simulate()).not.toHaveProperty('adaptive')

  // It goes on where it stopped.
  await workspace.put(`/payment-routes/${route.id}`, { default: action })
  await switchyard.settle()
  expect((await simulate()).adaptive.attempts).toBe(5_000)
  await workspace.post(`/payment-routes/${route.id}/archive`)
  await put([{ count: 10, account: first }])
  await aMinuteLater()
  expect((await simulate()).adaptive).toMatchObject({ snapshot: null, attempts: 0 })
})
