// Changing items, interval or trial end: what is billed immediately, and what is scheduled.

import { expect, test } from 'vitest'
import { ledgerDifferences } from '../../../../test/support/ledger.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer, eventTypesOf } = switchyard

async function anActiveSubscription(members: object = {}) {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const price_id = await aPrice(workspace)
  const { id } = await aSubscription(workspace, {
    customer_id,
    items: [{ price_id, quantity: 3 }],
    ...members,
  })
  await settle()
  const path = `/subscriptions/${id}`
  const readSubscription = async () => (await workspace.get(path)).body
  const change = async (body: object) => {
    const response = await workspace.put(path, body)
    expect(response.status, JSON.stringify(response.body)).toBe(200)
    return response.body
  }
  const readInvoices = async () =>
    (await workspace.get(`/invoices?subscription_id=${id}`)).body.data.toReversed() as Invoice[]
  return { ...workspace, workspace, id, path, price_id, readSubscription, change, readInvoices }
}

type Invoice = {
  reason: string
  status: string
  total: number
  lines: { kind: string; amount: number; explanation: { rule: string } }[]
}
const linesOf = (invoice: Invoice | undefined) =>
  (invoice?.lines ?? []).map(({ kind, amount }) => [kind, amount])

test('additional seats are prorated to the second for the rest of the period', async () => {
  const { readSubscription, change, readInvoices, workspace, id } = await anActiveSubscription()
  const { items, current_period: period } = await readSubscription()
  clock.advance({ days: 10 })
  const after = await change({ items: [{ id: items[0].id, quantity: 5 }] })
  expect(after.items).toMatchObject([{ id: items[0].id, quantity: 5 }])
  const periodSeconds = (Date.parse(period.end_at) - Date.parse(period.start_at)) / 1000
  const remainingSeconds = periodSeconds - 10 * 86_400
  const prorated = (amount: number) => Math.round((amount * remainingSeconds) / periodSeconds)
  const [, changed] = await readInvoices()
  expect(changed).toMatchObject({ reason: 'change', total: prorated(5 * 2999) - prorated(3 * 2999) })
  expect(linesOf(changed)).toEqual([
    ['proration_credit', -prorated(3 * 2999)],
    ['proration_debit', prorated(5 * 2999)],
  ])
  await settle()
  expect((await readInvoices())[1]).toMatchObject({ status: 'paid' })
  expect((await eventTypesOf(workspace, id)).at(-1)).toBe('subscription.updated')
})

test('`next_invoice` defers the lines of a change, `none` bills nothing, and removing seats creates credit', async () => {
  const { readSubscription, change, readInvoices, get } = await anActiveSubscription()
  const { items, customer_id } = await readSubscription()
  const item = items[0].id
  clock.advance({ days: 3 })
  await change({ items: [{ id: item, quantity: 4 }], proration: { behaviour: 'next_invoice' } })
  await change({ items: [{ id: item, quantity: 5 }], proration: { behaviour: 'none' } })
  expect(await readInvoices()).toHaveLength(1)
  await change({ items: [{ id: item, quantity: 1 }] })
  const [, downgrade] = await readInvoices()
  expect(downgrade?.total).toBeLessThan(0)
  await settle()
  const { body: state } = await get(`/customers/${customer_id}/billing-state`)
  expect(state.credit).toEqual([{ currency: 'usd', balance: -(downgrade?.total ?? 0) }])

  clock.advance({ days: 28 })
  await settle()
  const cycle = (await readInvoices()).at(-1)
  expect(linesOf(cycle).map(([kind]) => kind)).toEqual(['cycle', 'proration_credit', 'proration_debit'])
  expect(cycle?.total).toBe(cycle?.lines.reduce((sum, { amount }) => sum + amount, 0))
})

test('a change for the next period is scheduled, and nothing is billed before then', async () => {
  const { readSubscription, change, readInvoices, workspace } = await anActiveSubscription()
  const otherPriceId = await aPrice(workspace, { unit_amount: 4999 })
  const { items } = await readSubscription()
  const scheduled = await change({
    items: [{ id: items[0].id, price_id: otherPriceId, quantity: 1 }],
    proration: { behaviour: 'next_period' },
  })
  expect(scheduled).toMatchObject({ items, scheduled_change: { action: 'update', at: 'period_end' } })
  clock.advance({ days: 31 })
  await settle()
  expect((await readSubscription()).items).toMatchObject([{ price_id: otherPriceId, quantity: 1 }])
  expect((await readInvoices()).at(-1)).toMatchObject({ reason: 'cycle', total: 4999 })
})

test('a new interval starts a new period: the rest of the old period is credited, and a full new period is billed', async () => {
  const { readSubscription, change, readInvoices, workspace } = await anActiveSubscription()
  const yearly = await aPrice(workspace, { unit_amount: 29_999, recurring: { interval: 'year' } })
  const { items } = await readSubscription()
  clock.advance({ days: 10 })
  const after = await change({ items: [{ id: items[0].id, price_id: yearly, quantity: 1 }] })
  expect(after).toMatchObject({ interval: { unit: 'year', count: 1 }, current_period: { index: 0 } })
  expect(after.anchor.epoch).toBe(1)
  const changed = (await readInvoices()).at(-1)
  expect(changed?.reason).toBe('change')
  expect(linesOf(changed).map(([kind]) => kind)).toEqual(['proration_credit', 'cycle'])
})

test('changing items during a trial bills nothing', async () => {
  const { readSubscription, change, readInvoices } = await anActiveSubscription({ trial: { days: 14 } })
  const { items } = await readSubscription()
  expect(await change({ items: [{ id: items[0].id, quantity: 7 }] })).toMatchObject({
    items: [{ quantity: 7 }],
  })
  expect(await readInvoices()).toEqual([])
})

test('a trial can be ended early, which starts the first period', async () => {
  const { readSubscription, change } = await anActiveSubscription({ trial: { days: 14 } })
  const { started_at } = await readSubscription()
  const end_at = new Date(Date.parse(started_at) + 2 * 86_400_000).toISOString()
  expect(await change({ trial: { end_at } })).toMatchObject({ trial: { end_at } })
  clock.advance({ days: 2 })
  await settle()
  expect(await readSubscription()).toMatchObject({ status: 'active', current_period: { start_at: end_at } })
})

test('an update without a change emits no event, and a stale version is refused', async () => {
  const { path, put, get, change, readSubscription } = await anActiveSubscription()
  const before = await readSubscription()
  expect(await change({})).toEqual(before)
  const etag = String((await get(path)).headers.get('etag'))
  expect(await put(path, { description: 'Team' }, { headers: { 'if-match': etag } })).toMatchObject({
    status: 200,
  })
  expect(await put(path, { description: 'Other' }, { headers: { 'if-match': etag } })).toMatchObject({
    status: 412,
    body: { code: 'version_mismatch' },
  })
  expect(await put(`${path}/pause`, {}, { headers: { 'if-match': etag } })).toMatchObject({ status: 412 })
})

test('the currency of a subscription cannot change', async () => {
  const { workspace, path, readSubscription } = await anActiveSubscription()
  const { items } = await readSubscription()
  const price_id = await aPrice(workspace, { currency: 'eur' })

  expect(await workspace.put(path, { items: [{ id: items[0].id, price_id }] })).toMatchObject({
    status: 422,
    body: {
      code: 'mixed_interval',
      detail: 'The currency of a subscription cannot change: this one is billed in usd.',
    },
  })
})

test('a scheduled cancellation replaces other scheduled changes, blocks new ones, and can be removed', async () => {
  const { path, put, change, readSubscription } = await anActiveSubscription()
  await put(`${path}/pause`, { at: 'period_end' })
  expect((await put(`${path}/cancel`, { at: 'period_end' })).body).toMatchObject({
    scheduled_change: { action: 'cancel' },
  })
  expect(await put(`${path}/pause`, { at: 'period_end' })).toMatchObject({
    status: 409,
    body: { code: 'scheduled_change_conflict' },
  })
  expect(await change({ scheduled_change: null })).toMatchObject({ scheduled_change: null })
  expect(await readSubscription()).toMatchObject({ status: 'active' })
})

test('a subscription cancelled at period end is not billed again', async () => {
  const { path, put, readSubscription, readInvoices, workspace, id } = await anActiveSubscription()
  const { body: scheduled } = await put(`${path}/cancel`, { at: 'period_end', feedback: 'Too expensive.' })
  clock.advance({ days: 40 })
  await settle()
  expect(await readSubscription()).toMatchObject({
    status: 'cancelled',
    ended_at: scheduled.current_period.end_at,
    cancellation: { reason: 'requested', feedback: 'Too expensive.' },
  })
  expect(await readInvoices()).toHaveLength(1)
  expect((await eventTypesOf(workspace, id)).slice(2)).toEqual([
    'subscription.cancel_scheduled',
    'subscription.cancelled',
  ])
})

test('cancelling now forfeits, credits or refunds the rest of the period', async () => {
  const cancelAndSum = async (unused_time: string) => {
    const { path, put, readSubscription, get, id } = await anActiveSubscription()
    const { current_period: period, customer_id } = await readSubscription()
    clock.advance({ days: 10 })
    const { status, body } = await put(`${path}/cancel`, { unused_time })
    expect(status, JSON.stringify(body)).toBe(200)
    await switchyard.advanceTime(1)
    const { body: state } = await get(`/customers/${customer_id}/billing-state`)
    const { body: refunds } = await get('/refunds')
    const whole = Date.parse(period.end_at) - Date.parse(period.start_at)
    const value = Math.round((3 * 2999 * (whole - 10 * 86_400_000)) / whole)
    const refunded = refunds.data.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)
    expect((await get(`/invoices?subscription_id=${id}`)).body.data.length).toBeGreaterThan(0)
    return { value, credit: state.credit[0].balance, refunded }
  }
  expect(await cancelAndSum('forfeit')).toMatchObject({ credit: 0, refunded: 0 })
  const credited = await cancelAndSum('credit')
  expect(credited).toMatchObject({ credit: credited.value, refunded: 0 })
  const refunded = await cancelAndSum('refund')
  expect(refunded).toMatchObject({ credit: 0, refunded: refunded.value })
})

test('unused time of a disputed payment is not refunded, and the payment needs review', async () => {
  const { path, put, get, readInvoices, workspace } = await anActiveSubscription()
  const [invoice] = (await readInvoices()) as (Invoice & { payment_id: string })[]
  const payment = invoice?.payment_id ?? ''
  await workspace.aDispute(payment)
  clock.advance({ days: 10 })
  await put(`${path}/cancel`, { unused_time: 'refund' })
  await switchyard.advanceTime(1)

  expect((await get('/refunds')).body.data).toEqual([])
  expect((await get(`/payments/${payment}`)).body).toMatchObject({ amount_refunding: 0, review: 'conflict' })
})

test('unused time is refunded from the payments of the period, latest first', async () => {
  const { path, put, readSubscription, change, get, readInvoices } = await anActiveSubscription()
  const { items, customer_id } = await readSubscription()
  await change({ items: [{ id: items[0].id, quantity: 5 }] })
  await settle()
  clock.advance({ days: 10 })
  await put(`${path}/cancel`, { unused_time: 'refund' })
  await switchyard.advanceTime(1)

  const [started, changed] = (await readInvoices()) as (Invoice & { amount_refunded: number })[]
  expect([started?.total, changed?.total]).toEqual([3 * 2999, 2 * 2999])
  expect(changed?.amount_refunded).toBe(2 * 2999)
  expect(started?.amount_refunded).toBeGreaterThan(0)
  expect(started?.amount_refunded).toBeLessThan(3 * 2999)
  const { body: refunds } = await get('/refunds')
  expect(refunds.data).toHaveLength(2)
  const { body: state } = await get(`/customers/${customer_id}/billing-state`)
  expect(state.credit[0]?.balance ?? 0).toBe(0)
})

/** A paid month of a cheap price, and an upgrade whose payment is declined. */
async function anUnpaidUpgrade() {
  const subscription = await anActiveSubscription()
  const { workspace, readSubscription, change, readInvoices, price_id: cheap } = subscription
  const { items, customer_id } = await readSubscription()
  const dear = await aPrice(workspace, { unit_amount: 100_000 })
  const switchTo = async (price_id: string) => {
    await change({ items: [{ id: items[0].id, price_id }] })
    await settle()
  }
  await switchyard.configureAll(workspace, { auth_rate: 0 })
  await switchTo(dear)
  const upgrade = (await readInvoices()).at(-1) as Invoice & { id: string }
  expect(upgrade).toMatchObject({ status: 'open', total: 3 * (100_000 - 2999) })
  const credit = async () => {
    const { body } = await workspace.get(`/customers/${customer_id}/billing-state`)
    return body.credit[0]?.balance ?? 0
  }
  return { ...subscription, cheap, switchTo, upgrade, credit }
}

test('an upgrade that is not paid is not credited: the credit of a downgrade first reduces its invoice', async () => {
  const { cheap, switchTo, readInvoices, credit, workspace } = await anUnpaidUpgrade()
  await switchTo(cheap)
  const [started, upgraded, downgraded] = await readInvoices()
  expect(started).toMatchObject({ status: 'paid', total: 3 * 2999 })
  expect(upgraded).toMatchObject({ status: 'paid', amount_due: 0, amount_paid: 0 })
  expect(downgraded).toMatchObject({ status: 'paid', total: -3 * (100_000 - 2999) })
  expect(await credit()).toBe(0)
  expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])
})

test.each(['void', 'mark-uncollectible'])(
  'a downgrade credits nothing of an upgrade that was never paid: %s',
  async (action) => {
    const { cheap, switchTo, upgrade, readInvoices, credit, workspace } = await anUnpaidUpgrade()
    expect((await workspace.post(`/invoices/${upgrade.id}/${action}`)).status).toBe(200)
    await settle()
    await switchTo(cheap)
    const invoices = await readInvoices()
    const charged = invoices.slice(2).reduce((sum, { total }) => sum + total, 0)
    expect([charged, await credit()]).toEqual([0, 0])
    expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])
  },
)

test('an upgrade whose payment is in progress is credited once it is paid, and not at all if the payment fails', async () => {
  for (const isPaid of [true, false]) {
    const {
      change,
      readSubscription,
      readInvoices,
      workspace,
      price_id: cheap,
    } = await anActiveSubscription()
    const { items, customer_id } = await readSubscription()
    const dear = await aPrice(workspace, { unit_amount: 100_000 })
    await switchyard.configureAll(workspace, { outage: true, outage_manner: 'silence' })
    await change({ items: [{ id: items[0].id, price_id: dear }] })
    await settle()
    expect((await readInvoices())[1]).toMatchObject({ status: 'open', payment_state: 'unknown' })
    await change({ items: [{ id: items[0].id, price_id: cheap }] })
    const credit = async () => {
      const { body } = await workspace.get(`/customers/${customer_id}/billing-state`)
      return body.credit[0]?.balance ?? 0
    }
    await settle()
    expect(await credit()).toBe(0)
    await switchyard.configureAll(workspace, { outage: false, auth_rate: isPaid ? 1 : 0 })
    await switchyard.advanceTime()
    const upgrade = (await readInvoices())[1]
    expect(upgrade).toMatchObject({ status: isPaid ? 'paid' : 'open', payment_state: 'none' })
    expect([isPaid, await credit()]).toEqual([isPaid, isPaid ? 3 * (100_000 - 2999) : 0])
    expect(await ledgerDifferences(switchyard.deps, workspace.workspaceId)).toEqual([])
  }
})
