// A shop that uses Adyen's official library against the simulator, and receives its webhooks. Every shop has its own
// account, so that tests are independent.

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  CheckoutAPI,
  Client,
  HttpClientException,
  hmacValidator,
  Config as SdkConfig,
  type Types,
} from '@adyen/api-library'
import type { Config, MoneyFact, PaymentSums, Simulator } from '../../src/index.ts'
import { goodCard, type Members } from './merchant.ts'

export const merchantAccount = 'ExampleShopECOM'
const hmacKey = '0F'.repeat(32)
export type Shop = Awaited<ReturnType<typeof newShop>>
type Item = Members & { readonly additionalData: { readonly [name: string]: string } }

/** The library only calls https://checkout-test.adyen.com. This client calls the simulator instead. */
function httpClientOf(url: string) {
  return {
    async request(
      endpoint: string,
      json: string,
      config: SdkConfig,
      _isApiKeyRequired: boolean,
      options: { method?: string; idempotencyKey?: string; params?: { [name: string]: string } },
    ): Promise<string> {
      const query = options.params === undefined ? '' : `?${new URLSearchParams(options.params)}`
      const { method = 'POST', idempotencyKey } = options
      const key = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
      const response = await fetch(`${url}${new URL(endpoint).pathname}${query}`, {
        method,
        headers: { 'X-API-Key': config.apiKey ?? '', 'Content-Type': 'application/json', ...key },
        ...(method === 'POST' ? { body: json } : {}),
      })
      const text = await response.text()
      if (response.ok) return text
      const { message, errorCode } = JSON.parse(text) as { message: string; errorCode: string }
      const responseHeaders = Object.fromEntries(response.headers)
      const { status: statusCode } = response
      throw new HttpClientException({ message, statusCode, errorCode, responseHeaders, responseBody: text })
    },
  }
}

export async function newShop(simulator: Simulator, config: Partial<Config> = {}) {
  return shopOf(simulator, `account-${randomUUID()}`, { api_key: `key-${randomUUID()}`, config })
}

export async function shopOf(
  simulator: Simulator,
  account: string,
  { api_key, config }: { readonly api_key: string; readonly config: Partial<Config> },
) {
  const url = simulator.dialectUrls.adyen ?? ''
  const credentials = { api_key, hmac_key: hmacKey, webhook_password: 'secret' }
  await simulator.control('PUT', `${account}/config`, { dialect: 'adyen', credentials, ...config })
  const sdk = new SdkConfig({ apiKey: api_key, environment: 'TEST' as never })
  const client = new Client(sdk)
  client.httpClient = httpClientOf(url) as unknown as Client['httpClient']
  const api = new CheckoutAPI(client)

  async function post(path: string, body: Members | string, headers: { [name: string]: string } = {}) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const all = { 'x-api-key': api_key, 'content-type': 'application/json', ...headers }
    const response = await fetch(`${url}/v72${path}`, { method: 'POST', headers: all, body: text })
    const parsed = (await response.json()) as Members
    return { status: response.status, headers: response.headers, body: parsed }
  }

  return {
    account,
    api_key,
    payments: api.PaymentsApi,
    modifications: api.ModificationsApi,
    recurring: api.RecurringApi,
    /** A call without the library. */
    post,
    flush: () => simulator.control<{ waiting: number }>('POST', `${account}/webhooks/flush`, {}),
    sums: async (): Promise<PaymentSums[]> =>
      (await simulator.control<{ sums: PaymentSums[] }>('GET', `${account}/sums`)).sums,
    facts: async (): Promise<MoneyFact[]> =>
      (await simulator.control<{ facts: MoneyFact[] }>('GET', `${account}/ledger`)).facts,
    control: <Answer = unknown>(method: string, path: string, body?: object) =>
      simulator.control<Answer>(method, `${account}/${path}`, body),
  }
}

let references = 0

/** A payment of 12.50 EUR that is captured immediately; `changes` override its members. */
export function payment(number: string = goodCard, changes: Members = {}): Types.checkout.PaymentRequest {
  references += 1
  const request = {
    reference: `order-${references}-${randomUUID()}`,
    merchantAccount,
    amount: { currency: 'EUR', value: 1250 },
    paymentMethod: { type: 'scheme', number, expiryMonth: '03', expiryYear: '2040', cvc: '737' },
    returnUrl: 'http://shop.example/return?order=7',
    ...changes,
  }
  return request as unknown as Types.checkout.PaymentRequest
}

export const manual = { additionalData: { manualCapture: 'true' } }
export const euros = (value: number) => ({ currency: 'EUR', value })

/** Receives webhooks, and verifies every item with the library. */
export async function startAdyenReceiver() {
  const received: Received[] = []
  const validator = new hmacValidator()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as {
      notificationItems: { NotificationRequestItem: Item }[]
    }
    const items = body.notificationItems.map(({ NotificationRequestItem: item }) => item)
    const valid = items.every((item) => validator.validateHMAC(item as never, hmacKey))
    received.push({
      items,
      valid,
      path: request.url ?? '',
      authorization: request.headers.authorization ?? '',
    })
    response.writeHead(valid ? 202 : 401).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  /** The webhooks of one shop. */
  function newInbox() {
    const path = `/hooks/${randomUUID()}`
    const webhooks = () => received.filter((webhook) => webhook.path === path)
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
      webhooks,
      /** All items with valid signatures, as `EVENT success`. */
      events: () =>
        webhooks().flatMap(({ items, valid }) =>
          valid ? items.map(({ eventCode, success }) => `${eventCode} ${success}`) : [],
        ),
      last: () => webhooks().at(-1)?.items.at(-1) as Item,
    }
  }

  return {
    newInbox,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

type Received = {
  readonly items: Item[]
  readonly valid: boolean
  readonly path: string
  readonly authorization: string
}
