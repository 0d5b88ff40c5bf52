// A merchant of the simulator: it signs its calls, and uses /control to find out what actually happened. Every
// merchant has its own account, so that tests are independent.

import { randomUUID } from 'node:crypto'
import type { Config, MoneyFact, PaymentSums } from '../../src/index.ts'
import type { OperationRecord } from '../../src/protocol.ts'
import { sign } from '../../src/signature.ts'
import type { Call } from '../../src/simulator-state.ts'

export type ProviderResponse = {
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

  async function call(
    method: string,
    path: string,
    body?: Members,
    options: CallOptions = {},
  ): Promise<ProviderResponse> {
    const text = body === undefined ? '' : JSON.stringify(body)
    const signed = { role: 'request', method, path: `/${account}/${path}`, body: text } as const
    const headers = {
      'switchyard-protocol': '1',
      'switchyard-signature': sign(signed, [options.secret ?? secret], Math.floor(Date.now() / 1000)),
      ...(typeof body?.reference === 'string' ? { 'idempotency-key': body.reference } : {}),
      ...options.headers,
    }
    const signal = options.signal ?? null
    const response = await fetch(`${url}${signed.path}`, { method, headers, body: text || null, signal })
    const responseText = await response.text()
    return { status: response.status, body: responseText === '' ? null : JSON.parse(responseText) }
  }

  const put = (request: Members, options?: CallOptions) =>
    call('PUT', `operations/${request.reference}`, request, options)

  const controlAccount = (method: string, path: string, body?: Members) =>
    control(method, `${account}/${path}`, body)

  const calls = async () => (await controlAccount('GET', 'calls')).calls as Call[]

  /** Waits until at least `count` calls of this account match. */
  async function waitForCalls(count: number, matches: (call: Call) => boolean = () => true): Promise<void> {
    while ((await calls()).filter(matches).length < count) await new Promise(setImmediate)
  }

  /** Sends a request that gets no response, and disconnects once the simulator has received it. */
  async function putWithoutResponse(request: Members): Promise<void> {
    const hangUp = new AbortController()
    const sent = put(request, { signal: hangUp.signal }).catch(() => null)
    await waitForCalls(1, ({ path, answer }) => path.endsWith(`${request.reference}`) && answer !== null)
    hangUp.abort()
    await sent
  }

  return {
    account,
    secret,
    call,
    put,
    putWithoutResponse,
    calls,
    waitForCalls,
    lookUp: (reference: string) => call('GET', `operations/${reference}`),
    close: (reference: string) => call('POST', `operations/${reference}/close`),
    complete: (reference: string, return_params: Members) =>
      call('POST', `operations/${reference}/complete`, { return_params }),
    control: controlAccount,
    configure: (changes: Partial<Config>) => controlAccount('PUT', 'config', changes),
    advance: (ms: number) => control('POST', 'time', { advance_ms: ms }),
    facts: async () => (await controlAccount('GET', 'ledger')).facts as MoneyFact[],
    sums: async (paymentId: string) =>
      (await controlAccount('GET', `sums?payment_id=${paymentId}`)).sums as PaymentSums[],
  }
}

type CallOptions = {
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

/** A charge of 12.50 EUR that is captured immediately; `changes` override its members. */
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

export function newAuthorization(number?: string, changes: Members = {}) {
  return charge(number, { capture: false, ...changes })
}

export function verification(number?: string, changes: Members = {}) {
  return charge(number, { kind: 'verify', amount: 0, capture: false, ...changes })
}

/** An operation on an earlier operation. */
export function operationOn(
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
