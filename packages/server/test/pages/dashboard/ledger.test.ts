// The balances of the workspace, and the postings of payments and invoices.

import { expect, test } from 'vitest'
import type { Id } from '../../../src/kernel/id.ts'
import { createDraftInvoice } from '../../support/invoices.ts'
import { createAttachedMethod } from '../../support/payment-methods.ts'
import type { Workspace } from '../../support/switchyard.ts'
import { takeScreenshot } from '../support/screenshots.ts'
import { dashboardForThisFile } from './support/dashboard-pages.ts'
import { pay } from './support/payments.ts'

const dashboard = await dashboardForThisFile()

/** Creates an invoice and pays it with a saved card. */
async function paidInvoice(workspace: Workspace) {
  const customerId = (await workspace.aCustomer()) as Id<'customer'>
  const paymentMethodId = (await createAttachedMethod(workspace, customerId)) as Id<'payment_method'>
  const { id } = await createDraftInvoice(dashboard.deps, workspace.workspaceId, {
    customerId,
    paymentMethodId,
    collect: 'never',
  })
  await workspace.post(`/invoices/${id}/finalize`)
  await workspace.post(`/invoices/${id}/pay`)
  await expect.poll(async () => (await workspace.get(`/invoices/${id}`)).body.status).toBe('paid')
  return (await workspace.get(`/invoices/${id}`)).body
}

test('Balances shows what is at each provider and what is owed, now and on an earlier day', async () => {
  const workspace = await dashboard.newWorkspace()
  const payment = await pay(workspace)
  await workspace.post('/refunds', { payment_id: payment.id, amount: 4_000 })
  await paidInvoice(workspace)
  const { body: account } = await workspace.get(`/provider-accounts/${payment.provider_account_id}`)
  const page = await dashboard.open(workspace)

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Balances' }).click()
  const providers = page.getByRole('table', { name: 'At your providers' })
  const atProvider = providers.getByRole('row').filter({ hasText: account.display_name })
  // €129.00 minus €40.00, plus €29.99 for the invoice.
  await atProvider.getByText('€118.99').waitFor()
  const owed = page.getByRole('table', { name: 'Owed by and to customers' })
  const ownRow = (title: string) => owed.getByRole('row').filter({ hasText: title })
  expect(await ownRow('Unearned revenue').textContent()).toContain('€29.99')
  expect(await ownRow('Owed by customers').textContent()).toContain('€0.00')
  expect(await ownRow('Credit balances').textContent()).toContain('None')

  await page.getByLabel('Show debit and credit accounts').check()
  await page.getByText('Sum of each side: €158.99 EUR').waitFor()
  await takeScreenshot(page, 'balances', { fullPage: true })
  await page.getByLabel('As of').fill('2020-01-31')
  await page.getByText('Nothing matches As of “2020-01-31”.').waitFor()
})

test('the ledger of a payment and its invoice shows each movement as a sentence, and the accounts on request', async () => {
  const workspace = await dashboard.newWorkspace()
  const invoice = await paidInvoice(workspace)
  const { body: payment } = await workspace.get(`/payments/${invoice.payment_id}`)
  const { body: account } = await workspace.get(`/provider-accounts/${payment.provider_account_id}`)
  const page = await dashboard.open(workspace, `/payments/${payment.id}?tab=ledger`)
  const table = page.getByRole('table', { name: 'Ledger' })

  await table.getByText(`€29.99 captured at ${account.display_name}`).waitFor()
  await table.getByText(`€29.99 applied to invoice ${invoice.number}`).waitFor()
  expect(await table.getByText('Unapplied').count()).toBe(0)
  await page.getByLabel('Show debit and credit accounts').check()
  expect(await table.getByText('Unapplied').count()).toBe(2)
  await takeScreenshot(page, 'payment-ledger', { fullPage: true })

  await table.getByRole('link', { name: invoice.number }).click()
  // The page of the payment has a tab with the same name.
  await page.getByRole('tablist', { name: 'Invoice details' }).getByRole('tab', { name: 'Ledger' }).click()
  await table.getByText('€29.99 invoiced').waitFor()
  await table.getByText('€29.99 applied from payment').waitFor()
  await takeScreenshot(page, 'invoice-ledger', { fullPage: true })
})

test('the credit notes of an invoice are listed on its page and on the page of its customer', async () => {
  const workspace = await dashboard.newWorkspace()
  const invoice = await paidInvoice(workspace)
  const { body: note } = await workspace.post('/credit-notes', {
    invoice_id: invoice.id,
    lines: [{ invoice_line_id: invoice.lines[0].id, amount: 1_000 }],
  })
  const page = await dashboard.open(workspace, `/invoices/${invoice.id}?tab=credit-notes`)
  const row = page
    .getByRole('table', { name: 'Credit notes' })
    .getByRole('row')
    .filter({ hasText: note.number })
  await row.getByText('€10.00').waitFor()
  const download = page.waitForEvent('download')
  await row.getByRole('button', { name: 'Download PDF' }).click()
  expect((await download).suggestedFilename()).toBe(`${note.number}.pdf`)

  const ofCustomer = await dashboard.open(workspace, `/customers/${invoice.customer_id}?tab=credit-notes`)
  const table = ofCustomer.getByRole('table', { name: 'Credit notes' })
  await table.getByRole('row').filter({ hasText: note.number }).getByText('€10.00').waitFor()
})
