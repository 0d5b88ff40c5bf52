// Links and sessions that cannot be paid say why, and what to do; and a server that is away is waited for.

import { expect, test } from 'vitest'
import { payerAt } from '../support/checkout.ts'
import { focused, pay, payButton, seesReceipt } from './support/payer.ts'
import { shopForThisFile } from './support/shop.ts'

const shop = await shopForThisFile()
const somebody = payerAt(shop.origin)

test('a link that somebody else has paid', async () => {
  const { link } = await shop.sell()
  await somebody.pay(await somebody.openOne(link.slug))

  const page = await shop.open(link)

  await expect.poll(() => focused(page)).toBe('This has already been paid')
  expect(await payButton(page).count()).toBe(0)
})

test('a link that is paid by somebody else while the form is filled in', async () => {
  const { workspace, link } = await shop.sell()
  const page = await shop.open(link)
  await somebody.pay(await somebody.openOne(link.slug))

  await pay(page)
  await page.getByText('This has already been paid').waitFor()

  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a link whose last place somebody holds who has not ended yet', async () => {
  const { link } = await shop.sell()
  await somebody.pay(await somebody.openOne(link.slug), '4000000030000006')
  const page = await shop.open(link)

  await pay(page)
  await page.getByText('Somebody else is paying this right now. Try again in a moment.').waitFor()

  expect(await page.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242')
})

test('a link that the seller has switched off', async () => {
  const { workspace, link } = await shop.sell()
  await workspace.post(`/payment-links/${link.id}/deactivate`)

  const page = await shop.open(link)

  await expect.poll(() => focused(page)).toBe('This link is not active')
})

test('a link whose time is over, and one whose time ends while the form is filled in', async () => {
  const { workspace, link } = await shop.sell()
  const expires_at = new Date(Date.parse(link.created_at) + 3_600_000).toISOString()
  await workspace.put(`/payment-links/${link.id}`, { expires_at })
  const page = await shop.open(link)
  await shop.letPass(3_601)

  await pay(page)
  await page.getByText('This link has expired').waitFor()
  const later = await shop.open(link)

  await expect.poll(() => focused(later)).toBe('This link has expired')
  await later.getByText('Nothing was charged. Ask the seller for a new one.').waitFor()
  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 0, captured: 0 })
})

test('an address that is nobody’s', async () => {
  const page = await shop.open({ url: `${shop.origin}/l/nothing` })

  await expect.poll(() => focused(page)).toBe('There is nothing to pay here')
})

test('a session is for those who hold its secret', async () => {
  const { workspace } = await shop.sell()
  const { body } = await workspace.post('/checkout-sessions', { amount: 100, currency: 'eur' })
  const [address = ''] = body.url.split('#')

  const stranger = await shop.open({ url: address })
  const forger = await shop.open({ url: `${address}#cs_forged` })

  await expect.poll(() => focused(stranger)).toBe('Open your link again')
  await expect.poll(() => focused(forger)).toBe('Open your link again')
  // Who came with the secret is known here from then on, as on the way back from the bank.
  const holder = await shop.open(body)
  await holder.goto(address)
  await holder.getByLabel('Card number').waitFor()
})

test('a session that the seller has ended', async () => {
  const { workspace } = await shop.sell()
  const { body } = await workspace.post('/checkout-sessions', { amount: 100, currency: 'eur' })
  await workspace.post(`/checkout-sessions/${body.id}/expire`)

  const page = await shop.open(body)

  await expect.poll(() => focused(page)).toBe('This link has expired')
})

test('a server that does not answer is asked again until it does', async () => {
  const { workspace, link } = await shop.sell()
  const payer = await shop.newPayer()
  const page = await payer.newPage()
  await page.route('**/checkout/links/**', (route) => route.fulfill({ status: 503, body: '' }), { times: 2 })

  await page.goto(link.url)
  await page.getByText('The page cannot reach the server').waitFor()
  await pay(page)
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('an amount that is only held says so', async () => {
  const { link } = await shop.sell({ capture_method: 'manual' })
  const page = await shop.open(link)

  await pay(page)

  await page.getByText(/^Authorized on /).waitFor()
})
