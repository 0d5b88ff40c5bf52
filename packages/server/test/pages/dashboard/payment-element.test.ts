// The page on which an ADMIN selects the pages that may embed the payment element.

import { expect, test } from 'vitest'
import { dashboardForThisFile, toast } from './support/dashboard-pages.ts'

const dashboard = await dashboardForThisFile()

test('an ADMIN enters origins, corrects a wrong one, and saves', async () => {
  const workspace = await dashboard.newWorkspace()
  const page = await dashboard.open(workspace, '/payment-element')
  await page.getByText('None. No page can embed the payment element yet.').waitFor()
  await page.getByRole('button', { name: 'Change origins' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Origins').fill('https://shop.example.com\nhttp://shop.example.com')
  await dialog.getByRole('button', { name: 'Save origins' }).click()
  await dialog.getByText('must be an origin such as').first().waitFor()
  await dialog.getByLabel('Origins').fill('https://shop.example.com\nhttp://localhost:3000\n')
  await dialog.getByRole('button', { name: 'Save origins' }).click()
  await toast(page, 'Origins saved').waitFor()
  await page.getByText('http://localhost:3000').waitFor()

  const { body } = await workspace.get('/workspace')
  expect(body.elements).toEqual({ allowed_origins: ['https://shop.example.com', 'http://localhost:3000'] })
})
