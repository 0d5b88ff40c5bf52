// Every row of the life of an invoice, through the front door.

import { expect, test } from 'vitest'
import { billingForThisFile } from '../../../test/support/billing.ts'
import { inUnit } from '../../../test/support/invoices.ts'
import { uuidOf } from '../../kernel/id.ts'
import { amountOf } from '../../kernel/invoice-lines.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { creditOf, grantCredit, pendingLinesOf, voidInvoiceIn } from './service.ts'

const billing = await billingForThisFile()
const { invoiceOf, typesOf, draft, anOpen, aPayer, deps } = billing

test('a draft is finalized when its time has come: it gets a number, is collected and paid, and all is told', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  const { id } = await draft(workspace, payer)

  expect(await invoiceOf(workspace, id)).toMatchObject({ status: 'draft', number: null, amount_due: 2999 })
  await billing.settle()

  expect(await invoiceOf(workspace, id)).toMatchObject({
    ...{ status: 'paid', number: 'TEST-000001', payment_state: 'none', attempt_count: 1 },
    ...{ total: 2999, amount_paid: 2999, amount_remaining: 0, overdue: false },
    payment_id: expect.stringMatching(/^payment_test_/),
  })
  expect(await billing.sumsOf(workspace, id)).toMatchObject({ payments: 1, approvals: 1, captured: 2999 })
  expect(await typesOf(workspace, id)).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid'])
})

test('a draft whose time has not come waits, and can be finalized by request', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  const { id } = await draft(workspace, { ...payer, finalizeAt: new Date('2026-11-14T13:00:00.000Z') })
  await billing.settle()
  expect(await invoiceOf(workspace, id)).toMatchObject({ status: 'draft' })

  const first = await workspace.post(`/invoices/${id}/finalize`)
  const second = await workspace.post(`/invoices/${id}/finalize`)

  expect(first).toMatchObject({ status: 200, body: { status: 'open', number: 'TEST-000001' } })
  expect(second.body).toEqual(first.body)
  expect(await typesOf(workspace, id)).toEqual(['invoice.created', 'invoice.finalized'])
})

test('credit is set against an invoice, which is paid at once if nothing is left', async () => {
  const workspace = await billing.newWorkspace()
  const customerId = await workspace.aCustomer()
  const wish = { customerId } as Parameters<typeof draft>[1]
  await inUnit(deps, workspace.workspaceId, (tx) =>
    grantCredit(tx, {
      ...{ customerId: wish.customerId, currency: 'eur', amount: 5000n },
      ...{ reason: 'unused_time', invoiceId: null },
    }),
  )

  const [first, second] = [await anOpen(workspace, wish), await anOpen(workspace, wish)]

  expect(await invoiceOf(workspace, first)).toMatchObject({
    ...{ status: 'paid', total: 2999, credit_applied: 2999, amount_due: 0, amount_paid: 0 },
  })
  expect(await invoiceOf(workspace, second)).toMatchObject({
    ...{ status: 'open', total: 2999, credit_applied: 2001, amount_due: 998, amount_remaining: 998 },
  })
  const entries = await entriesOf(workspace.workspaceId)
  expect(entries.map(({ amount, balance_after, reason }) => [amount, balance_after, reason])).toEqual([
    ['5000', '5000', 'unused_time'],
    ['-2999', '2001', 'applied'],
    ['-2001', '0', 'applied'],
  ])
})

test('a total below zero becomes credit', async () => {
  const workspace = await billing.newWorkspace()
  const customerId = (await aPayer(workspace)).customerId

  const id = await anOpen(workspace, { customerId, amount: -1446 })

  expect(await invoiceOf(workspace, id)).toMatchObject({
    ...{ status: 'paid', total: -1446, credit_granted: 1446, amount_due: 0 },
  })
  expect(await inUnit(deps, workspace.workspaceId, (tx) => creditOf(tx, customerId, 'eur'))).toBe(1446n)
  const { body } = await workspace.get('/events?type=credit_balance.changed')
  expect(JSON.parse(body.data[0].data).object).toMatchObject({ customer_id: customerId, balance: 1446 })
})

test('a total below zero lowers the open invoice that it comes from first, and only the rest is credit', async () => {
  const workspace = await billing.newWorkspace()
  const { customerId } = await aPayer(workspace)
  const credit = () => inUnit(deps, workspace.workspaceId, (tx) => creditOf(tx, customerId, 'eur'))
  const source = await anOpen(workspace, { customerId })
  const reducesInvoiceId = source as Parameters<typeof voidInvoiceIn>[1]

  await anOpen(workspace, { customerId, amount: -999, reducesInvoiceId })
  expect(await invoiceOf(workspace, source)).toMatchObject({ status: 'open', amount_remaining: 2000 })
  expect(await credit()).toBe(0n)
  await anOpen(workspace, { customerId, amount: -2500, reducesInvoiceId })

  expect(await invoiceOf(workspace, source)).toMatchObject({ status: 'paid', credit_applied: 2999 })
  expect(await credit()).toBe(500n)
  expect(await typesOf(workspace, source)).toEqual([
    ...['invoice.created', 'invoice.finalized', 'invoice.updated', 'invoice.updated', 'invoice.paid'],
  ])
})

test('what is too small to be charged closes the invoice and waits for the next', async () => {
  const workspace = await billing.newWorkspace()
  const { customerId } = await aPayer(workspace)
  const { id, subscriptionId } = await draft(workspace, { customerId, amount: 49 })
  await billing.settle()

  const invoice = await invoiceOf(workspace, id)
  expect(invoice).toMatchObject({ status: 'paid', total: 0, amount_due: 0 })
  expect(invoice.lines.map((line: { kind: string; amount: number }) => [line.kind, line.amount])).toEqual([
    ['cycle', 49],
    ['carried', -49],
  ])
  const pending = await inUnit(deps, workspace.workspaceId, (tx) => pendingLinesOf(tx, subscriptionId))
  expect(pending).toMatchObject([{ kind: 'carried', amount: 49n, sourceLineId: invoice.lines[1].id }])
  for (const { amount, explanation } of pending) expect(amountOf(explanation)).toBe(amount)
})

test('an open invoice is made void, its credit goes back, and it cannot be paid any more', async () => {
  const workspace = await billing.newWorkspace()
  const { customerId } = await aPayer(workspace)
  const credit = () => inUnit(deps, workspace.workspaceId, (tx) => creditOf(tx, customerId, 'eur'))
  await anOpen(workspace, { customerId, amount: -1000 })
  const id = await anOpen(workspace, { customerId })
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
  expect((await typesOf(workspace, id)).at(-1)).toBe('invoice.voided')
})

test('an invoice that was given up can still be paid, or be made void', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  const [late, never] = [await anOpen(workspace, payer), await anOpen(workspace, payer)]
  for (const id of [late, never]) {
    const marked = await workspace.post(`/invoices/${id}/mark-uncollectible`)
    expect(marked).toMatchObject({ status: 200, body: { status: 'uncollectible' } })
    const again = await workspace.post(`/invoices/${id}/mark-uncollectible`)
    expect(again.body).toEqual(marked.body)
  }

  await workspace.post(`/invoices/${late}/pay`)
  expect(await billing.quiet(workspace, late)).toMatchObject({ status: 'paid', amount_paid: 2999 })
  expect(await workspace.post(`/invoices/${never}/void`)).toMatchObject({ body: { status: 'void' } })
  expect(await typesOf(workspace, late)).toEqual([
    ...['invoice.created', 'invoice.finalized', 'invoice.marked_uncollectible', 'invoice.paid'],
  ])
})

test('an invoice that was paid by other means is paid, and nobody is charged', async () => {
  const workspace = await billing.newWorkspace()
  const id = await anOpen(workspace, await aPayer(workspace))

  const paid = await workspace.post(`/invoices/${id}/pay`, { out_of_band: true })
  const again = await workspace.post(`/invoices/${id}/pay`)

  expect(paid).toMatchObject({ body: { status: 'paid', paid_out_of_band: true, amount_paid: 2999 } })
  expect(again.body).toEqual(paid.body)
  expect(await billing.sumsOf(workspace, id)).toMatchObject({ payments: 0, approvals: 0 })
})

test.each([
  ['draft', 'void', 409],
  ['draft', 'pay', 409],
  ['draft', 'mark-uncollectible', 409],
  ['paid', 'void', 409],
  ['paid', 'mark-uncollectible', 409],
  ['void', 'finalize', 409],
  ['void', 'mark-uncollectible', 409],
])('what is %s refuses %s with %i', async (state, action, status) => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  const id = state === 'draft' ? (await draft(workspace, payer)).id : await anOpen(workspace, payer)
  if (state === 'paid') await workspace.post(`/invoices/${id}/pay`, { out_of_band: true })
  if (state === 'void') await workspace.post(`/invoices/${id}/void`)

  const refused = await workspace.post(`/invoices/${id}/${action}`)

  expect(refused).toMatchObject({ status, body: { code: 'invalid_state', current_status: state } })
})

test('a subscription discards a draft that it does not want any more', async () => {
  const workspace = await billing.newWorkspace()
  const payer = await aPayer(workspace)
  for (const why of ['pause', 'activation_expired', 'requested'] as const) {
    const { id } = await draft(workspace, payer)

    await inUnit(deps, workspace.workspaceId, (tx) => voidInvoiceIn(tx, id, why))
    await billing.settle()

    expect(await invoiceOf(workspace, id)).toMatchObject({ status: 'void', number: null, void_reason: why })
  }
})

test('lines add up to the total and recompute from their explanations', async () => {
  const workspace = await billing.newWorkspace()
  const id = await anOpen(workspace, await aPayer(workspace))

  const invoice = await invoiceOf(workspace, id)
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

test('the database refuses what the code should never do', async () => {
  const workspace = await billing.newWorkspace()
  const id = await anOpen(workspace, await aPayer(workspace))
  const owner = (text: string) =>
    asOwner(billing.databaseUrl, (client) => client.query(text, [uuidOf(id as Parameters<typeof uuidOf>[0])]))

  await expect(owner('delete from invoice_lines where invoice_id = $1')).rejects.toThrow('is final')
  await expect(
    owner(`insert into invoice_lines select (jsonb_populate_record(invoice_lines, jsonb_build_object('id',
      gen_random_uuid()))).* from invoice_lines where invoice_id = $1`),
  ).rejects.toThrow('is final')
  await expect(
    owner('update invoices set total = 1, subtotal = 1, amount_due = 1 where id = $1'),
  ).rejects.toThrow('do not add up')
  await expect(owner('update invoices set amount_paid = 3000 where id = $1')).rejects.toThrow(
    'paid_is_at_most',
  )
  await expect(owner('update invoices set credit_applied = 1 where id = $1')).rejects.toThrow('credit_leaves')
  await expect(
    owner(
      'update invoice_series set next_sequence = 1 where workspace_id = (select workspace_id from invoices where id = $1)',
    ),
  ).rejects.toThrow('back to')
})

test('invoices are listed by customer, by subscription and by state', async () => {
  const workspace = await billing.newWorkspace()
  const [ada, grace] = [await aPayer(workspace), await aPayer(workspace)]
  const first = await anOpen(workspace, ada)
  const { id: second, subscriptionId } = await draft(workspace, {
    ...ada,
    finalizeAt: new Date('2027-01-01'),
  })
  const third = await anOpen(workspace, grace)
  const idsOf = async (query: string) =>
    (await workspace.get(`/invoices?${query}`)).body.data.map((one: { id: string }) => one.id)

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
