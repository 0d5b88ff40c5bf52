// One-off invoices: drafts and their lines, automatic collection with dunning, and invoices that the customer pays after
// reminders.

import { expect, test, vi } from 'vitest'
import { cards, payerAt } from '../../../../test/support/checkout.ts'
import { ledgerDifferences, postingsOf } from '../../../../test/support/ledger.ts'
import { aPrice, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'

vi.setConfig({ testTimeout: 30_000 })

const { deps, clock, settle, aPayer, newWorkspace, fetchInvoice, fetchTotals } =
  await subscriptionsForThisFile()
type TestWorkspace = Awaited<ReturnType<typeof newWorkspace>>

const workshop = { description: 'Workshop, one day', unit_amount: 120_000 }
const travel = { description: 'Travel', unit_amount: 4_500, quantity: 2 }

async function createInvoice(workspace: TestWorkspace, members: object = {}) {
  const customer = async () => (await workspace.post('/customers', { email: 'ada@example.com' })).body.id
  const body = { currency: 'eur', lines: [workshop], ...members }
  const customer_id = 'customer_id' in members ? members.customer_id : await customer()
  return (await workspace.post('/invoices', { ...body, customer_id })).body
}

const sentWith = { collection_method: 'send_invoice', terms: { days: 14 } }
const kindsOf = (mails: { kind: string }[]) => mails.map(({ kind }) => kind)
const mailsOf = async (workspace: TestWorkspace) =>
  kindsOf((await workspace.get('/mails')).body.data).toReversed()
const typesOf = async (workspace: TestWorkspace, id: string) =>
  (await workspace.eventsOf(id)).map(({ type }: { type: string }) => type)

test('a draft is edited line by line; the preview has the same total; a final invoice cannot be edited', async () => {
  const workspace = await newWorkspace()
  const { customerId } = await aPayer(workspace)
  const body = { customer_id: customerId, currency: 'eur', lines: [workshop, travel] }
  const preview = await workspace.post('/invoices/preview', body)
  const draft = await createInvoice(workspace, body)

  expect(preview.body).toMatchObject({ subtotal: 129_000, tax_total: 0, total: 129_000 })
  expect(draft).toMatchObject({
    status: 'draft',
    reason: 'one_off',
    subscription_id: null,
    number: null,
    total: 129_000,
    collection_method: 'charge_automatically',
    terms: null,
  })
  const path = `/invoices/${draft.id}`
  const [first, second] = draft.lines
  const added = await workspace.post(`${path}/lines`, { description: 'Slides', unit_amount: 1_000 })
  expect(added).toMatchObject({ status: 201, body: { total: 130_000 } })
  const changed = await workspace.put(`${path}/lines/${first.id}`, { quantity: 2 })
  expect(changed.body).toMatchObject({ total: 250_000 })
  const removed = await workspace.delete(`${path}/lines/${second.id}`)
  expect(removed.body).toMatchObject({ total: 241_000, amount_due: 241_000 })
  expect(
    removed.body.lines.map(({ id, description, amount }: typeof first) => [id, description, amount]),
  ).toEqual([
    [first.id, 'Workshop, one day', 240_000],
    [added.body.lines[2].id, 'Slides', 1_000],
  ])
  expect(await typesOf(workspace, draft.id)).toEqual([
    'invoice.created',
    'invoice.updated',
    'invoice.updated',
    'invoice.updated',
  ])

  // The draft of a one-off invoice is never finalized automatically.
  clock.advance({ days: 40 })
  await settle()
  expect(await fetchInvoice(workspace, draft.id)).toMatchObject({ status: 'draft' })
  await workspace.post(`${path}/finalize`)
  await settle()
  const invoice = await fetchInvoice(workspace, draft.id)
  expect(invoice).toMatchObject({
    status: 'paid',
    amount_paid: 241_000,
    number: expect.stringMatching(/^TEST-/),
  })
  expect(await fetchTotals(workspace, draft.id)).toMatchObject({ approvals: 1, captured: 241_000 })
  for (const response of [
    await workspace.post(`${path}/lines`, workshop),
    await workspace.put(`${path}/lines/${first.id}`, { quantity: 1 }),
    await workspace.delete(`${path}/lines/${first.id}`),
    await workspace.put(path, { memo: 'Late' }),
    await workspace.delete(path),
  ])
    expect([response.status, response.body.code]).toEqual([409, 'invalid_state'])
  expect(await fetchInvoice(workspace, draft.id)).toEqual(invoice)
})

test('invoices of subscriptions cannot be edited, and invalid lines are refused', async () => {
  const workspace = await newWorkspace()
  const id = await workspace.anInvoice()
  expect((await workspace.post(`/invoices/${id}/lines`, workshop)).body.code).toBe('invalid_state')
  const draft = await createInvoice(workspace, { lines: [] })
  const path = `/invoices/${draft.id}`
  const { body: product } = await workspace.post('/products', { name: 'Team plan' })
  const terms = { product_id: product.id, currency: 'eur', unit_amount: 2999 }
  const { body: monthly } = await workspace.post('/prices', { ...terms, recurring: { interval: 'month' } })
  const { body: once } = await workspace.post('/prices', terms)
  const pointersOf = async (line: object) =>
    (await workspace.post(`${path}/lines`, line)).body.errors?.map(
      ({ pointer }: { pointer: string }) => pointer,
    )
  expect(await pointersOf({ unit_amount: 100 })).toEqual(['/description'])
  expect(await pointersOf({ description: 'Workshop' })).toEqual(['/unit_amount'])
  expect(await pointersOf({ price_id: monthly.id })).toEqual(['/price_id'])
  expect(await pointersOf({ price_id: once.id, unit_amount: 100 })).toEqual(['/price_id'])
  expect(await pointersOf({ ...workshop, unit_amount: 999_999_999_999, quantity: 2 })).toEqual(['/lines'])
  // An invoice without lines would use up a number.
  expect((await workspace.post(`${path}/finalize`)).body).toMatchObject({ code: 'invalid_state' })
  const priced = await workspace.post(`${path}/lines`, { price_id: once.id, quantity: 3 })
  expect(priced.body).toMatchObject({ total: 8997, lines: [{ description: 'Team plan', price_id: once.id }] })
  const { body: refused } = await workspace.put(path, { terms: { days: 3 } })
  expect(refused.errors).toMatchObject([{ pointer: '/terms' }])
})

test('a deleted draft has no number and is not shown in the portal; deleting it again changes nothing', async () => {
  const workspace = await newWorkspace()
  const draft = await createInvoice(workspace)
  const deleted = await workspace.delete(`/invoices/${draft.id}`)
  expect(deleted).toMatchObject({ status: 200, body: { status: 'void', number: null } })
  expect((await workspace.delete(`/invoices/${draft.id}`)).body).toEqual(deleted.body)
  const { customer_id } = draft
  const next = await createInvoice(workspace, { ...sentWith, customer_id, lines: [travel] })
  const { body: finalized } = await workspace.post(`/invoices/${next.id}/finalize`)
  expect(finalized.number).toBe('TEST-000001')

  // The portal lists the second invoice with €90.00. It does not list the draft of €1,200.00.
  const { body: portal } = await workspace.post('/portal-sessions', { customer_id })
  const html = await (await fetch(portal.url)).text()
  expect(html).toContain('TEST-000001')
  expect(html).toContain('€90.00')
  expect(html).not.toContain('€1,200.00')
  // A draft that is finalized instead of deleted is shown with its amount.
  const kept = await createInvoice(workspace, { ...sentWith, customer_id })
  await workspace.post(`/invoices/${kept.id}/finalize`)
  expect(await (await fetch(portal.url)).text()).toContain('€1,200.00')
})

test('a declined one-off invoice is retried by a campaign without a subscription, and its end applies only the final action for the invoice', async () => {
  const workspace = await newWorkspace()
  const { customerId, paymentMethodId } = await aPayer(workspace)
  await workspace.put(`/payment-methods/${paymentMethodId}`, { metadata: { simulate: 'decline:51' } })
  const { body: policy } = await workspace.post('/dunning-policies', {
    name: 'Short',
    retry_days: [1, 3],
    final: { subscription: 'cancel', invoice: 'uncollectible' },
  })
  const draft = await createInvoice(workspace, { customer_id: customerId, dunning_policy_id: policy.id })
  await workspace.post(`/invoices/${draft.id}/finalize`)
  await settle()

  const failed = await fetchInvoice(workspace, draft.id)
  expect(failed).toMatchObject({ status: 'open', overdue: true, campaign_id: expect.any(String) })
  const campaign = async () => (await workspace.get(`/dunning-campaigns/${failed.campaign_id}`)).body
  expect(await campaign()).toMatchObject({
    status: 'running',
    subscription_id: null,
    policy: { dunning_policy_id: policy.id },
  })
  for (let day = 0; day < 6; day += 1) {
    clock.advance({ days: 1 })
    await settle()
  }
  expect(await campaign()).toMatchObject({ status: 'exhausted' })
  expect(await fetchInvoice(workspace, draft.id)).toMatchObject({ status: 'uncollectible', attempt_count: 3 })
})

test('a new card pays overdue one-off invoices of a customer without subscriptions', async () => {
  const workspace = await newWorkspace()
  const { customerId, paymentMethodId } = await aPayer(workspace)
  await workspace.put(`/payment-methods/${paymentMethodId}`, { metadata: { simulate: 'decline:54' } })
  const draft = await createInvoice(workspace, { customer_id: customerId })
  await workspace.post(`/invoices/${draft.id}/finalize`)
  await settle()
  expect(await fetchInvoice(workspace, draft.id)).toMatchObject({ status: 'open', overdue: true })

  const { body: session } = await workspace.post(`/customers/${customerId}/update-payment-method-link`)
  await payerAt(workspace.address).pay(session, cards.approved)
  await settle()

  expect(await fetchInvoice(workspace, draft.id)).toMatchObject({ status: 'paid', amount_paid: 120_000 })
})

test('sending an invoice finalizes it, e-mails a link, and never charges; the customer is reminded until the invoice is uncollectible', async () => {
  const workspace = await newWorkspace()
  const { customerId } = await aPayer(workspace)
  await workspace.put(`/customers/${customerId}`, { email: 'ada@example.com' })
  const final = { subscription: 'keep', invoice: 'uncollectible' }
  const { body: policy } = await workspace.post('/dunning-policies', { name: 'Kind', final })
  const members = { ...sentWith, customer_id: customerId, dunning_policy_id: policy.id }
  const draft = await createInvoice(workspace, members)
  const { body: sent } = await workspace.post(`/invoices/${draft.id}/send`)

  const day = 86_400_000
  expect(sent).toMatchObject({ status: 'open', overdue: false, next_attempt_at: null, terms: { days: 14 } })
  expect(Date.parse(sent.due_at) - Date.parse(sent.finalized_at)).toBe(14 * day)
  expect(sent.next_reminder_at.slice(0, 13)).toBe(
    `${new Date(Date.parse(sent.due_at) - 3 * day).toISOString().slice(0, 10)}T09`,
  )
  await settle()
  expect(await mailsOf(workspace)).toEqual(['invoice_sent'])

  const seen: [number, boolean, string][] = []
  for (let elapsed = 1; elapsed <= 37; elapsed += 1) {
    clock.advance({ days: 1 })
    await settle()
    const { reminder_count, overdue, status } = await fetchInvoice(workspace, draft.id)
    const last = seen.at(-1)
    if (last?.[0] !== reminder_count || last?.[1] !== overdue || last?.[2] !== status)
      seen.push([reminder_count, overdue, status])
  }
  expect(seen.map(([count]) => count)).toEqual(expect.arrayContaining([0, 1, 2, 3, 4]))
  expect(seen.at(-1)).toEqual([4, false, 'uncollectible'])
  expect(await mailsOf(workspace)).toEqual(['invoice_sent', ...Array(4).fill('invoice_reminder')])
  expect(await typesOf(workspace, draft.id)).toEqual([
    'invoice.created',
    'invoice.finalized',
    'invoice.sent',
    'invoice.reminder_due',
    'invoice.overdue',
    'invoice.reminder_due',
    'invoice.reminder_due',
    'invoice.reminder_due',
    'invoice.marked_uncollectible',
  ])
  expect(await fetchTotals(workspace, draft.id)).toMatchObject({ approvals: 0, captured: 0 })
})

test('a sent invoice is paid once on its hosted page, and no reminder follows; a failed charge on request starts no campaign', async () => {
  const workspace = await newWorkspace()
  const { customerId, paymentMethodId } = await aPayer(workspace)
  await workspace.put(`/customers/${customerId}`, { email: 'ada@example.com' })
  await workspace.put(`/payment-methods/${paymentMethodId}`, { metadata: { simulate: 'decline:51' } })
  const draft = await createInvoice(workspace, {
    ...sentWith,
    customer_id: customerId,
    memo: 'Thank you for coming.',
  })
  const { body: sent } = await workspace.post(`/invoices/${draft.id}/send`)
  await workspace.post(`/invoices/${draft.id}/pay`)
  await vi.waitFor(async () => {
    await settle()
    expect(await fetchInvoice(workspace, draft.id)).toMatchObject({
      payment_state: 'none',
      attempt_count: 1,
      campaign_id: null,
      overdue: false,
      next_reminder_at: sent.next_reminder_at,
    })
  })

  const page = await (await fetch(sent.hosted_invoice_url)).text()
  expect(page).toContain('Workshop, one day')
  expect(page).toContain('Thank you for coming.')
  const response = await fetch(`${sent.hosted_invoice_url}/pay`, { method: 'POST', redirect: 'manual' })
  const [path = '', client_secret = ''] = (response.headers.get('location') ?? '').split('#')
  const session = { id: path.split('/').at(-1) as string, client_secret }
  await payerAt(workspace.address).pay(session, cards.approved)
  await settle()
  clock.advance({ days: 60 })
  await settle()

  expect(await fetchInvoice(workspace, draft.id)).toMatchObject({
    status: 'paid',
    reminder_count: 0,
    next_reminder_at: null,
  })
  expect(await fetchTotals(workspace, draft.id)).toMatchObject({ approvals: 1, captured: 120_000 })
  expect(await mailsOf(workspace)).not.toContain('invoice_reminder')
})

test('an invoice cannot be sent without an e-mail address, and applied credit leaves at least the minimum charge', async () => {
  const workspace = await newWorkspace()
  const { body: customer } = await workspace.post('/customers', { name: 'Ada' })
  const draft = await createInvoice(workspace, { ...sentWith, customer_id: customer.id })
  const refused = await workspace.post(`/invoices/${draft.id}/send`)
  expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  expect(await fetchInvoice(workspace, draft.id)).toMatchObject({ status: 'draft' })
  const { body: voided } = await workspace
    .post(`/invoices/${draft.id}/finalize`)
    .then(() => workspace.post(`/invoices/${draft.id}/void`))
  expect(voided).toMatchObject({ status: 'void', next_reminder_at: null })

  await workspace.anInvoice({ customer_id: customer.id, amount: -119_980 })
  const reduced = await createInvoice(workspace, { customer_id: customer.id })
  const { body: finalized } = await workspace.post(`/invoices/${reduced.id}/finalize`)
  expect(finalized).toMatchObject({ credit_applied: 119_950, amount_due: 50 })
})

const german = { type: 'eu_vat', value: 'DE136695976' }
const french = { type: 'eu_vat', value: 'FR40303265045' }

/** A German seller with tax rates of 19%, and 7% for books, and one-time prices for both. */
async function aTaxedSeller() {
  const workspace = await newWorkspace()
  const { post, put } = workspace
  const address = { line1: 'Unter den Linden 1', postal_code: '10117', city: 'Berlin', country: 'DE' }
  await put('/seller', { legal_name: 'Example GmbH', address, tax_ids: [german], tax: 'rates' })
  const aRate = async (percentage: string, conditions: object) => {
    const { body: rate } = await post('/tax-rates', { name: `${percentage}%`, percentage, country: 'DE' })
    await post('/tax-rules', { tax_rate_id: rate.id, country: 'DE', ...conditions })
    return rate.id as string
  }
  const reduced = await aRate('7', { tax_code: 'books' })
  const full = await aRate('19', {})
  const aOneTimePrice = async (product: object, terms: object) => {
    const { body } = await post('/products', product)
    return (await post('/prices', { product_id: body.id, currency: 'eur', ...terms })).body.id as string
  }
  const book = await aOneTimePrice({ name: 'Book', tax_code: 'books' }, { unit_amount: 1000 })
  const ticket = await aOneTimePrice({ name: 'Ticket' }, { unit_amount: 11_900, tax_behavior: 'inclusive' })
  return { workspace, reduced, full, book, ticket }
}

test('lines with and without a price have a tax rate, which each edit determines again', async () => {
  const { workspace, reduced, full, book, ticket } = await aTaxedSeller()
  const { customerId } = await aPayer(workspace)
  await workspace.put(`/customers/${customerId}`, { address: { country: 'DE' } })
  const lines = [{ price_id: book }, { price_id: ticket }, { description: 'Travel', unit_amount: 5_000 }]
  const body = { customer_id: customerId, currency: 'eur', lines }
  // Tax of 70 on the book and 950 on the trip is added; the ticket price includes 1900.
  const amounts = { subtotal: 17_900, discount_total: 0, tax_total: 2_920, total: 18_920 }
  expect((await workspace.post('/invoices/preview', body)).body).toMatchObject(amounts)
  const draft = await createInvoice(workspace, body)
  expect(draft).toMatchObject({ ...amounts, total_excluding_tax: 16_000, amount_due: 18_920 })
  expect(draft.lines).toMatchObject([
    { net: 1000, tax: 70, tax_rate_id: reduced },
    { net: 10_000, tax: 1900, tax_rate_id: full },
    { net: 5000, tax: 950, tax_rate_id: full },
  ])
  expect(draft.tax_breakdown).toMatchObject([
    { percentage: '7', inclusive: false, net: 1000, tax: 70 },
    { percentage: '19', inclusive: true, net: 10_000, tax: 1900 },
    { percentage: '19', inclusive: false, net: 5000, tax: 950 },
  ])

  const path = `/invoices/${draft.id}`
  const added = await workspace.post(`${path}/lines`, { price_id: ticket })
  expect(added.body).toMatchObject({ tax_total: 4_820, total: 30_820 })
  const changed = await workspace.put(`${path}/lines/${draft.lines[2].id}`, { unit_amount: 1_000 })
  expect(changed.body).toMatchObject({ tax_total: 4_060, total: 26_060 })
  await workspace.put('/seller', { tax: 'none' })
  const untaxed = await workspace.delete(`${path}/lines/${draft.lines[0].id}`)
  expect(untaxed.body).toMatchObject({ tax_total: 0, total: 24_800, tax_breakdown: [] })
  await workspace.put('/seller', { tax: 'rates' })
  const taxed = await workspace.put(`${path}/lines/${draft.lines[2].id}`, { quantity: 5 })
  expect(taxed.body).toMatchObject({ tax_total: 4_750, total: 29_750, total_excluding_tax: 25_000 })

  await workspace.post(`${path}/finalize`)
  await settle()
  const paid = await fetchInvoice(workspace, draft.id)
  expect(paid).toMatchObject({ status: 'paid', tax_total: 4_750, total: 29_750, amount_paid: 29_750 })
  expect(await postingsOf(workspace, draft.id)).toEqual(
    expect.arrayContaining(['tax_recorded: sales > tax_payable 4750']),
  )
  const page = await (await fetch(paid.hosted_invoice_url)).text()
  // Tax of 950 on the trip is added; the prices of the two tickets include 1900 each.
  expect(page).toContain('<td>Tax 19%</td><td>€9.50</td>')
  expect(page).toContain('<td>€297.50</td></tr><tr><td>Includes tax 19%</td><td>€38.00</td>')
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('a one-off invoice for a business in another EU country has reverse charge', async () => {
  const { workspace, book, ticket } = await aTaxedSeller()
  const { body: customer } = await workspace.post('/customers', {
    name: 'Exemple SARL',
    locale: 'fr',
    tax_ids: [french],
    address: { line1: '1 rue de Rivoli', postal_code: '75001', city: 'Paris', country: 'FR' },
  })
  const lines = [{ price_id: book }, { price_id: ticket }, workshop]
  const draft = await createInvoice(workspace, { ...sentWith, customer_id: customer.id, lines })
  const { body: invoice } = await workspace.post(`/invoices/${draft.id}/finalize`)

  expect(invoice).toMatchObject({ status: 'open', tax_total: 0, total: 132_900 })
  expect(invoice.tax_breakdown).toMatchObject([
    { category: 'AE', inclusive: false, net: 121_000, tax: 0, note: 'Autoliquidation' },
    { category: 'AE', inclusive: true, net: 11_900, tax: 0, note: 'Autoliquidation' },
  ])
  const page = await (await fetch(invoice.hosted_invoice_url)).text()
  expect(page.split('Autoliquidation')).toHaveLength(2)
})

test('a card that a payer saved on a payment page for their own payments is charged only if the request names it', async () => {
  const workspace = await newWorkspace()
  const payer = payerAt(workspace.address)
  const { body: session } = await workspace.post('/checkout-sessions', {
    amount: 1299,
    currency: 'eur',
    collect: ['email'],
    saved_methods: { save: 'ask' },
  })
  await payer.pay(session, cards.approved, { email: 'ada@example.com', save_card: true })
  const { body: paid } = await workspace.get(`/checkout-sessions/${session.id}`)
  const { customer_id, payment_method_id } = paid
  expect(payment_method_id).toMatch(/^payment_method_test_/)
  const items = [{ price_id: await aPrice(workspace, { currency: 'eur' }) }]
  const invoice = { customer_id, currency: 'eur', lines: [{ description: 'Consulting', unit_amount: 9900 }] }

  const { body: draft } = await workspace.post('/invoices', invoice)
  await workspace.post(`/invoices/${draft.id}/finalize`)
  await settle()
  expect(await fetchInvoice(workspace, draft.id)).toMatchObject({ status: 'open', amount_paid: 0 })
  expect((await workspace.post('/subscriptions', { customer_id, items })).body.payment_method_id).toBeNull()

  const { body: named } = await workspace.post('/invoices', { ...invoice, payment_method_id })
  await workspace.post(`/invoices/${named.id}/finalize`)
  await settle()
  expect(await fetchInvoice(workspace, named.id)).toMatchObject({ status: 'paid', amount_paid: 9900 })
})

test('a payer who goes back from iDEAL on the page of an invoice can pay by card immediately', async () => {
  const workspace = await newWorkspace()
  const { id } = await createInvoice(workspace, sentWith)
  const { body: invoice } = await workspace.post(`/invoices/${id}/finalize`)
  const response = await fetch(`${invoice.hosted_invoice_url}/pay`, { method: 'POST', redirect: 'manual' })
  const [path = '', client_secret = ''] = (response.headers.get('location') ?? '').split('#')
  const session = { id: path.split('/').at(-1) as string, client_secret }
  const payer = payerAt(workspace.address)
  const call = (step: string, body?: object) =>
    payer.call('POST', `/checkout/sessions/${session.id}/${step}`, body, { 'checkout-secret': client_secret })

  const redirected = await call('confirm', { ideal: {} })
  expect(redirected.body.payment).toMatchObject({ status: 'requires_action' })
  expect((await call('change-method')).body).toMatchObject({ status: 'open', payment: { status: 'failed' } })
  const paid = await payer.pay(session, cards.approved)

  expect(paid, JSON.stringify(paid.body)).toMatchObject({ status: 200, body: { status: 'completed' } })
  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'paid', amount_paid: 120_000 })
})

test('the tax of a draft is determined again when it is finalized', async () => {
  const workspace = await newWorkspace()
  const address = { line1: 'Unter den Linden 1', postal_code: '10117', city: 'Berlin', country: 'DE' }
  const tax_ids = [{ type: 'eu_vat', value: 'DE136695976' }]
  const untaxed = await createInvoice(workspace, sentWith)
  await workspace.put('/seller', { legal_name: 'Example GmbH', address, tax_ids, tax: 'rates' })
  const { body: rate } = await workspace.post('/tax-rates', { name: 'VAT', percentage: '19', country: 'DE' })
  await workspace.post('/tax-rules', { tax_rate_id: rate.id })
  const business = { address: { country: 'FR' }, tax_ids: [{ type: 'eu_vat', value: 'FR40303265045' }] }
  const consumer = { address: { country: 'DE' }, tax_ids: [] }
  const { body: customer } = await workspace.post('/customers', { email: 'ada@example.com', ...business })
  const draft = await createInvoice(workspace, { ...sentWith, customer_id: customer.id })
  expect(draft).toMatchObject({ tax_total: 0, total: 120_000 })

  await workspace.put(`/customers/${customer.id}`, consumer)
  const { body: domestic } = await workspace.post(`/invoices/${draft.id}/finalize`)
  expect(domestic).toMatchObject({ status: 'open', tax_total: 22_800, total: 142_800, amount_due: 142_800 })
  expect(domestic.lines[0].id).toBe(draft.lines[0].id)

  await workspace.put(`/customers/${untaxed.customer_id}`, consumer)
  expect((await workspace.post(`/invoices/${untaxed.id}/finalize`)).body).toMatchObject({ tax_total: 22_800 })

  const taxed = await createInvoice(workspace, { ...sentWith, customer_id: customer.id })
  await workspace.put(`/customers/${customer.id}`, business)
  const { body: foreign } = await workspace.post(`/invoices/${taxed.id}/send`)
  expect(foreign).toMatchObject({ status: 'open', tax_total: 0, total: 120_000 })
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('discounts of a draft are calculated again with each edit, as in the preview, and reserve their redemptions', async () => {
  const workspace = await newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const aCoupon = async (members: object) =>
    (await workspace.post('/coupons', { name: 'Offer', duration: 'once', ...members })).body.id
  const redeemed = async (id: string) => (await workspace.get(`/coupons/${id}`)).body.times_redeemed
  const tenth = await aCoupon({ percent_off: '10', max_redemptions: 1 })
  const fixed = await aCoupon({ amount_off: 5_000, currency: 'eur' })
  const body = {
    customer_id,
    currency: 'eur',
    lines: [workshop, travel],
    discounts: [{ coupon_id: tenth }, { coupon_id: fixed }],
  }
  const { body: preview } = await workspace.post('/invoices/preview', body)
  expect(preview).toMatchObject({ subtotal: 129_000, discount_total: 17_900, total: 111_100 })
  expect(await redeemed(tenth)).toBe(0)

  const draft = await createInvoice(workspace, body)
  expect(draft).toMatchObject({ subtotal: 129_000, discount_total: 17_900, total: 111_100 })
  expect(draft.lines.map((line: { discounts: object[] }) => line.discounts)).toEqual(
    preview.lines.map((line: { discounts: { coupon_id: string }[] }) =>
      line.discounts.map((discount) => ({ ...discount, discount_id: expect.any(String) })),
    ),
  )
  expect(draft.lines[1].explanation.text).toMatch(
    /discount: 90.00 - 9.00 \(Offer\) - 3.49 \(Offer\) = 77.51$/,
  )
  expect((await workspace.post('/invoices', body)).body.code).toBe('discount_not_applicable')

  const path = `/invoices/${draft.id}`
  const edited = await workspace.delete(`${path}/lines/${draft.lines[1].id}`)
  expect(edited.body).toMatchObject({ subtotal: 120_000, discount_total: 17_000, total: 103_000 })
  const removed = await workspace.put(path, { discounts: [{ coupon_id: fixed }] })
  expect(removed.body).toMatchObject({ discount_total: 5_000, total: 115_000 })
  expect([await redeemed(tenth), await redeemed(fixed)]).toEqual([0, 1])
  const again = await workspace.put(path, { discounts: [{ coupon_id: fixed }, { coupon_id: tenth }] })
  expect(again.body).toMatchObject({ discount_total: 16_500, total: 103_500 })

  await workspace.post(`${path}/finalize`)
  await settle()
  expect(await fetchInvoice(workspace, draft.id)).toMatchObject({ status: 'paid', amount_paid: 103_500 })
  expect(await redeemed(tenth)).toBe(1)
  await workspace.put(`/coupons/${fixed}`, { active: false })
  expect((await createInvoice(workspace, { ...body, discounts: [{ coupon_id: fixed }] })).code).toBe(
    'discount_not_applicable',
  )
})

test('a deleted draft returns its redemptions, and a draft has the lasting discounts of its customer', async () => {
  const workspace = await newWorkspace()
  const { body: product } = await workspace.post('/products', { name: 'Setup' })
  const aCoupon = async (members: object) =>
    (await workspace.post('/coupons', { name: 'Offer', percent_off: '10', ...members })).body.id
  const limited = await aCoupon({ duration: 'once', max_redemptions: 1, product_ids: [product.id] })
  const [forever, once] = [await aCoupon({ duration: 'forever' }), await aCoupon({ duration: 'once' })]
  const { id: customer_id } = (await workspace.post('/customers', {})).body
  await workspace.put(`/customers/${customer_id}/discounts`, {
    discounts: [{ coupon_id: once }, { coupon_id: forever }],
  })
  const { id: price_id } = (
    await workspace.post('/prices', { product_id: product.id, currency: 'eur', unit_amount: 5_000 })
  ).body
  const lines = [workshop, { price_id }]

  const ofCustomer = await createInvoice(workspace, { customer_id, lines })
  expect(ofCustomer).toMatchObject({ discounts: [{ coupon_id: forever, amount: 12_500 }], total: 112_500 })
  const without = await createInvoice(workspace, { customer_id, lines, discounts: [] })
  expect(without).toMatchObject({ discounts: [], total: 125_000 })

  // The coupon reduces only the line of its product.
  const discounts = [{ coupon_id: limited }]
  const draft = await createInvoice(workspace, { customer_id, lines, discounts })
  expect(draft).toMatchObject({ discount_total: 500, discounts: [{ coupon_id: limited, amount: 500 }] })
  expect((await createInvoice(workspace, { customer_id, lines, discounts })).code).toBe(
    'discount_not_applicable',
  )
  await workspace.delete(`/invoices/${draft.id}`)
  const results = await Promise.all(
    Array.from(
      { length: 5 },
      async () => (await createInvoice(workspace, { customer_id, lines, discounts })).code,
    ),
  )
  expect(results.filter((code) => code === undefined)).toHaveLength(1)
  expect((await workspace.get(`/coupons/${limited}`)).body.times_redeemed).toBe(1)
})
