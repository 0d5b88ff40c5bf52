// The billing report: monthly recurring revenue, and amounts at risk in dunning.

import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { createAttachedMethod } from '../../../../test/support/payment-methods.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const billing = await subscriptionsForThisFile()

const report = async ({ get }: Workspace) => (await get('/reports/billing')).body
const today = () => new Date().toISOString().slice(0, 10)

async function activeSubscription(workspace: Workspace, price: object, quantity = 1): Promise<string> {
  const customer_id = await workspace.aCustomer()
  await createAttachedMethod(workspace, customer_id)
  const items = [{ price_id: await aPrice(workspace, price), quantity }]
  const { id } = await aSubscription(workspace, { customer_id, items })
  await billing.advanceTime(2)
  expect((await workspace.get(`/subscriptions/${id}`)).body.status).toBe('active')
  return id
}

const statuses = (body: { subscriptions: { data: { status: string; count: number }[] } }) =>
  Object.fromEntries(body.subscriptions.data.map(({ status, count }) => [status, count]))

test('active subscriptions count with their monthly amount per currency, and paused or cancelled ones do not', async () => {
  const workspace = await billing.newWorkspace()
  await activeSubscription(workspace, { unit_amount: 1000 }, 3)
  const yearly = await activeSubscription(workspace, { unit_amount: 12_100, recurring: { interval: 'year' } })
  const euros = await activeSubscription(workspace, { unit_amount: 999, currency: 'eur' })
  await aSubscription(workspace, { trial: { days: 14 } })

  const before = await report(workspace)
  expect(before.mrr.data).toEqual([
    { currency: 'eur', amount: 999, subscriptions: 1 },
    { currency: 'usd', amount: 4008, subscriptions: 2 },
  ])
  expect(statuses(before)).toEqual({ trialing: 1, active: 3, paused: 0, cancelled: 0 })
  await workspace.put(`/subscriptions/${yearly}/cancel`, {})
  await workspace.put(`/subscriptions/${euros}/pause`, {})

  const after = await report(workspace)
  expect(after.mrr.data).toEqual([{ currency: 'usd', amount: 3000, subscriptions: 1 }])
  expect(statuses(after)).toEqual({ trialing: 1, active: 1, paused: 1, cancelled: 1 })
  expect(after.mrr.explanation).toContain('12 months')
  // After the counting work has stored the sums, the report is the same.
  billing.clock.advance({ hours: 2 })
  await billing.settle()
  expect({ ...(await report(workspace)), counted_at: null }).toEqual({ ...after, counted_at: null })
})

test('the history contains every day, including today', async () => {
  const workspace = await billing.newWorkspace()
  await activeSubscription(workspace, { unit_amount: 1000 })
  const from = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)

  const { body } = await workspace.get(`/reports/billing/history?from=${from}`)

  const days = body.data.map((day: { day: string; mrr: number; active: number }) => [
    day.day,
    day.mrr,
    day.active,
  ])
  expect(days).toHaveLength(3)
  expect(days[0]).toEqual([from, 0, 0])
  expect(days.at(-1)).toEqual([today(), 1000, 1])
})

test('the amount at risk is shown until dunning ends, and the recovered amount afterwards', async () => {
  const workspace = await billing.newWorkspace()
  const campaign = await workspace.aCampaign()
  const { body: running } = await workspace.get(`/dunning-campaigns/${campaign}`)

  expect((await report(workspace)).at_risk.data).toEqual([{ currency: 'eur', campaigns: 1, amount: 2999 }])
  await workspace.post(`/invoices/${running.invoice_id}/pay`, { out_of_band: true })
  await billing.advanceTime(2)

  const after = await report(workspace)
  expect((await workspace.get(`/dunning-campaigns/${campaign}`)).body.status).toBe('recovered')
  expect(after.at_risk.data).toEqual([])
  expect(after.recovered.data).toEqual([{ currency: 'eur', campaigns: 1, amount: 2999 }])
})

test('subscriptions that are older than the report data are counted exactly once', async () => {
  const workspace = await billing.newWorkspace()
  await activeSubscription(workspace, { unit_amount: 1000 })
  billing.clock.advance({ hours: 2 })
  await billing.settle()
  const before = await report(workspace)
  // The state after the migration that added reports, when the events were already deleted.
  await asOwner(billing.databaseUrl, async (client) => {
    const parameters = [uuidOf(workspace.workspaceId as Id<'workspace'>)]
    for (const table of ['billing_shares', 'billing_totals', 'billing_days', 'events'])
      await client.query(`delete from ${table} where workspace_id = $1`, parameters)
    await client.query(
      `update report_cursors set seen_at = null, seen_snapshot = null,
         walked_to = '00000000-0000-0000-0000-000000000000' where workspace_id = $1`,
      parameters,
    )
  })
  billing.clock.advance({ hours: 2 })
  await billing.settle()

  expect((await report(workspace)).mrr).toEqual(before.mrr)
  const { body } = await workspace.get('/reports/billing/history')
  expect(new Set(body.data.map(({ mrr }: { mrr: number }) => mrr))).toEqual(new Set([1000]))
})

test('customers on test clocks are not counted', async () => {
  const workspace = await billing.newWorkspace()
  const { body: clock } = await workspace.post('/test-clocks', {})
  await aSubscription(workspace, { customer_id: await workspace.aCustomer({ test_clock_id: clock.id }) })

  expect(statuses(await report(workspace))).toEqual({ trialing: 0, active: 0, paused: 0, cancelled: 0 })
})

// biome-ignore format: a table.
test.each([
  ['from=2026-11-14&to=2026-11-13', '/to'],
  ['to=2126-11-14',                 '/to'],
  ['from=2024-11-14',               '/from'],
  ['from=2026-02-31',               '/from'],
  ['from=yesterday',                '/from'],
])('a history request with %s is rejected with an error at %s', async (query, pointer) => {
  const { get } = await billing.newWorkspace()

  expect(await get(`/reports/billing/history?${query}`)).toMatchObject({
    status: 400, body: { errors: [{ pointer }] },
  })
})
