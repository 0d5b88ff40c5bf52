// A merchant's whole day with cards, secrets and providers that misbehave, against a server in a process of its own.
// What it plants is known; where it went is for others to look.

import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import type { Receiver } from '../../support/receiver.ts'
import { type Echo, manners, wordOf } from './echoing-provider.ts'
import type { Planted } from './scanner.ts'

export type Answered = { readonly status: number; readonly text: string }
// biome-ignore lint/suspicious/noExplicitAny: a body is what the flow says it is.
type Body = any

/** A number that is approved, with a code of four digits: three would be met by chance. */
export const amex = { number: '378282246310005', cvc: '7359' }

/** A workspace as its owner calls it. All answers are kept, but for those that show a secret on purpose. */
export class Merchant {
  readonly answers: Answered[] = []
  readonly planted: Planted[] = []
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
    // The numbers of some test cards are shown to payers on purpose.
    this.answers.push({ status, text: text.replace(/"test_cards":\[[^\]]*\]/, '"test_cards":[]') })
    return text === '' ? null : JSON.parse(text)
  }

  post(path: string, body: object, headers: Record<string, string> = {}): Promise<Body> {
    return this.call('POST', path, body, headers)
  }

  get(path: string): Promise<Body> {
    return this.call('GET', path)
  }

  /** What is shown this once, and is planted from then on. */
  async secretOf(name: string, method: string, path: string, body: object | undefined, member: string) {
    const { text } = await this.#send(method, path, body, {})
    const shown = JSON.parse(text)
    this.plant(name, shown[member])
    return { id: shown.id as string, secret: shown[member] as string }
  }

  async tokenOf({ number, cvc }: { number: string; cvc: string }, with_?: string): Promise<string> {
    const card = { number, exp_month: 12, exp_year: 2031, cvc }
    const headers = with_ === undefined ? {} : { authorization: `Bearer ${with_}` }
    return (await this.post('/tokens', { type: 'card', card }, headers)).id
  }

  async #send(method: string, path: string, body: object | undefined, headers: Record<string, string>) {
    const answer = await fetch(this.#address + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  }
}

/** Cards by what the simulator makes of them; those whose answer is lost are not known for a while. */
const played = [
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

export const cardsPlayed: readonly Planted[] = [
  { name: 'card number', text: amex.number },
  { name: 'security code', text: amex.cvc },
  ...played.map((digits) => ({ name: `card number ${digits}`, text: numberOfScenario(digits) })),
]

/** At the simulator: payments of all kinds, and errors with a card in them. */
export async function dayAtSimulator(merchant: Merchant, receiver: Receiver, canary: string): Promise<void> {
  const publishable = { name: 'page', kind: 'publishable' }
  const page = await merchant.secretOf('publishable token', 'POST', '/api-tokens', publishable, 'token')
  const second = { name: 'second', role: 'ADMIN' }
  await merchant.secretOf('second API token', 'POST', '/api-tokens', second, 'token')
  const endpoint = await merchant.post('/webhook-endpoints', { url: receiver.url, event_types: ['*'] })
  const reveal = `/webhook-endpoints/${endpoint.id}/reveal_secret`
  await merchant.secretOf('webhook secret', 'GET', reveal, undefined, 'secret')

  const token = await merchant.tokenOf(amex, page.secret)
  const money = { amount: 1299, currency: 'eur' }
  const paid = await merchant.post('/payments', { ...money, token, description: canary }, key('order-1'))
  await merchant.post('/payments', { ...money, token, description: canary }, key('order-1'))
  await merchant.post('/refunds', { payment_id: paid.id, amount: 299, reason: 'requested_by_customer' })
  for (const digits of played) {
    const played = await merchant.tokenOf({ number: numberOfScenario(digits), cvc: '357' })
    const body = await merchant.post('/payments', { ...money, token: played }, key(`order-${digits}`))
    if (body.next_action) await throughTheBank(body.next_action.url)
  }
  await savedMethod(merchant)
  await atTheTill(merchant)
  await mistakes(merchant)
}

const key = (name: string) => ({ 'idempotency-key': name })

async function throughTheBank(url: string): Promise<void> {
  const bank = (await fetch(url, { redirect: 'manual' })).headers.get('location')
  const back = (await fetch(`${bank}?auto`, { redirect: 'manual' })).headers.get('location')
  await fetch(back ?? '', { redirect: 'manual' })
}

async function savedMethod(merchant: Merchant): Promise<void> {
  const customer = await merchant.post('/customers', { email: 'ada@example.com' })
  const method = await merchant.post('/payment-methods', { token: await merchant.tokenOf(amex) })
  await merchant.post(`/payment-methods/${method.id}/attach`, { customer_id: customer.id })
  const paid = { amount: 500, currency: 'eur', payment_method_id: method.id, customer_id: customer.id }
  await merchant.post('/payments', paid)
  await merchant.post('/payments', { ...paid, initiator: 'merchant' })
  await merchant.post(`/payment-methods/${method.id}/detach`, {})
}

/** At a payment page, with the card itself: paid, declined, and typed where it does not belong. */
async function atTheTill(merchant: Merchant): Promise<void> {
  const { number, cvc } = amex
  const link = await merchant.post('/payment-links', { amount: 1299, currency: 'eur', max_completions: null })
  const open = `/checkout/links/${link.url.split('/l/')[1]}/sessions`
  const session = await merchant.secretOf('checkout secret', 'POST', open, {}, 'client_secret')
  const proof = { 'checkout-secret': session.secret, 'idempotency-key': 'press', authorization: '' }
  const card = (typed: object) => ({ card: { number, cvc, exp_month: 12, exp_year: 2031, ...typed } })
  const bodies = [
    card({ number: numberOfScenario('0051'), cvc: '357' }),
    card({ exp_year: 2001 }),
    card({ cvc: number }),
    { ...card({}), email: number, phone: number, custom_fields: { [number]: cvc } },
    { card: number, number, cvc },
    card({}),
  ]
  for (const [place, body] of bodies.entries())
    await merchant.post(`/checkout/sessions/${session.id}/confirm`, body, {
      ...proof,
      'idempotency-key': `press-${place}`,
    })
  await merchant.call('GET', `/checkout/sessions/${session.id}`, undefined, proof)
  await merchant.call('GET', `/checkout/sessions/${session.id}/receipt`, undefined, proof)
  await merchant.call('GET', `/checkout/sessions/${number}`, undefined, { 'checkout-secret': number })
}

/** A card where none belongs, and a secret where an id does: all of it is refused. */
async function mistakes(merchant: Merchant): Promise<void> {
  const { number, cvc } = amex
  const money = { amount: 1299, currency: 'eur' }
  const secrets = merchant.planted.map(({ text }) => text)
  const wrong: [string, object][] = [
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
  for (const [path, body] of wrong) await merchant.post(path, body, key('again'))
  for (const place of ['payments', 'refunds', 'customers']) await merchant.get(`/${place}/${number}`)
}

/** At a provider that repeats whatever it is told. */
export async function dayAtEcho(
  merchant: Merchant,
  echo: Echo,
  hear: (secret: string) => void,
): Promise<void> {
  for (const { id } of (await merchant.get('/provider-accounts')).data)
    await merchant.post(`/provider-accounts/${id}/disable`, {})
  const input = { provider: 'custom', display_name: 'Echo', config: { base_url: echo.url } }
  const account = await merchant.secretOf('provider secret', 'POST', '/provider-accounts', input, 'secret')
  hear(account.secret)

  for (const amount of Object.values(manners)) {
    const token = await merchant.tokenOf(amex)
    const made = await merchant.post('/payments', { amount, currency: 'eur', token })
    const id = made.resource_id ?? made.id
    // One is not told about, so that the provider is asked.
    if (amount === manners.declineWhenAsked) await merchant.post(`/payments/${id}/cancel`, {})
    else await tell(merchant, account, id, amount)
  }
  await merchant.post('/payment-methods', { token: await merchant.tokenOf(amex) })
  const rotate = `/provider-accounts/${account.id}/rotate_secret`
  await merchant.secretOf('second provider secret', 'POST', rotate, {}, 'secret')
}

/** The provider also tells by itself, with everything that it was told. */
async function tell(
  merchant: Merchant,
  account: { id: string; secret: string },
  paymentId: string,
  amount: number,
): Promise<void> {
  const { number, cvc } = amex
  const message = `number ${number}, cvc: ${cvc}, code ${cvc}, secret ${account.secret}`
  const operation = {
    ...{
      reference: `${paymentId.slice(-26)}-1`,
      kind: 'authorize',
      status: 'declined',
      amount,
      currency: 'eur',
    },
    decline: { code: 'do_not_honor', message },
  }
  const path = `/provider-webhooks/${account.id}`
  const { body, headers } = wordOf(path, account.secret, operation)
  const forged = wordOf(path, 'psec_of_a_stranger', operation)
  for (const word of [{ body, headers }, forged])
    await merchant.call('POST', path, JSON.parse(word.body), { ...word.headers, authorization: '' })
}
