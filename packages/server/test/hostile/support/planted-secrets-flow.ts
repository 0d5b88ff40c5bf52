// Payment flows of a merchant with cards, secrets and faulty providers, against a server in a separate
// process. The merchant records the secrets that it uses, so that a test can search for them.

import { cardNumberForScenario } from '../../../../simulator/src/cards.ts'
import type { Receiver } from '../../support/receiver.ts'
import { behaviourByAmount, type EchoProvider, signedWebhook } from './echoing-provider.ts'
import type { PlantedSecret } from './scanner.ts'

export type RecordedResponse = { readonly status: number; readonly text: string }
// biome-ignore lint/suspicious/noExplicitAny: each caller knows the type of the body.
type Body = any

/** A card that is approved. Its CVC has four digits, because three digits would also be found by chance. */
export const amex = { number: '378282246310005', cvc: '7359' }

/** The API client of a workspace. It records all responses except those that return a secret on purpose. */
export class Merchant {
  readonly responses: RecordedResponse[] = []
  readonly planted: PlantedSecret[] = []
  readonly #address: string
  readonly #token: string

  constructor(address: string, token: string) {
    this.#address = address
    this.#token = token
    this.plant('API token', token)
  }

  plant(name: string, text: string): string {
    this.planted.push({ name, text })
    return text
  }

  async call(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Body> {
    const { status, text } = await this.#send(method, path, body, headers)
    // Remove the test card numbers that the API shows to payers on purpose.
    this.responses.push({ status, text: text.replace(/"test_cards":\[[^\]]*\]/, '"test_cards":[]') })
    return text === '' ? null : JSON.parse(text)
  }

  post(path: string, body: object, headers: Record<string, string> = {}): Promise<Body> {
    return this.call('POST', path, body, headers)
  }

  get(path: string): Promise<Body> {
    return this.call('GET', path)
  }

  /** Sends a request that returns a secret, and records the secret. */
  async fetchSecret(name: string, method: string, path: string, input: object | undefined, member: string) {
    const { text } = await this.#send(method, path, input, {})
    const body = JSON.parse(text)
    this.plant(name, body[member])
    return { id: body.id as string, secret: body[member] as string }
  }

  async createToken({ number, cvc }: { number: string; cvc: string }, apiToken?: string): Promise<string> {
    const card = { number, exp_month: 12, exp_year: 2031, cvc }
    const headers = apiToken === undefined ? {} : { authorization: `Bearer ${apiToken}` }
    return (await this.post('/tokens', { type: 'card', card }, headers)).id
  }

  async #send(method: string, path: string, body: object | undefined, headers: Record<string, string>) {
    const response = await fetch(this.#address + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
}

/**
 * Scenarios of the simulator. In some of them the response is lost, so that the outcome is unknown for a
 * while.
 */
const scenarios = [
  '3000',
  '3001',
  '0051',
  '0005',
  '5003',
  '5005',
  '5006',
  '5007',
  '5009',
  '5010',
  '5012',
  '5013',
  '5015',
]

export const plantedCards: readonly PlantedSecret[] = [
  { name: 'card number', text: amex.number },
  { name: 'security code', text: amex.cvc },
  ...scenarios.map((digits) => ({ name: `card number ${digits}`, text: cardNumberForScenario(digits) })),
]

/** Payments of all kinds with the simulator, and invalid requests that contain a card. */
export async function runSimulatorFlow(
  merchant: Merchant,
  receiver: Receiver,
  canary: string,
): Promise<void> {
  const publishable = { name: 'page', kind: 'publishable' }
  const page = await merchant.fetchSecret('publishable token', 'POST', '/api-tokens', publishable, 'token')
  const second = { name: 'second', role: 'ADMIN' }
  await merchant.fetchSecret('second API token', 'POST', '/api-tokens', second, 'token')
  const endpoint = await merchant.post('/webhook-endpoints', { url: receiver.url, event_types: ['*'] })
  const reveal = `/webhook-endpoints/${endpoint.id}/reveal_secret`
  await merchant.fetchSecret('webhook secret', 'GET', reveal, undefined, 'secret')

  const token = await merchant.createToken(amex, page.secret)
  const money = { amount: 1299, currency: 'eur' }
  const payment = await merchant.post('/payments', { ...money, token, description: canary }, key('order-1'))
  await merchant.post('/payments', { ...money, token, description: canary }, key('order-1'))
  await merchant.post('/refunds', { payment_id: payment.id, amount: 299, reason: 'requested_by_customer' })
  for (const digits of scenarios) {
    const cardToken = await merchant.createToken({ number: cardNumberForScenario(digits), cvc: '357' })
    const body = await merchant.post('/payments', { ...money, token: cardToken }, key(`order-${digits}`))
    if (body.next_action) await authenticate(body.next_action.url)
  }
  await payWithSavedCard(merchant)
  await payOnPage(merchant)
  await sendInvalidRequests(merchant)
}

const key = (name: string) => ({ 'idempotency-key': name })

async function authenticate(url: string): Promise<void> {
  const bank = (await fetch(url, { redirect: 'manual' })).headers.get('location')
  const returnUrl = (await fetch(`${bank}?auto`, { redirect: 'manual' })).headers.get('location')
  await fetch(returnUrl ?? '', { redirect: 'manual' })
}

async function payWithSavedCard(merchant: Merchant): Promise<void> {
  const customer = await merchant.post('/customers', { email: 'ada@example.com' })
  const method = await merchant.post('/payment-methods', { token: await merchant.createToken(amex) })
  await merchant.post(`/payment-methods/${method.id}/attach`, { customer_id: customer.id })
  const order = { amount: 500, currency: 'eur', payment_method_id: method.id, customer_id: customer.id }
  await merchant.post('/payments', order)
  await merchant.post('/payments', { ...order, initiator: 'merchant' })
  await merchant.post(`/payment-methods/${method.id}/detach`, {})
}

/** Requests of a payment page with card data: paid, declined, and with the card in the wrong field. */
async function payOnPage(merchant: Merchant): Promise<void> {
  const { number, cvc } = amex
  const link = await merchant.post('/payment-links', { amount: 1299, currency: 'eur', max_completions: null })
  const path = `/checkout/links/${link.url.split('/l/')[1]}/sessions`
  const session = await merchant.fetchSecret('checkout secret', 'POST', path, {}, 'client_secret')
  const sessionHeaders = { 'checkout-secret': session.secret, 'idempotency-key': 'press', authorization: '' }
  const card = (overrides: object) => ({ card: { number, cvc, exp_month: 12, exp_year: 2031, ...overrides } })
  const bodies = [
    card({ number: cardNumberForScenario('0051'), cvc: '357' }),
    card({ exp_year: 2001 }),
    card({ cvc: number }),
    { ...card({}), email: number, phone: number, custom_fields: { [number]: cvc } },
    { card: number, number, cvc },
    card({}),
  ]
  for (const [index, body] of bodies.entries())
    await merchant.post(`/checkout/sessions/${session.id}/confirm`, body, {
      ...sessionHeaders,
      'idempotency-key': `press-${index}`,
    })
  await merchant.call('GET', `/checkout/sessions/${session.id}`, undefined, sessionHeaders)
  await merchant.call('GET', `/checkout/sessions/${session.id}/receipt`, undefined, sessionHeaders)
  await merchant.call('GET', `/checkout/sessions/${number}`, undefined, { 'checkout-secret': number })
}

/** Sends cards in the wrong place and secrets instead of ids. All of these requests are rejected. */
async function sendInvalidRequests(merchant: Merchant): Promise<void> {
  const { number, cvc } = amex
  const money = { amount: 1299, currency: 'eur' }
  const secrets = merchant.planted.map(({ text }) => text)
  const invalidRequests: [string, object][] = [
    ['/payments', { ...money, token: number }],
    ['/payments', { ...money, card: { number, cvc } }],
    ['/payments', { ...money, payment_method_id: number, cvc }],
    ['/payments', { amount: Number(number), currency: number, token: number }],
    ['/payments', { ...money, token: number, metadata: { [number]: { cvc } } }],
    ['/payment-methods', { token: number, card: { number, cvc } }],
    ['/refunds', { payment_id: number, amount: Number(cvc), reason: number }],
    ['/tokens', { type: 'card', card: { number: [number], cvc: { cvc } } }],
    [`/payments/${number}/capture`, { amount: Number(number) }],
    [`/payments/${number}/cancel?cvc=${cvc}&number=${number}`, {}],
    ...secrets.map((secret): [string, object] => [
      '/payments',
      { ...money, token: secret, [secret]: secret },
    ]),
  ]
  for (const [path, body] of invalidRequests) await merchant.post(path, body, key('again'))
  for (const resource of ['payments', 'refunds', 'customers']) await merchant.get(`/${resource}/${number}`)
}

/** Payments with a provider that repeats everything it receives. */
export async function runEchoFlow(
  merchant: Merchant,
  echo: EchoProvider,
  onSecret: (secret: string) => void,
): Promise<void> {
  for (const { id } of (await merchant.get('/provider-accounts')).data)
    await merchant.post(`/provider-accounts/${id}/disable`, {})
  const input = { provider: 'custom', display_name: 'Echo', config: { base_url: echo.url } }
  const account = await merchant.fetchSecret('provider secret', 'POST', '/provider-accounts', input, 'secret')
  onSecret(account.secret)

  for (const amount of Object.values(behaviourByAmount)) {
    const token = await merchant.createToken(amex)
    const payment = await merchant.post('/payments', { amount, currency: 'eur', token })
    const id = payment.resource_id ?? payment.id
    // One payment gets no webhook, so that the provider is queried.
    if (amount === behaviourByAmount.declineOnLookup) await merchant.post(`/payments/${id}/cancel`, {})
    else await sendWebhooks(merchant, account, id, amount)
  }
  await merchant.post('/payment-methods', { token: await merchant.createToken(amex) })
  const rotate = `/provider-accounts/${account.id}/rotate_secret`
  await merchant.fetchSecret('second provider secret', 'POST', rotate, {}, 'secret')
}

/** Sends a webhook of the provider with the card data and secrets that it received, and a forged webhook. */
async function sendWebhooks(
  merchant: Merchant,
  account: { id: string; secret: string },
  paymentId: string,
  amount: number,
): Promise<void> {
  const { number, cvc } = amex
  const message = `number ${number}, cvc: ${cvc}, code ${cvc}, secret ${account.secret}`
  const operation = {
    reference: `${paymentId.slice(-26)}-1`,
    kind: 'authorize',
    status: 'declined',
    amount,
    currency: 'eur',
    decline: { code: 'do_not_honor', message },
  }
  const path = `/provider-webhooks/${account.id}`
  const { body, headers } = signedWebhook(path, account.secret, operation)
  const forged = signedWebhook(path, 'psec_of_an_attacker', operation)
  for (const webhook of [{ body, headers }, forged])
    await merchant.call('POST', path, JSON.parse(webhook.body), { ...webhook.headers, authorization: '' })
}
