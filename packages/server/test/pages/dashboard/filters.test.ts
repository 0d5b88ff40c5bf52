// Filters of lists: applied while the user types, and validated before the request.

import { expect, test } from 'vitest'
import { dashboardForThisFile } from './support/dashboard-pages.ts'
import { pay } from './support/payments.ts'

const dashboard = await dashboardForThisFile()

test('a filter is applied while the user types, without leaving the field', async () => {
  const workspace = await dashboard.newWorkspace()
  await pay(workspace, undefined, { order_reference: 'order-1', amount: 1_100 })
  await pay(workspace, undefined, { order_reference: 'order-2', amount: 2_200 })
  const page = await dashboard.open(workspace, '/payments')
  const table = page.getByRole('table', { name: 'Payments' })
  await expect.poll(() => table.textContent()).toContain('€22.00')

  await page.getByRole('textbox', { name: 'Order number' }).pressSequentially('order-1')

  await expect.poll(() => table.textContent()).not.toContain('€22.00')
  expect(await table.textContent()).toContain('€11.00')
  expect(new URL(page.url()).searchParams.get('order_reference')).toBe('order-1')
})

test('a name in the customer filter shows an error and is not sent, and the customer can be selected', async () => {
  const workspace = await dashboard.newWorkspace()
  const id = await workspace.aCustomer({ name: 'Ada Lovelace', email: 'ada@example.com' })
  await pay(workspace, undefined, { customer_id: id, amount: 1_100 })
  await pay(workspace, undefined, { amount: 2_200 })
  const page = await dashboard.open(workspace, '/payments')
  const queries: string[] = []
  page.on('request', (request) => queries.push(new URL(request.url()).search))
  const field = page.getByRole('textbox', { name: 'Customer' })

  await field.fill('Ada Love')
  await page.getByText('Enter a customer ID: customer_…').waitFor()
  expect(await field.getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByRole('main').getByRole('alert').count()).toBe(0)
  expect(queries.filter((query) => query.includes('customer_id'))).toEqual([])

  await field.fill('ada@example.com')
  await page.getByRole('list', { name: 'Suggestions' }).getByRole('button').first().click()
  const table = page.getByRole('table', { name: 'Payments' })
  await expect.poll(() => table.textContent()).not.toContain('€22.00')
  expect(new URL(page.url()).searchParams.get('customer_id')).toBe(id)
})

test('a URL with an invalid id filter shows the list and the error', async () => {
  const workspace = await dashboard.newWorkspace()
  await pay(workspace, undefined, { amount: 1_100 })

  const page = await dashboard.open(workspace, '/payments?customer_id=Ada')

  await page.getByText('Enter a customer ID: customer_…').waitFor()
  await expect.poll(() => page.getByRole('table', { name: 'Payments' }).textContent()).toContain('€11.00')
})
