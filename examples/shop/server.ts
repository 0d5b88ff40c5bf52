// The HTTP server of the shop, with plain `node:http`: static files, cookies, routing and errors.

import { randomUUID, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { SwitchyardError, UnknownOutcomeError } from '@switchyard/sdk'
import type { Shop } from './buying.ts'
import { messagePage } from './pages.ts'
import type { ShopResponse } from './request.ts'
import { findRoute } from './routes.ts'
import { webhookListener } from './webhooks.ts'

export type Secrets = { readonly webhook: string; readonly shopkeeper: string }

const files = new Map(
  [
    ['/style.css', 'text/css'],
    ['/pay.js', 'text/javascript'],
    ['/wait.js', 'text/javascript'],
  ].map(([path = '', type = '']) => [
    path,
    { type, body: readFileSync(join(import.meta.dirname, 'public', path)) },
  ]),
)
const maxFormLength = 10_000

export function createShopServer(shop: Shop, secrets: Secrets): Server {
  const webhooks = webhookListener(shop.store, secrets.webhook)
  return createServer(async (request, response) => {
    if (request.method === 'POST' && request.url === '/webhooks') return webhooks(request, response)
    try {
      await handleRequest(shop, secrets, request, response)
    } catch (error) {
      const { title, text } = explain(error)
      send(shop, response, 502, messagePage(title, text))
    }
  })
}

async function handleRequest(
  shop: Shop,
  secrets: Secrets,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const url = new URL(request.url ?? '/', shop.url)
  const file = files.get(url.pathname)
  if (file !== undefined) return response.writeHead(200, { 'content-type': file.type }).end(file.body)
  const route = findRoute(request.method ?? '', url.pathname)
  if (route === null) return send(shop, response, 404, messagePage('Not found', 'This page does not exist.'))

  const cookies = cookiesOf(request)
  const key = url.searchParams.get('key') ?? cookies.get('shopkeeper') ?? ''
  const isShopkeeper = isEqual(key, secrets.shopkeeper)
  const rejection = rejectionReason(request, route.isForShopkeeper && !isShopkeeper)
  if (rejection !== null) return send(shop, response, 403, messagePage('Not allowed', rejection))

  // Replace this with your sign-in: the cookie identifies the shopper.
  const shopperId = cookies.get('shopper') ?? randomUUID()
  response.appendHeader('set-cookie', cookie('shopper', shopperId))
  if (isShopkeeper) response.appendHeader('set-cookie', cookie('shopkeeper', key))
  const form = new URLSearchParams(await readForm(request))
  sendResponse(
    shop,
    response,
    await route.handle({ shop, id: route.id, query: url.searchParams, form, shopperId }),
  )
}

function sendResponse(shop: Shop, response: ServerResponse, result: ShopResponse | null): void {
  if (result === null) send(shop, response, 404, messagePage('Not found', 'This order does not exist.'))
  else if ('redirectTo' in result) response.writeHead(303, { location: result.redirectTo }).end()
  else if ('text' in result) response.writeHead(200, { 'content-type': 'text/plain' }).end(result.text)
  else send(shop, response, result.status ?? 200, result.page)
}

function rejectionReason({ method, headers }: IncomingMessage, isForbidden: boolean): string | null {
  if (isForbidden) return 'Open the link that the shop printed when it started.'
  // CSRF protection: forms of other sites are rejected.
  if (method === 'POST' && headers['sec-fetch-site'] !== 'same-origin')
    return 'This form was sent by another site.'
  return null
}

function send({ switchyard }: Shop, response: ServerResponse, status: number, page: string): void {
  const { origin } = new URL(switchyard.baseUrl)
  // The payment element: its script, and the frame with the card fields.
  const policy = [
    `default-src 'none'; script-src 'self' ${origin}; frame-src ${origin}; style-src 'self'; img-src data:`,
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
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

/** A lost response is not a failure. The idempotency key of the order makes a retry safe. */
function explain(error: unknown): { title: string; text: string } {
  if (error instanceof UnknownOutcomeError)
    return {
      title: 'Not known yet',
      text: 'The response was lost, so the request may have succeeded. Open your order and try again: you are charged at most once.',
    }
  console.error(error)
  const isApiError = error instanceof SwitchyardError
  return {
    title: 'Something went wrong',
    text: isApiError ? `${error.message} Please try again.` : 'Internal error of the shop. Please try again.',
  }
}

async function readForm(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > maxFormLength) throw new Error('The form is too long.')
  }
  return text
}

function cookiesOf({ headers }: IncomingMessage): Map<string, string> {
  const pairs = (headers.cookie ?? '').split('; ').map((pair) => pair.split('='))
  return new Map(pairs.map(([name = '', value = '']) => [name, value]))
}

const cookie = (name: string, value: string) =>
  `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000`

function isEqual(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
