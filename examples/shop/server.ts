// The shop over HTTP, on nothing but `node:http`: what comes in, whose it is, and which function answers.

import { randomUUID, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DeclineError, SwitchyardError, UnknownOutcomeError } from '@switchyard/sdk'
import type { Shop } from './buying.ts'
import { messagePage } from './pages.ts'
import { findRoute } from './routes.ts'
import { declineOf } from './states.ts'
import type { Answer } from './visit.ts'
import { webhookListener } from './webhooks.ts'

export type Secrets = { readonly webhook: string; readonly shopkeeper: string }

const files = new Map(
  [
    ['/style.css', 'text/css'],
    ['/card.js', 'text/javascript'],
    ['/wait.js', 'text/javascript'],
  ].map(([path = '', type = '']) => [
    path,
    { type, body: readFileSync(join(import.meta.dirname, 'public', path)) },
  ]),
)
const longestForm = 10_000

export function createShopServer(shop: Shop, secrets: Secrets): Server {
  const webhooks = webhookListener(shop.store, secrets.webhook)
  return createServer(async (request, response) => {
    if (request.method === 'POST' && request.url === '/webhooks') return webhooks(request, response)
    try {
      await answer(shop, secrets, request, response)
    } catch (error) {
      const { title, text } = explain(error)
      send(shop, response, 502, messagePage(title, text))
    }
  })
}

async function answer(shop: Shop, secrets: Secrets, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', shop.url)
  const file = files.get(url.pathname)
  if (file !== undefined) return response.writeHead(200, { 'content-type': file.type }).end(file.body)
  const route = findRoute(request.method ?? '', url.pathname)
  if (route === null) return send(shop, response, 404, messagePage('Not found', 'There is no such page.'))

  const cookies = cookiesOf(request)
  const key = url.searchParams.get('key') ?? cookies.get('shopkeeper') ?? ''
  const isKeeper = isSame(key, secrets.shopkeeper)
  const refusal = refusalOf(request, route.isForShopkeeper && !isKeeper)
  if (refusal !== null) return send(shop, response, 403, messagePage('Refused', refusal))

  // Stands for your sign-in: whoever has the cookie is the shopper.
  const shopperId = cookies.get('shopper') ?? randomUUID()
  response.appendHeader('set-cookie', cookie('shopper', shopperId))
  if (isKeeper) response.appendHeader('set-cookie', cookie('shopkeeper', key))
  const form = new URLSearchParams(await read(request))
  give(shop, response, await route.handle({ shop, id: route.id, query: url.searchParams, form, shopperId }))
}

function give(shop: Shop, response: ServerResponse, answer: Answer | null): void {
  if (answer === null) send(shop, response, 404, messagePage('Not found', 'There is no such order.'))
  else if ('goTo' in answer) response.writeHead(303, { location: answer.goTo }).end()
  else if ('text' in answer) response.writeHead(200, { 'content-type': 'text/plain' }).end(answer.text)
  else send(shop, response, answer.status ?? 200, answer.page)
}

function refusalOf({ method, headers }: IncomingMessage, isClosed: boolean): string | null {
  if (isClosed) return 'Open the link that the shop printed when it started.'
  // A form of another site must not act in the name of whoever is here.
  if (method === 'POST' && headers['sec-fetch-site'] !== 'same-origin')
    return 'This form was sent by another site.'
  return null
}

function send({ switchyard }: Shop, response: ServerResponse, status: number, page: string): void {
  const { origin } = new URL(switchyard.baseUrl)
  const policy = [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'",
    // The page with the card asks for a token there. Where forms lead to is left open: who buys is sent on to the
    // payment page, which may have an address of its own.
    `connect-src 'self' ${origin}; frame-ancestors 'none'`,
  ]
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  }
  response.writeHead(status, headers).end(page)
}

/** An answer that was lost is not a no. The key of the order makes it safe to ask again. */
function explain(error: unknown): { title: string; text: string } {
  if (error instanceof DeclineError) return { title: 'Declined', text: declineOf(error) }
  if (error instanceof UnknownOutcomeError)
    return {
      title: 'Not known yet',
      text: 'The answer was lost, so it may have been done. Open your order and try again: it is done once at most.',
    }
  console.error(error)
  const isTheirs = error instanceof SwitchyardError
  return {
    title: 'That did not work',
    text: isTheirs ? `${error.message} Please try again.` : 'The shop has made a mistake. Please try again.',
  }
}

async function read(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > longestForm) throw new Error('A form of this shop is never that long.')
  }
  return text
}

function cookiesOf({ headers }: IncomingMessage): Map<string, string> {
  const pairs = (headers.cookie ?? '').split('; ').map((pair) => pair.split('='))
  return new Map(pairs.map(([name = '', value = '']) => [name, value]))
}

const cookie = (name: string, value: string) =>
  `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000`

function isSame(given: string, wanted: string): boolean {
  const [one, two] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === two.length && timingSafeEqual(one, two)
}
