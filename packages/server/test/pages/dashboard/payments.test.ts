// Payments: failure reasons, refunds, captures and unknown outcomes. Clicks are counted from Home.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../simulator/src/cards.ts'
import { cards } from '../../support/checkout.ts'
import { dashboardForThisFile, toast } from './support/dashboard-pages.ts'
import { pay } from './support/payments.ts'

const dashboard = await dashboardForThisFile()
const run = promisify(execFile)

test('the summary and the decline code of a failed payment are two clicks from Home', async () => {
  const workspace = await dashboard.newWorkspace()
  const payment = await pay(workspace, cards.declined)
  const page = await dashboard.open(workspace)
  const clicks = countClicks()

  await clicks.click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Payments' }))
  // While the list loads, it has placeholder rows without text.
  const table = page.getByRole('table', { name: 'Payments', exact: true })
  const row = table.getByRole('row').filter({ hasText: '€129.00' })
  await clicks.click(row)
  // The event has the same sentence.
  await page.getByText(payment.summary).first().waitFor()

  expect(clicks.count()).toBe(2)
  expect(await readMain(page)).toContain(payment.failure.code)
  await page.getByRole('img', { name: /What happened to payment/ }).waitFor()
})

test('the refund dialog shows the refundable amount, and a double click creates one refund', async () => {
  const workspace = await dashboard.newWorkspace()
  const payment = await pay(workspace)
  const page = await dashboard.open(workspace, `/payments/${payment.id}`)

  await page.getByRole('button', { name: 'Refund…' }).click()
  await page.getByText('Up to €129.00 can be refunded.').waitFor()
  await page.getByLabel('Amount to refund').fill('40')
  await page.getByRole('button', { name: 'Refund €40.00' }).dblclick()
  await toast(page, 'Refund of €40.00 requested').waitFor()

  const { body } = await workspace.get(`/refunds?payment_id=${payment.id}`)
  expect(body.data.map(({ amount }: { amount: number }) => amount)).toEqual([4_000])
})

test('a payment can be found and partially refunded with the keyboard only', async () => {
  const workspace = await dashboard.newWorkspace()
  const payment = await pay(workspace)
  const page = await dashboard.open(workspace)
  const { keyboard } = page

  await keyboard.press('g')
  await keyboard.press('p')
  await page.getByRole('table', { name: 'Payments', exact: true }).waitFor()
  await keyboard.press('j')
  await keyboard.press('Enter')
  await page.getByRole('button', { name: 'Refund…' }).waitFor()
  for (let steps = 0; steps < 60 && (await focusedText(page)) !== 'Refund…'; steps += 1)
    await keyboard.press('Tab')
  await keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await keyboard.press('Control+A')
  await keyboard.type('5')
  await keyboard.press('Enter')
  await toast(page, 'Refund of €5.00 requested').waitFor()

  const { body } = await workspace.get(`/refunds?payment_id=${payment.id}`)
  expect(body.data.map(({ amount }: { amount: number }) => amount)).toEqual([500])
})

test('a refund above the refundable amount is disabled and explained', async () => {
  const workspace = await dashboard.newWorkspace()
  const payment = await pay(workspace)
  const page = await dashboard.open(workspace, `/payments/${payment.id}`)

  await page.getByRole('button', { name: 'Refund…' }).click()
  await page.getByLabel('Amount to refund').fill('129.01')
  const button = page.getByRole('button', { name: 'Refund €129.01' })
  await button.click({ force: true })

  expect(await button.getAttribute('aria-disabled')).toBe('true')
  expect((await workspace.get(`/refunds?payment_id=${payment.id}`)).body.data).toEqual([])
})

test('an authorized payment is captured in part, and the page updates', async () => {
  const workspace = await dashboard.newWorkspace()
  const payment = await pay(workspace, cards.approved, { capture_method: 'manual' })
  const page = await dashboard.open(workspace, `/payments/${payment.id}`)

  await page.getByRole('button', { name: 'Capture…' }).click()
  await page.getByLabel('Amount to capture').fill('100.00')
  await page.getByRole('button', { name: 'Capture €100.00' }).click()
  await page.getByRole('button', { name: 'Refund…' }).waitFor()

  expect((await workspace.get(`/payments/${payment.id}`)).body.amount_captured).toBe(10_000)
})

test('while the outcome is unknown, the word "failed" is nowhere on the page', async () => {
  const workspace = await dashboard.newWorkspace()
  const payment = await pay(workspace, cards.noResponse)
  expect(payment.unresolved_since_at).not.toBeNull()
  const page = await dashboard.open(workspace, `/payments/${payment.id}`)

  await page.getByRole('button', { name: 'Check now…' }).waitFor()
  for (const tab of ['Events', 'Provider messages', 'Attempts']) {
    await page.getByRole('tab', { name: tab }).click()
    expect((await readMain(page)).toLowerCase()).not.toContain('failed')
  }
})

test('the review dialog shows the requested and the reported amount, and records the amount that was charged', async () => {
  const workspace = await dashboard.newWorkspace()
  const payment = await pay(workspace, cardNumberForScenario('5014'))
  expect(payment.review).toBe('needs_review')
  const page = await dashboard.open(workspace, '/payments')
  const opened = Promise.withResolvers<void>()
  await page.route('**/operations?*', async (route) => {
    await opened.promise
    await route.continue()
  })
  await page.goto(page.url().replace('/payments', `/payments/${payment.id}`))

  // The dialog is opened before the operations of the payment are loaded.
  await page.getByRole('button', { name: 'Resolve…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  opened.resolve()
  const readDialog = () => dialog.textContent()
  await expect.poll(readDialog).toContain('Requested €129.00. The provider reports €128.99.')
  expect(await readDialog()).toContain('Leave empty if it was €129.00, as requested.')
  // Nothing was charged if the operation was not processed.
  await dialog.getByLabel('It was not processed, and will not be').check()
  await expect.poll(() => dialog.getByLabel('Amount charged').count()).toBe(0)
  await dialog.getByLabel('It succeeded').check()
  await dialog.getByLabel('Amount charged').fill('128.99')
  await dialog.getByLabel('How you know').fill('Their dashboard says 128.99.')
  await dialog.getByRole('button', { name: 'Confirm it succeeded' }).click()
  await toast(page, 'Review resolved').waitFor()

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', review: null, amount: 12_900, amount_captured: 12_899 })
})

test('the curl command of a form creates the same refund', async () => {
  const workspace = await dashboard.newWorkspace()
  const [payment, otherPayment] = [await pay(workspace), await pay(workspace)]
  const page = await dashboard.open(workspace, `/payments/${payment.id}`)

  await page.getByRole('button', { name: 'Refund…' }).click()
  await page.getByLabel('Amount to refund').fill('7.5')
  await page.getByText('Show as API call').click()
  const command = (await page.getByRole('region', { name: 'curl' }).locator('pre').textContent()) ?? ''
  await page.getByRole('button', { name: 'Refund €7.50' }).click()
  await toast(page, 'Refund of €7.50 requested').waitFor()
  const script = command.replace(payment.id, otherPayment.id).replace('uuidgen', 'echo a-key')
  await run('bash', ['-c', script.replace('curl ', 'curl -sf ')], {
    env: { ...process.env, SWITCHYARD_TOKEN: workspace.token },
  })

  const [refund, otherRefund] = await Promise.all([fetchRefund(payment.id), fetchRefund(otherPayment.id)])
  expect({ ...otherRefund, ...ignoredMembers }).toEqual({ ...refund, ...ignoredMembers })

  async function fetchRefund(id: string) {
    return (await workspace.get(`/refunds?payment_id=${id}`)).body.data[0]
  }
})

/** Blank values for the members that may differ. */
const ignoredMembers = { id: '', payment_id: '', provider_reference: '', created_at: '', updated_at: '' }

test('with the READ_ONLY role the page is the same, and disabled actions are explained', async () => {
  const workspace = await dashboard.newWorkspace()
  const payment = await pay(workspace)
  const page = await dashboard.open(workspace, `/payments/${payment.id}`, 'READ_ONLY')
  const button = page.getByRole('button', { name: 'Refund…' })
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')

  await button.click({ force: true })

  expect(await button.getAttribute('title')).toContain('READ_ONLY')
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('the list shows a new payment after a click on a button, and the page of a payment updates automatically', async () => {
  const workspace = await dashboard.newWorkspace()
  const payment = await pay(workspace)
  const list = await dashboard.open(workspace, '/payments')
  const detail = await dashboard.open(workspace, `/payments/${payment.id}`)

  await pay(workspace)
  await workspace.post('/refunds', { payment_id: payment.id, amount: 12_900 })

  await list.getByRole('button', { name: '1 new' }).click()
  await expect.poll(() => list.getByRole('table', { name: 'Payments' }).getByRole('row').count()).toBe(3)
  await detail.getByText('Refunded', { exact: true }).first().waitFor()
})

function countClicks() {
  let count = 0
  return {
    async click(target: ReturnType<Page['getByRole']>) {
      count += 1
      await target.click()
    },
    count: () => count,
  }
}

function focusedText(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement?.textContent')
}

async function readMain(page: Page): Promise<string> {
  return (await page.getByRole('main').textContent()) ?? ''
}
