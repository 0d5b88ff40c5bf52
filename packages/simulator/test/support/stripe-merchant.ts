// A merchant that uses the official SDK of Stripe. Every merchant has its own account and secret key.

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import type { Config, Simulator } from '../../src/index.ts'
import { controlOf, merchantOf } from './merchant.ts'

export type StripeMerchant = Awaited<ReturnType<typeof newStripeMerchant>>

export const signingSecret = 'whsec_simulator0123456789'

export async function newStripeMerchant(simulator: Simulator, config: Partial<Config> = {}) {
  const account = `stripe-${randomUUID()}`
  const secretKey = `sk_test_${randomUUID().replaceAll('-', '')}`
  await controlOf(simulator.url)('PUT', `${account}/config`, {
    dialect: 'stripe',
    credentials: { secret_key: secretKey, signing_secret: signingSecret },
    ...config,
  })
  return stripeMerchantOf(simulator, account, secretKey)
}

/** The merchant of an account that exists. */
export function stripeMerchantOf(
  simulator: Pick<Simulator, 'url' | 'dialectUrls'>,
  account: string,
  secretKey: string,
) {
  const base = simulator.dialectUrls.stripe ?? ''
  const { hostname, port } = new URL(base)
  const stripe = new Stripe(secretKey, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 })
  const { configure, facts, sums, control, advance, waitForCalls } = merchantOf(simulator.url, account, '')

  /** A call without the SDK, which would repeat or hide some responses. */
  async function call(method: string, path: string, form?: Record<string, string>, headers = {}) {
    const body = form === undefined ? null : new URLSearchParams(form)
    const response = await fetch(`${base}${path}`, {
      method,
      body,
      headers: { authorization: `Bearer ${secretKey}`, ...headers },
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  const flush = async () => (await control('POST', 'webhooks/flush')).waiting
  return {
    account,
    secretKey,
    base,
    stripe,
    call,
    configure,
    facts,
    sums,
    control,
    advance,
    waitForCalls,
    flush,
  }
}

/** A payment of 10.99 EUR that is captured immediately. */
export function payment(
  changes: Partial<Stripe.PaymentIntentCreateParams> = {},
): Stripe.PaymentIntentCreateParams {
  const id = randomUUID()
  return {
    amount: 1099,
    currency: 'eur',
    capture_method: 'automatic',
    confirm: true,
    payment_method: 'pm_card_visa',
    return_url: 'http://shop.example/return?order=7',
    metadata: { switchyard_reference: `ref-${id}`, switchyard_payment_id: `payment-${id}` },
    expand: ['latest_charge'],
    ...changes,
  }
}

/** An authorization that can be captured several times. */
export function authorization(changes: Partial<Stripe.PaymentIntentCreateParams> = {}) {
  return payment({
    capture_method: 'manual',
    payment_method_options: { card: { request_multicapture: 'if_available' } },
    ...changes,
  })
}

/** The error that the SDK throws. */
export async function errorOf(promise: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const result = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  if (result instanceof Stripe.errors.StripeError) return result
  throw new Error(`Expected an error of Stripe: ${result}`)
}

/** Receives webhooks, and verifies them with the SDK. */
export async function startStripeReceiver() {
  const events: (Stripe.Event & { readonly isValid: boolean })[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const header = request.headers['stripe-signature'] ?? ''
    const isValid = verifies(body, header)
    events.push({ ...(JSON.parse(body.toString()) as Stripe.Event), isValid })
    response.writeHead(isValid ? 200 : 401).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    events,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function verifies(body: Buffer, header: string | string[]): boolean {
  try {
    new Stripe('sk_test_receiver').webhooks.constructEvent(body, header, signingSecret)
    return true
  } catch {
    return false
  }
}
