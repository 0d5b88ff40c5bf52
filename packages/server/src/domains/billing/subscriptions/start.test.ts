// Starting subscriptions: trials, the activation payment, and its expiry.

import { expect, test } from 'vitest'
import { createAttachedMethod, createAuthorizedMethod } from '../../../../test/support/payment-methods.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer, eventTypesOf, configureAll } = switchyard

/** A workspace with a customer who can pay. */
async function aWorkspaceWithPayer() {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const readSubscription = async (id: string) => (await workspace.get(`/subscriptions/${id}`)).body
  return { ...workspace, workspace, customer_id, readSubscription }
}

const fetchInvoice = async ({ get }: Workspace, id: string) => (await get(`/invoices/${id}`)).body

test('without a trial a subscription waits for its first payment, and is active once it succeeds', async () => {
  const { workspace, customer_id, readSubscription } = await aWorkspaceWithPayer()
  const created = await aSubscription(workspace, { customer_id })
  expect(created).toMatchObject({
    status: 'trialing',
    trial: null,
    activation: { purpose: 'start', policy: 'on_payment', state: 'pending' },
    access: { granted: false, reason: 'activation_pending' },
    current_period: { index: 0, start_at: created.started_at },
  })
  await settle()

  const active = await readSubscription(created.id)
  expect(active).toMatchObject({
    status: 'active',
    activation: { state: 'done' },
    access: { granted: true, reason: 'paid', until_at: created.current_period.end_at },
    collection: { status: 'current', open_invoices: 0 },
  })
  expect(await fetchInvoice(workspace, active.latest_invoice_id)).toMatchObject({
    status: 'paid',
    reason: 'start',
    total: 2999,
    lines: [{ kind: 'cycle', explanation: { text: '29.99, full period' } }],
  })
  expect(await eventTypesOf(workspace, created.id)).toEqual([
    'subscription.created',
    'subscription.activated',
  ])
})

test('a trial is free, emits notices before it ends, and is followed by the first period', async () => {
  const { workspace, customer_id, readSubscription } = await aWorkspaceWithPayer()
  const { id, started_at } = await aSubscription(workspace, { customer_id, trial: { days: 14 } })
  expect(await readSubscription(id)).toMatchObject({
    status: 'trialing',
    anchor: null,
    current_period: null,
    latest_invoice_id: null,
    access: { granted: true, reason: 'trial' },
  })
  clock.advance({ days: 13 })
  await settle()
  expect(await eventTypesOf(workspace, id)).toEqual([
    'subscription.created',
    'subscription.trial_will_end',
    'subscription.trial_will_end',
  ])
  clock.advance({ days: 1 })
  await settle()

  const active = await readSubscription(id)
  const end = new Date(Date.parse(started_at) + 14 * 86_400_000).toISOString()
  expect(active).toMatchObject({
    status: 'active',
    current_period: { start_at: end },
    trial: { end_at: end },
  })
  expect((await eventTypesOf(workspace, id)).slice(3)).toEqual([
    'subscription.updated',
    'subscription.activated',
  ])
})

test('a declined first payment requires action and expires after 23 hours: without a trial the subscription is cancelled', async () => {
  const { workspace, customer_id, readSubscription } = await aWorkspaceWithPayer()
  await configureAll(workspace, { auth_rate: 0 })
  const { id, latest_invoice_id } = await aSubscription(workspace, { customer_id })
  await settle()
  expect(await readSubscription(id)).toMatchObject({
    status: 'trialing',
    activation: { state: 'requires_action', last_decline: { code: expect.any(String) } },
    access: { granted: false, reason: 'activation_pending' },
    collection: { status: 'current' },
  })
  clock.advance({ hours: 23 })
  await settle()

  expect(await readSubscription(id)).toMatchObject({
    status: 'cancelled',
    cancellation: { reason: 'activation_expired' },
    current_period: null,
    activation: { state: 'expired' },
    access: { granted: false, reason: 'cancelled' },
  })
  expect(await fetchInvoice(workspace, latest_invoice_id)).toMatchObject({
    status: 'void',
    void_reason: 'activation_expired',
  })
  expect(await eventTypesOf(workspace, id)).toEqual([
    'subscription.created',
    'subscription.activation_required',
    'subscription.activation_expired',
    'subscription.cancelled',
  ])
})

test('after a trial, access continues for 23 hours until the activation expires and the subscription is paused, and resuming charges again', async () => {
  const { workspace, customer_id, readSubscription, put } = await aWorkspaceWithPayer()
  const { id } = await aSubscription(workspace, { customer_id, trial: { days: 1 } })
  await configureAll(workspace, { auth_rate: 0 })
  clock.advance({ days: 1 })
  await settle()
  expect(await readSubscription(id)).toMatchObject({
    status: 'trialing',
    access: { granted: true, reason: 'grace' },
  })
  clock.advance({ hours: 23 })
  await settle()
  expect(await readSubscription(id)).toMatchObject({ status: 'paused', pause: { reason: 'payment_failure' } })

  await configureAll(workspace, { auth_rate: 1 })
  const resuming = await put(`/subscriptions/${id}/resume`)
  expect(resuming.body).toMatchObject({
    status: 'paused',
    activation: { purpose: 'resume', state: 'pending' },
  })
  await settle()
  expect(await readSubscription(id)).toMatchObject({
    status: 'active',
    pause: null,
    current_period: { index: 0 },
  })
})

test('paying the invoice after a decline activates the subscription', async () => {
  const { workspace, customer_id, readSubscription, post } = await aWorkspaceWithPayer()
  await configureAll(workspace, { auth_rate: 0 })
  const { id, latest_invoice_id } = await aSubscription(workspace, { customer_id })
  await settle()
  await configureAll(workspace, { auth_rate: 1 })
  expect((await post(`/invoices/${latest_invoice_id}/pay`, {})).status).toBe(200)
  await switchyard.waitForPaymentEnd(workspace, latest_invoice_id)
  await settle()
  expect(await readSubscription(id)).toMatchObject({ status: 'active' })
})

// biome-ignore format: a table.
test.each([
  ['activate', 'pause',   'paused',    { pause: { reason: 'trial_without_payment_method' } }],
  ['activate', 'cancel',  'cancelled', { cancellation: { reason: 'trial_ended' } }],
  ['activate', 'invoice', 'active',    { current_period: { index: 0 } }],
  ['pause',    'invoice', 'paused',    { pause: { reason: 'requested', remaining_seconds: 0 } }],
  ['cancel',   'invoice', 'cancelled', { cancellation: { reason: 'trial_ended' } }],
])('without a card, a trial with end_behaviour %s and missing_payment_method %s ends as %s', async (end_behaviour, missing_payment_method, status, expected) => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await aSubscription(workspace, { trial: { days: 2, end_behaviour, missing_payment_method } })
  clock.advance({ days: 2 })
  await settle()
  expect((await workspace.get(`/subscriptions/${id}`)).body).toMatchObject({ status, ...expected })
})

test('with on_attempt a subscription is created as trialing, and becomes active whether or not it is paid', async () => {
  const { workspace, customer_id, readSubscription } = await aWorkspaceWithPayer()
  await configureAll(workspace, { auth_rate: 0 })
  const created = await aSubscription(workspace, { customer_id, activation_policy: 'on_attempt' })
  expect(created).toMatchObject({ status: 'trialing', activation: null })
  await settle()
  expect(await readSubscription(created.id)).toMatchObject({
    status: 'active',
    current_period: { index: 0 },
    // The activation does not depend on payment, so an unpaid first period is dunned like any other.
    collection: { status: 'past_due', overdue_amount: 2999 },
  })
})

test('a subscription without a card waits for one, and a card that is added later pays the invoice', async () => {
  const workspace = await switchyard.newWorkspace()
  const { get, put, post } = workspace
  const customer_id = await workspace.aCustomer()
  const { id, latest_invoice_id } = await aSubscription(workspace, { customer_id })
  await settle()
  const path = `/subscriptions/${id}`
  expect((await get(path)).body).toMatchObject({
    status: 'trialing',
    payment_method_id: null,
    activation: { state: 'requires_action', last_decline: { code: 'no_payment_method' } },
  })
  const payment_method_id = await createAttachedMethod(workspace, customer_id)
  expect((await put(path, { payment_method_id })).body).toMatchObject({ payment_method_id })
  expect((await post(`/invoices/${latest_invoice_id}/pay`, {})).status).toBe(200)
  await switchyard.waitForPaymentEnd(workspace, latest_invoice_id)
  await settle()
  expect((await get(path)).body).toMatchObject({ status: 'active' })
})

test('without a payment method in the request, the most recently attached one pays', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const created = [await createAuthorizedMethod(workspace), await createAuthorizedMethod(workspace)]
  for (const id of created.toReversed()) {
    clock.advance({ seconds: 1 })
    expect((await workspace.post(`/payment-methods/${id}/attach`, { customer_id })).status).toBe(200)
  }

  expect(await aSubscription(workspace, { customer_id })).toMatchObject({ payment_method_id: created[0] })
})

test('an anchor on a day of the month makes the first period shorter, prorated or free', async () => {
  const { workspace, customer_id } = await aWorkspaceWithPayer()
  // The clock of this file is in the middle of a month, so the first period ends at midnight on the next 1st.
  const items = [{ price_id: await aPrice(workspace) }]
  const request = { customer_id, items, anchor: { day_of_month: 1 } }
  const { body } = await workspace.post('/subscriptions/preview', request)
  const [invoice] = body.invoices
  const { numerator_seconds: part, denominator_seconds: whole } = invoice.lines[0].explanation
  expect(invoice.lines[0].explanation.rule).toBe('first_stub')
  expect(invoice.total).toBe(Math.round((2999 * part) / whole))
  expect(body.subscription.current_period.end_at).toMatch(/-01T00:00:00.000Z$/)

  const free = await workspace.post('/subscriptions/preview', {
    ...request,
    anchor: { day_of_month: 1, stub: 'free' },
  })
  expect(free.body.invoices[0]).toMatchObject({ total: 0, lines: [{ explanation: { rule: 'free_stub' } }] })
})

test.each([
  [{ trial: { days: 3, end_at: '2036-01-01T00:00:00Z' } }, '/trial'],
  [{ trial: { end_at: '2020-01-01T00:00:00Z' } }, '/trial/end_at'],
  [{ anchor: { time_zone: 'Mars/Olympus' } }, '/anchor/time_zone'],
  [{ scheduled_change: { action: 'cancel', at: '2020-01-01T00:00:00Z' } }, '/scheduled_change/at'],
])('a subscription with %o is refused with an error at %s', async (members, pointer) => {
  const workspace = await switchyard.newWorkspace()
  const items = [{ price_id: await aPrice(workspace) }]
  const customer_id = await workspace.aCustomer()
  const { status, body } = await workspace.post('/subscriptions', { customer_id, items, ...members })
  expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ pointer }] })
})
