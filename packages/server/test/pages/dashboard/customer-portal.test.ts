// The settings of the customer portal, and the links for one customer.

import { expect, test } from 'vitest'
import { aPrice } from '../../support/subscriptions.ts'
import { dashboardForThisFile, toast } from './support/dashboard-pages.ts'

const dashboard = await dashboardForThisFile()

test('an ADMIN changes what customers can do, twice, and creates both links for a customer', async () => {
  const workspace = await dashboard.newWorkspace()
  const price = await aPrice(workspace)
  const page = await dashboard.open(workspace, '/customer-portal')
  await page.getByLabel('Pause a subscription').check()
  await page.getByRole('button', { name: 'Save settings' }).click()
  await toast(page, 'Settings saved').waitFor()
  await page.getByLabel(/^Team plan/).check()
  await page.getByRole('button', { name: 'Save settings' }).click()
  await expect
    .poll(async () => (await workspace.get('/portal-configuration')).body)
    .toMatchObject({ pause: true, switch_plan: { price_ids: [price] } })

  const customerId = await workspace.aCustomer({ name: 'Ada Lovelace' })
  const customer = await dashboard.open(workspace, `/customers/${customerId}`)
  for (const [item, submit, path] of [
    ['Create card update link…', 'Create link', '/c/checkout_session_test_'],
    ['Open portal…', 'Create session', '/p/'],
  ] as const) {
    await customer.getByRole('button', { name: 'More actions' }).click()
    await customer.getByRole('menuitem', { name: item }).click()
    await customer.getByRole('button', { name: submit }).click()
    await customer.getByText(path).waitFor()
    await customer.getByRole('button', { name: 'Done' }).click()
  }
})
