// The payments report, compared with figures that are computed from the payments.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { computeFigures, sumReportRows } from '../../../../test/support/expected-figures.ts'
import {
  cards,
  createAttachedMethod,
  createMethod,
  createToken,
} from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { aSubscription } from '../../../../test/support/subscriptions.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

/** Runs the counting work, which stores the figures. */
async function count(): Promise<void> {
  switchyard.clock.advance({ hours: 1 })
  await switchyard.settle()
}

async function report({ get }: Workspace, query = '') {
  const { status, body } = await get(`/reports/payments?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

async function pay(workspace: Workspace, members: object = {}, number: string = cards.approved) {
  const token = await createToken(workspace, number)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })).body
}

/** With this card the first account fails, and the second succeeds. */
const failoverCard = cardNumberForScenario('3004')

type RunState = { readonly authorized: string[]; readonly paid: string[] }
const actions: Record<string, (workspace: Workspace, state: RunState) => Promise<unknown>> = {
  pay: async (workspace, { paid }) => paid.push((await pay(workspace)).id),
  'pay in dollars': async (workspace, { paid }) =>
    paid.push((await pay(workspace, { amount: 500, currency: 'usd' })).id),
  decline: (workspace) => pay(workspace, {}, cards.declined),
  recover: async (workspace, { paid }) => paid.push((await pay(workspace, { amount: 777 }, failoverCard)).id),
  authorize: async (workspace, { authorized }) =>
    authorized.push((await pay(workspace, { capture_method: 'manual' })).id),
  'capture a part': ({ post }, { authorized }) =>
    post(`/payments/${authorized.at(-1)}/capture`, { amount: 400, final: false }),
  capture: async ({ post }, { authorized, paid }) => {
    const id = authorized.pop()
    if (id === undefined) return
    await post(`/payments/${id}/capture`, {})
    paid.push(id)
  },
  cancel: async ({ post }, { authorized }) => post(`/payments/${authorized.pop()}/cancel`),
  refund: ({ post }, { paid }) => post('/refunds', { payment_id: paid.at(-1), amount: 100 }),
  verify: (workspace) => createMethod(workspace),
  'pay in an unsupported currency': (workspace) => pay(workspace, { currency: 'xaf', amount: 100 }),
  count,
}

test('reports match a recount of random payments, before and after the figures are stored', {
  timeout: 120_000,
}, async () => {
  const actionLists = fc.array(fc.constantFrom(...Object.keys(actions)), { minLength: 8, maxLength: 16 })
  const property = fc.asyncProperty(actionLists, async (names) => {
    const workspace = await switchyard.newWorkspace()
    const state: RunState = { authorized: [], paid: [] }
    for (const name of names) await actions[name]?.(workspace, state)
    const expected = await computeFigures(switchyard.databaseUrl, workspace.workspaceId)

    expect(sumReportRows((await report(workspace)).data)).toEqual(expected)
    await count()
    await count()
    for (const group of ['none', 'currency', 'provider_account', 'reason'])
      for (const bucket of ['15m', '1h', '1d'])
        expect(sumReportRows((await report(workspace, `group=${group}&bucket=${bucket}`)).data)).toEqual(
          expected,
        )
  })
  await fc.assert(property, { numRuns: 6, examples: [[Object.keys(actions)]] })
})

test('amounts in different currencies are never added', async () => {
  const workspace = await switchyard.newWorkspace()
  await pay(workspace)
  await pay(workspace, { amount: 500, currency: 'usd' })

  for (const group of ['none', 'currency', 'provider_account', 'reason']) {
    const { data } = await report(workspace, `bucket=1d&group=${group}`)
    expect(data.map(({ currency, volume }: Row) => [currency, volume])).toEqual([
      ['eur', 1299],
      ['usd', 500],
    ])
  }
})

type Row = {
  readonly start: string
  readonly group: string | null
  readonly currency: string
  readonly [counter: string]: unknown
}

test('a payment is counted for its last account, and each attempt for the account that decided it', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await pay(workspace, {}, failoverCard)
  const { body: attempts } = await workspace.get(`/payments/${id}/attempts`)
  const [first, second] = attempts.data.map(
    (attempt: { provider_account_id: string }) => attempt.provider_account_id,
  )
  await count()

  const { data } = await report(workspace, 'bucket=1d&group=provider_account')

  const byAccount = new Map(data.map((row: Row) => [row.group, row]))
  expect(byAccount.get(first)).toMatchObject({
    created: 1,
    succeeded: 0,
    volume: 0,
    attempts: 1,
    approved: 0,
  })
  expect(byAccount.get(second)).toMatchObject({
    created: 0,
    succeeded: 1,
    volume: 1299,
    recovered: 1,
    recovered_volume: 1299,
    attempts: 1,
    approved: 1,
  })
})

test('failures are grouped by reason', async () => {
  const workspace = await switchyard.newWorkspace()
  await pay(workspace)
  await pay(workspace, {}, cards.declined)

  const { data } = await report(workspace, 'bucket=1d&group=reason')

  expect(data.map(({ group, failed, attempts }: Row) => [group, failed, attempts])).toEqual([
    [null, 0, 1],
    ['insufficient_funds', 1, 1],
  ])
})

test('payments on a test clock are not counted', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: clock } = await workspace.post('/test-clocks', { now_at: '2027-01-01T00:00:00.000Z' })
  const customer_id = await workspace.aCustomer({ test_clock_id: clock.id })
  await createAttachedMethod(workspace, customer_id)
  await aSubscription(workspace, { customer_id })
  await workspace.post(`/test-clocks/${clock.id}/advance`, { by: 'P2M' })
  await count()

  const { body: payments } = await workspace.get('/payments')
  const charged = payments.data.filter(
    ({ purpose, status }: Row) => purpose === 'payment' && status === 'succeeded',
  )
  expect(charged.length).toBeGreaterThan(1)
  expect((await report(workspace)).data).toEqual([])
})

test('a report contains its query, its range and the time until which it is complete', async () => {
  const workspace = await switchyard.newWorkspace()
  const from = new Date(Date.now() - 3_600_000).toISOString()

  const body = await report(workspace, `from=${from}&bucket=15m`)

  expect(body).toMatchObject({ object: 'payments_report', bucket: '15m', group: 'none', data: [] })
  // The range starts at the beginning of a bucket.
  expect(new Date(body.from).getTime() % 900_000).toBe(0)
  expect(new Date(body.counted_at).getTime()).toBeGreaterThan(Date.now() - 60_000)
  expect(body.explanation).toContain('minor units')
})

// biome-ignore format: a table.
test.each([
  ['from=2026-11-14T00:00:00Z&to=2026-11-13T00:00:00Z',            '/to'],
  ['from=2026-11-01T00:00:00Z&to=2026-11-09T00:00:00Z&bucket=15m', '/from'],
  ['from=2026-01-01T00:00:00Z&to=2026-11-09T00:00:00Z&bucket=1h',  '/from'],
  ['from=2025-01-01T00:00:00Z&to=2026-11-09T00:00:00Z&bucket=1d',  '/from'],
  ['bucket=5m',                                                    '/bucket'],
  ['group=card',                                                   '/group'],
])('%s is rejected with an error at %s', async (query, pointer) => {
  const { get } = await switchyard.newWorkspace()

  expect(await get(`/reports/payments?${query}`)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } })
})
