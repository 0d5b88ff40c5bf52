// All pages show the same figures, and exclude objects on test clocks unless the user includes them.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cards } from '../../support/checkout.ts'
import { createAttachedMethod } from '../../support/payment-methods.ts'
import { aSubscription } from '../../support/subscriptions.ts'
import type { Workspace } from '../../support/switchyard.ts'
import { dashboardForThisFile } from './support/dashboard-pages.ts'
import { pay } from './support/payments.ts'

const dashboard = await dashboardForThisFile()

/** Creates a customer on a test clock whose first renewal fails. */
async function createFailedRenewalOnClock(workspace: Workspace): Promise<void> {
  const { body: clock } = await workspace.post('/test-clocks', { now_at: '2027-01-01T00:00:00.000Z' })
  const customer_id = await workspace.aCustomer({ name: 'Ada Lovelace', test_clock_id: clock.id })
  const method = await createAttachedMethod(workspace, customer_id)
  await workspace.put(`/payment-methods/${method}`, { metadata: { simulate: 'approve, decline:51' } })
  await aSubscription(workspace, { customer_id })
  await workspace.post(`/test-clocks/${clock.id}/advance`, { by: 'P1M1D' })
}

const openScreen = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
const readMain = async (page: Page) => (await page.getByRole('main').textContent()) ?? ''

test('Home and Providers show the same attempts and the same approval rate for an account', async () => {
  const workspace = await dashboard.newWorkspace()
  await pay(workspace)
  await pay(workspace, cards.declined)
  await createFailedRenewalOnClock(workspace)

  const page = await dashboard.open(workspace)
  await expect.poll(() => readMain(page)).toContain('50% of 2 attempts approved')
  await openScreen(page, 'Providers')
  const account = page.getByRole('list', { name: 'Provider accounts' }).getByRole('listitem').first()
  await expect.poll(() => account.textContent()).toMatch(/Attempts, 24 h2.*Approved, 24 h50%/)
  await page.getByRole('checkbox', { name: 'Include test clocks' }).check()
  await expect.poll(() => account.textContent()).toMatch(/Attempts, 24 h4.*Approved, 24 h50%/)
  await openScreen(page, 'Home')
  await expect.poll(() => readMain(page)).toContain('50% of 4 attempts approved')
})

test('Home lists no failed payment below "No payment failed" while test clocks are excluded', async () => {
  const workspace = await dashboard.newWorkspace()
  await pay(workspace)
  await createFailedRenewalOnClock(workspace)

  const page = await dashboard.open(workspace)
  await expect.poll(() => readMain(page)).toContain('No payment failed in the last 24 hours.')
  const latestPayments = page.getByRole('table', { name: 'Latest payments' })
  await expect.poll(() => latestPayments.textContent()).toContain('€129.00')
  expect(await latestPayments.textContent()).not.toContain('insufficient_funds')
  await page.getByRole('checkbox', { name: 'Include test clocks' }).check()
  await expect.poll(() => latestPayments.textContent()).toContain('insufficient_funds')
  await expect.poll(() => readMain(page)).not.toContain('No payment failed')
})

test('Dunning shows the amount at risk and its campaigns, and the browser remembers whether test clocks are included', async () => {
  const workspace = await dashboard.newWorkspace()
  await createFailedRenewalOnClock(workspace)

  const page = await dashboard.open(workspace, '/dunning')
  await expect.poll(() => readMain(page)).toContain('Nothing is at risk.')
  expect(await page.getByRole('table', { name: 'Dunning campaigns' }).count()).toBe(0)
  await page.getByRole('main').getByRole('button', { name: 'Include test clocks' }).click()
  await expect.poll(() => readMain(page)).toContain('$29.99')
  expect(await readMain(page)).not.toContain('Nothing is at risk.')
  const campaign = page.getByRole('table', { name: 'Dunning campaigns' }).getByRole('row').nth(1)
  // The time of a test clock is always shown as a date.
  await expect.poll(() => campaign.textContent()).toMatch(/\d Feb 2027 test clock/)
  await page.reload()
  await expect.poll(() => readMain(page)).toContain('$29.99')
  expect(await page.getByRole('checkbox', { name: 'Include test clocks' }).isChecked()).toBe(true)
})

test('the next retry of a campaign that is overdue is shown as due now, not as past', async () => {
  const workspace = await dashboard.newWorkspace()
  const { body: campaign } = await workspace.get(`/dunning-campaigns/${await workspace.aCampaign()}`)
  const page = await dashboard.open(workspace, '/dunning')
  const row = page.getByRole('table', { name: 'Dunning campaigns' }).getByRole('row').nth(1)
  await expect.poll(() => row.textContent()).toContain('Retry 1')
  expect(await row.textContent()).not.toContain('due now')

  await page.context().clock.setFixedTime(Date.parse(campaign.next_attempt_at) + 3_600_000)
  await page.reload()
  await expect.poll(() => row.textContent()).toContain('due now')
  await page.goto(page.url().replace('/dunning', `/invoices/${campaign.invoice_id}`))
  await expect.poll(() => readMain(page)).toContain('The next attempt is due now.')
})

test('a list filtered by customer also shows objects on a test clock', async () => {
  const workspace = await dashboard.newWorkspace()
  await createFailedRenewalOnClock(workspace)
  const { body: customers } = await workspace.get('/customers')

  const page = await dashboard.open(workspace, '/invoices')
  await expect.poll(() => readMain(page)).toContain('Test clocks are not included.')
  await page.goto(`${page.url()}?customer_id=${customers.data[0].id}`)
  await expect.poll(() => page.getByRole('table', { name: 'Invoices' }).textContent()).toContain('$29.99')
})

test('a date filter shows the objects created on the selected days, and no objects on test clocks unless they are included', async () => {
  const workspace = await dashboard.newWorkspace()
  await pay(workspace)
  await createFailedRenewalOnClock(workspace)
  // Lists are filtered by the real time, which the test clock does not change.
  const today = new Date().toISOString().slice(0, 10)
  const page = await dashboard.open(workspace, `/payments?from=${today}`)
  const table = page.getByRole('table', { name: 'Payments', exact: true })
  await expect.poll(() => table.textContent()).toContain('€129.00')
  expect(await table.textContent()).not.toContain('$29.99')

  await page.getByRole('checkbox', { name: 'Include test clocks' }).check()
  await expect.poll(() => table.textContent()).toContain('$29.99')
  // Objects on the clock show dates in 2027, but lists are filtered by the real time.
  await page.goto(page.url().replace(`from=${today}`, 'from=2027-01-01'))
  await expect.poll(() => readMain(page)).toContain('Nothing matches From “2027-01-01”.')
  expect(await table.count()).toBe(0)
})
