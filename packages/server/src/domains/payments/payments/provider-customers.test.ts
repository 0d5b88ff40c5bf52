// Stripe and Mollie can save a card only on a customer object at the provider. Switchyard creates this object before it
// sends the payment. A proxy between Switchyard and the emulators fails the calls that create customers.

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, expect, test } from 'vitest'
import { testCards } from '../../../../../simulator/src/index.ts'
import {
  approveAsPayer,
  createCardToken,
  createEmulatedAccount,
  type EmulatedAccount,
} from '../../../../test/support/emulated-accounts.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const ledger = openLedger(simulator.url)

type Fault = 'none' | 'status_500' | 'lost_response'
let fault: Fault = 'none'
/** The calls that created customers, with their idempotency keys. */
let customerCalls: string[] = []

const proxy = createServer((call, response) => {
  const isCustomer = call.method === 'POST' && call.url?.endsWith('/customers') === true
  if (isCustomer) customerCalls.push(String(call.headers['idempotency-key']))
  if (isCustomer && fault === 'status_500') return void response.writeHead(500).end('{}')
  const { method, url, headers } = call
  const forwarded = request(new URL(url ?? '/', simulator.url), { method, headers }, (reply) => {
    if (isCustomer && fault === 'lost_response') return void call.socket.destroy()
    response.writeHead(reply.statusCode ?? 502, reply.headers)
    reply.pipe(response)
  })
  call.pipe(forwarded)
})
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
afterAll(() => void proxy.close())
afterEach(() => {
  fault = 'none'
  customerCalls = []
})

const { port } = proxy.address() as AddressInfo
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: `http://127.0.0.1:${port}` },
  overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
})

const [approvedCard] = testCards

async function payAndSaveCard(account: EmulatedAccount) {
  const { workspace } = account
  const { body: customer } = await workspace.post('/customers', { email: 'ana@example.com' })
  const { body } = await workspace.post('/payments', {
    amount: 1299,
    currency: 'eur',
    token: await createCardToken(account, approvedCard as (typeof testCards)[number]),
    customer_id: customer.id,
    save_payment_method: true,
    usage: 'off_session',
    return_url: 'https://shop.example.com/',
  })
  const id: string = body.resource_id ?? body.id
  const { body: payment } = await workspace.get(`/payments/${id}`)
  if (payment.next_action !== null) await approveAsPayer(payment.next_action.url)
  return (await workspace.get(`/payments/${id}`)).body
}

const newAccount = async (provider: string) =>
  createEmulatedAccount(await switchyard.newWorkspace(), provider)

test.each(['stripe', 'mollie'])(
  '%s: a card is saved for a new customer, and charged again',
  async (provider) => {
    const account = await newAccount(provider)
    const payment = await payAndSaveCard(account)

    expect(payment).toMatchObject({ status: 'succeeded', payment_method_id: expect.any(String) })
    expect(customerCalls).toEqual([`${payment.id.slice(-26)}-1-customer`])
    const again = { amount: 500, currency: 'eur', payment_method_id: payment.payment_method_id }
    const charged = await account.workspace.post('/payments', { ...again, initiator: 'merchant' })
    expect(charged.body).toMatchObject({ status: 'succeeded', amount_captured: 500 })
    expect(customerCalls).toHaveLength(1)
  },
)

test.each(['status_500', 'lost_response'] as const)(
  'without a customer nothing is charged: %s',
  async (kind) => {
    fault = kind
    const account = await newAccount('stripe')
    const payment = await payAndSaveCard(account)

    expect(payment).toMatchObject({ status: 'failed', payment_method_id: null, review: null })
    expect(await ledger.fetchTotals(payment.id)).toMatchObject({ approvals: 0, captured: 0 })
  },
)

test('a request with an idempotency key can save a card for a new customer', async () => {
  const { workspace, ...rest } = await newAccount('stripe')
  const { body: customer } = await workspace.post('/customers', { email: 'ana@example.com' })
  const input = {
    amount: 1299,
    currency: 'eur',
    token: await createCardToken({ workspace, ...rest }, approvedCard as (typeof testCards)[number]),
    customer_id: customer.id,
    save_payment_method: true,
    return_url: 'https://shop.example.com/',
  }
  const headers = { 'idempotency-key': 'save-a-card' }
  const payment = await workspace.post('/payments', input, { headers })
  const again = await workspace.post('/payments', input, { headers })

  expect(payment.status).toBe(201)
  expect(again.body).toEqual(payment.body)
  expect(customerCalls).toHaveLength(1)
})

test('a payment that saves no card creates no customer', async () => {
  const account = await newAccount('stripe')
  const { body } = await account.workspace.post('/payments', {
    amount: 1299,
    currency: 'eur',
    token: await createCardToken(account, approvedCard as (typeof testCards)[number]),
  })

  expect(body.status).toBe('succeeded')
  expect(customerCalls).toEqual([])
})
