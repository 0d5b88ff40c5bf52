// `npm run demo:link`: the way of one payment from curl to webhook, each step with its time. Starts what `npm run
// dev` starts (or uses the one that runs), makes a payment link, pays it in Chromium with a card whose bank asks the
// payer, and shows the event and the signed webhook of it. Ends with 0 if all of that happened.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Switchyard, verifyWebhook } from '@switchyard/sdk'
import type { Page } from 'playwright-core'
import { type DevelopmentState, findRunning } from './development-state.ts'
import { findChromium, startChromium } from './services/chromium.ts'

/** The bank of this card asks the payer to confirm. */
const card = '4000 0000 3000 0006'
const limitMs = 60_000
const begunMs = performance.now()
const stops: (() => Promise<unknown>)[] = []
let hasEnded = false
const timer = setTimeout(() => end(new Error(`Not done after ${limitMs / 1000} seconds.`)), limitMs)

await demonstrate().then(() => end(null), end)

async function demonstrate(): Promise<void> {
  // Better to know before anything is started.
  findChromium()
  const { running, tokens } = await step('The service runs', startService)
  const baseUrl = running?.testUrl ?? ''
  const switchyard = new Switchyard({ token: tokens.test, baseUrl })
  const receiver = await step('A receiver of webhooks listens', startReceiver)
  const endpoint = await switchyard.webhookEndpoints.create({
    url: receiver.url,
    event_types: ['payment.succeeded'],
    name: 'npm run demo:link',
  })
  stops.push(() => switchyard.webhookEndpoints.delete(endpoint.id))
  const { secret } = await switchyard.webhookEndpoints.revealSecret(endpoint.id)

  const link = await step('curl makes a payment link', () => makeLink(baseUrl, tokens.test))
  say(link.url)
  await step('Chromium opens it, pays, confirms at the bank and shows the receipt', () =>
    payInBrowser(link.url),
  )

  const webhook = await step('The webhook has come', () => receiver.next)
  const event = await step('Its signature is good', () => verifyWebhook({ ...webhook, secret }))
  say(`signature-digest: ${webhook.headers['signature-digest']}`)
  const told = await step(`GET /events/${event.id}`, () => switchyard.events.get(event.id))
  const { object } = JSON.parse(told.data)
  say(`${told.type}: ${object.id}, ${object.amount} ${object.currency}, by ${object.payment_link_id}`)
  if (object.payment_link_id !== link.id) throw new Error('The event is about another payment.')
}

async function startService(): Promise<DevelopmentState> {
  const found = findRunning()
  if (found !== null) return found
  const dev = spawn(process.execPath, [resolve(import.meta.dirname, 'dev.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LOG_LEVEL: 'info' },
  })
  const exited = once(dev, 'exit')
  stops.push(() => {
    dev.kill('SIGTERM')
    return exited
  })
  const lines = createInterface({ input: dev.stdout })
  const greeted = new Promise<void>((done) => {
    lines.on('line', (line) => line.includes('Switchyard is running') && done())
  })
  await Promise.race([greeted, exited])
  return findRunning() ?? fail('`npm run dev` ended before it was ready.')
}

type Webhook = { readonly body: string; readonly headers: Record<string, string> }

async function startReceiver(): Promise<{ url: string; next: Promise<Webhook> }> {
  const received = Promise.withResolvers<Webhook>()
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    response.end()
    received.resolve({ body, headers: request.headers as Record<string, string> })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  stops.push(async () => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/webhooks`, next: received.promise }
}

async function makeLink(baseUrl: string, token: string): Promise<{ id: string; url: string }> {
  const order = {
    currency: 'eur',
    line_items: [
      { name: 'Touring wheelset', unit_amount: 11_900 },
      { name: 'Delivery', unit_amount: 1_000 },
    ],
  }
  const { stdout } = await promisify(execFile)('curl', [
    ...['-sS', '--fail-with-body', `${baseUrl}/payment-links`],
    ...['-H', `Authorization: Bearer ${token}`, '-H', 'Content-Type: application/json'],
    ...['-d', JSON.stringify(order)],
  ])
  return JSON.parse(stdout)
}

async function payInBrowser(url: string): Promise<void> {
  const browser = await startChromium()
  stops.push(() => browser.close())
  const page = await browser.newPage({ locale: 'en-GB' })
  await page.goto(url)
  await page.getByLabel('Email').fill('ana@example.com')
  await typeCard(page)
  await page.getByRole('button', { name: 'Pay €129.00' }).click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText(/^Paid on /).waitFor()
  say((await page.locator('.receipt h2, .receipt dd').allTextContents()).join(' · '))
}

async function typeCard(page: Page): Promise<void> {
  await page.getByLabel('Card number').fill(card)
  await page.getByLabel('Expiry date').fill('12/30')
  await page.getByLabel('Security code').fill('123')
  await page.getByLabel('Name on card').fill('Ana Duarte')
}

async function step<Result>(name: string, body: () => Promise<Result>): Promise<Result> {
  const sinceMs = performance.now()
  const result = await body()
  console.log(`${seconds(performance.now() - sinceMs)}  ${name}`)
  return result
}

function say(text: string): void {
  console.log(`          ${text}`)
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`.padStart(8)
}

function fail(message: string): never {
  throw new Error(message)
}

async function end(error: Error | null): Promise<void> {
  // Whoever stops what others wait for makes them fail too. The first reason is the true one.
  if (hasEnded) return
  hasEnded = true
  clearTimeout(timer)
  console.log(
    `${seconds(performance.now() - begunMs)}  ${error === null ? 'Done' : `Failed: ${error.message}`}`,
  )
  // The last that was started ends first.
  for (const stop of stops.splice(0).reverse()) await stop().catch(() => {})
  process.exit(error === null ? 0 : 1)
}
