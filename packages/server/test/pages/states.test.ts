// Links and sessions that cannot be paid: the page shows the reason and what to do. It also waits for a
// server that is unavailable.

import { expect, test } from 'vitest'
import { payerAt } from '../support/checkout.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { focusedLabel, pay, payButton, waitForReceipt } from './support/payer.ts'

const checkout = await checkoutPagesForThisFile()
const otherPayer = payerAt(checkout.origin)

test('a link that another payer has already paid is shown as paid', async () => {
  const { link } = await checkout.createLink()
  await otherPayer.pay(await otherPayer.openSession(link.slug))

  const page = await checkout.open(link)

  await expect.poll(() => focusedLabel(page)).toBe('This has already been paid')
  expect(await payButton(page).count()).toBe(0)
})

test('a link that another payer pays while the form is filled in charges only once', async () => {
  const { workspace, link } = await checkout.createLink()
  const page = await checkout.open(link)
  await otherPayer.pay(await otherPayer.openSession(link.slug))

  await pay(page)
  await page.getByText('This has already been paid').waitFor()

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a link whose last payment is reserved by another session asks the payer to try again', async () => {
  const { link } = await checkout.createLink()
  await otherPayer.pay(await otherPayer.openSession(link.slug), '4000000030000006')
  const page = await checkout.open(link)

  await pay(page)
  await page.getByText('Someone else is paying this right now. Try again in a moment.').waitFor()

  expect(await page.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242')
})

test('a link that the seller has deactivated is shown as not active', async () => {
  const { workspace, link } = await checkout.createLink()
  await workspace.post(`/payment-links/${link.id}/deactivate`)

  const page = await checkout.open(link)

  await expect.poll(() => focusedLabel(page)).toBe('This link is not active')
})

test('an expired link is shown as expired, even if it expires while the form is filled in', async () => {
  const { workspace, link } = await checkout.createLink()
  const expires_at = new Date(Date.parse(link.created_at) + 3_600_000).toISOString()
  await workspace.put(`/payment-links/${link.id}`, { expires_at })
  const page = await checkout.open(link)
  await checkout.advanceTime(3_601)

  await pay(page)
  await page.getByText('This link has expired').waitFor()
  const laterPage = await checkout.open(link)

  await expect.poll(() => focusedLabel(laterPage)).toBe('This link has expired')
  await laterPage.getByText('Nothing was charged. Ask the seller for a new one.').waitFor()
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 0, captured: 0 })
})

test('an unknown link shows that there is nothing to pay', async () => {
  const page = await checkout.open({ url: `${checkout.origin}/l/nothing` })

  await expect.poll(() => focusedLabel(page)).toBe('There is nothing to pay here')
})

test('a session can be opened only with its secret', async () => {
  const { workspace } = await checkout.createLink()
  const { body } = await workspace.post('/checkout-sessions', { amount: 100, currency: 'eur' })
  const [address = ''] = body.url.split('#')

  const withoutSecret = await checkout.open({ url: address })
  const withForgedSecret = await checkout.open({ url: `${address}#cs_forged` })

  await expect.poll(() => focusedLabel(withoutSecret)).toBe('Open your link again')
  await expect.poll(() => focusedLabel(withForgedSecret)).toBe('Open your link again')
  // A browser that opened the URL with the secret has stored it, as it does for the return from the bank.
  const withSecret = await checkout.open(body)
  await withSecret.goto(address)
  await withSecret.getByLabel('Card number').waitFor()
})

test('a session that the seller has ended is shown as expired', async () => {
  const { workspace } = await checkout.createLink()
  const { body } = await workspace.post('/checkout-sessions', { amount: 100, currency: 'eur' })
  await workspace.post(`/checkout-sessions/${body.id}/expire`)

  const page = await checkout.open(body)

  await expect.poll(() => focusedLabel(page)).toBe('This link has expired')
})

test('the page retries until the server responds', async () => {
  const { workspace, link } = await checkout.createLink()
  const payer = await checkout.newPayer()
  const page = await payer.newPage()
  await page.route('**/checkout/links/**', (route) => route.fulfill({ status: 503, body: '' }), { times: 2 })

  await page.goto(link.url)
  await page.getByText('The page cannot reach the server').waitFor()
  await pay(page)
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('an amount that is authorized but not captured is shown as authorized', async () => {
  const { link } = await checkout.createLink({ capture_method: 'manual' })
  const page = await checkout.open(link)

  await pay(page)

  await page.getByText(/^Authorized on /).waitFor()
})
