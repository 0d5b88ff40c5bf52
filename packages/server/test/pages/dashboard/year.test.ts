// The year simulation: invoices, retries and their outcomes, within six clicks from Home.

import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { dashboardForThisFile } from './support/dashboard-pages.ts'

const dashboard = await dashboardForThisFile()

test('a year with a card that fails in month 3 is simulated and shown within six clicks', async () => {
  const workspace = await dashboard.newWorkspace()
  const page = await dashboard.open(workspace)
  let clicks = 0
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }

  await click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Test clocks' }))
  await click(page.getByRole('radio', { name: /fails in month 3/ }))
  await click(page.getByRole('button', { name: 'Simulate a year' }))
  await page.waitForURL(/\/test-clocks\/test_clock_/)
  await dashboard.settle()
  await page.getByText('Ready', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Year of Ada Lovelace' }).waitFor()

  expect(clicks).toBeLessThanOrEqual(6)
  const [subscription] = (await workspace.get('/subscriptions')).body.data
  const { body: invoices } = await workspace.get(`/invoices?subscription_id=${subscription.id}&limit=100`)
  expect(invoices.data.length).toBeGreaterThanOrEqual(12)
  await expect.poll(() => page.getByRole('main').textContent()).toMatch(/retr|again|failed/i)
})
