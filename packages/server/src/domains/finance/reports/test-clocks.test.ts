// Objects on test clocks: reports include them only on request, lists exclude them on request, and the
// numbers agree.

import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { createAttachedMethod } from '../../../../test/support/payment-methods.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import { billingMetrics, paymentMetrics, testClockRules } from './definitions.ts'

vi.setConfig({ testTimeout: 60_000 })

const switchyard = await subscriptionsForThisFile()

/**
 * A customer on a test clock with a partly refunded first payment and a failed renewal. Returns the id of the
 * clock.
 */
async function failedRenewalOnClock(workspace: Workspace): Promise<string> {
  const { body: clock } = await workspace.post('/test-clocks', { now_at: '2027-01-01T00:00:00.000Z' })
  const customer_id = await workspace.aCustomer({ test_clock_id: clock.id })
  const method = await createAttachedMethod(workspace, customer_id)
  await workspace.put(`/payment-methods/${method}`, { metadata: { simulate: 'approve, decline:51' } })
  await aSubscription(workspace, { customer_id })
  await workspace.post(`/test-clocks/${clock.id}/advance`, { by: 'P1M1D' })
  const { body: paid } = await workspace.get('/payments?status=succeeded')
  const { status } = await workspace.post('/refunds', { payment_id: paid.data[0].id, amount: 100 })
  expect(status).toBe(201)
  return clock.id
}

const lists = [
  '/payments',
  '/refunds',
  '/invoices',
  '/subscriptions',
  '/dunning-campaigns',
  '/customers',
  '/events',
]

/**
 * The number of listed objects, without the card verification, which happened before the customer was on a
 * clock.
 */
async function count({ get }: Workspace, path: string): Promise<number> {
  const { status, body } = await get(path)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.filter(({ purpose }: { purpose?: string }) => purpose !== 'verification').length
}

test('a list excludes objects on test clocks on request, and an object contains the id of its clock', async () => {
  const workspace = await switchyard.newWorkspace()
  const clock = await failedRenewalOnClock(workspace)

  for (const list of lists) expect(await count(workspace, list), list).toBeGreaterThan(0)
  for (const list of lists.filter((path) => path !== '/events'))
    expect(await count(workspace, `${list}?test_clocks=exclude`), list).toBe(0)
  const { body: events } = await workspace.get('/events?test_clocks=exclude&limit=100')
  expect(events.data.filter(({ data }: { data: string }) => 'test_clock' in JSON.parse(data))).toEqual([])
  for (const list of ['/payments', '/invoices', '/dunning-campaigns'])
    expect((await workspace.get(list)).body.data[0].test_clock_id, list).toBe(clock)
  expect((await workspace.get('/payments?test_clocks=maybe')).body.errors).toMatchObject([
    { pointer: '/test_clocks' },
  ])
})

test('a list that excludes test clocks contains all other objects', async () => {
  const workspace = await switchyard.newWorkspace()
  const campaign = await workspace.aCampaign()
  await failedRenewalOnClock(workspace)

  const { body } = await workspace.get('/dunning-campaigns?test_clocks=exclude&status=running')

  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([campaign])
  expect(body.data[0].test_clock_id).toBeNull()
})

test('date filters select objects on test clocks by the real time of their creation, or exclude them', async () => {
  const workspace = await switchyard.newWorkspace()
  const otherCustomer = await workspace.aCustomer()
  await failedRenewalOnClock(workspace)
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString()
  const recent = `created_at[gte]=${anHourAgo}`
  // The objects on the clock have dates in 2027, so a filter by these dates would find them.
  const simulated = 'created_at[gte]=2027-01-01T00:00:00.000Z'
  expect((await workspace.get('/invoices')).body.data[0].created_at).toMatch(/^2027-/)

  for (const list of lists) {
    expect(await count(workspace, `${list}?${recent}`), list).toBeGreaterThan(0)
    expect(await count(workspace, `${list}?${simulated}`), list).toBe(0)
    expect(await count(workspace, `${list}?${simulated}&test_clocks=exclude`), list).toBe(0)
  }
  for (const list of ['/payments', '/refunds', '/invoices', '/subscriptions', '/dunning-campaigns'])
    expect(await count(workspace, `${list}?${recent}&test_clocks=exclude`), list).toBe(0)
  const { body: customers } = await workspace.get(`/customers?${recent}&test_clocks=exclude`)
  expect(customers.data.map(({ id }: { id: string }) => id)).toEqual([otherCustomer])
})

test('the billing report agrees with the list of campaigns, with test clocks and without', async () => {
  const workspace = await switchyard.newWorkspace()
  await failedRenewalOnClock(workspace)
  const report = async (query: string) => (await workspace.get(`/reports/billing?${query}`)).body

  const withoutClocks = await report('')
  expect(withoutClocks.at_risk.data).toEqual([])
  expect(withoutClocks.at_risk.explanation).toContain(testClockRules.exclude)
  const all = await report('test_clocks=include')
  expect(all.at_risk.data).toEqual([{ currency: 'usd', campaigns: 1, amount: 2999 }])
  expect(all.mrr.data).toEqual([{ currency: 'usd', amount: 2999, subscriptions: 1 }])
  expect(all.at_risk.explanation).toContain(testClockRules.include)
})

test('the payments report includes test clocks on request, with the real times of the events', async () => {
  const workspace = await switchyard.newWorkspace()
  await failedRenewalOnClock(workspace)
  const report = async (query: string) => (await workspace.get(`/reports/payments?bucket=1d&${query}`)).body

  expect((await report('')).data).toEqual([])
  const { data, explanation } = await report('test_clocks=include')
  expect(data).toMatchObject([
    { currency: 'usd', succeeded: 1, failed: 1, volume: 2999, refunded: 100, attempts: 2, approved: 1 },
  ])
  expect(new Date(data[0].start).getTime()).toBeLessThanOrEqual(Date.now())
  expect(explanation).toContain(testClockRules.include)
  const reasons = await report('test_clocks=include&group=reason')
  expect(reasons.data.find(({ failed }: { failed: number }) => failed > 0).group).toBe('insufficient_funds')
})

test('the documentation defines every metric with the sentence that the API uses', () => {
  const page = readFileSync(new URL('../../../../../../docs/concepts/metrics.md', import.meta.url), 'utf8')
  const text = page.replace(/\s+/g, ' ')

  for (const sentence of [paymentMetrics, billingMetrics, testClockRules].flatMap(Object.values))
    expect(text).toContain(sentence)
})
