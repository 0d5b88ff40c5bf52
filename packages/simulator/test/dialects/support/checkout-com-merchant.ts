// A merchant of the simulator that uses the official SDK of Checkout.com. It receives webhooks and verifies their
// signatures.

import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Checkout } from 'checkout-sdk-node'
import type { Config, MoneyFact, PaymentSums, Simulator } from '../../../src/index.ts'
import type { Call } from '../../../src/simulator-state.ts'

export type Members = { readonly [name: string]: unknown }

/** The members of responses that tests use. */
export type Answer = {
  readonly id: string
  readonly action_id: string
  readonly status: string
  readonly amount: number
  readonly source: { readonly id?: string }
  readonly token: string
  readonly redirectLink?: string
  readonly error_codes?: readonly string[]
}

const signatureKey = 'whk-0123456789abcdef'

/** Keys of the sandbox have 27 characters of the base32 alphabet. */
function newKey(): string {
  return `sk_sbox_${Array.from(randomUUID().replaceAll('-', '').slice(0, 27), (digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]).join('')}`
}

export async function newCheckoutMerchant(simulator: Simulator, config: Partial<Config> = {}) {
  const account = `checkout-${randomUUID()}`
  const secretKey = newKey()
  await simulator.control('PUT', `${account}/config`, {
    dialect: 'checkout_com',
    credentials: { secret_key: secretKey, signature_key: signatureKey },
    ...config,
  })
  return checkoutMerchantOf(simulator, account, secretKey)
}

export function checkoutMerchantOf(simulator: Simulator, account: string, secretKey: string) {
  const url = `${simulator.url}/${account}`
  const sdk = new Checkout(secretKey, { host: url, pk: secretKey.replace('sk_', 'pk_') })

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: { readonly [name: string]: string } = {},
  ) {
    const response = await fetch(`${url}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secretKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'manual',
    })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Answer }
  }

  const control = <Answer = Members>(method: string, path: string, body?: object) =>
    simulator.control<Answer>(method, `${account}/${path}`, body)

  return {
    account,
    secretKey,
    url,
    sdk,
    call,
    control,
    pay: async (body: object, key?: string) => (await sdk.payments.request(body, key)) as Answer,
    details: async (id: string) => (await sdk.payments.get(id)) as Members,
    actions: async (id: string) => (await sdk.payments.getActions(id)) as readonly Members[],
    configure: (changes: Partial<Config>) => control('PUT', 'config', changes),
    advance: (ms: number) => simulator.control('POST', 'time', { advance_ms: ms }),
    flush: () => control('POST', 'webhooks/flush'),
    facts: async () => (await control<{ facts: MoneyFact[] }>('GET', 'ledger')).facts,
    sums: async () => (await control<{ sums: PaymentSums[] }>('GET', 'sums')).sums,
    calls: async () => (await control<{ calls: Call[] }>('GET', 'calls')).calls,
  }
}

export type CheckoutMerchant = ReturnType<typeof checkoutMerchantOf>

/** A payment of 12.50 EUR; `changes` override its members. */
export function payment(number: string, changes: Members = {}) {
  return {
    source: { type: 'card', number, expiry_month: 12, expiry_year: 2040, cvv: '100' },
    amount: 1250,
    currency: 'EUR',
    reference: `order-${randomUUID()}`,
    capture: false,
    success_url: 'https://shop.example/success?order=7',
    failure_url: 'https://shop.example/failure',
    ...changes,
  }
}

export type Webhook = {
  readonly isValid: boolean
  readonly id: string
  readonly type: string
  readonly data: Members
}

/** Receives webhooks. Each has a valid signature, or not. */
export async function startWebhookReceiver() {
  const webhooks: Webhook[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const expected = createHmac('sha256', signatureKey).update(body).digest('hex')
    const isValid = request.headers['cko-signature'] === expected
    webhooks.push({ ...JSON.parse(body.toString()), isValid })
    response.writeHead(isValid ? 200 : 401).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    /** The webhooks about this payment, in the order in which they arrived. */
    about: (id: string) => webhooks.filter(({ data }) => data.id === id),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
