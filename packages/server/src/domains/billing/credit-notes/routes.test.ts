// Credit notes: the amounts that they reduce, refund and credit, their numbers, and the requests that are refused.

import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { reportDispute } from '../../../../test/support/disputes.ts'
import { failSucceededRefund } from '../../../../test/support/failed-refund.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { ledgerDifferences, postingsOf } from '../../../../test/support/ledger.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { textOfPdf } from '../../../../test/support/pdf-text.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'

vi.setConfig({ testTimeout: 30_000 })

const { databaseUrl, deps, settle, aPayer, newWorkspace, fetchInvoice, fetchTotals, configureAll, clock } =
  await subscriptionsForThisFile()
type TestWorkspace = Awaited<ReturnType<typeof newWorkspace>>

const lines = [
  { description: 'Workshop', unit_amount: 100_000 },
  { description: 'Travel', unit_amount: 20_000 },
]

/** An invoice that the payer has paid by card, or an open one that was sent. */
async function anInvoice(workspace: TestWorkspace, members: object = {}) {
  const { customerId } = await aPayer(workspace)
  const { body } = await workspace.post('/invoices', {
    customer_id: customerId,
    currency: 'eur',
    lines,
    ...members,
  })
  await workspace.post(`/invoices/${body.id}/finalize`)
  await settle()
  return fetchInvoice(workspace, body.id)
}
/** Waits for the refund of a note, which runs in the background. */
async function waitForRefund(
  workspace: TestWorkspace,
  note: { readonly refund_id: string; readonly refund_amount: number },
) {
  await vi.waitFor(
    async () => {
      const { body: refund } = await workspace.get(`/refunds/${note.refund_id}`)
      expect(refund).toMatchObject({ amount: note.refund_amount, status: 'succeeded' })
    },
    { timeout: 10_000, interval: 20 },
  )
  await settle()
}
const sent = { collection_method: 'send_invoice', terms: { days: 14 } }
const noteFor = (
  invoice: { id: string; lines: { id: string }[] },
  amounts: readonly number[],
  members: object = {},
) => ({
  invoice_id: invoice.id,
  lines: amounts.map((amount, index) => ({ invoice_line_id: invoice.lines[index]?.id, amount })),
  ...members,
})
const balanceOf = async (workspace: TestWorkspace, invoice: { id: string }) => {
  const { body } = await workspace.get(`/ledger-postings?object_id=${invoice.id}&limit=100`)
  const sums: Record<string, number> = {}
  for (const { debit, credit, amount } of body.data) {
    if (debit.object_id === invoice.id) sums[debit.account] = (sums[debit.account] ?? 0) + amount
    if (credit.object_id === invoice.id) sums[credit.account] = (sums[credit.account] ?? 0) - amount
  }
  return sums
}

test('a credit note reduces what is owed; crediting the rest settles the invoice, and nothing can be credited twice', async () => {
  const workspace = await newWorkspace()
  const invoice = await anInvoice(workspace, sent)
  const body = noteFor(invoice, [40_000], { reason: 'order_change' })
  const preview = await workspace.post('/credit-notes/preview', body)
  const { status, body: note } = await workspace.post('/credit-notes', body)

  expect(status).toBe(201)
  expect(preview.body).toMatchObject({
    total: 40_000,
    applied_amount: 40_000,
    refund_amount: 0,
    balance_amount: 0,
  })
  expect(note).toMatchObject({
    number: 'TESTCN-000001',
    status: 'issued',
    total: 40_000,
    applied_amount: 40_000,
  })
  expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({
    status: 'open',
    total: 120_000,
    amount_credited: 40_000,
    amount_due: 80_000,
    amount_remaining: 80_000,
  })
  const refused = await workspace.post('/credit-notes', noteFor(invoice, [60_001]))
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/lines/0/amount' }] } })
  const rest = await workspace.post('/credit-notes', noteFor(invoice, [60_000, 20_000]))
  expect(rest.body).toMatchObject({ number: 'TESTCN-000002', applied_amount: 80_000 })
  expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({
    status: 'paid',
    amount_credited: 120_000,
    amount_remaining: 0,
    amount_paid: 0,
  })
  expect((await workspace.get(`/credit-notes?invoice_id=${invoice.id}`)).body.data).toHaveLength(2)
  expect(await balanceOf(workspace, invoice)).toEqual({ receivable: 0, sales: 0 })
  expect((await workspace.post(`/credit-notes/${note.id}/void`)).body).toMatchObject({
    code: 'invalid_state',
  })
})

test('a credit note for a paid invoice is refunded or becomes customer credit, and never returns more than was paid', async () => {
  const workspace = await newWorkspace()
  const invoice = await anInvoice(workspace)
  expect(invoice).toMatchObject({ status: 'paid', amount_paid: 120_000 })
  const mismatch = noteFor(invoice, [50_000], { refund_amount: 30_000, balance_amount: 30_000 })
  expect((await workspace.post('/credit-notes', mismatch)).body.errors).toMatchObject([
    { pointer: '/refund_amount' },
  ])

  const body = noteFor(invoice, [50_000], { refund_amount: 30_000, balance_amount: 20_000 })
  const { body: note } = await workspace.post('/credit-notes', body)
  await waitForRefund(workspace, note)

  expect(note).toMatchObject({ applied_amount: 0, refund_amount: 30_000, balance_amount: 20_000 })
  expect(await fetchTotals(workspace, invoice.id)).toMatchObject({ captured: 120_000, refunded: 30_000 })
  expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({
    status: 'paid',
    amount_refunded: 30_000,
    amount_credited: 50_000,
  })
  expect((await workspace.post(`/credit-notes/${note.id}/void`)).body).toMatchObject({
    code: 'invalid_state',
  })
  // A refund without a note also counts as returned.
  await workspace.post('/refunds', { payment_id: invoice.payment_id, amount: 60_000 })
  await settle()
  const tooMuch = await workspace.post('/credit-notes', noteFor(invoice, [50_000], { refund_amount: 50_000 }))
  expect(tooMuch.body.errors).toMatchObject([{ pointer: '/refund_amount' }])
  // The credit is applied to the next invoice of the customer.
  const { body: next } = await workspace.post('/invoices', {
    customer_id: invoice.customer_id,
    currency: 'eur',
    lines,
  })
  const { body: finalized } = await workspace.post(`/invoices/${next.id}/finalize`)
  expect(finalized).toMatchObject({ credit_applied: 20_000, amount_due: 100_000 })
})

test('a credit note that only reduced what is owed can be voided; voiding an invoice does not return the amount of its credit notes again', async () => {
  const workspace = await newWorkspace()
  const invoice = await anInvoice(workspace, sent)
  const { body: note } = await workspace.post('/credit-notes', noteFor(invoice, [40_000]))
  const voided = await workspace.post(`/credit-notes/${note.id}/void`)
  expect(voided.body).toMatchObject({ status: 'void', number: note.number })
  expect((await workspace.post(`/credit-notes/${note.id}/void`)).body).toEqual(voided.body)
  expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({
    amount_credited: 0,
    amount_remaining: 120_000,
  })
  expect(await balanceOf(workspace, invoice)).toMatchObject({ receivable: 120_000 })

  await workspace.post('/credit-notes', noteFor(invoice, [30_000]))
  await workspace.post(`/invoices/${invoice.id}/void`)
  expect(await balanceOf(workspace, invoice)).toEqual({ receivable: 0, sales: 0 })
  const { body: next } = await workspace.post('/invoices', {
    customer_id: invoice.customer_id,
    currency: 'eur',
    lines,
  })
  const { body: finalized } = await workspace.post(`/invoices/${next.id}/finalize`)
  expect(finalized).toMatchObject({ credit_applied: 0 })
})

/** A subscription of 3000 a month for each seat, and its first invoice, which is paid. */
async function aPaidSubscription(workspace: TestWorkspace, quantity = 1) {
  const { customerId } = await aPayer(workspace)
  const price_id = await aPrice(workspace, { currency: 'eur', unit_amount: 3_000 })
  const { id, latest_invoice_id } = await aSubscription(workspace, {
    customer_id: customerId,
    items: [{ price_id, quantity }],
  })
  await settle()
  return { id, customerId, invoice: await fetchInvoice(workspace, latest_invoice_id) }
}
/** Advances the time by a month without a payment, and returns the open invoice of the new period. */
async function anOpenRenewal(workspace: TestWorkspace) {
  const { id, customerId } = await aPaidSubscription(workspace)
  await configureAll(workspace, { auth_rate: 0 })
  clock.advance({ days: 32 })
  await settle()
  const { body } = await workspace.get(`/invoices?subscription_id=${id}`)
  expect(body.data[0]).toMatchObject({ status: 'open', total: 3_000 })
  return { id, customerId, open: body.data[0] }
}
const creditOf = async (workspace: TestWorkspace, customerId: string) => {
  const { credit = 0 } = await balanceOf(workspace, { id: customerId })
  return 0 - credit
}
const cancelNow = async (workspace: TestWorkspace, id: string, members: object) => {
  const { status } = await workspace.put(`/subscriptions/${id}/cancel`, { at: 'now', ...members })
  expect(status).toBe(200)
  await settle()
}

test('time that a credit note has credited is not credited or refunded again as unused time', async () => {
  const workspace = await newWorkspace()
  for (const unused_time of ['credit', 'refund']) {
    const { id, customerId, invoice } = await aPaidSubscription(workspace)
    const { body: note } = await workspace.post('/credit-notes', noteFor(invoice, [3_000]))
    expect(note).toMatchObject({ balance_amount: 3_000 })
    await cancelNow(workspace, id, { unused_time })
    expect(await creditOf(workspace, customerId)).toBe(3_000)
    expect(await fetchTotals(workspace, invoice.id)).toMatchObject({ refunded: 0 })
  }
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('no unused time is returned for an invoice that was settled by credit notes alone, in either order', async () => {
  const workspace = await newWorkspace()
  const noteFirst = await anOpenRenewal(workspace)
  const { body: note } = await workspace.post('/credit-notes', noteFor(noteFirst.open, [3_000]))
  expect(note).toMatchObject({ applied_amount: 3_000 })
  await settle()
  await cancelNow(workspace, noteFirst.id, { unused_time: 'credit' })
  expect(await creditOf(workspace, noteFirst.customerId)).toBe(0)

  const other = await newWorkspace()
  const cancelFirst = await anOpenRenewal(other)
  await cancelNow(other, cancelFirst.id, { unused_time: 'credit', open_invoices: 'continue' })
  const { status } = await other.post('/credit-notes', noteFor(cancelFirst.open, [3_000]))
  expect(status).toBe(201)
  await settle()
  expect(await creditOf(other, cancelFirst.customerId)).toBe(0)
  expect(await ledgerDifferences(deps, other.workspaceId)).toEqual([])
})

test('a change does not credit an amount that a credit note has already credited', async () => {
  const workspace = await newWorkspace()
  const { id, customerId, invoice } = await aPaidSubscription(workspace, 2)
  await workspace.post('/credit-notes', noteFor(invoice, [4_000]))
  const change = async (quantity: number) => {
    const { body } = await workspace.get(`/subscriptions/${id}`)
    const items = [{ id: body.items[0].id, quantity }]
    const { status } = await workspace.put(`/subscriptions/${id}`, {
      items,
      proration: { behaviour: 'invoice_now' },
    })
    expect(status).toBe(200)
    await settle()
  }
  await change(1)
  expect(await creditOf(workspace, customerId)).toBe(6_000)
  // The note credited the whole period, so neither another note nor a cancellation returns anything.
  expect((await workspace.post('/credit-notes', noteFor(invoice, [1]))).body.errors).toMatchObject([
    { pointer: '/lines', detail: expect.stringContaining('0 or less') },
  ])
  await cancelNow(workspace, id, { unused_time: 'credit' })
  expect(await creditOf(workspace, customerId)).toBe(6_000)
})

test('an interval change credits only the part of the period that no credit note has credited', async () => {
  const workspace = await newWorkspace()
  const { id, customerId, invoice } = await aPaidSubscription(workspace)
  const yearly = await aPrice(workspace, {
    currency: 'eur',
    unit_amount: 30_000,
    recurring: { interval: 'year' },
  })
  await workspace.post('/credit-notes', noteFor(invoice, [2_000], { refund_amount: 2_000 }))
  await settle()
  const { body: before } = await workspace.get(`/subscriptions/${id}`)
  await workspace.put(`/subscriptions/${id}`, { items: [{ id: before.items[0].id, price_id: yearly }] })
  await settle()
  const { body } = await workspace.get(`/invoices?subscription_id=${id}`)
  expect(body.data[0]).toMatchObject({ reason: 'change', total: 29_000, status: 'paid' })
  // That invoice already credits the rest of the month.
  const { body: refused } = await workspace.post('/credit-notes', noteFor(invoice, [1_000]))
  expect(refused.errors).toMatchObject([{ pointer: '/lines' }])
  expect(await creditOf(workspace, customerId)).toBe(0)
})

test('a credit note does not return an amount that was already credited as unused time', async () => {
  const workspace = await newWorkspace()
  const { id, customerId, invoice } = await aPaidSubscription(workspace)
  clock.advance({ days: 10 })
  await cancelNow(workspace, id, { unused_time: 'credit' })
  const returned = await creditOf(workspace, customerId)
  expect(returned).toBeGreaterThan(0)
  const { body: refused } = await workspace.post('/credit-notes', noteFor(invoice, [3_000]))
  expect(refused.errors).toMatchObject([
    { pointer: '/lines', detail: expect.stringContaining(`${3_000 - returned} or less`) },
  ])
  const { status } = await workspace.post('/credit-notes', noteFor(invoice, [3_000 - returned]))
  expect(status).toBe(201)
  expect(await creditOf(workspace, customerId)).toBe(3_000)
})

test('a refund does not return again what was credited as unused time, even if both are requested concurrently', async () => {
  const workspace = await newWorkspace()
  const { id, customerId, invoice } = await aPaidSubscription(workspace)
  const refund = (payment_id: string, amount?: number) =>
    workspace.post('/refunds', { payment_id, ...(amount === undefined ? {} : { amount }) })
  clock.advance({ days: 10 })
  await cancelNow(workspace, id, { unused_time: 'credit' })
  const returned = await creditOf(workspace, customerId)
  expect(returned).toBeGreaterThan(0)
  for (const amount of [undefined, 3_001 - returned])
    expect((await refund(invoice.payment_id, amount)).body.errors).toMatchObject([
      { pointer: '/amount', detail: expect.stringContaining(`${3_000 - returned} or less`) },
    ])
  expect((await refund(invoice.payment_id, 3_000 - returned)).status).toBe(201)

  const other = await aPaidSubscription(workspace)
  await Promise.all([
    refund(other.invoice.payment_id),
    cancelNow(workspace, other.id, { unused_time: 'credit' }),
  ])
  await settle()
  const { refunded } = await fetchTotals(workspace, other.invoice.id)
  expect(refunded + (await creditOf(workspace, other.customerId))).toBe(3_000)
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('unused time that a dispute may return is not credited, unless the dispute is won or closed', async () => {
  const workspace = await newWorkspace()
  const cancelled = await aPaidSubscription(workspace)
  await reportDispute(deps, workspace.workspaceId, cancelled.invoice.payment_id, { status: 'lost' })
  await cancelNow(workspace, cancelled.id, { unused_time: 'credit' })
  expect(await creditOf(workspace, cancelled.customerId)).toBe(0)

  const changed = await aPaidSubscription(workspace, 2)
  await reportDispute(deps, workspace.workspaceId, changed.invoice.payment_id, {})
  const { body } = await workspace.get(`/subscriptions/${changed.id}`)
  const items = [{ id: body.items[0].id, quantity: 1 }]
  const proration = { behaviour: 'invoice_now' }
  expect((await workspace.put(`/subscriptions/${changed.id}`, { items, proration })).status).toBe(200)
  await settle()
  expect(await creditOf(workspace, changed.customerId)).toBe(0)

  for (const [status, credited] of [
    ['won', 3_000],
    ['closed', 3_000],
  ] as const) {
    const { id, customerId, invoice } = await aPaidSubscription(workspace)
    await reportDispute(deps, workspace.workspaceId, invoice.payment_id, { status })
    await cancelNow(workspace, id, { unused_time: 'credit' })
    expect(await creditOf(workspace, customerId), status).toBe(credited)
  }
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('an amount that a credit note turned into customer credit cannot be refunded, and a lost dispute does not return it again', async () => {
  const workspace = await newWorkspace()
  const invoice = await anInvoice(workspace)
  await workspace.post('/credit-notes', noteFor(invoice, [50_000]))
  const refund = (amount?: number) =>
    workspace.post('/refunds', {
      payment_id: invoice.payment_id,
      ...(amount === undefined ? {} : { amount }),
    })
  expect((await refund()).body.errors).toMatchObject([{ pointer: '/amount' }])
  expect((await refund(70_001)).body.errors).toMatchObject([
    { pointer: '/amount', detail: expect.stringContaining('must be 70000 or less') },
  ])
  expect((await refund(70_000)).status).toBe(201)

  const disputed = await anInvoice(workspace)
  await reportDispute(deps, workspace.workspaceId, disputed.payment_id, { status: 'lost', isWithdrawn: true })
  for (const members of [{}, { refund_amount: 100_000 }]) {
    const { body } = await workspace.post('/credit-notes', noteFor(disputed, [100_000], members))
    expect(body.code).toBe('payment_disputed')
  }
})

test('a concurrent refund and credit note return the payment only once', async () => {
  const workspace = await newWorkspace()
  const invoice = await anInvoice(workspace)
  const results = await Promise.all([
    workspace.post('/refunds', { payment_id: invoice.payment_id, amount: 120_000 }),
    workspace.post('/credit-notes', noteFor(invoice, [100_000, 20_000])),
  ])
  expect(results.map(({ status }) => status).toSorted()).toEqual([201, 400])
})

test('a credit note makes a partial refund only if the provider account supports partial refunds', async () => {
  const workspace = await newWorkspace()
  const invoice = await anInvoice(workspace)
  for (const { id } of (await workspace.get('/provider-accounts')).body.data)
    await workspace.put(`/provider-accounts/${id}`, { capabilities: { partial_refund: false } })
  for (const path of ['/credit-notes/preview', '/credit-notes']) {
    const { body } = await workspace.post(path, noteFor(invoice, [1_000], { refund_amount: 1_000 }))
    expect(body.errors).toMatchObject([{ pointer: '/refund_amount' }])
  }
})

test('a note whose refund has failed can be voided, and its amount and tax are creditable again', async () => {
  const workspace = await newWorkspace()
  const invoice = await aTaxedInvoice(workspace, [10_000])
  const refunding = noteFor(invoice, [10_000], { refund_amount: 12_000 })
  const { body: note } = await workspace.post('/credit-notes', refunding)
  await waitForRefund(workspace, note)
  expect((await workspace.post(`/credit-notes/${note.id}/void`)).body.code).toBe('invalid_state')
  await failSucceededRefund(deps, workspace, invoice.payment_id)
  await settle()

  expect((await workspace.post(`/credit-notes/${note.id}/void`)).body).toMatchObject({ status: 'void' })
  expect((await workspace.eventsOf(note.id)).map(({ type }: { type: string }) => type)).toEqual([
    'credit_note.issued',
    'credit_note.voided',
  ])
  expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({ status: 'paid', amount_credited: 0 })
  expect(await balanceOf(workspace, invoice)).toMatchObject({ receivable: 0, tax_payable: -2_833 })
  const { status, body: again } = await workspace.post('/credit-notes', noteFor(invoice, [10_000]))
  expect([status, again.balance_amount]).toEqual([201, 12_000])
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('concurrent notes credit a line once, and their numbers have no gaps', async () => {
  const workspace = await newWorkspace()
  const invoice = await anInvoice(workspace, sent)
  const responses = await Promise.all(
    Array.from({ length: 4 }, () => workspace.post('/credit-notes', noteFor(invoice, [40_000]))),
  )
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 400, 400])
  expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({ amount_credited: 80_000 })
  const { body } = await workspace.get('/credit-notes')
  // Concurrent requests get their numbers in any order.
  expect(body.data.map(({ number }: { number: string }) => number).toSorted()).toEqual([
    'TESTCN-000001',
    'TESTCN-000002',
  ])
  const skip = inTransaction(deps, workspace.workspaceId, (tx) =>
    sql`update credit_note_series set next_sequence = next_sequence + 1`.execute(tx.db),
  )
  await expect(skip).rejects.toThrow(/not all in use/)
})

test('drafts, lines of other invoices and lines listed twice are refused, and the PDF refers to the invoice', async () => {
  const workspace = await newWorkspace()
  const invoice = await anInvoice(workspace, sent)
  const other = await anInvoice(workspace, sent)
  const { body: draft } = await workspace.post('/invoices', {
    customer_id: invoice.customer_id,
    currency: 'eur',
    lines,
  })
  expect((await workspace.post('/credit-notes', noteFor(draft, [100]))).body.code).toBe('invalid_state')
  const foreign = { ...noteFor(other, [100]), invoice_id: invoice.id }
  expect((await workspace.post('/credit-notes', foreign)).body.errors).toMatchObject([
    { pointer: '/lines/0/invoice_line_id' },
  ])
  const [line] = noteFor(invoice, [100]).lines
  const twice = { invoice_id: invoice.id, lines: [line, line] }
  expect((await workspace.post('/credit-notes', twice)).body.errors).toMatchObject([
    { pointer: '/lines/1/invoice_line_id' },
  ])
  const { body: note } = await workspace.post('/credit-notes', noteFor(invoice, [100], { memo: 'Sorry.' }))
  const address = `${workspace.address}/credit-notes/${note.id}/pdf`
  const pdf = await fetch(address, { headers: { authorization: `Bearer ${workspace.token}` } })
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
  const text = textOfPdf(new Uint8Array(await pdf.arrayBuffer()))
  expect(text).toContain(note.number)
  expect(text).toContain(invoice.number)
  expect(text).not.toContain(other.number)
})

/** Lines with 20% tax added, and a ticket whose price includes 20% tax. */
async function aTaxedInvoice(workspace: TestWorkspace, unitAmounts: readonly number[], members: object = {}) {
  const { post } = workspace
  const address = { line1: '1 High Street', postal_code: 'SW1A 1AA', city: 'London', country: 'GB' }
  await workspace.put('/seller', { legal_name: 'Example Ltd', address, tax: 'rates' })
  const { body: rate } = await post('/tax-rates', { name: 'VAT', percentage: '20' })
  await post('/tax-rules', { tax_rate_id: rate.id })
  const { body: product } = await post('/products', { name: 'Ticket' })
  const { body: ticket } = await post('/prices', {
    product_id: product.id,
    currency: 'eur',
    unit_amount: 4_999,
    tax_behavior: 'inclusive',
  })
  const added = unitAmounts.map((unit_amount) => ({ description: 'Workshop', unit_amount }))
  return anInvoice(workspace, { lines: [...added, { price_id: ticket.id }], ...members })
}

test('several partial credit notes add up to the whole invoice, and leave no tax payable', async () => {
  const workspace = await newWorkspace()
  const invoice = await aTaxedInvoice(workspace, [6_833, 5_750, 8_500, 6_833], sent)
  // 20% tax on 27916 is added: 5583. The ticket price includes 833.
  expect(invoice).toMatchObject({ status: 'open', subtotal: 32_915, tax_total: 6_416, total: 38_498 })
  expect(await balanceOf(workspace, invoice)).toEqual({
    receivable: 38_498,
    sales: -32_082,
    tax_payable: -6_416,
  })
  const issue = async (index: number, amount: number) => {
    const credited = [{ invoice_line_id: invoice.lines[index].id, amount }]
    const { status, body } = await workspace.post('/credit-notes', {
      invoice_id: invoice.id,
      lines: credited,
    })
    expect(status).toBe(201)
    return body
  }

  const first = await issue(0, 6_833)
  expect(first).toMatchObject({ subtotal: 6_833, tax_total: 1_367, total: 8_200, lines: [{ tax: 1_367 }] })
  const contained = await issue(4, 2_000)
  expect(contained).toMatchObject({ subtotal: 2_000, tax_total: 333, total: 2_000 })
  expect(await balanceOf(workspace, invoice)).toEqual({
    receivable: 28_298,
    sales: -23_582,
    tax_payable: -4_716,
  })
  await workspace.post(`/credit-notes/${first.id}/void`)
  expect(await balanceOf(workspace, invoice)).toEqual({
    receivable: 36_498,
    sales: -30_415,
    tax_payable: -6_083,
  })
  expect(await postingsOf(workspace, invoice.id)).toEqual(
    expect.arrayContaining([
      'credit_note_tax_returned: tax_payable > sales 1367',
      'credit_note_tax_recorded: sales > tax_payable 1367',
    ]),
  )
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])

  const notes = [contained]
  for (const [index, amount] of [
    [0, 6_833],
    [1, 5_750],
    [2, 8_500],
    [3, 6_833],
    [4, 2_999],
  ] as const)
    notes.push(await issue(index, amount))
  expect(notes.map(({ tax_total }) => tax_total)).toEqual([333, 1_367, 1_150, 1_700, 1_366, 500])
  const sumOf = (member: string) => notes.reduce((sum, note) => sum + note[member], 0)
  expect([sumOf('subtotal'), sumOf('tax_total'), sumOf('total')]).toEqual([32_915, 6_416, 38_498])
  expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({ status: 'paid', amount_credited: 38_498 })
  expect(await balanceOf(workspace, invoice)).toEqual({ receivable: 0, sales: 0, tax_payable: 0 })
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('a credit note for a paid invoice returns its tax, refunded or as credit, and voiding an invoice returns only the remaining tax', async () => {
  const workspace = await newWorkspace()
  const paid = await aTaxedInvoice(workspace, [10_000])
  expect(paid).toMatchObject({ status: 'paid', total: 16_999, tax_total: 2_833 })
  const body = noteFor(paid, [10_000, 4_999], { refund_amount: 12_000, balance_amount: 4_999 })
  const key = { headers: { 'idempotency-key': 'credit-note-1' } }
  const first = await workspace.post('/credit-notes', body, key)
  const repeated = await workspace.post('/credit-notes', body, key)
  expect([first.status, repeated.status]).toEqual([201, 201])
  expect(repeated.body).toEqual(first.body)
  expect(first.body).toMatchObject({ tax_total: 2_833, total: 16_999 })
  await waitForRefund(workspace, first.body)
  expect((await workspace.get(`/credit-notes?invoice_id=${paid.id}`)).body.data).toHaveLength(1)
  expect(await fetchTotals(workspace, paid.id)).toMatchObject({ refunded: 12_000 })
  expect(await balanceOf(workspace, paid)).toMatchObject({ receivable: 0, tax_payable: 0 })

  const { body: draft } = await workspace.post('/invoices', {
    customer_id: (await workspace.post('/customers', { name: 'Ada' })).body.id,
    currency: 'eur',
    lines,
    ...sent,
  })
  const { body: open } = await workspace.post(`/invoices/${draft.id}/finalize`)
  expect(open).toMatchObject({ status: 'open', tax_total: 24_000 })
  await workspace.post('/credit-notes', noteFor(open, [30_000]))
  await workspace.post(`/invoices/${open.id}/void`)
  expect(await postingsOf(workspace, open.id)).toContain('tax_returned: tax_payable > sales 18000')
  expect(await balanceOf(workspace, open)).toEqual({ receivable: 0, sales: 0, tax_payable: 0 })
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('a refund that was created without a note is documented once, with its tax, and nothing is refunded again', async () => {
  const workspace = await newWorkspace()
  const paid = await aTaxedInvoice(workspace, [10_000])
  const other = await anInvoice(workspace)
  const { body: refund } = await workspace.post('/refunds', { payment_id: paid.payment_id, amount: 6_000 })
  await settle()
  const document = (members: object, amounts = [5_000]) =>
    workspace.post('/credit-notes', noteFor(paid, amounts, { refund_id: refund.id, ...members }))

  expect((await document({ refund_amount: 6_000 })).body.errors).toMatchObject([
    { pointer: '/refund_amount' },
  ])
  expect((await document({}, [4_000])).body.errors).toMatchObject([{ pointer: '/lines' }])
  const foreign = await workspace.post('/credit-notes', noteFor(other, [6_000], { refund_id: refund.id }))
  expect(foreign.body.errors).toMatchObject([{ pointer: '/refund_id' }])
  const { status, body: note } = await document({})
  expect(status).toBe(201)
  expect(note).toMatchObject({ total: 6_000, tax_total: 1_000, refund_amount: 6_000, refund_id: refund.id })
  expect((await document({})).body.errors).toMatchObject([{ pointer: '/refund_id' }])

  expect(await fetchTotals(workspace, paid.id)).toMatchObject({ refunded: 6_000 })
  expect(await fetchInvoice(workspace, paid.id)).toMatchObject({ amount_credited: 6_000 })
  expect(await balanceOf(workspace, paid)).toMatchObject({ receivable: 0, tax_payable: -1_833 })
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('voiding an invoice issues a credit note for what earlier notes have left, with its tax, and nothing stays in the ledger', async () => {
  const workspace = await newWorkspace()
  const invoice = await aTaxedInvoice(workspace, [6_833, 5_750], sent)
  const paid = await aTaxedInvoice(workspace, [10_000], { customer_id: invoice.customer_id })
  await workspace.post('/credit-notes', noteFor(paid, [1_000]))
  expect(await creditOf(workspace, invoice.customer_id)).toBe(1_200)
  const other = await aTaxedInvoice(workspace, [6_833, 5_750], { ...sent, customer_id: invoice.customer_id })
  expect(other).toMatchObject({ status: 'open', tax_total: 3_350, total: 20_099, credit_applied: 1_200 })
  await workspace.post('/credit-notes', noteFor(other, [3_333]))

  const voided = await workspace.post(`/invoices/${other.id}/void`)
  const repeated = await workspace.post(`/invoices/${other.id}/void`)
  expect([voided.status, repeated.status]).toEqual([200, 200])
  expect(voided.body).toMatchObject({ status: 'void', amount_credited: 20_099, amount_remaining: 0 })
  const [note, first] = (await workspace.get(`/credit-notes?invoice_id=${other.id}`)).body.data
  expect(first).toMatchObject({ reason: 'other', tax_total: 667, total: 4_000 })
  expect(note).toMatchObject({
    number: 'TESTCN-000003',
    status: 'issued',
    reason: 'void',
    lines: [
      { invoice_line_id: other.lines[0].id, amount: 3_500, tax: 700 },
      { invoice_line_id: other.lines[1].id, amount: 5_750, tax: 1_150 },
      { invoice_line_id: other.lines[2].id, amount: 4_999, tax: 833 },
    ],
    subtotal: 14_249,
    tax_total: 2_683,
    total: 16_099,
    applied_amount: 14_899,
    refund_amount: 0,
    balance_amount: 1_200,
    refund_id: null,
  })
  expect((await workspace.eventsOf(note.id)).map(({ type }: { type: string }) => type)).toEqual([
    'credit_note.issued',
  ])
  expect(await creditOf(workspace, invoice.customer_id)).toBe(1_200)
  expect(await balanceOf(workspace, other)).toEqual({ receivable: 0, sales: 0, tax_payable: 0 })
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
  expect((await workspace.post(`/credit-notes/${note.id}/void`)).body.code).toBe('invalid_state')
  expect((await workspace.post('/credit-notes', noteFor(invoice, [1], { reason: 'void' }))).status).toBe(400)
})

test('the credit note of a void invoice has a PDF and an e-invoice that name the invoice', async () => {
  const workspace = await newWorkspace()
  const address = { line1: '1 High Street', postal_code: '10115', city: 'Berlin', country: 'DE' }
  const tax_ids = [{ type: 'eu_vat', value: 'DE136695976' }]
  await workspace.put('/seller', { legal_name: 'Example GmbH', address, tax_ids, tax: 'rates' })
  const { body: rate } = await workspace.post('/tax-rates', { name: 'VAT', percentage: '19' })
  await workspace.post('/tax-rules', { tax_rate_id: rate.id })
  const { body: customer } = await workspace.post('/customers', { name: 'Ada', address })
  const invoice = await anInvoice(workspace, { ...sent, customer_id: customer.id })
  await workspace.post(`/invoices/${invoice.id}/void`)
  const [note] = (await workspace.get(`/credit-notes?invoice_id=${invoice.id}`)).body.data
  const download = async (path: string) => {
    const url = `${workspace.address}/credit-notes/${note.id}/${path}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${workspace.token}` } })
    expect(response.status).toBe(200)
    return new Uint8Array(await response.arrayBuffer())
  }

  const text = textOfPdf(await download('pdf'))
  expect(text).toContain(note.number)
  expect(text).toContain(invoice.number)
  const xml = Buffer.from(await download('xml?format=ubl')).toString()
  expect(xml).toContain(`<cbc:ID>${invoice.number}</cbc:ID>`)
  expect(xml).toContain('<cbc:PayableAmount currencyID="EUR">1428.00</cbc:PayableAmount>')
  expect((await workspace.get(`/invoices/${invoice.id}/xml`)).body.code).toBe('invalid_state')
})

test('the note of a void invoice of a subscription includes its credit lines, a draft gets none, and unearned is 0', async () => {
  const workspace = await newWorkspace()
  const { id, customerId } = await aPaidSubscription(workspace)
  await configureAll(workspace, { auth_rate: 0 })
  const { body: subscription } = await workspace.get(`/subscriptions/${id}`)
  const items = [{ id: subscription.items[0].id, quantity: 3 }]
  await workspace.put(`/subscriptions/${id}`, { items, proration: { behaviour: 'invoice_now' } })
  await settle()
  const [change] = (await workspace.get(`/invoices?subscription_id=${id}`)).body.data
  expect(change).toMatchObject({ status: 'open', reason: 'change', total: 6_000 })

  await cancelNow(workspace, id, { unused_time: 'forfeit', open_invoices: 'void' })
  expect(await fetchInvoice(workspace, change.id)).toMatchObject({ status: 'void', amount_credited: 6_000 })
  const [note] = (await workspace.get(`/credit-notes?invoice_id=${change.id}`)).body.data
  expect(note).toMatchObject({
    reason: 'void',
    customer_id: customerId,
    lines: [{ amount: -3_000 }, { amount: 9_000 }],
    subtotal: 6_000,
    total: 6_000,
    applied_amount: 6_000,
  })
  const owed = await balanceOf(workspace, change)
  expect(Object.values(owed).every((amount) => amount === 0)).toBe(true)

  const { body: draft } = await workspace.post('/invoices', {
    customer_id: customerId,
    currency: 'eur',
    lines,
  })
  await workspace.delete(`/invoices/${draft.id}`)
  expect((await workspace.get(`/credit-notes?invoice_id=${draft.id}`)).body.data).toEqual([])
  expect(await ledgerDifferences(deps, workspace.workspaceId)).toEqual([])
})

test('a note that was voided before does not count: the note of the void credits the whole invoice', async () => {
  const workspace = await newWorkspace()
  const invoice = await anInvoice(workspace, sent)
  const first = await workspace.post('/credit-notes', noteFor(invoice, [40_000]))
  await workspace.post(`/credit-notes/${first.body.id}/void`)
  await workspace.post(`/invoices/${invoice.id}/void`)
  const { data } = (await workspace.get(`/credit-notes?invoice_id=${invoice.id}`)).body
  expect(data.map(({ status, reason, total }: Note) => ({ status, reason, total }))).toEqual([
    { status: 'issued', reason: 'void', total: 120_000 },
    { status: 'void', reason: 'other', total: 40_000 },
  ])
})
type Note = { readonly status: string; readonly reason: string; readonly total: number }

test('the database refuses to void an invoice without its credit note', async () => {
  const workspace = await newWorkspace()
  const invoice = await anInvoice(workspace, sent)
  await asOwner(databaseUrl, (client) =>
    client.query(`
      create function mislead_void_notes() returns trigger language plpgsql as $$
      begin
        new.reason := 'other';
        new.invoice_id := gen_random_uuid();
        return new;
      end
      $$;
      create trigger mislead_void_notes before insert on credit_notes for each row
        when (new.reason = 'void') execute function mislead_void_notes()`),
  )
  try {
    expect((await workspace.post(`/invoices/${invoice.id}/void`)).status).toBe(500)
  } finally {
    await asOwner(databaseUrl, (client) => client.query('drop function mislead_void_notes cascade'))
  }
  expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({ status: 'open', amount_credited: 0 })

  expect((await workspace.post(`/invoices/${invoice.id}/void`)).status).toBe(200)
  expect((await workspace.get(`/credit-notes?invoice_id=${invoice.id}`)).body.data).toHaveLength(1)
})
