// A merchant with an account that implements PayPal's API: the official SDK, and plain calls.

import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import {
  Client,
  Environment,
  OrdersController,
  PaymentsController,
  VaultController,
} from '@paypal/paypal-server-sdk'
import type { Config, MoneyFact, Simulator } from '../../src/index.ts'
import type { Call } from '../../src/simulator-state.ts'
import { controlOf, goodCard, type Members } from './merchant.ts'

export type PaypalResponse = {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly [name: string]: unknown }
}
type Headers = Response['headers']
type CallOptions = { readonly headers?: { readonly [name: string]: string }; readonly signal?: AbortSignal }

/** The SDK only calls PayPal's hosts over TLS. This agent connects to the simulator instead. */
class SimulatorAgent extends Agent {
  readonly #port: number
  readonly protocol = 'https:'

  constructor(url: string) {
    super()
    this.#port = Number(new URL(url).port)
  }

  override createConnection() {
    return connect(this.#port, '127.0.0.1')
  }
}

export function credentialsOf(account: string) {
  return { client_id: `client-${account}`, client_secret: `secret-${account}`, webhook_id: 'WH-1' }
}

export function sdkOf(dialectUrl: string, account: string, secret = credentialsOf(account).client_secret) {
  const client = new Client({
    environment: Environment.Sandbox,
    clientCredentialsAuthCredentials: {
      oAuthClientId: credentialsOf(account).client_id,
      oAuthClientSecret: secret,
    },
    httpClientOptions: { httpsAgent: new SimulatorAgent(dialectUrl) },
  })
  return {
    client,
    orders: new OrdersController(client),
    payments: new PaymentsController(client),
    vault: new VaultController(client),
  }
}

export async function newPaypalMerchant({ url, dialectUrls }: Simulator, config: Partial<Config> = {}) {
  const account = `account-${randomUUID()}`
  const merchant = paypalMerchantOf(url, account)
  await merchant.configure({ dialect: 'paypal', credentials: credentialsOf(account), ...config })
  return { ...merchant, ...sdkOf(dialectUrls.paypal ?? url, account) }
}

/** The merchant of an account that is configured. */
export function paypalMerchantOf(url: string, account: string) {
  const control = controlOf(url)
  const { client_id: id, client_secret: secret } = credentialsOf(account)
  let token: string | null = null

  async function send(method: string, path: string, body: string | null, options: CallOptions) {
    const { headers = {}, signal = null } = options
    const response = await fetch(`${url}/${account}/${path}`, { method, headers, body, signal })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as PaypalResponse['body'],
    }
  }

  function requestToken(form = 'grant_type=client_credentials', password = secret): Promise<PaypalResponse> {
    const authorization = `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`
    const type = 'application/x-www-form-urlencoded'
    return send('POST', 'v1/oauth2/token', form, { headers: { authorization, 'content-type': type } })
  }

  async function call(method: string, path: string, body?: Members, options: CallOptions = {}) {
    token ??= (await requestToken()).body.access_token as string
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = {
      authorization: `Bearer ${token}`,
      prefer: 'return=representation',
      ...type,
      ...options.headers,
    }
    return send(method, path, body === undefined ? null : JSON.stringify(body), { ...options, headers })
  }

  const post = (
    path: string,
    body: Members | undefined,
    requestId: string = randomUUID(),
    options: CallOptions = {},
  ) =>
    call('POST', path, body, { ...options, headers: { 'paypal-request-id': requestId, ...options.headers } })

  const calls = async () => (await control('GET', `${account}/calls`)).calls as Call[]

  /** Sends an order that gets no response, and disconnects once the simulator has received it. */
  async function orderWithoutResponse(body: Members, requestId: string): Promise<void> {
    const hangUp = new AbortController()
    const sent = post('v2/checkout/orders', body, requestId, { signal: hangUp.signal }).catch(() => null)
    const isReceived = ({ idempotency_key, answer }: Call) => idempotency_key === requestId && answer !== null
    while (!(await calls()).some(isReceived)) await new Promise(setImmediate)
    hangUp.abort()
    await sent
  }

  return {
    account,
    call,
    calls,
    post,
    requestToken,
    orderWithoutResponse,
    order: (body: Members, requestId?: string) => post('v2/checkout/orders', body, requestId),
    get: (path: string) => call('GET', path),
    configure: (changes: Partial<Config>) => control('PUT', `${account}/config`, changes),
    control: (method: string, path: string, body?: Members) => control(method, `${account}/${path}`, body),
    advance: (ms: number) => control('POST', 'time', { advance_ms: ms }),
    facts: async () => (await control('GET', `${account}/ledger`)).facts as MoneyFact[],
  }
}

/** An order of 12.50 EUR that is captured immediately. The changes apply to the order, its unit and its card. */
export function newOrder(number = goodCard, order: Members = {}, unit: Members = {}, card: Members = {}) {
  return {
    intent: 'CAPTURE',
    purchase_units: [{ reference_id: 'R1', amount: { currency_code: 'EUR', value: '12.50' }, ...unit }],
    payment_source: { card: { number, expiry: '2035-12', ...card } },
    ...order,
  }
}
