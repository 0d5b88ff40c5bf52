// Tax rates and rules in the dashboard, the rate of a customer, and the tax of an invoice.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { takeScreenshot } from '../support/screenshots.ts'
import { dashboardForThisFile, toast } from './support/dashboard-pages.ts'

const dashboard = await dashboardForThisFile()
const germanId = { type: 'eu_vat', value: 'DE136695976' }
const frenchId = { type: 'eu_vat', value: 'FR40303265045' }
const address = { line1: 'Unter den Linden 1', city: 'Berlin', country: 'DE' }

test('an ADMIN turns tax on, creates a rate and a rule, and sees which rate applies to a customer', async () => {
  const workspace = await dashboard.newWorkspace()
  await workspace.put('/seller', { legal_name: 'Example GmbH', address, tax_ids: [germanId] })
  await workspace.aCustomer({ name: 'Ada Lovelace', address: { country: 'DE' } })
  await workspace.aCustomer({ name: 'Exemple SARL', tax_ids: [frenchId] })
  const page = await dashboard.open(workspace, '/tax')

  await page.getByRole('button', { name: 'Turn on tax…' }).click()
  await submit(page, 'Turn on tax')
  await toast(page, 'Tax turned on').waitFor()
  await page.getByRole('button', { name: 'Create tax rate' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('Germany 19%')
  await page.getByRole('dialog').getByLabel('Percentage').fill('19')
  await submit(page, 'Create tax rate')
  await toast(page, 'Tax rate created').waitFor()
  await page.getByRole('button', { name: 'Create tax rule' }).click()
  await page.getByRole('dialog').getByLabel('Country of the customer').fill('de')
  await submit(page, 'Create tax rule')
  await page.getByRole('table', { name: 'Tax rules' }).getByText('Germany 19%').waitFor()

  await page.getByLabel('Customer', { exact: true }).selectOption({ label: 'Ada Lovelace' })
  await page.getByText('Consumer in DE: Germany 19% (19%).').waitFor()
  await takeScreenshot(page, 'dashboard-tax')
  await page.getByLabel('Customer', { exact: true }).selectOption({ label: 'Exemple SARL' })
  await page.getByText('Business in FR: reverse charge.').waitFor()

  await page.getByRole('button', { name: 'Archive…' }).click()
  await submit(page, 'Archive tax rate')
  await page.getByRole('dialog').getByRole('alert').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await submit(page, 'Delete tax rule')
  await page.getByText('No tax rules yet.').waitFor()
  await page.getByText('Business in FR: reverse charge.').waitFor()
  await page.getByRole('button', { name: 'Archive…' }).click()
  await submit(page, 'Archive tax rate')
  await toast(page, 'Tax rate archived').waitFor()
  expect((await workspace.get('/tax-rates')).body.data).toMatchObject([{ active: false }])
})

test('a READ_ONLY person sees rates and rules, and can change neither', async () => {
  const workspace = await dashboard.newWorkspace()
  const page = await dashboard.open(workspace, '/tax', 'READ_ONLY')

  const create = page.getByRole('button', { name: 'Create tax rate' }).first()
  await expect.poll(() => create.getAttribute('aria-disabled')).toBe('true')
})

test('an invoice shows the tax of each rate, and the note of reverse charge', async () => {
  const workspace = await dashboard.newWorkspace()
  const { post, put } = workspace
  await put('/seller', { legal_name: 'Example GmbH', address, tax_ids: [germanId], tax: 'rates' })
  const { body: rate } = await post('/tax-rates', { name: 'Germany 19%', percentage: '19' })
  await post('/tax-rules', { tax_rate_id: rate.id, country: 'DE' })
  const anInvoice = async (customer: object) =>
    (
      await post('/invoices', {
        customer_id: await workspace.aCustomer(customer),
        currency: 'eur',
        collection_method: 'send_invoice',
        lines: [
          { description: 'Workshop', unit_amount: 100_000 },
          { description: 'Travel', unit_amount: 10_000, quantity: 2 },
        ],
      })
    ).body.id as string

  const domestic = await dashboard.open(workspace, `/invoices/${await anInvoice({ address })}`)
  const row = domestic.getByRole('table', { name: 'Tax' }).getByRole('row').last()
  await row.waitFor()
  expect(await row.textContent()).toBe('19%€1,200.00€228.00')
  const lines = domestic.getByRole('list', { name: 'Lines' }).getByRole('listitem')
  expect(await lines.allTextContents()).toEqual([
    expect.stringMatching(/^Workshop€1,000.00One-time charge, \d+ \w+ \d{4}1000.00, charged once/),
    expect.stringMatching(/^Travel × 2€200.00One-time charge/),
  ])
  await takeScreenshot(domestic, 'dashboard-invoice-tax')

  const french = { name: 'Exemple SARL', address: { ...address, country: 'FR' }, tax_ids: [frenchId] }
  const reverse = await dashboard.open(workspace, `/invoices/${await anInvoice(french)}`)
  const table = reverse.getByRole('table', { name: 'Tax' })
  await table.waitFor()
  expect(await table.getByRole('row').last().textContent()).toMatch('Reverse charge')
  await takeScreenshot(reverse, 'dashboard-invoice-reverse-charge')
})

function submit(page: Page, name: string): Promise<void> {
  return page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
}

test('an ADMIN configures a tax provider, checks its credentials, and uses it for new invoices', async () => {
  const workspace = await dashboard.newWorkspace()
  await workspace.put('/seller', { legal_name: 'Example GmbH', address, tax_ids: [germanId] })
  const page = await dashboard.open(workspace, '/tax')

  await page.getByRole('button', { name: 'Configure provider…' }).click()
  await page.getByRole('dialog').getByLabel('Provider', { exact: true }).selectOption({ label: 'AvaTax' })
  await submit(page, 'Save provider')
  await toast(page, 'Tax provider saved').waitFor()
  await page.getByText('AvaTax (emulated)').waitFor()
  await page.getByRole('button', { name: 'Use tax provider…' }).click()
  await submit(page, 'Use tax provider')
  await toast(page, 'Tax provider is used for new invoices').waitFor()

  expect((await workspace.get('/seller')).body).toMatchObject({ tax: 'provider' })
  await takeScreenshot(page, 'dashboard-tax-provider')
})
