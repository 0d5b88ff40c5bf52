// Meters in the dashboard: creating one, its usage, and its usage alerts.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { takeScreenshot } from '../support/screenshots.ts'
import { dashboardForThisFile, toast } from './support/dashboard-pages.ts'

const dashboard = await dashboardForThisFile()

async function submit(page: Page, name: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
}

test('a DEVELOPER creates a meter, sees its usage by day and by customer, and creates and archives an alert', async () => {
  const workspace = await dashboard.newWorkspace()
  const page = await dashboard.open(workspace, '/meters', 'DEVELOPER')
  await page.getByRole('button', { name: 'Create meter' }).first().click()
  await page.getByRole('dialog').getByLabel('Event name').fill('api_request')
  await page.getByRole('dialog').getByLabel('Dimensions').fill('region, tier')
  await submit(page, 'Create meter')
  await toast(page, 'Meter created').waitFor()
  await page.getByRole('heading', { level: 1, name: 'api_request' }).waitFor()
  await page.getByText('No usage in this period.').first().waitFor()

  await page.getByRole('button', { name: 'Create usage alert' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('Included requests')
  await page.getByRole('dialog').getByLabel('Threshold').fill('0')
  await submit(page, 'Create usage alert')
  await page.getByRole('dialog').getByText('must be above 0').first().waitFor()
  await page.getByRole('dialog').getByLabel('Threshold').fill('1500')
  await submit(page, 'Create usage alert')
  await toast(page, 'Usage alert created').waitFor()

  const ada = await workspace.aCustomer({ name: 'Ada Lovelace' })
  const grace = await workspace.aCustomer({ name: 'Grace Hopper' })
  const events = [
    [ada, '1234.5', 'eu'],
    [ada, '300', 'us'],
    [grace, '20', 'eu'],
  ].map(([customer_id, value, region], index) => {
    const dimensions = { region, tier: 'pro' }
    return { id: `${index}`, event_name: 'api_request', customer_id, value, dimensions }
  })
  expect((await workspace.post('/meter-events', { events })).body).toMatchObject({ accepted: 3 })
  await dashboard.settle()
  await page.reload()
  await page.getByText('All recorded events are included').waitFor()
  await page.getByText('1,554.5', { exact: true }).waitFor()
  const byCustomer = page.getByRole('table', { name: 'Usage by customer' })
  await byCustomer.getByRole('row', { name: 'Ada Lovelace 1,534.5' }).waitFor()
  await page.getByRole('row', { name: 'region eu, tier pro 1,254.5' }).waitFor()
  const alerts = page.getByRole('table', { name: 'Usage alerts of this meter' })
  await alerts.getByText('Ada Lovelace').waitFor()
  await takeScreenshot(page, 'dashboard-meter', { fullPage: true })

  await page.getByLabel('Range').selectOption('24_hours')
  await page.getByRole('img', { name: 'Usage by hour, UTC: 1,554.5 total' }).waitFor()
  await page.getByLabel('Customer', { exact: true }).fill(grace)
  await page.getByRole('img', { name: 'Usage by hour, UTC: 20 total' }).waitFor()

  await page.getByRole('button', { name: 'Archive…' }).click()
  await submit(page, 'Archive usage alert')
  await toast(page, 'Usage alert archived').waitFor()
  expect((await workspace.get('/usage-alerts')).body.data).toMatchObject([{ active: false }])
})

test('a READ_ONLY person sees meters and alerts, and can change neither', async () => {
  const workspace = await dashboard.newWorkspace()
  const { body: meter } = await workspace.post('/meters', { event_name: 'login', aggregation: 'count' })
  const page = await dashboard.open(workspace, '/meters', 'READ_ONLY')
  const create = page.getByRole('button', { name: 'Create meter' }).first()
  await expect.poll(() => create.getAttribute('aria-disabled')).toBe('true')
  await page.getByRole('link', { name: 'login' }).click()
  await page.waitForURL(`**/meters/${meter.id}`)
  const alert = page.getByRole('button', { name: 'Create usage alert' }).first()
  await expect.poll(() => alert.getAttribute('aria-disabled')).toBe('true')
})
