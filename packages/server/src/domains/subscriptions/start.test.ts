// How subscriptions begin: trials, the payment that is waited for, and what happens when none comes.

import { expect, test } from 'vitest'
import { anAttached } from '../../../test/support/payment-methods.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../test/support/switchyard.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer, typesOf, configureAll } = switchyard

/** A workspace with somebody who can pay. */
async function scene() {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const look = async (id: string) => (await workspace.get(`/subscriptions/${id}`)).body
  return { ...workspace, workspace, customer_id, look }
}

const invoiceOf = async ({ get }: Workspace, id: string) => (await get(`/invoices/${id}`)).body

test('without a trial it waits for its first payment, and is active when that has come', async () => {
  const { workspace, customer_id, look } = await scene()
  const born = await aSubscription(workspace, { customer_id })
  expect(born).toMatchObject({
    status: 'trialing',
    trial: null,
    activation: { purpose: 'start', policy: 'on_payment', state: 'pending' },
    access: { granted: false, reason: 'activation_pending' },
    current_period: { index: 0, start_at: born.started_at },
  })
  await settle()

  const active = await look(born.id)
  expect(active).toMatchObject({
    status: 'active',
    activation: { state: 'done' },
    access: { granted: true, reason: 'paid', until_at: born.current_period.end_at },
    collection: { status: 'current', open_invoices: 0 },
  })
  expect(await invoiceOf(workspace, active.latest_invoice_id)).toMatchObject({
    ...{ status: 'paid', reason: 'start', total: 2999 },
    lines: [{ kind: 'cycle', explanation: { text: '29.99, a whole period' } }],
  })
  expect(await typesOf(workspace, born.id)).toEqual(['subscription.created', 'subscription.activated'])
})

test('a trial costs nothing, warns before it ends, and is followed by the first period', async () => {
  const { workspace, customer_id, look } = await scene()
  const { id, started_at } = await aSubscription(workspace, { customer_id, trial: { days: 14 } })
  expect(await look(id)).toMatchObject({
    ...{ status: 'trialing', anchor: null, current_period: null, latest_invoice_id: null },
    access: { granted: true, reason: 'trial' },
  })
  clock.advance({ days: 13 })
  await settle()
  expect(await typesOf(workspace, id)).toEqual([
    'subscription.created',
    'subscription.trial_will_end',
    'subscription.trial_will_end',
  ])
  clock.advance({ days: 1 })
  await settle()

  const active = await look(id)
  const end = new Date(Date.parse(started_at) + 14 * 86_400_000).toISOString()
  expect(active).toMatchObject({
    status: 'active',
    current_period: { start_at: end },
    trial: { end_at: end },
  })
  expect((await typesOf(workspace, id)).slice(3)).toEqual(['subscription.updated', 'subscription.activated'])
})

test('a declined first payment asks for action and expires after 23 hours: without a trial it ends', async () => {
  const { workspace, customer_id, look } = await scene()
  await configureAll(workspace, { auth_rate: 0 })
  const { id, latest_invoice_id } = await aSubscription(workspace, { customer_id })
  await settle()
  expect(await look(id)).toMatchObject({
    status: 'trialing',
    activation: { state: 'requires_action', last_decline: { code: expect.any(String) } },
    access: { granted: false, reason: 'activation_pending' },
    collection: { status: 'current' },
  })
  clock.advance({ hours: 23 })
  await settle()

  expect(await look(id)).toMatchObject({
    ...{ status: 'cancelled', cancellation: { reason: 'activation_expired' }, current_period: null },
    activation: { state: 'expired' },
    access: { granted: false, reason: 'cancelled' },
  })
  expect(await invoiceOf(workspace, latest_invoice_id)).toMatchObject({
    status: 'void',
    void_reason: 'activation_expired',
  })
  expect(await typesOf(workspace, id)).toEqual([
    ...['subscription.created', 'subscription.activation_required'],
    ...['subscription.activation_expired', 'subscription.cancelled'],
  ])
})

test('after a trial an expired activation pauses, access goes on for its 23 hours, and resuming tries anew', async () => {
  const { workspace, customer_id, look, put } = await scene()
  const { id } = await aSubscription(workspace, { customer_id, trial: { days: 1 } })
  await configureAll(workspace, { auth_rate: 0 })
  clock.advance({ days: 1 })
  await settle()
  expect(await look(id)).toMatchObject({ status: 'trialing', access: { granted: true, reason: 'grace' } })
  clock.advance({ hours: 23 })
  await settle()
  expect(await look(id)).toMatchObject({ status: 'paused', pause: { reason: 'payment_failure' } })

  await configureAll(workspace, { auth_rate: 1 })
  const resuming = await put(`/subscriptions/${id}/resume`)
  expect(resuming.body).toMatchObject({
    status: 'paused',
    activation: { purpose: 'resume', state: 'pending' },
  })
  await settle()
  expect(await look(id)).toMatchObject({ status: 'active', pause: null, current_period: { index: 0 } })
})

test('a new card after a decline is tried by paying the invoice, and activates', async () => {
  const { workspace, customer_id, look, post } = await scene()
  await configureAll(workspace, { auth_rate: 0 })
  const { id, latest_invoice_id } = await aSubscription(workspace, { customer_id })
  await settle()
  await configureAll(workspace, { auth_rate: 1 })
  expect((await post(`/invoices/${latest_invoice_id}/pay`, {})).status).toBe(200)
  await switchyard.quiet(workspace, latest_invoice_id)
  await settle()
  expect(await look(id)).toMatchObject({ status: 'active' })
})

// biome-ignore format: a table.
test.each([
  ['activate', 'pause',   'paused',    { pause: { reason: 'trial_without_payment_method' } }],
  ['activate', 'cancel',  'cancelled', { cancellation: { reason: 'trial_ended' } }],
  ['activate', 'invoice', 'active',    { current_period: { index: 0 } }],
  ['pause',    'invoice', 'paused',    { pause: { reason: 'requested', remaining_seconds: 0 } }],
  ['cancel',   'invoice', 'cancelled', { cancellation: { reason: 'trial_ended' } }],
])('a trial that ends with %s, and without a card with %s, ends %s', async (end_behaviour, missing_payment_method, status, more) => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await aSubscription(workspace, { trial: { days: 2, end_behaviour, missing_payment_method } })
  clock.advance({ days: 2 })
  await settle()
  expect((await workspace.get(`/subscriptions/${id}`)).body).toMatchObject({ status, ...more })
})

test('with on_attempt it is born trialing, and active a moment later, paid or not', async () => {
  const { workspace, customer_id, look } = await scene()
  await configureAll(workspace, { auth_rate: 0 })
  const born = await aSubscription(workspace, { customer_id, activation_policy: 'on_attempt' })
  expect(born).toMatchObject({ status: 'trialing', activation: null })
  await settle()
  expect(await look(born.id)).toMatchObject({
    ...{ status: 'active', current_period: { index: 0 } },
    // Nobody waits for that money, so it is dunned like that of any period.
    collection: { status: 'past_due', overdue_amount: 2999 },
  })
})

test('without a card it waits for one, and the card that is given later pays', async () => {
  const workspace = await switchyard.newWorkspace()
  const { get, put, post } = workspace
  const customer_id = await workspace.aCustomer()
  const { id, latest_invoice_id } = await aSubscription(workspace, { customer_id })
  await settle()
  const path = `/subscriptions/${id}`
  expect((await get(path)).body).toMatchObject({
    ...{ status: 'trialing', payment_method_id: null },
    activation: { state: 'requires_action', last_decline: { code: 'no_payment_method' } },
  })
  const payment_method_id = await anAttached(workspace, customer_id)
  expect((await put(path, { payment_method_id })).body).toMatchObject({ payment_method_id })
  expect((await post(`/invoices/${latest_invoice_id}/pay`, {})).status).toBe(200)
  await switchyard.quiet(workspace, latest_invoice_id)
  await settle()
  expect((await get(path)).body).toMatchObject({ status: 'active' })
})

test('a day of the month makes a first, shorter period, billed by its seconds or free', async () => {
  const { workspace, customer_id } = await scene()
  // The clock of this file stands somewhere in the month: the first boundary is the next midnight of that day.
  const items = [{ price_id: await aPrice(workspace) }]
  const wanted = { customer_id, items, anchor: { day_of_month: 1 } }
  const { body } = await workspace.post('/subscriptions/preview', wanted)
  const [invoice] = body.invoices
  const { numerator_seconds: part, denominator_seconds: whole } = invoice.lines[0].explanation
  expect(invoice.lines[0].explanation.rule).toBe('first_stub')
  expect(invoice.total).toBe(Math.round((2999 * part) / whole))
  expect(body.subscription.current_period.end_at).toMatch(/-01T00:00:00.000Z$/)

  const free = await workspace.post('/subscriptions/preview', {
    ...wanted,
    anchor: { day_of_month: 1, stub: 'free' },
  })
  expect(free.body.invoices[0]).toMatchObject({ total: 0, lines: [{ explanation: { rule: 'free_stub' } }] })
})

test.each([
  [{ trial: { days: 3, end_at: '2036-01-01T00:00:00Z' } }, '/trial'],
  [{ trial: { end_at: '2020-01-01T00:00:00Z' } }, '/trial/end_at'],
  [{ anchor: { time_zone: 'Mars/Olympus' } }, '/anchor/time_zone'],
  [{ scheduled_change: { action: 'cancel', at: '2020-01-01T00:00:00Z' } }, '/scheduled_change/at'],
])('%o is refused, at %s', async (members, pointer) => {
  const workspace = await switchyard.newWorkspace()
  const items = [{ price_id: await aPrice(workspace) }]
  const customer_id = await workspace.aCustomer()
  const { status, body } = await workspace.post('/subscriptions', { customer_id, items, ...members })
  expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ pointer }] })
})
