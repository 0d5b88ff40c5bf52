// Every transition of an invoice, through the API.

import { expect, test } from 'vitest'
import { billingForThisFile } from '../../../../test/support/billing.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { amountOf } from '../../../kernel/invoice-lines.ts'
import { creditOf, grantCredit, pendingLinesOf, voidInvoiceInTx } from './service.ts'

const billing = await billingForThisFile()
const { fetchInvoice, eventTypesOf, draft, createOpenInvoice, aPayer, deps } = billing

test('a due draft is finalized: it gets a number, is collected and paid, and emits events', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  const { id } = await draft(workspace, payer)

  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'draft', number: null, amount_due: 2999 })
  await billing.settle()

  expect(await fetchInvoice(workspace, id)).toMatchObject({
    status: 'paid',
    number: 'TEST-000001',
    payment_state: 'none',
    attempt_count: 1,
    total: 2999,
    amount_paid: 2999,
    amount_remaining: 0,
    overdue: false,
    payment_id: expect.stringMatching(/^payment_test_/),
  })
  expect(await billing.fetchTotals(workspace, id)).toMatchObject({
    payments: 1,
    approvals: 1,
    captured: 2999,
  })
  expect(await eventTypesOf(workspace, id)).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid'])
})

test('a draft that is not due stays a draft, and can be finalized on request', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  const { id } = await draft(workspace, { ...payer, finalizeAt: new Date('2026-11-14T13:00:00.000Z') })
  await billing.settle()
  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'draft' })

  const first = await workspace.post(`/invoices/${id}/finalize`)
  const second = await workspace.post(`/invoices/${id}/finalize`)

  expect(first).toMatchObject({ status: 200, body: { status: 'open', number: 'TEST-000001' } })
  expect(second.body).toEqual(first.body)
  expect(await eventTypesOf(workspace, id)).toEqual(['invoice.created', 'invoice.finalized'])
})

test('credit is applied to an invoice, which is paid immediately if nothing remains due', async () => {
  const workspace = await billing.newWorkspace()
  const customerId = await workspace.aCustomer()
  const options = { customerId } as Parameters<typeof draft>[1]
  await inTransaction(deps, workspace.workspaceId, (tx) =>
    grantCredit(tx, {
      customerId: options.customerId,
      currency: 'eur',
      amount: 5000n,
      reason: 'unused_time',
      invoiceId: null,
    }),
  )

  const [first, second] = [
    await createOpenInvoice(workspace, options),
    await createOpenInvoice(workspace, options),
  ]

  expect(await fetchInvoice(workspace, first)).toMatchObject({
    status: 'paid',
    total: 2999,
    credit_applied: 2999,
    amount_due: 0,
    amount_paid: 0,
  })
  expect(await fetchInvoice(workspace, second)).toMatchObject({
    status: 'open',
    total: 2999,
    credit_applied: 2001,
    amount_due: 998,
    amount_remaining: 998,
  })
  const entries = await entriesOf(workspace.workspaceId)
  expect(entries.map(({ amount, balance_after, reason }) => [amount, balance_after, reason])).toEqual([
    ['5000', '5000', 'unused_time'],
    ['-2999', '2001', 'applied'],
    ['-2001', '0', 'applied'],
  ])
})

test('a negative total becomes credit', async () => {
  const workspace = await billing.newWorkspace()
  const customerId = (await aPayer(workspace)).customerId

  const id = await createOpenInvoice(workspace, { customerId, amount: -1446 })

  expect(await fetchInvoice(workspace, id)).toMatchObject({
    status: 'paid',
    total: -1446,
    credit_granted: 1446,
    amount_due: 0,
  })
  expect(await inTransaction(deps, workspace.workspaceId, (tx) => creditOf(tx, customerId, 'eur'))).toBe(
    1446n,
  )
  const { body } = await workspace.get('/events?type=credit_balance.changed')
  expect(JSON.parse(body.data[0].data).object).toMatchObject({ customer_id: customerId, balance: 1446 })
})

test('a negative total first reduces the open invoice it relates to, and only the rest becomes credit', async () => {
  const workspace = await billing.newWorkspace()
  const { customerId } = await aPayer(workspace)
  const credit = () => inTransaction(deps, workspace.workspaceId, (tx) => creditOf(tx, customerId, 'eur'))
  const source = await createOpenInvoice(workspace, { customerId })
  const reducesInvoiceId = source as Parameters<typeof voidInvoiceInTx>[1]

  await createOpenInvoice(workspace, { customerId, amount: -999, reducesInvoiceId })
  expect(await fetchInvoice(workspace, source)).toMatchObject({ status: 'open', amount_remaining: 2000 })
  expect(await credit()).toBe(0n)
  await createOpenInvoice(workspace, { customerId, amount: -2500, reducesInvoiceId })

  expect(await fetchInvoice(workspace, source)).toMatchObject({ status: 'paid', credit_applied: 2999 })
  expect(await credit()).toBe(500n)
  expect(await eventTypesOf(workspace, source)).toEqual([
    'invoice.created',
    'invoice.finalized',
    'invoice.updated',
    'invoice.updated',
    'invoice.paid',
  ])
})

test('an amount too small to charge is moved to the next invoice', async () => {
  const workspace = await billing.newWorkspace()
  const { customerId } = await aPayer(workspace)
  const { id, subscriptionId } = await draft(workspace, { customerId, amount: 49 })
  await billing.settle()

  const invoice = await fetchInvoice(workspace, id)
  expect(invoice).toMatchObject({ status: 'paid', total: 0, amount_due: 0 })
  expect(invoice.lines.map((line: { kind: string; amount: number }) => [line.kind, line.amount])).toEqual([
    ['cycle', 49],
    ['carried', -49],
  ])
  const pending = await inTransaction(deps, workspace.workspaceId, (tx) =>
    pendingLinesOf(tx, subscriptionId as Id<'subscription'>),
  )
  expect(pending).toMatchObject([{ kind: 'carried', amount: 49n, sourceLineId: invoice.lines[1].id }])
  for (const { amount, explanation } of pending) expect(amountOf(explanation)).toBe(amount)
})

test('voiding an open invoice returns its credit, and it can no longer be paid', async () => {
  const workspace = await billing.newWorkspace()
  const { customerId } = await aPayer(workspace)
  const credit = () => inTransaction(deps, workspace.workspaceId, (tx) => creditOf(tx, customerId, 'eur'))
  await createOpenInvoice(workspace, { customerId, amount: -1000 })
  const id = await createOpenInvoice(workspace, { customerId })
  expect(await credit()).toBe(0n)

  const first = await workspace.post(`/invoices/${id}/void`)
  const second = await workspace.post(`/invoices/${id}/void`)

  expect(first).toMatchObject({
    status: 200,
    body: { status: 'void', void_reason: 'requested', credit_applied: 0, amount_remaining: 0 },
  })
  expect(second.body).toEqual(first.body)
  expect(await credit()).toBe(1000n)
  expect(await workspace.post(`/invoices/${id}/pay`)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'void', allowed_actions: [] },
  })
  expect((await eventTypesOf(workspace, id)).at(-1)).toBe('invoice.voided')
})

test('an uncollectible invoice can still be paid or voided', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  const [paidLater, voidedLater] = [
    await createOpenInvoice(workspace, payer),
    await createOpenInvoice(workspace, payer),
  ]
  for (const id of [paidLater, voidedLater]) {
    const marked = await workspace.post(`/invoices/${id}/mark-uncollectible`)
    expect(marked).toMatchObject({ status: 200, body: { status: 'uncollectible' } })
    const again = await workspace.post(`/invoices/${id}/mark-uncollectible`)
    expect(again.body).toEqual(marked.body)
  }

  await workspace.post(`/invoices/${paidLater}/pay`)
  expect(await billing.waitForPaymentEnd(workspace, paidLater)).toMatchObject({
    status: 'paid',
    amount_paid: 2999,
  })
  expect(await workspace.post(`/invoices/${voidedLater}/void`)).toMatchObject({ body: { status: 'void' } })
  expect(await eventTypesOf(workspace, paidLater)).toEqual([
    'invoice.created',
    'invoice.finalized',
    'invoice.marked_uncollectible',
    'invoice.paid',
  ])
})

test('an invoice paid out of band is paid without a charge', async () => {
  const workspace = await billing.newWorkspace()
  const id = await createOpenInvoice(workspace, await aPayer(workspace))

  const paid = await workspace.post(`/invoices/${id}/pay`, { out_of_band: true })
  const again = await workspace.post(`/invoices/${id}/pay`)

  expect(paid).toMatchObject({ body: { status: 'paid', paid_out_of_band: true, amount_paid: 2999 } })
  expect(again.body).toEqual(paid.body)
  expect(await billing.fetchTotals(workspace, id)).toMatchObject({ payments: 0, approvals: 0 })
})

test.each([
  ['draft', 'void', 409],
  ['draft', 'pay', 409],
  ['draft', 'mark-uncollectible', 409],
  ['paid', 'void', 409],
  ['paid', 'mark-uncollectible', 409],
  ['void', 'finalize', 409],
  ['void', 'mark-uncollectible', 409],
])('a %s invoice rejects %s with %i', async (state, action, status) => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  const id =
    state === 'draft' ? (await draft(workspace, payer)).id : await createOpenInvoice(workspace, payer)
  if (state === 'paid') await workspace.post(`/invoices/${id}/pay`, { out_of_band: true })
  if (state === 'void') await workspace.post(`/invoices/${id}/void`)

  const refused = await workspace.post(`/invoices/${id}/${action}`)

  expect(refused).toMatchObject({ status, body: { code: 'invalid_state', current_status: state } })
})

test('a subscription can void its drafts, which never get a number', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  for (const reason of ['pause', 'activation_expired', 'requested'] as const) {
    const { id } = await draft(workspace, payer)

    await inTransaction(deps, workspace.workspaceId, (tx) => voidInvoiceInTx(tx, id, reason))
    await billing.settle()

    expect(await fetchInvoice(workspace, id)).toMatchObject({
      status: 'void',
      number: null,
      void_reason: reason,
    })
  }
})

test('lines add up to the total, and their amounts can be recomputed from their explanations', async () => {
  const workspace = await billing.newWorkspace()
  const id = await createOpenInvoice(workspace, await aPayer(workspace))

  const invoice = await fetchInvoice(workspace, id)
  const { body: lines } = await workspace.get(`/invoices/${id}/lines`)

  expect(lines.data).toEqual(invoice.lines)
  const sum = invoice.lines.reduce((total: number, { amount }: { amount: number }) => total + amount, 0)
  expect(sum).toBe(invoice.total)
  for (const { amount, explanation } of invoice.lines) {
    const { rule, unit_amount_decimal: unitAmountDecimal, quantity } = explanation
    const { numerator_seconds: numeratorSeconds, denominator_seconds: denominatorSeconds } = explanation
    const terms = { rule, unitAmountDecimal, quantity, numeratorSeconds, denominatorSeconds }
    expect(Number(amountOf(terms))).toBe(amount)
  }
})

test('the database rejects invalid invoice changes', async () => {
  const workspace = await billing.newWorkspace()
  const id = await createOpenInvoice(workspace, await aPayer(workspace))
  const query = (text: string) =>
    asOwner(billing.databaseUrl, (client) => client.query(text, [uuidOf(id as Parameters<typeof uuidOf>[0])]))

  await expect(query('delete from invoice_lines where invoice_id = $1')).rejects.toThrow('is final')
  await expect(
    query(`insert into invoice_lines select (jsonb_populate_record(invoice_lines, jsonb_build_object('id',
      gen_random_uuid()))).* from invoice_lines where invoice_id = $1`),
  ).rejects.toThrow('is final')
  await expect(
    query('update invoices set total = 1, subtotal = 1, amount_due = 1 where id = $1'),
  ).rejects.toThrow('do not add up')
  await expect(query('update invoices set amount_paid = 3000 where id = $1')).rejects.toThrow(
    'paid_is_at_most',
  )
  await expect(query('update invoices set credit_applied = 1 where id = $1')).rejects.toThrow('credit_leaves')
  await expect(
    query(
      'update invoice_series set next_sequence = 1 where workspace_id = (select workspace_id from invoices where id = $1)',
    ),
  ).rejects.toThrow('back to')
})

test('invoices can be filtered by customer, subscription and status', async () => {
  const workspace = await billing.newWorkspace()
  const [ada, grace] = [await aPayer(workspace), await aPayer(workspace)]
  const first = await createOpenInvoice(workspace, ada)
  const { id: second, subscriptionId } = await draft(workspace, {
    ...ada,
    finalizeAt: new Date('2027-01-01'),
  })
  const third = await createOpenInvoice(workspace, grace)
  const idsOf = async (query: string) =>
    (await workspace.get(`/invoices?${query}`)).body.data.map((invoice: { id: string }) => invoice.id)

  expect(await idsOf('')).toEqual([third, second, first])
  expect(await idsOf(`customer_id=${ada.customerId}`)).toEqual([second, first])
  expect(await idsOf(`subscription_id=${subscriptionId}`)).toEqual([second])
  expect(await idsOf('status=open')).toEqual([third, first])
  expect(await idsOf(`customer_id=${ada.customerId}&status=open`)).toEqual([first])
  expect(await workspace.get('/invoices?customer_id=nonsense')).toMatchObject({ status: 400 })
})

async function entriesOf(workspaceId: string) {
  const { rows } = await asOwner(billing.databaseUrl, (client) =>
    client.query('select * from credit_entries where workspace_id = $1 order by id', [
      uuidOf(workspaceId as Parameters<typeof uuidOf>[0]),
    ]),
  )
  return rows.map((row) => ({ ...row, amount: String(row.amount), balance_after: String(row.balance_after) }))
}
