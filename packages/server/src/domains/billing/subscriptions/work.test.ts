// Renewals run in order and create exactly one invoice per period, even under concurrency.

import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Id } from '../../../kernel/id.ts'
import { advanceSubscription, advanceSubscriptions } from './service/advance.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer, deps, eventTypesOf } = switchyard

async function anActiveSubscription(members: object = {}) {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const { id } = await aSubscription(workspace, { customer_id, ...members })
  await settle()
  const ref = { workspaceId: workspace.workspaceId as Id<'workspace'>, id: id as Id<'subscription'> }
  const invoices = async () => (await workspace.get(`/invoices?subscription_id=${id}&limit=100`)).body.data
  const readSubscription = async () => (await workspace.get(`/subscriptions/${id}`)).body
  return { ...workspace, workspace, id, ref, invoices, readSubscription, customer_id }
}

test('two workers and a duplicate message create one invoice for a period', async () => {
  const { ref, invoices, workspace, id } = await anActiveSubscription()
  clock.advance({ days: 31 })
  await Promise.all([
    advanceSubscription(deps, ref),
    advanceSubscription(deps, ref),
    advanceSubscriptions(deps, [ref, ref]),
  ])
  await advanceSubscription(deps, ref)
  expect(await invoices()).toHaveLength(2)
  expect((await eventTypesOf(workspace, id)).filter((type) => type === 'subscription.renewed')).toHaveLength(
    1,
  )
})

test('a command and a worker that run concurrently renew once', async () => {
  const { ref, invoices, put, id } = await anActiveSubscription()
  clock.advance({ days: 31 })
  const [response] = await Promise.all([put(`/subscriptions/${id}/pause`), advanceSubscription(deps, ref)])
  expect(response).toMatchObject({ status: 200, body: { current_period: { index: 1 } } })
  expect(await invoices()).toHaveLength(2)
})

test('overdue periods are billed in order, one invoice each, at the time each was due', async () => {
  const { invoices, readSubscription } = await anActiveSubscription()
  const { current_period: first } = await readSubscription()
  clock.advance({ days: 92 })
  await settle()
  const periods = (await invoices()).map(({ period }: { period: object }) => period).toReversed()
  expect(periods.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3])
  for (const [index, { start_at }] of periods.slice(1).entries()) expect(start_at).toBe(periods[index].end_at)
  expect(periods[0].end_at).toBe(first.end_at)
})

test('many subscriptions of one workspace renew in one transaction', async () => {
  const { workspace, customer_id, id } = await anActiveSubscription()
  const items = [{ price_id: await aPrice(workspace) }]
  const ids = [id]
  for (let count = 0; count < 9; count += 1)
    ids.push((await aSubscription(workspace, { customer_id, items, activation_policy: 'on_attempt' })).id)
  await settle()
  clock.advance({ days: 31 })
  const workspaceId = workspace.workspaceId as Id<'workspace'>
  await advanceSubscriptions(
    deps,
    ids.map((subscriptionId) => ({ workspaceId, id: subscriptionId as Id<'subscription'> })),
  )
  for (const subscriptionId of ids)
    expect((await workspace.get(`/subscriptions/${subscriptionId}`)).body).toMatchObject({
      current_period: { index: 1 },
    })
})

test('too many overdue periods park the subscription, and are billed one by one after it is unparked', async () => {
  const { workspace, id, ref, readSubscription, invoices, post } = await anActiveSubscription()
  clock.advance({ days: 31 * 25 })
  await settle()
  expect(await readSubscription()).toMatchObject({ parked: { reason: 'too_many_overdue_periods' } })
  expect(await invoices()).toHaveLength(1)
  expect((await eventTypesOf(workspace, id)).at(-1)).toBe('subscription.parked')

  expect((await post(`/subscriptions/${id}/unpark`)).body).toMatchObject({ parked: null })
  await advanceSubscription(deps, ref)
  await advanceSubscription(deps, ref)
  expect(await readSubscription()).toMatchObject({ parked: null, current_period: { index: 2 } })
  expect(await invoices()).toHaveLength(3)
})

test('the database refuses overlapping billing spans', async () => {
  const { ref } = await anActiveSubscription()
  const insert = asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `insert into billing_spans select workspace_id, subscription_id,
         tstzrange(lower(during) + interval '1 day', upper(during) + interval '1 day', '[)'), kind, invoice_id
       from billing_spans where kind = 'cycle' limit 1`,
    ),
  )
  await expect(insert).rejects.toMatchObject({ code: '23P01' })
  expect(ref.id).toBeTruthy()
})

test('an overdue invoice makes the subscription past due, and paying it recovers it', async () => {
  const { workspace, readSubscription, invoices, post, id } = await anActiveSubscription()
  await switchyard.configureAll(workspace, { auth_rate: 0 })
  clock.advance({ days: 31 })
  await settle()
  expect(await readSubscription()).toMatchObject({
    status: 'active',
    collection: { status: 'past_due', overdue_amount: 2999, open_invoices: 1 },
    access: { granted: true, reason: 'grace' },
  })
  const listed = await workspace.get('/subscriptions?collection_status=past_due')
  expect(listed.body.data.map((subscription: { id: string }) => subscription.id)).toEqual([id])
  await switchyard.configureAll(workspace, { auth_rate: 1 })
  const [{ id: invoice }] = await invoices()
  await post(`/invoices/${invoice}/pay`, {})
  await switchyard.waitForPaymentEnd(workspace, invoice)
  await settle()
  expect(await readSubscription()).toMatchObject({
    collection: { status: 'current' },
    access: { reason: 'paid' },
  })
  const types = await eventTypesOf(workspace, id)
  expect(types.filter((type) => /past_due|recovered/.test(type))).toEqual([
    'subscription.past_due',
    'subscription.recovered',
  ])
})
