// Returning payers use a saved card on the payment page: listed by the seller's server, or after a code from an e-mail.

import { expect, test, vi } from 'vitest'
import { cards, createLink, payerAt } from '../support/checkout.ts'
import { findViolations, loadAxe } from './support/accessibility.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { pay, payButton, waitForReceipt } from './support/payer.ts'
import { takeScreenshot } from './support/screenshots.ts'

const checkout = await checkoutPagesForThisFile()
const show = { saved_methods: { show: true, save: 'ask' } }

async function newWorkspace() {
  const workspace = await checkout.newWorkspace()
  await workspace.put('/workspace', { branding: { display_name: 'Northwind Bicycles' } })
  return workspace
}

type Workspace = Awaited<ReturnType<typeof newWorkspace>>

async function createSession({ post }: Workspace, members: object) {
  const { status, body } = await post('/checkout-sessions', { amount: 1299, currency: 'eur', ...members })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

async function customerWithCard(workspace: Workspace, number: string = cards.approved) {
  const session = await createSession(workspace, { saved_methods: { save: 'required' } })
  await payerAt(checkout.origin).pay(session, number, { email: 'ana@example.com' })
  return (await workspace.get(`/checkout-sessions/${session.id}`)).body.customer_id as string
}

async function readCode({ get }: Workspace): Promise<string> {
  const mails = async () =>
    (await get('/mails')).body.data.filter(({ kind }: { kind: string }) => kind === 'login_code')
  await vi.waitFor(async () => expect(await mails()).toHaveLength(1), 5_000)
  const [{ id }] = await mails()
  return /\b\d{6}\b/.exec((await get(`/mails/${id}`)).body.text)?.[0] ?? ''
}

test('a payer saves a card, authenticates, and pays with it later, authenticating again', async () => {
  const workspace = await newWorkspace()
  const first = await checkout.open(await createSession(workspace, { saved_methods: { save: 'ask' } }))
  await first.getByLabel('Save this card for my next payment to Northwind Bicycles').check()
  await pay(first, cards.requiresAuthentication)
  await first.waitForURL(`${checkout.simulator.url}/**`)
  await first.getByRole('button', { name: 'Approve' }).click()
  await waitForReceipt(first)
  const [{ id: customer_id }] = (await workspace.get('/customers')).body.data

  const page = await checkout.open(await createSession(workspace, { customer_id, ...show }))
  expect(await page.getByRole('radio', { name: /^Visa •••• 0006 Expires 12\/30$/ }).isChecked()).toBe(true)
  expect(await page.getByLabel('Card number').count()).toBe(0)
  await payButton(page).click()
  await page.waitForURL(`${checkout.simulator.url}/**`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 2, captured: 2 * 1299 })
  expect((await workspace.get(`/payment-methods?customer_id=${customer_id}`)).body.data).toHaveLength(1)
})

test('on a payment link, a payer enters the code from the e-mail and pays with the saved card', async () => {
  const workspace = await newWorkspace()
  const customer_id = await customerWithCard(workspace)
  const page = await checkout.open(await createLink(workspace, show), { bypassCSP: true })
  await loadAxe(page)
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await page.getByText('Enter your email address above first.').waitFor()
  expect(await findViolations(page)).toEqual([])
  await page.getByLabel('Email', { exact: false }).first().fill('ana@example.com')
  await page.getByRole('button', { name: 'Email me a code' }).click()
  const field = page.getByLabel('Code from the email')
  const code = await readCode(workspace)
  await field.fill(code === '000000' ? '000001' : '000000')
  await field.press('Enter')
  await page.getByText('The code is wrong or has expired.').waitFor()
  expect(await findViolations(page)).toEqual([])
  await takeScreenshot(page, 'code-phone', { fullPage: true })

  await field.fill(code)
  await field.press('Enter')
  const card = page.getByRole('radio', { name: /^Visa •••• 4242/ })
  await card.waitFor()
  expect(await card.isChecked()).toBe(true)
  await page.getByRole('radio', { name: 'Another card' }).check()
  await page.getByLabel('Card number').waitFor()
  await card.check()
  await payButton(page).click()
  await waitForReceipt(page)

  expect((await workspace.get('/payments')).body.data[0]).toMatchObject({
    customer_id,
    payment_method_id: expect.any(String),
    status: 'succeeded',
  })
})

const names = {
  en: ['Email me a code', 'Another card'],
  de: ['Code per E-Mail senden', 'Andere Karte'],
  es: ['Enviarme un código', 'Otra tarjeta'],
  fr: ['M’envoyer un code', 'Autre carte'],
  ja: ['コードをメールで受け取る', '別のカード'],
  ar: ['أرسل إليّ رمزًا', 'بطاقة أخرى'],
} as const

test('saved cards are accessible in six languages and at three widths', async () => {
  const workspace = await newWorkspace()
  const customer_id = await customerWithCard(workspace)
  await payerAt(checkout.origin).pay(
    await createSession(workspace, { customer_id, saved_methods: { save: 'required' } }),
    cards.other,
    { email: 'ana@example.com' },
  )
  const link = await createLink(workspace, { ...show, max_completions: null })
  const session = await createSession(workspace, { customer_id, ...show })
  const check = async (kind: 'link' | 'session', locale: keyof typeof names, widths: readonly number[]) => {
    const page = await checkout.open({ link, session }[kind], { bypassCSP: true, locale })
    await page.getByText(names[locale][kind === 'link' ? 0 : 1], { exact: true }).waitFor()
    await loadAxe(page)
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      expect(await findViolations(page), `${kind} ${locale} ${width}`).toEqual([])
    }
    await takeScreenshot(page, `${kind}-${locale}`, { fullPage: true })
    await page.context().close()
  }
  await Promise.all([check('link', 'en', [360, 768]), check('session', 'en', [768, 1280])])
  await Promise.all([check('link', 'de', [1280]), check('session', 'es', [360])])
  await Promise.all([check('link', 'fr', [360]), check('session', 'ja', [768])])
  await check('link', 'ar', [360])
})
