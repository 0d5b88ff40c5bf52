// `npm run demo:link`: demonstrates a payment from curl to webhook, and prints the duration of each step. Starts
// `npm run dev` (or uses the running one), creates a payment link, pays it in Chromium with a card that requires 3-D
// Secure, and shows the event and its signed webhook. Exits with 0 if every step succeeded.

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

/** This card requires 3-D Secure. */
const card = '4000 0000 3000 0006'
const limitMs = 60_000
const startedMs = performance.now()
const cleanups: (() => Promise<unknown>)[] = []
let hasEnded = false
const timer = setTimeout(() => finish(new Error(`Timed out after ${limitMs / 1000} seconds.`)), limitMs)

await demonstrate().then(() => finish(null), finish)

async function demonstrate(): Promise<void> {
  // Check for Chromium before anything is started.
  findChromium()
  const { running, tokens } = await step('The service is running', startService)
  const baseUrl = running?.testUrl ?? ''
  const switchyard = new Switchyard({ token: tokens.test, baseUrl })
  const receiver = await step('The webhook receiver is listening', startReceiver)
  const endpoint = await switchyard.webhookEndpoints.create({
    url: receiver.url,
    event_types: ['payment.succeeded'],
    name: 'npm run demo:link',
  })
  cleanups.push(() => switchyard.webhookEndpoints.delete(endpoint.id))
  const { secret } = await switchyard.webhookEndpoints.revealSecret(endpoint.id)

  const link = await step('curl creates a payment link', () => createLink(baseUrl, tokens.test))
  printDetail(link.url)
  await step('Chromium opens the link, pays, confirms with 3-D Secure and shows the receipt', () =>
    payInBrowser(link.url),
  )

  const webhook = await step('The webhook has arrived', () => receiver.next)
  const event = await step('Its signature is valid', () => verifyWebhook({ ...webhook, secret }))
  printDetail(`signature-digest: ${webhook.headers['signature-digest']}`)
  const storedEvent = await step(`GET /events/${event.id}`, () => switchyard.events.get(event.id))
  const { object } = JSON.parse(storedEvent.data)
  printDetail(
    `${storedEvent.type}: ${object.id}, ${object.amount} ${object.currency}, through ${object.payment_link_id}`,
  )
  if (object.payment_link_id !== link.id) throw new Error('The event belongs to another payment.')
}

async function startService(): Promise<DevelopmentState> {
  const existing = findRunning()
  if (existing !== null) return existing
  const dev = spawn(process.execPath, [resolve(import.meta.dirname, 'dev.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LOG_LEVEL: 'info' },
  })
  const exited = once(dev, 'exit')
  cleanups.push(() => {
    dev.kill('SIGTERM')
    return exited
  })
  const lines = createInterface({ input: dev.stdout })
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (line) => line.includes('Switchyard is running') && resolve())
  })
  await Promise.race([ready, exited])
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
  cleanups.push(async () => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/webhooks`, next: received.promise }
}

async function createLink(baseUrl: string, token: string): Promise<{ id: string; url: string }> {
  const order = {
    currency: 'eur',
    line_items: [
      { name: 'Touring wheelset', unit_amount: 11_900 },
      { name: 'Delivery', unit_amount: 1_000 },
    ],
  }
  const { stdout } = await promisify(execFile)('curl', [
    '-sS',
    '--fail-with-body',
    `${baseUrl}/payment-links`,
    '-H',
    `Authorization: Bearer ${token}`,
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify(order),
  ])
  return JSON.parse(stdout)
}

async function payInBrowser(url: string): Promise<void> {
  const browser = await startChromium()
  cleanups.push(() => browser.close())
  const page = await browser.newPage({ locale: 'en-GB' })
  await page.goto(url)
  await page.getByLabel('Email').fill('ana@example.com')
  await fillCard(page)
  await page.getByRole('button', { name: 'Pay €129.00' }).click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText(/^Paid on /).waitFor()
  printDetail((await page.locator('.receipt h2, .receipt dd').allTextContents()).join(' · '))
}

async function fillCard(page: Page): Promise<void> {
  await page.getByLabel('Card number').fill(card)
  await page.getByLabel('Expiry date').fill('12/30')
  await page.getByLabel('Security code').fill('123')
  await page.getByLabel('Name on card').fill('Ana Duarte')
}

async function step<Result>(name: string, body: () => Promise<Result>): Promise<Result> {
  const stepStartedMs = performance.now()
  const result = await body()
  console.log(`${seconds(performance.now() - stepStartedMs)}  ${name}`)
  return result
}

function printDetail(text: string): void {
  console.log(`          ${text}`)
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`.padStart(8)
}

function fail(message: string): never {
  throw new Error(message)
}

async function finish(error: Error | null): Promise<void> {
  // Stopping one part makes others fail too. Only report the first error.
  if (hasEnded) return
  hasEnded = true
  clearTimeout(timer)
  console.log(
    `${seconds(performance.now() - startedMs)}  ${error === null ? 'Done' : `Failed: ${error.message}`}`,
  )
  // Stop in the reverse order of starting.
  for (const stop of cleanups.splice(0).reverse()) await stop().catch(() => {})
  process.exit(error === null ? 0 : 1)
}
