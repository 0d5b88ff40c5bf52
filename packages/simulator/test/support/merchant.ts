// A merchant of the simulator: it signs its calls, and asks under /control what really happened. Every merchant
// has an account of its own, so tests do not meet.

import { randomUUID } from 'node:crypto'
import type { Config, MoneyFact, PaymentSums } from '../../src/index.ts'
import type { OperationRecord } from '../../src/protocol.ts'
import { sign } from '../../src/signature.ts'
import type { Call } from '../../src/world.ts'

export type Answer = {
  readonly status: number
  readonly body: OperationRecord & { readonly [name: string]: unknown }
}
export type Members = { readonly [name: string]: unknown }
export type Merchant = ReturnType<typeof merchantOf>

export const goodCard = '4242424242424242'

export async function newMerchant(url: string, config: Partial<Config> = {}) {
  const merchant = merchantOf(url, `account-${randomUUID()}`, `psec_${randomUUID()}`)
  await merchant.configure({ secrets: [merchant.secret], ...config })
  return merchant
}

/** The merchant of an account that exists. */
export function merchantOf(url: string, account: string, secret: string) {
  const control = controlOf(url)

  async function call(method: string, path: string, body?: Members, given: Given = {}): Promise<Answer> {
    const text = body === undefined ? '' : JSON.stringify(body)
    const signed = { role: 'request', method, path: `/${account}/${path}`, body: text } as const
    const headers = {
      'switchyard-protocol': '1',
      'switchyard-signature': sign(signed, [given.secret ?? secret], Math.floor(Date.now() / 1000)),
      ...(typeof body?.reference === 'string' ? { 'idempotency-key': body.reference } : {}),
      ...given.headers,
    }
    const signal = given.signal ?? null
    const response = await fetch(`${url}${signed.path}`, { method, headers, body: text || null, signal })
    const answer = await response.text()
    return { status: response.status, body: answer === '' ? null : JSON.parse(answer) }
  }

  const put = (request: Members, given?: Given) =>
    call('PUT', `operations/${request.reference}`, request, given)

  const own = (method: string, path: string, body?: Members) => control(method, `${account}/${path}`, body)

  const calls = async () => (await own('GET', 'calls')).calls as Call[]

  /** Waits until so many calls of this account fit. */
  async function seen(count: number, fits: (call: Call) => boolean = () => true): Promise<void> {
    while ((await calls()).filter(fits).length < count) await new Promise(setImmediate)
  }

  /** Sends something that will not be answered, and hangs up once the simulator has taken it. */
  async function putInVain(request: Members): Promise<void> {
    const hangUp = new AbortController()
    const sent = put(request, { signal: hangUp.signal }).catch(() => null)
    await seen(1, ({ path, answer }) => path.endsWith(`${request.reference}`) && answer !== null)
    hangUp.abort()
    await sent
  }

  return {
    account,
    secret,
    call,
    put,
    putInVain,
    calls,
    seen,
    lookUp: (reference: string) => call('GET', `operations/${reference}`),
    close: (reference: string) => call('POST', `operations/${reference}/close`),
    complete: (reference: string, return_params: Members) =>
      call('POST', `operations/${reference}/complete`, { return_params }),
    control: own,
    configure: (changes: Partial<Config>) => own('PUT', 'config', changes),
    advance: (ms: number) => control('POST', 'time', { advance_ms: ms }),
    facts: async () => (await own('GET', 'ledger')).facts as MoneyFact[],
    sums: async (paymentId: string) =>
      (await own('GET', `sums?payment_id=${paymentId}`)).sums as PaymentSums[],
  }
}

type Given = {
  readonly secret?: string
  readonly headers?: { readonly [name: string]: string }
  readonly signal?: AbortSignal
}

export function controlOf(url: string) {
  return async (method: string, path: string, body?: Members): Promise<Members> => {
    const text = body === undefined ? null : JSON.stringify(body)
    const response = await fetch(`${url}/control/${path}`, { method, body: text })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Members
  }
}

let references = 0

export function newReference(): string {
  references += 1
  return `${randomUUID()}-${references}`
}

/** 12.50 EUR from a card, taken at once; `changes` make it something else. */
export function charge(number: string = goodCard, changes: Members = {}) {
  return {
    reference: newReference(),
    kind: 'authorize',
    parent_reference: null,
    mode: 'test',
    amount: 1250,
    currency: 'eur',
    capture: true,
    initiator: 'customer',
    stored_credential: { use: 'none', network_transaction_id: null },
    instrument: { type: 'card', number, exp_month: 12, exp_year: 2040, cvc: '737' },
    payment_id: `payment_test_${randomUUID()}`,
    return_url: 'http://shop.example/return?order=7',
    metadata: {},
    ...changes,
  }
}

export function hold(number?: string, changes: Members = {}) {
  return charge(number, { capture: false, ...changes })
}

export function verification(number?: string, changes: Members = {}) {
  return charge(number, { kind: 'verify', amount: 0, capture: false, ...changes })
}

/** What is done to an earlier operation. */
export function follow(
  kind: 'capture' | 'void' | 'refund',
  parent: { readonly reference: string; readonly payment_id: string },
  changes: Members = {},
) {
  return charge(goodCard, {
    kind,
    parent_reference: parent.reference,
    payment_id: parent.payment_id,
    instrument: null,
    capture: false,
    ...changes,
  })
}
