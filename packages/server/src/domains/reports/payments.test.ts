// Figures of payments, held against the payments themselves.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { anAttached, aToken, cards, createMethod } from '../../../test/support/payment-methods.ts'
import { addUp, recount } from '../../../test/support/recount.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { aSubscription } from '../../../test/support/subscriptions.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

/** Figures are kept as soon as the work looks again. */
async function count(): Promise<void> {
  switchyard.clock.advance({ hours: 1 })
  await switchyard.settle()
}

async function report({ get }: Workspace, query = '') {
  const { status, body } = await get(`/reports/payments?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

async function pay(workspace: Workspace, members: object = {}, number: string = cards.good) {
  const token = await aToken(workspace, number)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token, ...members })).body
}

/** The first account cannot do it, the second one can. */
const cascading = numberOfScenario('3004')

type Story = { readonly held: string[]; readonly paid: string[] }
const steps: Record<string, (workspace: Workspace, story: Story) => Promise<unknown>> = {
  pay: async (workspace, { paid }) => paid.push((await pay(workspace)).id),
  'pay in dollars': async (workspace, { paid }) =>
    paid.push((await pay(workspace, { amount: 500, currency: 'usd' })).id),
  decline: (workspace) => pay(workspace, {}, cards.declined),
  recover: async (workspace, { paid }) => paid.push((await pay(workspace, { amount: 777 }, cascading)).id),
  hold: async (workspace, { held }) => held.push((await pay(workspace, { capture_method: 'manual' })).id),
  'capture a part': ({ post }, { held }) =>
    post(`/payments/${held.at(-1)}/capture`, { amount: 400, final: false }),
  capture: async ({ post }, { held, paid }) => {
    const id = held.pop()
    if (id === undefined) return
    await post(`/payments/${id}/capture`, {})
    paid.push(id)
  },
  cancel: async ({ post }, { held }) => post(`/payments/${held.pop()}/cancel`),
  refund: ({ post }, { paid }) => post('/refunds', { payment_id: paid.at(-1), amount: 100 }),
  verify: (workspace) => createMethod(workspace),
  'nobody can take it': (workspace) => pay(workspace, { currency: 'xaf', amount: 100 }),
  count,
}

test('whatever happens, reports say what a recount of the payments says, before and after they are kept', {
  timeout: 120_000,
}, async () => {
  const stories = fc.array(fc.constantFrom(...Object.keys(steps)), { minLength: 8, maxLength: 16 })
  const play = fc.asyncProperty(stories, async (story) => {
    const workspace = await switchyard.newWorkspace()
    const state: Story = { held: [], paid: [] }
    for (const step of story) await steps[step]?.(workspace, state)
    const truth = await recount(switchyard.databaseUrl, workspace.workspaceId)

    expect(addUp((await report(workspace)).data)).toEqual(truth)
    await count()
    await count()
    for (const group of ['none', 'currency', 'provider_account', 'reason'])
      for (const bucket of ['15m', '1h', '1d'])
        expect(addUp((await report(workspace, `group=${group}&bucket=${bucket}`)).data)).toEqual(truth)
  })
  await fc.assert(play, { numRuns: 6, examples: [[Object.keys(steps)]] })
})

test('two currencies are never added', async () => {
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

test('a payment stands under the account that ended it, its attempts under those that decided them', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await pay(workspace, {}, cascading)
  const { body: attempts } = await workspace.get(`/payments/${id}/attempts`)
  const [first, second] = attempts.data.map((one: { provider_account_id: string }) => one.provider_account_id)
  await count()

  const { data } = await report(workspace, 'bucket=1d&group=provider_account')

  const by = new Map(data.map((row: Row) => [row.group, row]))
  expect(by.get(first)).toMatchObject({ created: 1, succeeded: 0, volume: 0, attempts: 1, approved: 0 })
  expect(by.get(second)).toMatchObject({
    ...{ created: 0, succeeded: 1, volume: 1299, recovered: 1, recovered_volume: 1299 },
    ...{ attempts: 1, approved: 1 },
  })
})

test('failures stand under their reason', async () => {
  const workspace = await switchyard.newWorkspace()
  await pay(workspace)
  await pay(workspace, {}, cards.declined)

  const { data } = await report(workspace, 'bucket=1d&group=reason')

  expect(data.map(({ group, failed, attempts }: Row) => [group, failed, attempts])).toEqual([
    [null, 0, 1],
    ['insufficient_funds', 1, 1],
  ])
})

test('what is charged in the time of a test clock happened at no time of the world, and is not counted', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: clock } = await workspace.post('/test-clocks', { now_at: '2027-01-01T00:00:00.000Z' })
  const customer_id = await workspace.aCustomer({ test_clock_id: clock.id })
  await anAttached(workspace, customer_id)
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

test('a report says what it asked for, how far it goes and how it is counted', async () => {
  const workspace = await switchyard.newWorkspace()
  const from = new Date(Date.now() - 3_600_000).toISOString()

  const body = await report(workspace, `from=${from}&bucket=15m`)

  expect(body).toMatchObject({ object: 'payments_report', bucket: '15m', group: 'none', data: [] })
  // From the beginning of the bucket that holds it.
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
])('%s is refused at %s', async (query, pointer) => {
  const { get } = await switchyard.newWorkspace()

  expect(await get(`/reports/payments?${query}`)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } })
})
