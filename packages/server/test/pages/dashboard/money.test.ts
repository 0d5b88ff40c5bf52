// People who watch money: why something failed, giving it back, and what is not known. Clicks count from Home.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cards } from '../../support/checkout.ts'
import { officeForThisFile } from './support/office.ts'
import { pay } from './support/payments.ts'

const office = await officeForThisFile()
const run = promisify(execFile)

test('why a payment failed is two clicks from Home: the sentence, with the code of the bank', async () => {
  const workspace = await office.newWorkspace()
  const payment = await pay(workspace, cards.declined)
  const page = await office.open(workspace)
  const clicks = countClicks()

  await clicks.on(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Payments' }))
  // Until the list has come, rows without text stand for it.
  const row = page.getByRole('table', { name: 'Payments' }).getByRole('row').filter({ hasText: '€129.00' })
  await clicks.on(row)
  // The event that told of it says it too.
  await page.getByText(payment.summary).first().waitFor()

  expect(clicks.count()).toBe(2)
  expect(await textOf(page)).toContain(payment.failure.code)
  await page.getByRole('img', { name: /What happened to payment/ }).waitFor()
})

test('a refund says what is left and what it does, and a double click makes one', async () => {
  const workspace = await office.newWorkspace()
  const payment = await pay(workspace)
  const page = await office.open(workspace, `/payments/${payment.id}`)

  await page.getByRole('button', { name: 'Refund…' }).click()
  await page.getByText('€129.00 is left to refund.').waitFor()
  await page.getByLabel('Amount to refund').fill('40')
  await page.getByRole('button', { name: 'Refund €40.00' }).dblclick()
  await page.getByText(/€40\.00 asked for/).waitFor()

  const { body } = await workspace.get(`/refunds?payment_id=${payment.id}`)
  expect(body.data.map(({ amount }: { amount: number }) => amount)).toEqual([4_000])
})

test('a keyboard alone finds a payment and gives a part of it back', async () => {
  const workspace = await office.newWorkspace()
  const payment = await pay(workspace)
  const page = await office.open(workspace)
  const { keyboard } = page

  await keyboard.press('g')
  await keyboard.press('p')
  await page.getByRole('table', { name: 'Payments' }).waitFor()
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
  await page.getByText(/€5\.00 asked for/).waitFor()

  const { body } = await workspace.get(`/refunds?payment_id=${payment.id}`)
  expect(body.data.map(({ amount }: { amount: number }) => amount)).toEqual([500])
})

test('more than is left cannot be asked for, and the page says so', async () => {
  const workspace = await office.newWorkspace()
  const payment = await pay(workspace)
  const page = await office.open(workspace, `/payments/${payment.id}`)

  await page.getByRole('button', { name: 'Refund…' }).click()
  await page.getByLabel('Amount to refund').fill('129.01')
  const button = page.getByRole('button', { name: 'Refund €129.01' })
  await button.click({ force: true })

  expect(await button.getAttribute('aria-disabled')).toBe('true')
  expect((await workspace.get(`/refunds?payment_id=${payment.id}`)).body.data).toEqual([])
})

test('what is held is captured in part, and the page follows', async () => {
  const workspace = await office.newWorkspace()
  const payment = await pay(workspace, cards.good, { capture_method: 'manual' })
  const page = await office.open(workspace, `/payments/${payment.id}`)

  await page.getByRole('button', { name: 'Capture…' }).click()
  await page.getByLabel('Amount to capture').fill('100.00')
  await page.getByRole('button', { name: 'Capture €100.00' }).click()
  await page.getByRole('button', { name: 'Refund…' }).waitFor()

  expect((await workspace.get(`/payments/${payment.id}`)).body.amount_captured).toBe(10_000)
})

test('while nobody knows how it ended, the word "failed" is nowhere on the page', async () => {
  const workspace = await office.newWorkspace()
  const payment = await pay(workspace, cards.silent)
  expect(payment.unresolved_since_at).not.toBeNull()
  const page = await office.open(workspace, `/payments/${payment.id}`)

  await page.getByRole('button', { name: 'Check now…' }).waitFor()
  for (const tab of ['Events', 'Provider messages', 'Attempts']) {
    await page.getByRole('tab', { name: tab }).click()
    expect((await textOf(page)).toLowerCase()).not.toContain('failed')
  }
})

test('the call that a form shows makes the same refund when a shell runs it', async () => {
  const workspace = await office.newWorkspace()
  const [seen, copied] = [await pay(workspace), await pay(workspace)]
  const page = await office.open(workspace, `/payments/${seen.id}`)

  await page.getByRole('button', { name: 'Refund…' }).click()
  await page.getByLabel('Amount to refund').fill('7.5')
  await page.getByText('Show as API call').click()
  const shown = (await page.getByRole('region', { name: 'curl' }).locator('pre').textContent()) ?? ''
  await page.getByRole('button', { name: 'Refund €7.50' }).click()
  await page.getByText(/€7\.50 asked for/).waitFor()
  const script = shown.replace(seen.id, copied.id).replace('uuidgen', 'echo a-key')
  await run('bash', ['-c', script.replace('curl ', 'curl -sf ')], {
    env: { ...process.env, SWITCHYARD_TOKEN: workspace.token },
  })

  const [one, other] = await Promise.all([refundOf(seen.id), refundOf(copied.id)])
  expect({ ...other, ...unlike }).toEqual({ ...one, ...unlike })

  async function refundOf(id: string) {
    return (await workspace.get(`/refunds?payment_id=${id}`)).body.data[0]
  }
})

/** Ids and times differ, and nothing else. */
const unlike = { id: '', payment_id: '', provider_reference: '', created_at: '', updated_at: '' }

test('whoever may only read sees the same page, and why they cannot act', async () => {
  const workspace = await office.newWorkspace()
  const payment = await pay(workspace)
  const page = await office.open(workspace, `/payments/${payment.id}`, 'READ_ONLY')
  const button = page.getByRole('button', { name: 'Refund…' })
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')

  await button.click({ force: true })

  expect(await button.getAttribute('title')).toContain('READ_ONLY')
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('a payment that is made elsewhere waits behind a pill, and an open one changes by itself', async () => {
  const workspace = await office.newWorkspace()
  const payment = await pay(workspace)
  const list = await office.open(workspace, '/payments')
  const detail = await office.open(workspace, `/payments/${payment.id}`)

  await pay(workspace)
  await workspace.post('/refunds', { payment_id: payment.id, amount: 12_900 })

  await list.getByRole('button', { name: '1 new' }).click()
  await expect.poll(() => list.getByRole('table', { name: 'Payments' }).getByRole('row').count()).toBe(3)
  await detail.getByText('Refunded', { exact: true }).first().waitFor()
})

function countClicks() {
  let count = 0
  return {
    async on(target: ReturnType<Page['getByRole']>) {
      count += 1
      await target.click()
    },
    count: () => count,
  }
}

function focusedText(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement?.textContent')
}

async function textOf(page: Page): Promise<string> {
  return (await page.getByRole('main').textContent()) ?? ''
}
