// The hosted page of an invoice: what it shows, and that it never pays an invoice twice.

import { expect, test, vi } from 'vitest'
import { cards, payerAt } from '../../../../test/support/checkout.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'

vi.setConfig({ testTimeout: 30_000 })

const { clock, settle, aPayer, newWorkspace, fetchInvoice, fetchTotals } = await subscriptionsForThisFile()

/** An invoice of a renewal that was declined, with its dunning campaign. */
async function aFailedRenewal() {
  const workspace = await newWorkspace()
  const { customerId, paymentMethodId } = await aPayer(workspace)
  const metadata = { simulate: 'approve, decline:51, approve' }
  await workspace.put(`/payment-methods/${paymentMethodId}`, { metadata })
  await aSubscription(workspace, { customer_id: customerId })
  await settle()
  clock.advance({ days: 31 })
  await settle()
  const [invoice] = (await workspace.get(`/invoices?customer_id=${customerId}`)).body.data
  const campaign = async () =>
    (await workspace.get(`/dunning-campaigns?subscription_id=${invoice.subscription_id}`)).body.data[0]
  return { workspace, invoice, campaign }
}

const fetchPage = async (url: string) => {
  const response = await fetch(url)
  return { status: response.status, headers: response.headers, html: await response.text() }
}

/** Presses the button of the page, and returns the session that it opens. */
async function openSession(url: string) {
  const response = await fetch(`${url}/pay`, { method: 'POST', redirect: 'manual' })
  const location = response.headers.get('location') ?? ''
  const [path = '', client_secret = ''] = location.split('#')
  return { status: response.status, location, id: path.split('/').at(-1) as string, client_secret }
}

test('the page shows lines, amount and status, and offers the PDF; a wrong address is not found', async () => {
  const workspace = await newWorkspace()
  const id = await workspace.anInvoice()
  const { hosted_invoice_url: url, number } = await fetchInvoice(workspace, id)
  expect(url).toMatch(/\/i\/[\w-]{64}$/)

  const { status, headers, html } = await fetchPage(url)
  const pdf = await fetch(`${url}/pdf`)

  expect(status).toBe(200)
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(html).toContain(`Invoice ${number}`)
  expect(html).toMatch(/Amount due<strong>[^<]*29\.99/)
  expect(html).toContain('<button>Pay ')
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
  expect(
    Buffer.from(await pdf.arrayBuffer())
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-')
  const changed = url.slice(0, -2) + (url.endsWith('AA') ? 'BA' : 'AA')
  expect((await fetchPage(changed)).status).toBe(404)
  expect((await openSession(changed)).status).toBe(404)
})

test('a customer pays: the invoice is paid and the campaign has ended', async () => {
  const { workspace, invoice, campaign } = await aFailedRenewal()
  expect(await campaign()).toMatchObject({ status: 'running' })
  const session = await openSession(invoice.hosted_invoice_url)
  expect(session.status).toBe(303)

  const { body } = await payerAt(workspace.address).pay(session, cards.approved, { email: 'ada@example.com' })
  await settle()

  expect(body).toMatchObject({ status: 'completed' })
  expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({ status: 'paid', amount_remaining: 0 })
  expect((await campaign()).status).not.toBe('running')
  expect(await fetchTotals(workspace, invoice.id)).toMatchObject({ approvals: 1, captured: 2999 })
  expect((await fetchPage(invoice.hosted_invoice_url)).html).toContain('This invoice is paid.')
  expect((await openSession(invoice.hosted_invoice_url)).location).toBe(invoice.hosted_invoice_url)
  expect((await workspace.get(`/checkout-sessions/${session.id}`)).body.invoice_id).toBe(invoice.id)
})

test('a declined payment of the customer is not a dunning step, and can be repeated', async () => {
  const { workspace, invoice, campaign } = await aFailedRenewal()
  const [before, session] = [await campaign(), await openSession(invoice.hosted_invoice_url)]
  const payer = payerAt(workspace.address)
  const mailsBefore = (await workspace.get('/mails')).body.data

  const declined = await payer.pay(session, cards.declined, { email: 'ada@example.com' })
  await settle()

  expect(declined.body).toMatchObject({ status: 'open', payment: { failure: expect.any(Object) } })
  const after = await fetchInvoice(workspace, invoice.id)
  expect(after).toMatchObject({
    status: 'open',
    payment_state: 'none',
    attempt_count: invoice.attempt_count,
    next_attempt_at: invoice.next_attempt_at,
    last_failure: invoice.last_failure,
  })
  expect(await campaign()).toEqual(before)
  expect((await workspace.get('/mails')).body.data).toEqual(mailsBefore)
  await payer.pay(session, cards.approved, { email: 'ada@example.com' })
  await settle()
  expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({ status: 'paid' })
})

test('while the customer authenticates, the API cannot charge the invoice, and its page opens no second session', async () => {
  const { workspace, invoice } = await aFailedRenewal()
  const payer = payerAt(workspace.address)
  const session = await openSession(invoice.hosted_invoice_url)
  const started = await payer.pay(session, cards.requiresAuthentication, { email: 'ada@example.com' })
  expect(started.body).toMatchObject({ status: 'processing' })

  await workspace.post(`/invoices/${invoice.id}/pay`).then(({ status, body }) => {
    expect([status, body.code]).toEqual([409, 'payment_in_progress'])
  })
  const page = await fetchPage(invoice.hosted_invoice_url)
  expect(page.html).not.toContain('<button>')
  expect((await openSession(invoice.hosted_invoice_url)).location).toBe(invoice.hosted_invoice_url)
  expect(await fetchTotals(workspace, invoice.id)).toMatchObject({ captured: 0 })
})

test('concurrent payments by the customer and by the API charge the invoice once', async () => {
  for (let round = 0; round < 2; round += 1) {
    const { workspace, invoice } = await aFailedRenewal()
    const payer = payerAt(workspace.address)
    const session = await openSession(invoice.hosted_invoice_url)

    const [byCustomer, byApi] = await Promise.all([
      payer.pay(session, cards.approved, { email: 'ada@example.com' }),
      workspace.post(`/invoices/${invoice.id}/pay`),
    ])
    await vi.waitFor(
      async () => {
        await settle()
        expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({ payment_state: 'none' })
      },
      { timeout: 10_000 },
    )

    expect([byCustomer.status, byApi.status].filter((status) => status === 200)).not.toEqual([])
    expect(await fetchTotals(workspace, invoice.id)).toMatchObject({ approvals: 1, captured: 2999 })
    expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({ status: 'paid', amount_paid: 2999 })
  }
})
