// The security of the payment page: its content security policy, and the data that it stores. Every test of
// this folder also checks that the page contacts no other host and does not violate its policy.

import { expect, test } from 'vitest'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { pay, typeCard, waitForReceipt } from './support/payer.ts'

const checkout = await checkoutPagesForThisFile()

test('the policy allows only the script of the page, and no other page may frame it', async () => {
  const { link } = await checkout.createLink()
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

test('the browser blocks requests to other hosts, inline scripts and text used as markup', async () => {
  const { link } = await checkout.createLink()
  // A context of checkout.newPayer would fail the test because of these attempts.
  const browser = (await checkout.newPayer()).browser()
  const page = await (await (browser as NonNullable<typeof browser>).newContext()).newPage()
  const blocked: string[] = []
  page.on('console', (message) => blocked.push(message.text()))
  await page.goto(link.url)

  const attacks = [
    `fetch('https://example.com/').catch(() => {})`,
    `document.head.append(Object.assign(document.createElement('script'), { text: 'alert(1)' }))`,
    `document.body.innerHTML = '<b>'`,
  ]
  for (const attack of attacks) await page.evaluate(attack).catch((error) => blocked.push(String(error)))

  expect(blocked.join('\n')).toMatch(/connect-src/)
  expect(blocked.join('\n')).toMatch(/TrustedScript|script-src/)
  expect(blocked.join('\n')).toMatch(/TrustedHTML/)
  await page.context().close()
})

test('the first paint does not wait for scripts and data', async () => {
  const { link } = await checkout.createLink()
  const page = await (await checkout.newPayer()).newPage()
  const released = Promise.withResolvers<void>()
  await page.route('**/checkout/**', async (route) => {
    await released.promise
    await route.continue()
  })
  await page.goto(link.url, { waitUntil: 'commit' })

  const countPaints = () => page.evaluate(`performance.getEntriesByName('first-paint').length`)
  await expect.poll(countPaints, { timeout: 10_000 }).toBe(1)
  expect(await page.locator('.skeleton').isVisible()).toBe(true)
  released.resolve()
  await page.getByLabel('Card number').waitFor()
})

test('the browser stores no card, no URL contains a secret, and no cookie is set', async () => {
  const { link } = await checkout.createLink()
  const page = await checkout.open(link)
  const requestUrls: string[] = []
  page.on('request', (request) => requestUrls.push(request.url()))
  await pay(page)
  await waitForReceipt(page)

  const stored = String(
    await page.evaluate(`new Promise((resolve) => {
      indexedDB.open('checkout').onsuccess = ({ target: { result: database } }) => {
        database.transaction('sessions').objectStore('sessions').getAll().onsuccess = ({ target }) =>
          resolve(JSON.stringify([target.result, { ...localStorage }, { ...sessionStorage }, document.cookie]))
      }
    })`),
  )
  expect(stored).toContain('checkout_session_test_')
  expect(stored.replaceAll(/\s/g, '')).not.toMatch(/4242424242|ana@example\.com|Ana Duarte/)
  expect(await page.context().cookies()).toEqual([])
  expect(requestUrls.join('\n')).not.toMatch(/cs_|4242|secret/)
})

test('a payer whose browser blocks all storage can pay', async () => {
  const { workspace, link } = await checkout.createLink()
  const payer = await checkout.newPayer()
  await payer.addInitScript({
    content: `for (const name of ['indexedDB', 'localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError') } })`,
  })
  const page = await payer.newPage()
  await page.goto(link.url)

  await pay(page)
  await waitForReceipt(page)

  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('text of a seller is never interpreted as markup', async () => {
  const name = `<img src=x onerror=alert(1)> & "Söhne"`
  const { link } = await checkout.createLink({ description: name }, { display_name: name })
  const page = await checkout.open(link)

  expect(await page.locator('.seller').textContent()).toBe(name)
  expect(await page.locator('.description').textContent()).toBe(name)
  expect(await page.locator('img').count()).toBe(0)
})

test('the fields have the autocomplete names that browsers and wallets use', async () => {
  const { link } = await checkout.createLink({ collect: ['name', 'phone', 'shipping_address'] })
  const page = await checkout.open(link)
  await typeCard(page)
  await page.locator('[autocomplete="shipping country"]').waitFor()

  const names = await page.evaluate(
    `[...document.querySelectorAll('[autocomplete]')].map((field) => field.autocomplete)`,
  )
  expect(names).toEqual([
    'email',
    'name',
    'tel',
    ...['line1', 'line2'].map((line) => `shipping address-${line}`),
    'shipping postal-code',
    'shipping address-level2',
    'shipping address-level1',
    'shipping country',
    'cc-number',
    'cc-exp',
    'cc-csc',
    'cc-name',
  ])
})
