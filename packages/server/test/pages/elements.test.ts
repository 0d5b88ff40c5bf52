// The payment element on pages of a merchant: paying, its security, its appearance and its accessibility. Every test
// also checks that no page violates its content security policy.

import { resolve } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { cards } from '../support/checkout.ts'
import { aPrice } from '../support/subscriptions.ts'
import type { Workspace } from '../support/switchyard.ts'
import { useVault } from '../support/vaults.ts'
import { findViolations, loadAxe } from './support/accessibility.ts'
import {
  cardFrame,
  serveStubs,
  serveVault,
  stubOrigins,
  typeCardInFrame,
  typeCardInVgsFrames,
} from './support/card-fields.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import {
  confirmPayment,
  elementFrame,
  eventsOf,
  merchantPagesForThisFile,
  typeCardInElement,
} from './support/merchant-pages.ts'
import { takeScreenshot } from './support/screenshots.ts'

const checkout = await checkoutPagesForThisFile({ hosts: stubOrigins })
const merchant = await merchantPagesForThisFile(checkout.origin, { '/react.js': await bundleReactShop() })

type Created = { readonly workspace: Workspace; readonly config: { key: string; session: Session } }
type Session = { readonly id: string; readonly client_secret: string }

async function createConfig(
  members: object = { amount: 12_900, currency: 'eur' },
  origins: readonly string[] = [merchant.allowed],
): Promise<Created> {
  const workspace = await checkout.newWorkspace()
  const branding = { display_name: 'Northwind Bicycles' }
  await workspace.put('/workspace', { branding, elements: { allowed_origins: origins } })
  const { body: token } = await workspace.post('/api-tokens', { name: 'Shop', kind: 'publishable' })
  const { status, body } = await workspace.post('/checkout-sessions', members)
  expect(status, JSON.stringify(body)).toBe(201)
  const session = { id: body.id, client_secret: body.client_secret }
  return { workspace, config: { key: token.token, session } }
}

async function openShop(
  config: object,
  options: BrowserContextOptions = {},
  payer?: BrowserContext,
): Promise<Page> {
  const page = await (payer ?? (await checkout.newPayer(options))).newPage()
  await page.goto(merchant.urlOf(merchant.allowed, config))
  await elementFrame(page).locator('form, h2').first().waitFor()
  return page
}

/** Records every message that a page or frame sends, by window or by port. */
async function recordMessages(payer: BrowserContext): Promise<void> {
  await payer.addInitScript({
    content: `{
      window.sentMessages = []
      for (const prototype of [MessagePort.prototype, Window.prototype]) {
        const owner = prototype === Window.prototype ? window : prototype
        const original = owner.postMessage
        owner.postMessage = function (message, ...rest) {
          sentMessages.push(JSON.stringify(message))
          return original.call(this, message, ...rest)
        }
      }
    }`,
  })
}

async function sentMessages(page: Page): Promise<string[]> {
  const lists = await Promise.all(page.frames().map((frame) => frame.evaluate('window.sentMessages ?? []')))
  return (lists as string[][]).flat()
}

test('a payer pays with the button of the merchant, and no message carries card data', async () => {
  const { workspace, config } = await createConfig()
  const payer = await checkout.newPayer()
  await recordMessages(payer)
  const page = await openShop(config, {}, payer)
  await takeScreenshot(page, 'element-phone', { fullPage: true })
  await typeCardInElement(page)

  expect(await confirmPayment(page)).toEqual({ status: 'succeeded', error: null })
  await elementFrame(page)
    .getByText(/^Paid on /)
    .waitFor()
  await takeScreenshot(page, 'element-paid', { fullPage: true })
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
  // Confirming again charges nothing.
  expect(await confirmPayment(page)).toEqual({ status: 'succeeded', error: null })
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })

  const messages = await sentMessages(page)
  expect(messages.filter((text) => text.includes('"result"'))).toHaveLength(2)
  expect(messages.filter((text) => text.includes('"brand":"visa"')).length).toBeGreaterThan(0)
  expect(messages.join('\n').replaceAll(/\s/g, '')).not.toMatch(/4242|Ana|ana@|12\/30|"123"/)
  const statuses = (await eventsOf(page)).flatMap(({ status }) => status ?? [])
  expect([...new Set(statuses)]).toEqual(['form', 'submitting', 'succeeded'])
})

test('the page receives the missing fields and the reason for a decline, and another card is charged once', async () => {
  const { workspace, config } = await createConfig({ amount: 12_900, currency: 'eur', collect: ['name'] })
  const page = await openShop(config)
  expect(await confirmPayment(page)).toEqual({
    status: 'failed',
    error: { code: 'fields_invalid', message: 'Fix 5 fields to continue.', advice_code: null },
  })
  await takeScreenshot(page, 'element-errors', { fullPage: true })
  // Pressing Enter in a field does not submit the payment.
  await elementFrame(page).locator('[name=name]').fill('Ana Duarte')
  await typeCardInElement(page, cards.declined)
  await elementFrame(page).locator('[name="card.number"]').press('Enter')

  const declined = await confirmPayment(page)
  expect(declined).toMatchObject({ status: 'failed', error: { code: 'declined' } })
  await elementFrame(page).getByText('Payment declined').waitFor()
  await takeScreenshot(page, 'element-declined', { fullPage: true })
  await typeCardInElement(page)
  // Two clicks create only one payment.
  const outcomes = await page.evaluate('Promise.all([shop.payment.confirm(), shop.payment.confirm()])')
  expect(outcomes).toEqual([
    { status: 'succeeded', error: null },
    { status: 'succeeded', error: null },
  ])
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test("a slow click on the merchant's button counts, even if the last field is invalid", async () => {
  const { config } = await createConfig()
  const page = await openShop(config)
  await typeCardInElement(page)
  await elementFrame(page).locator('[name="card.cvc"]').fill('1')

  await page.locator('#buy').click({ delay: 150 })
  await page.locator('#outcome', { hasText: 'fields_invalid' }).waitFor()
})

test('3-D Secure opens the bank in place of the page, which gets the outcome after the return', async () => {
  const { workspace, config } = await createConfig()
  const price_id = await aPrice(workspace, { currency: 'eur', unit_amount: 1_900 })
  const { body: session } = await workspace.post('/checkout-sessions', {
    mode: 'subscription',
    line_items: [{ price_id }],
  })
  const page = await openShop({
    ...config,
    session: { id: session.id, client_secret: session.client_secret },
  })
  await elementFrame(page).getByText('will charge this card automatically until you cancel').waitFor()
  const authenticate = async (answer: string) => {
    await typeCardInElement(page, cards.requiresAuthentication)
    await page.locator('#buy').click()
    await page.waitForURL(`${checkout.simulator.url}/**`)
    await page.getByRole('button', { name: answer }).click()
    await page.waitForURL(`${merchant.allowed}/**`)
    expect(new URL(page.url()).searchParams.get('payment_id')).toMatch(/^payment_test_/)
  }

  await authenticate('Fail')
  await elementFrame(page).getByText('Payment declined').waitFor()
  await authenticate('Approve')
  await elementFrame(page)
    .getByText(/^Paid on /)
    .waitFor()
  expect((await eventsOf(page)).at(-1)).toMatchObject({ name: 'change', status: 'succeeded' })
  expect(await confirmPayment(page)).toEqual({ status: 'succeeded', error: null })
  await checkout.settle()
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 1_900 })
  expect((await workspace.get('/subscriptions')).body.data).toMatchObject([{ status: 'active' }])
})

test('a payer approves iDEAL on a page in place of the shop, and the element shows that it is paid', async () => {
  const { workspace, config } = await createConfig()
  const page = await openShop(config)
  await elementFrame(page).getByRole('radio', { name: 'iDEAL' }).check()
  expect(await elementFrame(page).getByLabel('Card number').count()).toBe(0)
  await elementFrame(page).locator('[name=email]').fill('ana@example.com')
  await page.locator('#buy').click()
  await page.waitForURL(`${checkout.simulator.url}/**`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.waitForURL(`${merchant.allowed}/**`)
  await elementFrame(page)
    .getByText(/^Paid on /)
    .waitFor()

  expect(await confirmPayment(page)).toEqual({ status: 'succeeded', error: null })
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a SEPA debit shows the mandate, and its outcome is processing until the bank confirms it', async () => {
  const { workspace, config } = await createConfig()
  const page = await openShop(config)
  const frame = elementFrame(page)
  await frame.getByRole('radio', { name: 'SEPA direct debit' }).check()
  await frame.getByText(/^By paying, you authorize/).waitFor()
  await frame.locator('[name=email]').fill('ana@example.com')
  expect(await confirmPayment(page)).toMatchObject({ status: 'failed', error: { code: 'fields_invalid' } })
  await frame.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 00')
  expect((await eventsOf(page)).at(-1)).toMatchObject({ name: 'change', complete: false })
  await frame.getByLabel('Account holder').fill('Ana Duarte')
  await takeScreenshot(page, 'element-sepa', { fullPage: true })

  expect(await confirmPayment(page)).toEqual({ status: 'processing', error: null })
  const events = (await eventsOf(page)) as { complete?: boolean; status?: string }[]
  expect(events).toContainEqual(expect.objectContaining({ status: 'form', complete: true }))
  expect(events.at(-1)).toMatchObject({ status: 'processing' })
  await frame.getByText(/^Debit requested on /).waitFor()
  const [payment] = (await workspace.get('/payments')).body.data
  expect(payment).toMatchObject({ payment_method_type: 'sepa_debit', status: 'processing' })
})

test('a payer enters the card in fields of Stripe inside the element', async () => {
  const { workspace, config } = await createConfig()
  const changes = { card_data: { mode: 'provider_fields' } }
  expect((await workspace.put('/workspace', changes)).status).toBe(200)
  const { status, body: account } = await workspace.post('/provider-accounts', {
    provider: 'stripe',
    display_name: 'Stripe (emulated)',
    position: 0,
    config: { emulated: true, settings: { publishable_key: 'pk_test_51Emulated' } },
  })
  expect(status, JSON.stringify(account)).toBe(201)
  const payer = await checkout.newPayer({ viewport: { width: 1280, height: 1400 } })
  await serveStubs(payer)
  const page = await openShop(config, {}, payer)
  const fields = elementFrame(page)
  await cardFrame(fields).getByLabel('Security code').waitFor()
  await fields.locator('[name=email]').fill('ana@example.com')
  expect(await confirmPayment(page)).toMatchObject({ status: 'failed', error: { code: 'fields_invalid' } })
  await typeCardInFrame(fields, cards.declined)
  expect(await confirmPayment(page)).toMatchObject({ status: 'failed', error: { code: 'declined' } })
  await cardFrame(fields).getByLabel('Security code').waitFor()
  await typeCardInFrame(fields)
  await takeScreenshot(page, 'element-stripe', { fullPage: true })

  expect(await confirmPayment(page)).toEqual({ status: 'succeeded', error: null })
  const [payment] = (await workspace.get('/payments')).body.data
  expect(payment).toMatchObject({ status: 'succeeded', provider_account_id: account.id })
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a payer enters the card in fields of VGS inside the element, and saves it for a subscription', async () => {
  const { workspace, config } = await createConfig()
  const accounts = await useVault(workspace, 'vgs', ['stripe', 'adyen'])
  const price_id = await aPrice(workspace, { currency: 'eur', unit_amount: 1_900 })
  const { body } = await workspace.post('/checkout-sessions', {
    mode: 'subscription',
    line_items: [{ price_id }],
  })
  const payer = await checkout.newPayer({ viewport: { width: 1280, height: 1400 } })
  await recordMessages(payer)
  await serveStubs(payer)
  const { sent } = await serveVault(payer, 'vgs', checkout.simulator.url)
  const session = { id: body.id, client_secret: body.client_secret }
  const page = await openShop({ ...config, session }, {}, payer)
  const fields = elementFrame(page)
  await fields.frameLocator('#card-fields-cvc iframe').getByLabel('Security code').waitFor()
  await fields.locator('[name=email]').fill('ana@example.com')
  expect(await confirmPayment(page)).toMatchObject({ status: 'failed', error: { code: 'fields_invalid' } })
  await typeCardInVgsFrames(fields)
  await takeScreenshot(page, 'element-vgs', { fullPage: true })

  expect(await confirmPayment(page)).toEqual({ status: 'succeeded', error: null })
  expect(sent).toHaveLength(1)
  const messages = await page.evaluate('window.sentMessages.join()')
  expect(String(messages)).not.toMatch(/4242|tok_sandbox/)
  await checkout.settle()
  const [payment] = (await workspace.get('/payments')).body.data
  expect(payment).toMatchObject({ status: 'succeeded', provider_account_id: accounts[0] })
  const [subscription] = (await workspace.get('/subscriptions')).body.data
  expect(
    (await workspace.get(`/payment-methods/${subscription.payment_method_id}`)).body.credentials,
  ).toContainEqual(expect.objectContaining({ type: 'vault', status: 'active' }))
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 1_900 })
})

test('if no card fields load inside the element, it offers the other methods', async () => {
  const { workspace, config } = await createConfig()
  await useVault(workspace, 'vgs', ['stripe'])
  const payer = await checkout.newPayer({ viewport: { width: 1280, height: 1400 } })
  await serveStubs(payer, ['vgs'])
  const page = await openShop(config, {}, payer)

  const methods = elementFrame(page).getByRole('radio')
  await methods.and(elementFrame(page).getByLabel('Card', { exact: true })).waitFor({ state: 'detached' })
  await elementFrame(page).getByRole('radio', { name: 'iDEAL' }).waitFor()
  expect(await methods.first().isChecked()).toBe(true)
})

test('an unknown outcome is neither a success nor a failure', async () => {
  const { config } = await createConfig()
  const page = await openShop(config)
  await typeCardInElement(page, cards.noResponse)

  expect(await confirmPayment(page)).toEqual({ status: 'processing', error: null })
  await elementFrame(page).getByText('We are checking with your bank').waitFor()
})

test('1,000 hostile messages are ignored: from other windows and origins, malformed, before and after the first', async () => {
  const { workspace, config } = await createConfig(undefined, [merchant.allowed, merchant.other])
  const page = await (await checkout.newPayer()).newPage()
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  // A page with frames of its own, without the script of the elements.
  await page.goto(merchant.urlOf(merchant.allowed, config, '/empty.js'))
  const init = { type: 'init', version: 1, session: config.session, locale: null, appearance: {} }
  const frameUrl = (origin: string) =>
    `${checkout.origin}/e/${config.key}/payment?origin=${encodeURIComponent(origin)}`
  const urls = [
    frameUrl(merchant.allowed),
    // Its first message must come from the other origin.
    frameUrl(merchant.other),
    merchant.urlOf(merchant.allowed, {}, '/attacker.js'),
    merchant.urlOf(merchant.other, {}, '/attacker.js'),
  ]
  await page.evaluate(`Promise.all(${JSON.stringify(urls)}.map((src) => new Promise((onload) => {
    document.querySelector('#pay').append(Object.assign(document.createElement('iframe'), { src, onload }))
  })))`)
  const attack = async () => Number(await page.evaluate(attackOf(init)))
  const before = await attack()
  const elements = page.frames().filter((frame) => frame.url().startsWith(checkout.origin))
  expect(elements).toHaveLength(2)
  for (const frame of elements) expect(await frame.locator('.skeleton').isVisible()).toBe(true)
  expect(requests.filter((path) => path.startsWith('/checkout/sessions'))).toEqual([])

  // The real first message is accepted. After it, only well-formed messages through the port are accepted.
  await page.evaluate(`new Promise((ready) => {
    const { port1, port2 } = new MessageChannel()
    window.port = port1
    window.received = []
    port1.onmessage = ({ data }) => { received.push(data.type); if (data.type === 'ready') ready() }
    frames[0].postMessage(${JSON.stringify(init)}, ${JSON.stringify(checkout.origin)}, [port2])
  })`)
  const number = page.frameLocator('iframe').first().getByLabel('Card number')
  await number.fill(cards.approved)
  const after = await attack()
  await page.evaluate(`{
    const hostile = [null, 'submit', { type: 'submit' }, { type: 'submit', id: 1, return_url: 'javascript:1' },
      { type: 'submit', id: '1', return_url: location.href }, { type: 'unmount', now: true }, ${JSON.stringify(init)},
      { type: 'result', id: 1, status: 'succeeded', error: null }, { type: 'update', locale: 'de' }]
    for (let index = 0; index < 200; index += 1) port.postMessage(hostile[index % hostile.length])
    // A port delivers messages in order, so the frame has received the others when it has the focus.
    port.postMessage({ type: 'focus' })
  }`)
  await expect.poll(() => elements[0]?.evaluate('document.activeElement.name')).toBe('email')

  expect(before + after + 200).toBeGreaterThanOrEqual(1_000)
  expect(await number.inputValue()).toBe('4242 4242 4242 4242')
  expect(await page.evaluate(`received.filter((type) => type === 'result' || type === 'challenge')`)).toEqual(
    [],
  )
  expect(requests.filter((path) => path.endsWith('/confirm'))).toEqual([])
  expect((await workspace.get('/payments')).body.data).toEqual([])
})

/** Sends messages to the frames, and returns their number when they have been delivered. */
const attackOf = (init: object) => `(async () => {
  const init = ${JSON.stringify(init)}
  const valid = [init, { type: 'submit', id: 1, return_url: location.href }, { type: 'unmount' }, { type: 'focus' },
    { type: 'update', locale: 'de', appearance: {} }]
  const malformed = [null, 1, 'init', [], {}, { type: 'init' }, { ...init, version: 2 }, { ...init, extra: 1 },
    { ...init, session: { id: 'x', client_secret: 'y' } }, { ...init, appearance: { colorText: 'red' } },
    { ...init, appearance: { css: 'body{display:none}' } }, { ...init, locale: '../../x' }, { type: '__proto__' },
    { type: 'constructor' }, { ...init, appearance: { colorText: '#fefefe' } }]
  const repeat = (messages, count) => Array.from({ length: count }, (_, index) => messages[index % messages.length])
  // From the right window and origin: malformed, not the first message, or without a port.
  for (const message of repeat([...malformed, ...valid.slice(1)], 150))
    frames[0].postMessage(message, '*', [new MessageChannel().port2])
  for (let index = 0; index < 50; index += 1) frames[0].postMessage(init, '*')
  // From an origin that is allowed, but is not the one in the URL of the frame.
  for (const message of repeat(valid, 50)) frames[1].postMessage(message, '*', [new MessageChannel().port2])
  // From other windows: one of the same origin, one of another origin.
  for (const attacker of [frames[2], frames[3]]) {
    const attacked = new Promise((done) => addEventListener('message', ({ data }) => data === 'attacked' && done()))
    attacker.postMessage({ toElement: repeat(valid, 100) }, '*')
    await attacked
  }
  return 450
})()`

test('messages from other windows do not reach the page', async () => {
  const { config } = await createConfig()
  const page = await openShop(config)
  const attacker = merchant.urlOf(merchant.other, {}, '/attacker.js')
  const height = Number(await page.evaluate(`document.querySelector('iframe').clientHeight`))
  await page.evaluate(`new Promise((done) => {
    const frame = Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(attacker)} })
    const toPage = [{ type: 'challenge', url: 'https://evil.example/' }, { type: 'resize', height: 9 }, { type: 'escape' },
      { type: 'result', id: 1, status: 'succeeded', error: null }]
    frame.onload = () => frame.contentWindow.postMessage({ toPage: Array(25).fill(toPage).flat() }, '*')
    addEventListener('message', ({ data }) => data === 'attacked' && done())
    document.body.append(frame)
    shop.confirmed = shop.payment.confirm()
  })`)

  expect(await page.evaluate('shop.confirmed')).toMatchObject({
    status: 'failed',
    error: { code: 'fields_invalid' },
  })
  expect((await eventsOf(page)).map(({ name }) => name)).not.toContain('escape')
  expect(Number(await page.evaluate(`document.querySelector('iframe').clientHeight`))).toBeGreaterThanOrEqual(
    height,
  )
  expect(page.url()).toContain(merchant.allowed)
})

test('the browser blocks the frame on a page of another origin, and the page is notified', async () => {
  const { config } = await createConfig()
  // The context of checkout.newPayer would fail the test because of the blocked frame.
  const browser = (await checkout.newPayer()).browser()
  const page = await (browser as NonNullable<typeof browser>).newPage()
  const blocked: string[] = []
  page.on('console', (message) => blocked.push(message.text()))
  // The page waits for 15 seconds.
  await page.addInitScript({
    content: `{
      const setRealTimeout = setTimeout
      window.setTimeout = (run, ms) => setRealTimeout(run, ms === 15_000 ? 500 : ms)
    }`,
  })
  await page.goto(merchant.urlOf(merchant.other, config))
  await expect.poll(() => blocked.join('\n')).toMatch(/frame-ancestors/)
  await page.evaluate('shop.confirmed = shop.payment.confirm()')

  expect(await page.evaluate('shop.confirmed')).toMatchObject({
    status: 'failed',
    error: { code: 'frame_unavailable' },
  })
  expect((await eventsOf(page)).at(-1)).toMatchObject({ name: 'error', code: 'frame_unavailable' })
  expect(page.frames().some((frame) => frame.url().startsWith(checkout.origin))).toBe(false)
  await page.context().close()
})

test('the element has no accessibility violations at three widths in six languages, including with errors and tokens', async () => {
  const { config } = await createConfig({ amount: 12_900, currency: 'eur', collect: ['name', 'phone'] })
  const page = await openShop(config, { bypassCSP: true })
  const appearance = {
    theme: 'dark',
    colorBackground: '#101820',
    colorSurface: '#18222c',
    colorAccent: '#ffd166',
    fontFamily: 'serif',
    fontSize: 18,
    borderRadius: 12,
    spacing: 24,
  }
  const frame = page.frames().find((candidate) => candidate.url().startsWith(checkout.origin))
  if (frame === undefined) throw new Error('The frame is missing.')
  for (const part of [page, frame]) {
    await loadAxe(part)
    // The axe script of the page queries the one of the frame by messages, which the element ignores.
    await part.evaluate(`axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] })`)
  }
  for (const [index, locale] of ['en', 'de', 'es', 'fr', 'ja', 'ar'].entries()) {
    const settings = index % 2 === 0 ? { locale } : { locale, appearance }
    await page.evaluate(`shop.elements.update(${JSON.stringify(settings)})`)
    await elementFrame(page).locator(`html[lang=${locale}]`).waitFor()
    if (locale === 'es') {
      expect(await confirmPayment(page)).toMatchObject({ status: 'failed' })
      await page.evaluate(`document.querySelector('#outcome').textContent = ''`)
    }
    for (const width of [320, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await findViolations(page), `${locale} ${width}`).toEqual([])
      const overflow = await page.evaluate('document.documentElement.scrollWidth')
      expect(overflow, `${locale} ${width}`).toBeLessThanOrEqual(width)
      await takeScreenshot(page, `element-${locale}-${width}`, { fullPage: true })
    }
  }
  expect(await elementFrame(page).locator('html').getAttribute('dir')).toBe('rtl')
  expect(await page.locator('iframe').getAttribute('title')).toBe('بيانات الدفع')
  // Verify that axe checks the frame.
  await frame.evaluate(`document.querySelector('label').remove()`)
  expect((await findViolations(page)).join()).toContain('label')
})

test('the Tab key moves through the page and the frame in both directions, and Escape reaches the page', async () => {
  const { config } = await createConfig()
  const page = await openShop(config)
  const frame = page.frames().find((candidate) => candidate.url().startsWith(checkout.origin))
  const focused = async () => {
    const inPage = String(await page.evaluate('document.activeElement.id || document.activeElement.tagName'))
    return inPage === 'IFRAME'
      ? String(await frame?.evaluate('document.activeElement.name || document.activeElement.tagName'))
      : inPage
  }
  await page.locator('#before').focus()
  const order: string[] = []
  for (let step = 0; step < 8; step += 1) {
    await page.keyboard.press('Tab')
    order.push(await focused())
  }
  expect(order).toEqual([
    'email',
    'method',
    'SUMMARY',
    'card.number',
    'card.expiry',
    'card.cvc',
    'card.name',
    'buy',
  ])
  await page.keyboard.press('Shift+Tab')
  expect(await focused()).toBe('card.name')
  await page.keyboard.press('Escape')
  await expect.poll(async () => (await eventsOf(page)).at(-1)?.name).toBe('escape')
  await page.evaluate('shop.payment.focus()')
  await expect.poll(focused).toBe('email')
  expect(await elementFrame(page).getByLabel('Card number').count()).toBe(1)
  // The frame is as high as its content.
  const height = await frame?.evaluate('document.documentElement.scrollHeight')
  await expect.poll(() => page.evaluate(`document.querySelector('iframe').clientHeight`)).toBe(height)
})

test('tokens change the form, and invalid or unreadable ones are rejected', async () => {
  const { config } = await createConfig()
  const page = await openShop({ ...config, appearance: { colorText: '#102030', borderRadius: 9 } })
  const style = await page.frames()[1]?.evaluate(`(() => {
    const { color, borderTopLeftRadius } = getComputedStyle(document.getElementsByName('card.number')[0])
    return [color, borderTopLeftRadius]
  })()`)
  expect(style).toEqual(['rgb(16, 32, 48)', '9px'])

  const rejection = (appearance: object) =>
    page.evaluate(
      `(() => { try { shop.elements.update({ appearance: ${JSON.stringify(appearance)} }) } catch (error) { return error.message } })()`,
    )
  expect(await rejection({ colorText: 'red' })).toBe('appearance.colorText must be a colour such as #0b5fff.')
  expect(await rejection({ css: '*{}' })).toBe('appearance.css is not a token.')
  expect(await rejection({ fontSize: 200 })).toBe('appearance.fontSize must be a number from 14 to 20.')
  expect(await rejection({ colorText: '#bbbbbb' })).toBe(
    'appearance.colorText #bbbbbb on colorBackground #ffffff has a contrast of 1.9: it must be at least 4.5.',
  )
  expect(await rejection({ theme: 'auto', colorBackground: '#ffffff', colorSurface: '#ffffff' })).toMatch(
    /^appearance\.colorText #ecebe4 on colorBackground #ffffff has a contrast of/,
  )
  const secretKey = `(() => { try { shop.switchyard('sk_test_1', {}) } catch (error) { return error.message } })()`
  expect(await page.evaluate(secretKey)).toMatch(/publishable token/)
})

/** The page with the React component, as a bundler produces it. */
async function bundleReactShop(): Promise<string> {
  const bundle = await rolldown({
    input: resolve(import.meta.dirname, '../../../elements/test/react-shop.ts'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  const { output } = await bundle.generate({ format: 'es' })
  return output[0].code
}

test('the React component mounts once in strict mode, and confirms by its ref', async () => {
  const { workspace, config } = await createConfig()
  const page = await (await checkout.newPayer()).newPage()
  const configWithUrl = { ...config, baseUrl: checkout.origin }
  await page.goto(merchant.urlOf(merchant.allowed, configWithUrl, '/react.js'))
  expect(await page.locator('#react-buy').isDisabled()).toBe(true)
  await typeCardInElement(page)
  await page.locator('#react-buy').click()
  await page.locator('output', { hasText: 'succeeded' }).waitFor()

  expect(await page.locator('iframe').count()).toBe(1)
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})
