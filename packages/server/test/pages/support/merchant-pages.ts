// Pages of a merchant that embed the payment element, served from an origin of their own. `127.0.0.1` and `localhost`
// are two origins of the same server, so that one can be allowed and the other not.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FrameLocator, Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { cards } from '../../support/checkout.ts'

/** `scripts`: further scripts, by their paths. */
export async function merchantPagesForThisFile(api: string, scripts: Readonly<Record<string, string>> = {}) {
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${api}`,
    'img-src data:',
    `frame-src ${api} 'self' http://localhost:*`,
    "base-uri 'none'",
  ]
  const files: Readonly<Record<string, string>> = {
    '/shop.js': shopScript(api),
    '/attacker.js': attackerScript,
    '/empty.js': '',
    ...scripts,
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop.invalid')
    const script = files[pathname]
    if (script !== undefined)
      return response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
    })
    response.end(shopPage(searchParams.get('script') ?? '/shop.js'))
  }).listen(0)
  await once(server, 'listening')
  afterAll(() => server.close())
  const { port } = server.address() as AddressInfo
  return {
    allowed: `http://127.0.0.1:${port}`,
    other: `http://localhost:${port}`,
    urlOf: (origin: string, config: object, script = '/shop.js') =>
      `${origin}/?${new URLSearchParams({ config: JSON.stringify(config), script })}`,
  }
}

const shopPage = (script: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shop</title><link rel="icon" href="data:,"></head>
<body><main><h1>Checkout</h1><button id="before" type="button">Change order</button>
<div id="pay"></div><button id="buy" type="button">Pay now</button><p id="outcome" role="status"></p></main>
<script type="module" src="${script}"></script></body></html>`

/** A script that mounts the element, and exposes it and its events as `shop`. */
const shopScript = (api: string) => `
import { switchyard } from '${api}/elements/v1.js'
const { key, session, ...settings } = JSON.parse(new URLSearchParams(location.search).get('config'))
const events = []
const elements = switchyard(key, { baseUrl: '${api}', session, ...settings })
const payment = elements.create('payment')
for (const name of ['ready', 'change', 'escape', 'error']) payment.on(name, (detail) => events.push({ name, ...detail }))
payment.mount('#pay')
globalThis.shop = { switchyard, elements, payment, events }
document.querySelector('#buy').onclick = async () => {
  const outcome = await payment.confirm({ returnUrl: location.href })
  document.querySelector('#outcome').textContent = JSON.stringify(outcome)
}`

/** For a frame next to the element, of the same or another origin: sends messages to the element and to its parent. */
const attackerScript = `
const ports = () => [new MessageChannel().port2]
addEventListener('message', ({ data }) => {
  for (const message of data.toElement ?? []) parent.frames[0].postMessage(message, '*', ports())
  for (const message of data.toPage ?? []) parent.postMessage(message, '*', ports())
  parent.postMessage('attacked', '*')
})`

export const elementFrame = (page: Page): FrameLocator => page.frameLocator('#pay iframe')

export async function typeCardInElement(page: Page, number: string = cards.approved): Promise<void> {
  const frame = elementFrame(page)
  await frame.locator('[name=email]').fill('ana@example.com')
  await frame.locator('[name="card.number"]').fill(number)
  await frame.locator('[name="card.expiry"]').fill('12/30')
  await frame.locator('[name="card.cvc"]').fill('123')
  await frame.locator('[name="card.name"]').fill('Ana Duarte')
}

/** Clicks the button of the merchant, and waits for the outcome. */
export async function confirmPayment(
  page: Page,
): Promise<{ status: string; error: { code: string } | null }> {
  await page.evaluate(`document.querySelector('#outcome').textContent = ''`)
  await page.locator('#buy').click()
  await page.locator('#outcome', { hasText: 'status' }).waitFor()
  return JSON.parse((await page.locator('#outcome').textContent()) ?? '')
}

/** The events of the element since the page was loaded. */
export const eventsOf = (page: Page) =>
  page.evaluate('shop.events') as Promise<{ name: string; status?: string; code?: string }[]>
