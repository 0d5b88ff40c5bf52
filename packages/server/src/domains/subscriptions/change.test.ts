// Other items, another interval, another end: what is billed for it, and what waits.

import { expect, test } from 'vitest'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../test/support/subscriptions.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer, typesOf } = switchyard

async function anActive(members: object = {}) {
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
  const look = async () => (await workspace.get(path)).body
  const change = async (body: object) => {
    const answer = await workspace.put(path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return answer.body
  }
  const invoices = async () =>
    (await workspace.get(`/invoices?subscription_id=${id}`)).body.data.toReversed() as Invoice[]
  return { ...workspace, workspace, id, path, price_id, look, change, invoices }
}

type Invoice = {
  reason: string
  status: string
  total: number
  lines: { kind: string; amount: number; explanation: { rule: string } }[]
}
const linesOf = (invoice: Invoice | undefined) =>
  (invoice?.lines ?? []).map(({ kind, amount }) => [kind, amount])

test('more seats are billed for the rest of the period, to the second', async () => {
  const { look, change, invoices, workspace, id } = await anActive()
  const { items, current_period: period } = await look()
  clock.advance({ days: 10 })
  const after = await change({ items: [{ id: items[0].id, quantity: 5 }] })
  expect(after.items).toMatchObject([{ id: items[0].id, quantity: 5 }])
  const whole = (Date.parse(period.end_at) - Date.parse(period.start_at)) / 1000
  const part = whole - 10 * 86_400
  const share = (amount: number) => Math.round((amount * part) / whole)
  const [, changed] = await invoices()
  expect(changed).toMatchObject({ reason: 'change', total: share(5 * 2999) - share(3 * 2999) })
  expect(linesOf(changed)).toEqual([
    ['proration_credit', -share(3 * 2999)],
    ['proration_debit', share(5 * 2999)],
  ])
  await settle()
  expect((await invoices())[1]).toMatchObject({ status: 'paid' })
  expect((await typesOf(workspace, id)).at(-1)).toBe('subscription.updated')
})

test('with next_invoice the lines wait, with none nothing is billed, and fewer seats become credit', async () => {
  const { look, change, invoices, get } = await anActive()
  const { items, customer_id } = await look()
  const item = items[0].id
  clock.advance({ days: 3 })
  await change({ items: [{ id: item, quantity: 4 }], proration: { behaviour: 'next_invoice' } })
  await change({ items: [{ id: item, quantity: 5 }], proration: { behaviour: 'none' } })
  expect(await invoices()).toHaveLength(1)
  await change({ items: [{ id: item, quantity: 1 }] })
  const [, downgrade] = await invoices()
  expect(downgrade?.total).toBeLessThan(0)
  await settle()
  const { body: state } = await get(`/customers/${customer_id}/billing-state`)
  expect(state.credit).toEqual([{ currency: 'usd', balance: -(downgrade?.total ?? 0) }])

  clock.advance({ days: 28 })
  await settle()
  const cycle = (await invoices()).at(-1)
  expect(linesOf(cycle).map(([kind]) => kind)).toEqual(['cycle', 'proration_credit', 'proration_debit'])
  expect(cycle?.total).toBe(cycle?.lines.reduce((sum, { amount }) => sum + amount, 0))
})

test('a change for the next period waits for it, and bills nothing before', async () => {
  const { look, change, invoices, workspace } = await anActive()
  const other = await aPrice(workspace, { unit_amount: 4999 })
  const { items } = await look()
  const scheduled = await change({
    items: [{ id: items[0].id, price_id: other, quantity: 1 }],
    proration: { behaviour: 'next_period' },
  })
  expect(scheduled).toMatchObject({ items, scheduled_change: { action: 'update', at: 'period_end' } })
  clock.advance({ days: 31 })
  await settle()
  expect((await look()).items).toMatchObject([{ price_id: other, quantity: 1 }])
  expect((await invoices()).at(-1)).toMatchObject({ reason: 'cycle', total: 4999 })
})

test('another interval begins anew: the rest comes back, and a whole new period is billed', async () => {
  const { look, change, invoices, workspace } = await anActive()
  const yearly = await aPrice(workspace, { unit_amount: 29_999, recurring: { interval: 'year' } })
  const { items } = await look()
  clock.advance({ days: 10 })
  const after = await change({ items: [{ id: items[0].id, price_id: yearly, quantity: 1 }] })
  expect(after).toMatchObject({ interval: { unit: 'year', count: 1 }, current_period: { index: 0 } })
  expect(after.anchor.epoch).toBe(1)
  const changed = (await invoices()).at(-1)
  expect(changed?.reason).toBe('change')
  expect(linesOf(changed).map(([kind]) => kind)).toEqual(['proration_credit', 'cycle'])
})

test('items in a trial are changed for nothing', async () => {
  const { look, change, invoices } = await anActive({ trial: { days: 14 } })
  const { items } = await look()
  expect(await change({ items: [{ id: items[0].id, quantity: 7 }] })).toMatchObject({
    items: [{ quantity: 7 }],
  })
  expect(await invoices()).toEqual([])
})

test('a trial can end sooner, and then the first period begins', async () => {
  const { look, change } = await anActive({ trial: { days: 14 } })
  const { started_at } = await look()
  const end_at = new Date(Date.parse(started_at) + 2 * 86_400_000).toISOString()
  expect(await change({ trial: { end_at } })).toMatchObject({ trial: { end_at } })
  clock.advance({ days: 2 })
  await settle()
  expect(await look()).toMatchObject({ status: 'active', current_period: { start_at: end_at } })
})

test('what changes nothing is not told, and a version that was overtaken is refused', async () => {
  const { path, put, get, change, look } = await anActive()
  const before = await look()
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

test('a cancellation replaces what was scheduled, leaves nothing of it when it is withdrawn, and lets nothing beside it', async () => {
  const { path, put, change, look } = await anActive()
  await put(`${path}/pause`, { at: 'period_end' })
  expect((await put(`${path}/cancel`, { at: 'period_end' })).body).toMatchObject({
    scheduled_change: { action: 'cancel' },
  })
  expect(await put(`${path}/pause`, { at: 'period_end' })).toMatchObject({
    ...{ status: 409, body: { code: 'scheduled_change_conflict' } },
  })
  expect(await change({ scheduled_change: null })).toMatchObject({ scheduled_change: null })
  expect(await look()).toMatchObject({ status: 'active' })
})

test('it is cancelled at the end of its period, and not billed again', async () => {
  const { path, put, look, invoices, workspace, id } = await anActive()
  const { body: scheduled } = await put(`${path}/cancel`, { at: 'period_end', feedback: 'Too dear.' })
  clock.advance({ days: 40 })
  await settle()
  expect(await look()).toMatchObject({
    ...{ status: 'cancelled', ended_at: scheduled.current_period.end_at },
    cancellation: { reason: 'requested', feedback: 'Too dear.' },
  })
  expect(await invoices()).toHaveLength(1)
  expect((await typesOf(workspace, id)).slice(2)).toEqual([
    'subscription.cancel_scheduled',
    'subscription.cancelled',
  ])
})

test('cancelling now forfeits the rest, or credits it, or refunds it', async () => {
  const worth = async (unused_time: string) => {
    const { path, put, look, get, id } = await anActive()
    const { current_period: period, customer_id } = await look()
    clock.advance({ days: 10 })
    const { status, body } = await put(`${path}/cancel`, { unused_time })
    expect(status, JSON.stringify(body)).toBe(200)
    await switchyard.letTimePass(1)
    const { body: state } = await get(`/customers/${customer_id}/billing-state`)
    const { body: refunds } = await get('/refunds')
    const whole = Date.parse(period.end_at) - Date.parse(period.start_at)
    const value = Math.round((3 * 2999 * (whole - 10 * 86_400_000)) / whole)
    const refunded = refunds.data.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)
    expect((await get(`/invoices?subscription_id=${id}`)).body.data.length).toBeGreaterThan(0)
    return { value, credit: state.credit[0].balance, refunded }
  }
  expect(await worth('forfeit')).toMatchObject({ credit: 0, refunded: 0 })
  const credited = await worth('credit')
  expect(credited).toMatchObject({ credit: credited.value, refunded: 0 })
  const refunded = await worth('refund')
  expect(refunded).toMatchObject({ credit: 0, refunded: refunded.value })
})
