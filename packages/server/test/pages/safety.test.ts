// What the page may do, and what it must not leave behind. That it asks no other host and breaks no rule of its
// policy is watched in every test of this folder.

import { expect, test } from 'vitest'
import { pay, seesReceipt, typeCard } from './support/payer.ts'
import { shopForThisFile } from './support/shop.ts'

const shop = await shopForThisFile()

test('its policy lets in its own script and nothing else, and nobody may frame it', async () => {
  const { link } = await shop.sell()
  const { headers } = await fetch(link.url)
  const policy = headers.get('content-security-policy') ?? ''

  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self'")
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('cache-control')).toBe('no-store')
})

test('the watch over the page would notice a foreign host, a script from outside and a text made into markup', async () => {
  const { link } = await shop.sell()
  // No watch of ours here, since it would do its work.
  const context = (await shop.newPayer()).browser()
  const page = await (await (context as NonNullable<typeof context>).newContext()).newPage()
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  await page.goto(link.url)

  const tries = [
    `fetch('https://example.com/').catch(() => {})`,
    `document.head.append(Object.assign(document.createElement('script'), { text: 'alert(1)' }))`,
    `document.body.innerHTML = '<b>'`,
  ]
  for (const attempt of tries) await page.evaluate(attempt).catch((error) => refused.push(String(error)))

  expect(refused.join('\n')).toMatch(/connect-src/)
  expect(refused.join('\n')).toMatch(/TrustedScript|script-src/)
  expect(refused.join('\n')).toMatch(/TrustedHTML/)
  await page.context().close()
})

test('the first paint waits for the page itself, and for nothing else', async () => {
  const { link } = await shop.sell()
  const page = await (await shop.newPayer()).newPage()
  const held = Promise.withResolvers<void>()
  await page.route('**/checkout/**', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(link.url, { waitUntil: 'commit' })

  const painted = () => page.evaluate(`performance.getEntriesByName('first-paint').length`)
  await expect.poll(painted, { timeout: 10_000 }).toBe(1)
  expect(await page.locator('.skeleton').isVisible()).toBe(true)
  held.resolve()
  await page.getByLabel('Card number').waitFor()
})

test('no card is kept by the browser, no secret stands in an address, and no cookie is set', async () => {
  const { link } = await shop.sell()
  const page = await shop.open(link)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await pay(page)
  await seesReceipt(page)

  const kept = String(
    await page.evaluate(`new Promise((resolve) => {
      indexedDB.open('checkout').onsuccess = ({ target: { result: database } }) => {
        database.transaction('sessions').objectStore('sessions').getAll().onsuccess = ({ target }) =>
          resolve(JSON.stringify([target.result, { ...localStorage }, { ...sessionStorage }, document.cookie]))
      }
    })`),
  )
  expect(kept).toContain('checkout_session_test_')
  expect(kept.replaceAll(/\s/g, '')).not.toMatch(/4242424242|ana@example\.com|Ana Duarte/)
  expect(await page.context().cookies()).toEqual([])
  expect(asked.join('\n')).not.toMatch(/cs_|4242|secret/)
})

test('a browser that keeps nothing can pay too', async () => {
  const { workspace, link } = await shop.sell()
  const payer = await shop.newPayer()
  await payer.addInitScript({
    content: `for (const name of ['indexedDB', 'localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError') } })`,
  })
  const page = await payer.newPage()
  await page.goto(link.url)

  await pay(page)
  await seesReceipt(page)

  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('what a seller writes is shown as it is written, whatever it looks like', async () => {
  const name = `<img src=x onerror=alert(1)> & "Söhne"`
  const { link } = await shop.sell({ description: name }, { display_name: name })
  const page = await shop.open(link)

  expect(await page.locator('.seller').textContent()).toBe(name)
  expect(await page.locator('.description').textContent()).toBe(name)
  expect(await page.locator('img').count()).toBe(0)
})

test('the fields carry the names by which browsers and wallets fill them in', async () => {
  const { link } = await shop.sell({ collect: ['name', 'phone', 'shipping_address'] })
  const page = await shop.open(link)
  await typeCard(page)

  const names = await page.evaluate(
    `[...document.querySelectorAll('[autocomplete]')].map((field) => field.autocomplete)`,
  )
  expect(names).toEqual([
    ...['email', 'name', 'tel'],
    ...['line1', 'line2'].map((line) => `shipping address-${line}`),
    ...['shipping postal-code', 'shipping address-level2', 'shipping address-level1', 'shipping country'],
    ...['cc-number', 'cc-exp', 'cc-csc', 'cc-name'],
  ])
})
