// The database refuses to commit a change that moves money without its postings. Each test discards the postings of one
// act, which simulates code that forgets them, and then performs the act through the API.

import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { failSucceededRefund } from '../../../../test/support/failed-refund.ts'
import { inTransaction } from '../../../../test/support/invoices.ts'
import { ledgerDifferences } from '../../../../test/support/ledger.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { createToken } from '../../../../test/support/payment-methods.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import type { ActName } from './postings.ts'

const billing = await subscriptionsForThisFile()
const { aPayer, createOpenInvoice, fetchInvoice, settle } = billing

await asOwner(billing.databaseUrl, (client) =>
  client.query(`
    create table lost_acts (workspace_id uuid, act text);
    grant select on lost_acts to switchyard_app;
    create function lose_posting() returns trigger language plpgsql as $$
    begin
      if exists (select from lost_acts where workspace_id = new.workspace_id and act = new.act) then
        return null;
      end if;
      return new;
    end
    $$;
    create trigger lose_posting before insert on ledger_postings for each row execute function lose_posting()`),
)

const workspaces: Workspace[] = []
async function newWorkspace() {
  const workspace = await billing.newWorkspace()
  workspaces.push(workspace)
  return workspace
}

/** Discards the postings of this business transaction for the rest of the test. */
async function losePostings({ workspaceId }: Workspace, act: ActName): Promise<void> {
  await asOwner(billing.databaseUrl, (client) =>
    client.query('insert into lost_acts values ($1, $2)', [uuidOf(workspaceId as Id<'workspace'>), act]),
  )
}

afterEach(async () => {
  for (const { workspaceId } of workspaces.splice(0))
    expect(await ledgerDifferences(billing.deps, workspaceId)).toEqual([])
})

async function pay(workspace: Workspace, number = '4242424242424242') {
  const token = await createToken(workspace, number)
  return (await workspace.post('/payments', { amount: 1299, currency: 'eur', token })).body
}
const fetchPayment = async ({ get }: Workspace, id: string) => (await get(`/payments/${id}`)).body

test('a captured payment', async () => {
  const workspace = await newWorkspace()
  await losePostings(workspace, 'payment_captured')
  await pay(workspace)

  const [payment] = (await workspace.get('/payments')).body.data
  expect(payment).toMatchObject({ status: 'processing', amount_captured: 0 })
})

test('a requested refund', async () => {
  const workspace = await newWorkspace()
  const { id: payment_id } = await pay(workspace)
  await losePostings(workspace, 'refund_requested')

  expect((await workspace.post('/refunds', { payment_id, amount: 300 })).status).toBe(500)
  expect(await fetchPayment(workspace, payment_id)).toMatchObject({ amount_refunding: 0, amount_refunded: 0 })
})

test.each([
  ['refund_succeeded', '4242424242424242'],
  ['refund_failed', cardNumberForScenario('6004')],
] as const)('a refund: %s', async (act, number) => {
  const workspace = await newWorkspace()
  const { id: payment_id } = await pay(workspace, number)
  await losePostings(workspace, act)
  await workspace.post('/refunds', { payment_id, amount: 300 })

  expect((await workspace.get('/refunds')).body.data).toMatchObject([{ status: 'pending' }])
  expect(await fetchPayment(workspace, payment_id)).toMatchObject({
    amount_refunding: 300,
    amount_refunded: 0,
  })
})

test('a refund that failed after it had succeeded', async () => {
  const workspace = await newWorkspace()
  const { id: payment_id } = await pay(workspace)
  await workspace.post('/refunds', { payment_id, amount: 300 })
  await losePostings(workspace, 'refund_returned')

  expect((await failSucceededRefund(billing.deps, workspace, payment_id)).status).toBe(500)
  expect(await fetchPayment(workspace, payment_id)).toMatchObject({ amount_refunded: 300 })
})

test('a finalized invoice', async () => {
  const workspace = await newWorkspace()
  await losePostings(workspace, 'invoice_finalized')
  const id = await createOpenInvoice(workspace, await aPayer(workspace))

  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'draft' })
})

test('an invoice that is paid by a payment', async () => {
  const workspace = await newWorkspace()
  const id = await createOpenInvoice(workspace, await aPayer(workspace))
  await losePostings(workspace, 'payment_applied')
  await workspace.post(`/invoices/${id}/pay`)

  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'open', amount_paid: 0 })
})

test.each([
  ['invoice_paid_out_of_band', 'pay', { out_of_band: true }],
  ['invoice_voided', 'void', {}],
  ['invoice_written_off', 'mark-uncollectible', {}],
] as const)('an open invoice: %s', async (act, action, body) => {
  const workspace = await newWorkspace()
  const id = await createOpenInvoice(workspace, await aPayer(workspace))
  await losePostings(workspace, act)

  expect((await workspace.post(`/invoices/${id}/${action}`, body)).status).toBe(500)
  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'open', amount_paid: 0 })
})

test.each([
  ['write_off_reversed', 'pay', { out_of_band: true }],
  ['write_off_reversed', 'void', {}],
  ['invoice_voided', 'void', {}],
] as const)('an uncollectible invoice: %s by %s', async (act, action, body) => {
  const workspace = await newWorkspace()
  const id = await createOpenInvoice(workspace, await aPayer(workspace))
  await workspace.post(`/invoices/${id}/mark-uncollectible`)
  await losePostings(workspace, act)

  expect((await workspace.post(`/invoices/${id}/${action}`, body)).status).toBe(500)
  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'uncollectible' })
})

test('the tax of a credit note, when it is issued and when it is voided', async () => {
  const workspace = await newWorkspace()
  await workspace.put('/seller', { tax: 'rates' })
  const { body: rate } = await workspace.post('/tax-rates', { name: 'VAT', percentage: '20' })
  await workspace.post('/tax-rules', { tax_rate_id: rate.id })
  const { body: draft } = await workspace.post('/invoices', {
    customer_id: await workspace.aCustomer(),
    currency: 'eur',
    collection_method: 'send_invoice',
    lines: [{ description: 'Workshop', unit_amount: 1000 }],
  })
  const { body: invoice } = await workspace.post(`/invoices/${draft.id}/finalize`)
  const issue = (amount: number) =>
    workspace.post('/credit-notes', {
      invoice_id: invoice.id,
      lines: [{ invoice_line_id: invoice.lines[0].id, amount }],
    })
  const { body: note } = await issue(300)
  await losePostings(workspace, 'credit_note_tax_returned')
  expect((await issue(200)).status).toBe(500)
  await losePostings(workspace, 'credit_note_tax_recorded')
  expect((await workspace.post(`/credit-notes/${note.id}/void`)).status).toBe(500)

  expect(await fetchInvoice(workspace, invoice.id)).toMatchObject({ amount_credited: 360, amount_due: 840 })
})

test('the part of a credit note that is not earned, and the rest at the end of the period', async () => {
  const workspace = await newWorkspace()
  const id = await createOpenInvoice(workspace, await aPayer(workspace))
  const invoice = await fetchInvoice(workspace, id)
  const issue = (amount: number) =>
    workspace.post('/credit-notes', {
      invoice_id: id,
      lines: [{ invoice_line_id: invoice.lines[0].id, amount }],
    })
  const { body: note } = await issue(300)
  await losePostings(workspace, 'credit_note_unearned_returned')
  expect((await issue(200)).status).toBe(500)
  await losePostings(workspace, 'credit_note_unearned_recorded')
  expect((await workspace.post(`/credit-notes/${note.id}/void`)).status).toBe(500)
  expect(await fetchInvoice(workspace, id)).toMatchObject({ amount_credited: 300 })
})

test('credit that is granted', async () => {
  const workspace = await newWorkspace()
  const customerId = (await workspace.aCustomer()) as Id<'customer'>
  await losePostings(workspace, 'credit_granted')
  const id = await createOpenInvoice(workspace, { customerId, amount: -1000 })

  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'draft' })
})

test('credit that is applied', async () => {
  const workspace = await newWorkspace()
  const customerId = (await workspace.aCustomer()) as Id<'customer'>
  await createOpenInvoice(workspace, { customerId, amount: -1000 })
  await losePostings(workspace, 'credit_applied')
  const id = await createOpenInvoice(workspace, { customerId })

  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'draft', credit_applied: 0 })
})

test('credit that is returned', async () => {
  const workspace = await newWorkspace()
  const customerId = (await workspace.aCustomer()) as Id<'customer'>
  await createOpenInvoice(workspace, { customerId, amount: -1000 })
  const id = await createOpenInvoice(workspace, { customerId })
  await losePostings(workspace, 'credit_returned')

  expect((await workspace.post(`/invoices/${id}/void`)).status).toBe(500)
  expect(await fetchInvoice(workspace, id)).toMatchObject({ status: 'open', credit_applied: 1000 })
})

test('a period that ended', async () => {
  const workspace = await newWorkspace()
  const { customerId: customer_id, paymentMethodId: payment_method_id } = await aPayer(workspace)
  const { id } = await aSubscription(workspace, { customer_id, payment_method_id })
  await settle()
  const { current_period } = (await workspace.get(`/subscriptions/${id}`)).body
  await losePostings(workspace, 'period_ended')
  billing.clock.advance({ days: 32 })

  await expect(settle()).rejects.toThrow(/^ledger: lines \{1\} .* add up to 0, but 2999 was moved/)
  expect((await workspace.get(`/subscriptions/${id}`)).body).toMatchObject({ current_period })
})

test('a subscription that leaves a period which is neither earned nor withdrawn', async () => {
  const workspace = await newWorkspace()
  const { customerId: customer_id, paymentMethodId: payment_method_id } = await aPayer(workspace)
  const { id } = await aSubscription(workspace, { customer_id, payment_method_id })
  await settle()

  await expect(
    inTransaction(billing.deps, workspace.workspaceId, (tx) =>
      sql`update subscriptions set period_invoice_id = id where id = ${uuidOf(id)}`.execute(tx.db),
    ),
  ).rejects.toThrow(/which is neither earned nor withdrawn/)
})
