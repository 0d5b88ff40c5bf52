// A customer replaces the card of their subscriptions, with a link from the merchant or from an e-mail.

import { expect, test, vi } from 'vitest'
import { cards, type PublicSession, payerAt } from '../../../../test/support/checkout.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'

vi.setConfig({ testTimeout: 30_000 })

const { clock, settle, aPayer, newWorkspace, fetchInvoice } = await subscriptionsForThisFile()

/** A customer with two subscriptions, whose card is declined from the second payment on. */
async function aCustomerWithSubscriptions(script = 'approve') {
  const workspace = await newWorkspace()
  const { customerId, paymentMethodId } = await aPayer(workspace)
  await workspace.put(`/customers/${customerId}`, { email: 'ada@example.com', locale: 'de' })
  await workspace.put(`/payment-methods/${paymentMethodId}`, { metadata: { simulate: script } })
  const first = await aSubscription(workspace, { customer_id: customerId })
  const second = await aSubscription(workspace, { customer_id: customerId })
  await settle()
  return { workspace, customerId, paymentMethodId, first: first.id, second: second.id }
}

async function createLink({ post }: Workspace, customerId: string, members: object = {}) {
  const { status, body } = await post(`/customers/${customerId}/update-payment-method-link`, members)
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

const cardOf = async ({ get }: Workspace, id: string) =>
  (await get(`/subscriptions/${id}`)).body.payment_method_id

/** Presses the button of the page, and returns the session that it opens. */
async function openSession(url: string): Promise<PublicSession & { status: number }> {
  const response = await fetch(url, { method: 'POST', redirect: 'manual' })
  const [path = '', client_secret = ''] = (response.headers.get('location') ?? '').split('#')
  return { status: response.status, id: path.split('/').at(-1) as string, client_secret }
}

test('the new card becomes the card of all subscriptions and the default, and pays the failed renewal', async () => {
  const { workspace, customerId, first, second } = await aCustomerWithSubscriptions(
    'approve, approve, decline:41',
  )
  clock.advance({ days: 31 })
  await settle()
  expect((await workspace.get(`/subscriptions/${first}`)).body.collection.status).toBe('past_due')
  const link = await createLink(workspace, customerId, { return_url: 'https://shop.example.com/account' })
  expect(link).toMatchObject({ mode: 'setup', card_update: { subscription_id: null }, locale: 'de' })
  expect(Date.parse(link.expires_at) - Date.parse(link.created_at)).toBe(7 * 86_400_000)

  const { body } = await payerAt(workspace.address).pay(link, cards.other)
  expect(body, JSON.stringify(body)).toMatchObject({ status: 'completed' })
  const { payment_method_id: card } = (await workspace.get(`/checkout-sessions/${link.id}`)).body
  expect(await cardOf(workspace, first)).toBe(card)
  expect(await cardOf(workspace, second)).toBe(card)
  await settle()

  for (const id of [first, second])
    expect((await workspace.get(`/subscriptions/${id}`)).body.collection.status).toBe('current')
  const later = await aSubscription(workspace, { customer_id: customerId })
  expect(later.payment_method_id).toBe(card)
})

test('a link for one subscription leaves the others, and a cancelled subscription keeps its card', async () => {
  const { workspace, customerId, paymentMethodId, first, second } = await aCustomerWithSubscriptions()
  const link = await createLink(workspace, customerId, { subscription_id: first })
  const { body } = await payerAt(workspace.address).pay(link, cards.other)
  expect(body).toMatchObject({ status: 'completed' })
  expect(await cardOf(workspace, first)).not.toBe(paymentMethodId)
  expect(await cardOf(workspace, second)).toBe(paymentMethodId)

  const all = await createLink(workspace, customerId)
  await workspace.put(`/subscriptions/${second}/cancel`, { at: 'now' })
  const stored = await payerAt(workspace.address).pay(all, cards.approved)
  expect(stored.body).toMatchObject({ status: 'completed' })
  expect(await cardOf(workspace, second)).toBe(paymentMethodId)
})

test('a declined card changes nothing', async () => {
  const { workspace, customerId, paymentMethodId, first } = await aCustomerWithSubscriptions()
  const link = await createLink(workspace, customerId)
  const { body } = await payerAt(workspace.address).pay(link, cards.declined)
  expect(body).toMatchObject({ status: 'open', payment: { failure: expect.any(Object) } })
  expect(await cardOf(workspace, first)).toBe(paymentMethodId)
})

test('subscriptions on a test clock get the card at the time of the clock', async () => {
  const workspace = await newWorkspace()
  const { body: testClock } = await workspace.post('/test-clocks', { now_at: '2027-03-01T00:00:00Z' })
  const customerId = await workspace.aCustomer({ test_clock_id: testClock.id })
  const { id } = await aSubscription(workspace, { customer_id: customerId, trial: { days: 14 } })
  const link = await createLink(workspace, customerId, { subscription_id: id })
  const { body } = await payerAt(workspace.address).pay(link, cards.approved)
  expect(body, JSON.stringify(body)).toMatchObject({ status: 'completed' })
  const { body: subscription } = await workspace.get(`/subscriptions/${id}`)
  expect(subscription).toMatchObject({ updated_at: '2027-03-01T00:00:00.000Z' })
  expect(subscription.payment_method_id).not.toBeNull()
})

test('events and e-mails about a failed renewal link to the invoice page and the card page, whose button opens a session', async () => {
  const { workspace, customerId, first } = await aCustomerWithSubscriptions('approve, approve, decline:51')
  clock.advance({ days: 31 })
  await settle()
  const [invoice] = (await workspace.get(`/invoices?subscription_id=${first}`)).body.data
  const { update_payment_method_url: url, hosted_invoice_url } = invoice
  expect(url).toMatch(/\/u\/[\w-]{64}$/)
  const events = await workspace.eventsOf(invoice.id)
  const failed = events.find(({ type }: { type: string }) => type === 'invoice.payment_failed')
  expect(failed.object).toMatchObject({ update_payment_method_url: url, hosted_invoice_url })
  const mails = (await workspace.get(`/mails?customer_id=${customerId}`)).body.data
  const mail = (await workspace.get(`/mails/${mails[0].id}`)).body
  expect(mail.text).toContain(`Karte aktualisieren: ${url}`)

  const sessionsBefore = (await workspace.get('/checkout-sessions')).body.data
  const page = await fetch(url)
  expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer'])
  const html = await page.text()
  expect(html).toContain('Neue Karte eingeben')
  expect(html).not.toContain('ada@example.com')
  expect((await workspace.get('/checkout-sessions')).body.data).toEqual(sessionsBefore)
  const session = await openSession(url)
  expect(session.status).toBe(303)
  await payerAt(workspace.address).pay(session, cards.other)
  await settle()
  expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({
    status: 'paid',
    update_payment_method_url: null,
  })

  expect((await fetch(`${url.slice(0, -2)}${url.endsWith('AA') ? 'BA' : 'AA'}`)).status).toBe(404)
  await workspace.delete(`/customers/${customerId}?subscriptions=cancel`)
  expect((await fetch(url)).status).toBe(404)
  expect((await openSession(url)).status).toBe(404)
})

test.each([
  [{ return_url: 'javascript:alert(1)' }, '/return_url'],
  [{ subscription_id: 'subscription_test_01M7CYVSCBEAKS6M475NRJM4KW' }, '/subscription_id'],
])('%j is refused', async (members, pointer) => {
  const workspace = await newWorkspace()
  const id = await workspace.aCustomer()
  const { status, body } = await workspace.post(`/customers/${id}/update-payment-method-link`, members)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(body.errors).toMatchObject([{ pointer }])
})

test('a subscription of another customer is refused', async () => {
  const { workspace, first } = await aCustomerWithSubscriptions()
  const other = await workspace.aCustomer()
  const { body } = await workspace.post(`/customers/${other}/update-payment-method-link`, {
    subscription_id: first,
  })
  expect(body).toMatchObject({ code: 'reference_not_found', errors: [{ pointer: '/subscription_id' }] })
})
