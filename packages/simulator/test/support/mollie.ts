// A merchant with an account that implements Mollie's API: the official SDK, plain calls, and a receiver of webhooks.

import { randomUUID } from 'node:crypto'
import http, { createServer } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { createMollieClient } from '@mollie/api-client'
import type { Config, MoneyFact } from '../../src/index.ts'
import type { Call } from '../../src/simulator-state.ts'
import { controlOf, type Members } from './merchant.ts'

export type MollieResponse = {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly [name: string]: unknown }
}

export const apiKeyOf = (account: string) => `test_${account.replaceAll(/\W/g, '')}`

/** The SDK only creates agents for https, but the simulator uses http. */
export function newClient(apiEndpoint: string, apiKey: string) {
  const { Agent } = https
  Object.assign(https, { Agent: http.Agent })
  try {
    return createMollieClient({ apiKey, apiEndpoint })
  } finally {
    Object.assign(https, { Agent })
  }
}

export async function newMollieMerchant(url: string, config: Partial<Config> = {}) {
  const account = `account-${randomUUID()}`
  const merchant = mollieMerchantOf(url, account)
  await merchant.configure({ dialect: 'mollie', credentials: { api_key: apiKeyOf(account) }, ...config })
  return merchant
}

/** The merchant of an account that is configured. */
export function mollieMerchantOf(url: string, account: string) {
  const control = controlOf(url)
  const apiKey = apiKeyOf(account)
  const base = `${url}/${account}/v2`

  async function call(
    method: string,
    path: string,
    body?: Members,
    options: { readonly headers?: { readonly [name: string]: string }; readonly signal?: AbortSignal } = {},
  ): Promise<MollieResponse> {
    const text = body === undefined ? null : JSON.stringify(body)
    const type = text === null ? {} : { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${apiKey}`, ...type, ...options.headers }
    const response = await fetch(`${base}/${path}`, {
      method,
      headers,
      body: text,
      signal: options.signal ?? null,
    })
    const content = await response.text()
    const { status, headers: received } = response
    return { status, headers: received, body: content === '' ? {} : JSON.parse(content) }
  }

  const post = (path: string, body: Members | undefined, key: string = randomUUID(), signal?: AbortSignal) =>
    call('POST', path, body, { headers: { 'idempotency-key': key }, ...(signal ? { signal } : {}) })

  const calls = async () => (await control('GET', `${account}/calls`)).calls as Call[]

  /** Sends a request that gets no response, and disconnects once the simulator has received it. */
  async function postWithoutResponse(path: string, body: Members, key: string): Promise<void> {
    const hangUp = new AbortController()
    const sent = post(path, body, key, hangUp.signal).catch(() => null)
    const isReceived = ({ idempotency_key, answer }: Call) => idempotency_key === key && answer !== null
    while (!(await calls()).some(isReceived)) await new Promise(setImmediate)
    hangUp.abort()
    await sent
  }

  return {
    account,
    client: newClient(base, apiKey),
    call,
    post,
    postWithoutResponse,
    get: (path: string) => call('GET', path),
    configure: (changes: Partial<Config>) => control('PUT', `${account}/config`, changes),
    control: (method: string, path: string, body?: Members) => control(method, `${account}/${path}`, body),
    advance: (ms: number) => control('POST', 'time', { advance_ms: ms }),
    flush: async () => (await control('POST', `${account}/webhooks/flush`)).waiting,
    facts: async () => (await control('GET', `${account}/ledger`)).facts as MoneyFact[],
  }
}

/** A payment of 12.50 EUR with a new card that is captured immediately; `changes` override its members. */
export function newPayment(scenario = 'approve', changes: Members = {}) {
  const reference = randomUUID()
  return {
    amount: { currency: 'EUR', value: '12.50' },
    description: 'Order 7',
    redirectUrl: 'http://shop.example/return?order=7',
    method: 'creditcard',
    cardToken: `tkn_sim_${scenario}`,
    metadata: { switchyard_reference: reference, switchyard_payment_id: `payment_test_${reference}` },
    ...changes,
  }
}

/** Receives forms, and records path and body. */
export async function startFormReceiver() {
  const received: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    received.push(`${request.url} ${request.headers['content-type']} ${Buffer.concat(chunks)}`)
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
