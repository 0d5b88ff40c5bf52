// The Stripe dialect, driven by the official SDK: a response that the SDK cannot read is an error.

import Stripe from 'stripe'
import { afterAll, expect, test } from 'vitest'
import { cardNumberForScenario, testCards } from '../../src/cards.ts'
import { startSimulator } from '../../src/index.ts'
import {
  authorization,
  errorOf,
  newStripeMerchant,
  payment,
  signingSecret,
  startStripeReceiver,
} from '../support/stripe-merchant.ts'

const simulator = await startSimulator({ dialectPorts: { stripe: 0 } })
const receiver = await startStripeReceiver()
afterAll(() => {
  receiver.stop()
  return simulator.stop()
})

const referenceIn = ({ metadata }: { metadata?: unknown }) =>
  (metadata as Record<string, string>).switchyard_reference as string
const paymentIn = ({ metadata }: { metadata?: unknown }) =>
  (metadata as Record<string, string>).switchyard_payment_id as string
const chargeIn = ({ latest_charge: charge }: Stripe.PaymentIntent) => charge as Stripe.Charge

test('the API version matches the SDK', async () => {
  const { stripe, call } = await newStripeMerchant(simulator)
  const { lastResponse } = await stripe.paymentIntents.list()

  expect(lastResponse.apiVersion).toBe(Stripe.API_VERSION)
  const other = await call('GET', '/v1/payment_intents', undefined, { 'stripe-version': '2020-08-27' })
  expect(other.status).toBe(400)
})

test('a payment is captured immediately, and can be read by its id, its charge and a search', async () => {
  const { stripe, facts } = await newStripeMerchant(simulator)
  const params = payment({ description: 'Order 7', statement_descriptor_suffix: 'SHOES' })
  const intent = await stripe.paymentIntents.create(params)

  expect(intent).toMatchObject({
    object: 'payment_intent',
    status: 'succeeded',
    amount: 1099,
    amount_received: 1099,
    amount_capturable: 0,
    currency: 'eur',
    description: 'Order 7',
    metadata: params.metadata,
    livemode: false,
    last_payment_error: null,
  })
  expect(chargeIn(intent)).toMatchObject({
    object: 'charge',
    amount: 1099,
    amount_captured: 1099,
    captured: true,
    paid: true,
    status: 'succeeded',
    payment_intent: intent.id,
    payment_method_details: { card: { brand: 'visa', last4: '4242' } },
  })
  expect(await stripe.charges.retrieve(chargeIn(intent).id)).toMatchObject(chargeIn(intent))
  expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
    id: intent.id,
    latest_charge: chargeIn(intent).id,
  })
  const query = `metadata['switchyard_reference']:'${referenceIn(params)}' AND status:"succeeded"`
  const found = await stripe.paymentIntents.search({ query, expand: ['data.latest_charge', 'total_count'] })
  expect(found).toMatchObject({ object: 'search_result', total_count: 1, has_more: false })
  expect(found.data[0]).toEqual({ ...intent, lastResponse: undefined })
  expect(await facts()).toMatchObject([
    { fact: 'charge', reference: referenceIn(params), amount: 1099, capture: true },
  ])
})

test('a payment can be created first and confirmed later, again after a decline', async () => {
  const { stripe, facts } = await newStripeMerchant(simulator)
  const { confirm: _, payment_method: __, return_url: ___, ...params } = payment()
  const created = await stripe.paymentIntents.create(params)
  expect(created.status).toBe('requires_payment_method')

  const error = await errorOf(
    stripe.paymentIntents.confirm(created.id, { payment_method: 'pm_card_chargeDeclinedInsufficientFunds' }),
  )
  expect(error).toMatchObject({ code: 'card_declined', decline_code: 'insufficient_funds', statusCode: 402 })
  const declined = await stripe.paymentIntents.retrieve(created.id)
  expect(declined).toMatchObject({ status: 'requires_payment_method', payment_method: null })
  const confirmed = await stripe.paymentIntents.confirm(created.id, { payment_method: 'pm_card_visa' })

  expect(confirmed).toMatchObject({ id: created.id, status: 'succeeded', last_payment_error: null })
  expect(await facts()).toHaveLength(1)
})

test('a card number selects the scenario, as a PaymentMethod or in the payment', async () => {
  const { stripe, call } = await newStripeMerchant(simulator)
  const number = cardNumberForScenario('0051')
  const method = await stripe.paymentMethods.create({
    type: 'card',
    card: { number, exp_month: 12, exp_year: 2040, cvc: '123' },
  })
  expect(method).toMatchObject({
    object: 'payment_method',
    customer: null,
    card: { last4: number.slice(-4) },
  })
  expect(await stripe.paymentMethods.retrieve(method.id)).toMatchObject({ id: method.id })
  const error = await errorOf(stripe.paymentIntents.create(payment({ payment_method: method.id })))
  expect(error.decline_code).toBe('insufficient_funds')

  const direct = await call('POST', '/v1/payment_intents', {
    amount: '500',
    currency: 'eur',
    confirm: 'true',
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': '5555555555554444',
    'payment_method_data[card][exp_month]': '12',
    'payment_method_data[card][exp_year]': '2040',
    'payment_method_data[card][cvc]': '123',
    'expand[]': 'payment_method',
  })
  expect(JSON.parse(direct.text)).toMatchObject({
    status: 'succeeded',
    payment_method: { card: { brand: 'mastercard', last4: '4444' } },
  })
})

// biome-ignore format: a table.
test.each([
  [{ number: '4242424242424241' }, 'incorrect_number'],
  [{ exp_month: 13 },              'invalid_expiry_month'],
  [{ exp_year: 2020 },             'invalid_expiry_year'],
  [{ cvc: '1' },                   'invalid_cvc'],
])('a card with %j is refused', async (changes, code) => {
  const { stripe } = await newStripeMerchant(simulator)
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123', ...changes }

  expect(await errorOf(stripe.paymentMethods.create({ type: 'card', card }))).toMatchObject({ code, statusCode: 402 })
})

test('every declined test card is a card error with the network code, and its PaymentIntent', async () => {
  const { stripe, facts } = await newStripeMerchant(simulator)
  const cards = testCards.filter(({ scenario }) => /^(decline|advice):/.test(scenario))
  for (const { scenario } of cards) {
    const method = `pm_sim_${scenario.replace(':', '_')}`
    const error = await errorOf(stripe.paymentIntents.create(payment({ payment_method: method })))
    expect(error).toMatchObject({ statusCode: 402, type: 'StripeCardError', rawType: 'card_error' })
    expect(error.payment_intent).toMatchObject({ status: 'requires_payment_method', payment_method: null })
    const code = scenario.startsWith('decline:')
      ? { network_decline_code: scenario.slice(8) }
      : { network_advice_code: scenario.slice(7) }
    expect(error.raw).toMatchObject({ charge: expect.stringMatching(/^ch_/), ...code })
    expect(error.payment_intent?.last_payment_error).toMatchObject({ type: 'card_error', ...code })
  }
  expect(await facts()).toEqual([])
})

test('advice is reported for Mastercard', async () => {
  const { stripe } = await newStripeMerchant(simulator)
  const error = await errorOf(stripe.paymentIntents.create(payment({ payment_method: 'pm_sim_advice_03' })))

  expect(error.raw).toMatchObject({
    advice_code: 'do_not_try_again',
    network_advice_code: '03',
    payment_method: { card: { brand: 'mastercard' } },
  })
})

test('an authorization is captured in parts, and a final capture releases the rest', async () => {
  const { stripe, sums } = await newStripeMerchant(simulator)
  const params = authorization()
  const authorized = await stripe.paymentIntents.create(params)
  expect(authorized).toMatchObject({
    status: 'requires_capture',
    amount_capturable: 1099,
    amount_received: 0,
  })
  expect(chargeIn(authorized)).toMatchObject({ captured: false, amount_captured: 0 })
  expect(chargeIn(authorized).payment_method_details?.card?.capture_before).toBeGreaterThan(Date.now() / 1000)

  const first = await stripe.paymentIntents.capture(authorized.id, {
    amount_to_capture: 500,
    final_capture: false,
    metadata: { capture: 'first' },
    expand: ['latest_charge'],
  })
  expect(first).toMatchObject({ status: 'requires_capture', amount_capturable: 599, amount_received: 500 })
  expect(first.metadata).toEqual({ ...params.metadata, capture: 'first' })
  expect(chargeIn(first)).toMatchObject({ captured: false, amount_captured: 500 })
  const last = await stripe.paymentIntents.capture(authorized.id, {
    amount_to_capture: 200,
    expand: ['latest_charge'],
  })

  expect(last).toMatchObject({ status: 'succeeded', amount_capturable: 0, amount_received: 700 })
  expect(chargeIn(last)).toMatchObject({ captured: true, amount: 1099, amount_captured: 700 })
  expect(await sums(paymentIn(params))).toMatchObject([{ authorized: 1099, captured: 700, voided: 399 }])
  const again = await errorOf(stripe.paymentIntents.capture(authorized.id))
  expect(again).toMatchObject({ code: 'payment_intent_unexpected_state', statusCode: 400 })
  expect(again.payment_intent).toMatchObject({ id: authorized.id, status: 'succeeded' })
})

test('a final capture of 0 releases the rest', async () => {
  const { stripe, sums } = await newStripeMerchant(simulator)
  const params = authorization()
  const { id } = await stripe.paymentIntents.create(params)
  const release = { amount_to_capture: 0, final_capture: true }
  expect((await errorOf(stripe.paymentIntents.capture(id, release))).statusCode).toBe(400)
  await stripe.paymentIntents.capture(id, { amount_to_capture: 500, final_capture: false })

  expect(await stripe.paymentIntents.capture(id, release)).toMatchObject({
    status: 'succeeded',
    amount_capturable: 0,
    amount_received: 500,
  })
  expect(await sums(paymentIn(params))).toMatchObject([{ captured: 500, voided: 599 }])
})

test('an authorization stays capturable until a final capture, even if nothing is left', async () => {
  const { stripe } = await newStripeMerchant(simulator)
  const { id } = await stripe.paymentIntents.create(authorization())
  const whole = await stripe.paymentIntents.capture(id, { final_capture: false })
  expect(whole).toMatchObject({ status: 'requires_capture', amount_capturable: 0, amount_received: 1099 })

  expect(await stripe.paymentIntents.capture(id, { amount_to_capture: 0 })).toMatchObject({
    status: 'succeeded',
  })
})

test('captures are limited to the authorization, and to one without multicapture', async () => {
  const { stripe } = await newStripeMerchant(simulator)
  const { id } = await stripe.paymentIntents.create(payment({ capture_method: 'manual' }))

  expect(await errorOf(stripe.paymentIntents.capture(id, { final_capture: false }))).toMatchObject({
    param: 'final_capture',
  })
  expect(await errorOf(stripe.paymentIntents.capture(id, { amount_to_capture: 1100 }))).toMatchObject({
    code: 'amount_too_large',
  })
  expect(await stripe.paymentIntents.capture(id, { amount_to_capture: 1 })).toMatchObject({
    amount_received: 1,
  })
})

test.each(['cancel', 'capture'] as const)(
  'of concurrent changes only the first, a %s, is executed',
  async (first) => {
    const { stripe, sums, configure, advance, waitForCalls } = await newStripeMerchant(simulator)
    const params = payment({ capture_method: 'manual' })
    const { id } = await stripe.paymentIntents.create(params)
    await configure({ latency_ms: 60_000 })
    const change = {
      cancel: () => stripe.paymentIntents.cancel(id),
      capture: () => stripe.paymentIntents.capture(id, { amount_to_capture: 300 }),
    }
    const changes = [change[first]()]
    await waitForCalls(2)
    changes.push(change.capture(), change.cancel())
    const ended = Promise.allSettled(changes)
    await waitForCalls(4)
    await advance(60_000)

    expect((await ended).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    await configure({ latency_ms: 0 })
    const captured = first === 'capture' ? 300 : 0
    expect(await sums(paymentIn(params))).toMatchObject([{ captured, voided: 1099 - captured }])
  },
)

test('a cancelled authorization is released, and cannot be captured', async () => {
  const { stripe, sums } = await newStripeMerchant(simulator)
  const params = authorization()
  const { id } = await stripe.paymentIntents.create(params)
  const cancelled = await stripe.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' })

  expect(cancelled).toMatchObject({
    status: 'canceled',
    cancellation_reason: 'abandoned',
    amount_capturable: 0,
  })
  expect(await sums(paymentIn(params))).toMatchObject([{ authorized: 1099, captured: 0, voided: 1099 }])
  expect(await errorOf(stripe.paymentIntents.capture(id))).toMatchObject({
    code: 'payment_intent_unexpected_state',
  })
  expect(await errorOf(stripe.paymentIntents.cancel(id))).toMatchObject({
    code: 'payment_intent_unexpected_state',
  })
})

test('a payment with a captured part cannot be cancelled, an unconfirmed one can', async () => {
  const { stripe } = await newStripeMerchant(simulator)
  const { id } = await stripe.paymentIntents.create(authorization())
  await stripe.paymentIntents.capture(id, { amount_to_capture: 1, final_capture: false })
  const unconfirmed = await stripe.paymentIntents.create({ amount: 500, currency: 'usd' })

  expect(await errorOf(stripe.paymentIntents.cancel(id))).toMatchObject({ statusCode: 400 })
  expect(await stripe.paymentIntents.cancel(unconfirmed.id)).toMatchObject({ status: 'canceled' })
})

test('refunds are partial, listed newest first, and limited to the captured amount', async () => {
  const { stripe, sums } = await newStripeMerchant(simulator)
  const params = payment()
  const intent = await stripe.paymentIntents.create(params)
  const first = await stripe.refunds.create({
    payment_intent: intent.id,
    amount: 300,
    metadata: { switchyard_reference: 'r1' },
  })
  expect(first).toMatchObject({
    object: 'refund',
    amount: 300,
    currency: 'eur',
    status: 'succeeded',
    charge: chargeIn(intent).id,
    metadata: { switchyard_reference: 'r1' },
  })
  expect(await stripe.refunds.retrieve(first.id)).toMatchObject({ id: first.id, status: 'succeeded' })
  expect(await errorOf(stripe.refunds.create({ payment_intent: intent.id, amount: 800 }))).toMatchObject({
    param: 'amount',
  })
  const second = await stripe.refunds.create({ charge: chargeIn(intent).id })
  expect(second.amount).toBe(799)

  expect(await errorOf(stripe.refunds.create({ payment_intent: intent.id }))).toMatchObject({
    code: 'charge_already_refunded',
  })
  const listed = await stripe.refunds.list({ payment_intent: intent.id })
  expect(listed.data.map(({ id }) => id)).toEqual([second.id, first.id])
  expect(await stripe.charges.retrieve(chargeIn(intent).id)).toMatchObject({
    refunded: true,
    amount_refunded: 1099,
  })
  expect(await sums(paymentIn(params))).toMatchObject([{ captured: 1099, refunded: 1099 }])
})

test('refunds can fail, or be pending', async () => {
  const { stripe, advance } = await newStripeMerchant(simulator)
  const refundWith = async (scenario: string) => {
    const { id } = await stripe.paymentIntents.create(payment({ payment_method: `pm_sim_${scenario}` }))
    return stripe.refunds.create({ payment_intent: id })
  }
  expect(await refundWith('6004')).toMatchObject({ status: 'failed', failure_reason: 'declined' })
  const pending = await refundWith('6005')
  expect(pending.status).toBe('pending')
  await advance(5_000)

  expect(await stripe.refunds.retrieve(pending.id)).toMatchObject({ status: 'succeeded' })
})

test('a payment that was not captured cannot be refunded', async () => {
  const { stripe } = await newStripeMerchant(simulator)
  const { id } = await stripe.paymentIntents.create(authorization())

  expect(await errorOf(stripe.refunds.create({ payment_intent: id }))).toMatchObject({ statusCode: 400 })
})

test('the payer is redirected to 3-D Secure, which ends the payment', async () => {
  const { stripe, facts } = await newStripeMerchant(simulator)
  const intent = await stripe.paymentIntents.create(payment({ payment_method: 'pm_sim_3000' }))
  expect(intent).toMatchObject({ status: 'requires_action', latest_charge: null })
  const { redirect_to_url: redirect, type } = intent.next_action ?? {}
  expect(type).toBe('redirect_to_url')
  const page = await fetch(`${redirect?.url}?auto`, { redirect: 'manual' })
  const location = new URL(page.headers.get('location') ?? '')

  expect(location.searchParams.get('payment_intent')).toBe(intent.id)
  expect(location.searchParams.get('payment_intent_client_secret')).toBe(intent.client_secret)
  expect(location.searchParams.get('order')).toBe('7')
  expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
    status: 'succeeded',
    next_action: null,
  })
  expect(await facts()).toHaveLength(1)
})

test('3-D Secure can fail, be required, be abandoned or be cancelled', async () => {
  const { stripe, advance, facts } = await newStripeMerchant(simulator)
  const start = (changes: Partial<Stripe.PaymentIntentCreateParams>) =>
    stripe.paymentIntents.create(payment(changes))
  const open = (intent: Stripe.PaymentIntent) =>
    fetch(`${intent.next_action?.redirect_to_url?.url}?auto`, { redirect: 'manual' })
  const failed = await start({ payment_method: 'pm_sim_3001' })
  await open(failed)
  const required = await start({ payment_method_options: { card: { request_three_d_secure: 'any' } } })
  const abandoned = await start({ payment_method: 'pm_sim_3003' })
  const cancelled = await start({ payment_method: 'pm_sim_3000' })
  await stripe.paymentIntents.cancel(cancelled.id)
  await advance(30 * 60_000)

  expect(await stripe.paymentIntents.retrieve(failed.id)).toMatchObject({
    status: 'requires_payment_method',
    latest_charge: null,
    last_payment_error: { code: 'payment_intent_authentication_failure' },
  })
  expect(required.status).toBe('requires_action')
  expect(await stripe.paymentIntents.retrieve(abandoned.id)).toMatchObject({
    last_payment_error: { code: 'payment_intent_payment_attempt_expired' },
  })
  expect((await open(cancelled)).status).toBe(404)
  expect(await stripe.paymentIntents.retrieve(cancelled.id)).toMatchObject({ status: 'canceled' })
  expect(await facts()).toEqual([])
})

test('without a return URL the browser SDK must act', async () => {
  const { stripe } = await newStripeMerchant(simulator)
  const { return_url: _, ...params } = payment({ payment_method: 'pm_sim_3000' })

  expect((await stripe.paymentIntents.create(params)).next_action?.type).toBe('use_stripe_sdk')
})

test('a pending payment is processing until it is decided', async () => {
  const { stripe, advance } = await newStripeMerchant(simulator)
  const approved = await stripe.paymentIntents.create(payment({ payment_method: 'pm_sim_5016' }))
  const declined = await stripe.paymentIntents.create(payment({ payment_method: 'pm_sim_5017' }))
  expect([approved.status, declined.status]).toEqual(['processing', 'processing'])
  expect(chargeIn(approved)).toMatchObject({ status: 'pending', paid: false, amount_captured: 0 })
  await advance(5_000)

  expect(await stripe.paymentIntents.retrieve(approved.id)).toMatchObject({
    status: 'succeeded',
    amount_received: 1099,
  })
  expect(await stripe.paymentIntents.retrieve(declined.id)).toMatchObject({
    status: 'requires_payment_method',
  })
})

test('a verification saves the card for a customer, who can pay with it until it is detached', async () => {
  const { stripe, facts } = await newStripeMerchant(simulator)
  const customer = await stripe.customers.create({ email: 'ada@example.com' })
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({
    object: 'customer',
    email: 'ada@example.com',
  })
  const setup = await stripe.setupIntents.create({
    confirm: true,
    customer: customer.id,
    payment_method: 'pm_card_visa',
    usage: 'off_session',
    metadata: { switchyard_reference: 'verify-1' },
  })
  expect(setup).toMatchObject({
    object: 'setup_intent',
    status: 'succeeded',
    customer: customer.id,
    usage: 'off_session',
  })
  expect(await facts()).toMatchObject([{ fact: 'verification', reference: 'verify-1', amount: 0 }])
  const method = setup.payment_method as string
  expect(await stripe.paymentMethods.retrieve(method)).toMatchObject({ customer: customer.id })

  const later = () =>
    stripe.paymentIntents.create(
      payment({ customer: customer.id, payment_method: method, off_session: true }),
    )
  for (let count = 0; count < 2; count += 1) expect((await later()).status).toBe('succeeded')
  expect(await errorOf(stripe.paymentIntents.create(payment({ payment_method: method })))).toMatchObject({
    param: 'payment_method',
  })
  expect(await stripe.paymentMethods.detach(method)).toMatchObject({ customer: null })
  expect(await errorOf(later())).toMatchObject({ param: 'payment_method' })
  expect(await errorOf(stripe.paymentMethods.detach(method))).toMatchObject({
    statusCode: 400,
    payment_method: { id: method },
  })
})

test('a payment saves its card, even after 3-D Secure', async () => {
  const { stripe } = await newStripeMerchant(simulator)
  const customer = (await stripe.customers.create()).id
  const save = { customer, setup_future_usage: 'off_session' } as const
  const intent = await stripe.paymentIntents.create(payment({ ...save, payment_method: 'pm_sim_3000' }))
  const method = intent.payment_method as string
  expect(await stripe.paymentMethods.retrieve(method)).toMatchObject({ customer: null })
  await fetch(`${intent.next_action?.redirect_to_url?.url}?auto`, { redirect: 'manual' })

  expect(await stripe.paymentMethods.retrieve(method)).toMatchObject({ customer })
  const later = await stripe.paymentIntents.create(
    payment({ customer, payment_method: method, off_session: true }),
  )
  expect(later.status).toBe('succeeded')
})

test('a card that is not saved can be used once', async () => {
  const { stripe } = await newStripeMerchant(simulator)
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2040 }
  const { id } = await stripe.paymentMethods.create({ type: 'card', card })
  await stripe.paymentIntents.create(payment({ payment_method: id }))
  const attached = await stripe.paymentMethods.create({ type: 'card', card })
  const customer = (await stripe.customers.create()).id

  expect(await errorOf(stripe.paymentIntents.create(payment({ payment_method: id })))).toMatchObject({
    statusCode: 400,
  })
  expect(await stripe.paymentMethods.attach(attached.id, { customer })).toMatchObject({ customer })
})

test('a declined verification is an error with its SetupIntent, and one with 3-D Secure can be cancelled', async () => {
  const { stripe } = await newStripeMerchant(simulator)
  const verify = (payment_method: string) =>
    stripe.setupIntents.create({ confirm: true, payment_method, return_url: 'http://shop.example/' })
  const error = await errorOf(verify('pm_sim_decline_51'))
  const challenged = await verify('pm_sim_3000')

  expect(error).toMatchObject({ decline_code: 'insufficient_funds', statusCode: 402 })
  expect(error.setup_intent).toMatchObject({ status: 'requires_payment_method' })
  expect(challenged.next_action?.type).toBe('redirect_to_url')
  expect(await stripe.setupIntents.cancel(challenged.id)).toMatchObject({ status: 'canceled' })
})

test('lists are newest first, filtered by time and paged', async () => {
  const { stripe } = await newStripeMerchant(simulator)
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) {
    const { id } = await stripe.setupIntents.create({ confirm: true, payment_method: 'pm_card_visa' })
    ids.unshift(id)
  }
  const { created: now } = await stripe.setupIntents.retrieve(ids[0] ?? '')
  const listed: string[] = []
  for await (const { id } of stripe.setupIntents.list({
    limit: 2,
    created: { gte: now - 300, lte: now + 300 },
  }))
    listed.push(id)

  expect(listed).toEqual(ids)
  expect((await stripe.setupIntents.list({ created: { gt: now + 300 } })).data).toEqual([])
  expect((await stripe.setupIntents.list({ limit: 2 })).has_more).toBe(true)
})

test('amounts in Icelandic króna have the decimal places that Stripe uses', async () => {
  const { stripe, facts } = await newStripeMerchant(simulator)
  const intent = await stripe.paymentIntents.create(payment({ amount: 500, currency: 'isk' }))

  expect(intent).toMatchObject({ amount: 500, amount_received: 500 })
  expect(await facts()).toMatchObject([{ amount: 5, currency: 'isk' }])
  expect(
    await errorOf(stripe.paymentIntents.create(payment({ amount: 550, currency: 'isk' }))),
  ).toMatchObject({ statusCode: 400 })
})

// biome-ignore format: a table.
test.each<[string, Record<string, string>, string, string]>([
  ['an unknown parameter',      { foo: '1' },                     'parameter_unknown',         'Received unknown parameter: foo'],
  ['an unknown nested one',     { 'payment_method_options[card][mit_exemption]': '1' }, 'parameter_unknown', 'Received unknown parameter: payment_method_options[card][mit_exemption]'],
  ['an amount with decimals',   { amount: '10.99' },              'parameter_invalid_integer', 'Invalid integer: 10.99'],
  ['no amount',                 { amount: '' },                   'parameter_invalid_empty',   "You passed an empty string for 'amount'."],
  ['a zero amount',             { amount: '0' },                  'parameter_invalid_integer', 'This value must be greater than or equal to 1.'],
  ['an unknown customer',       { customer: 'cus_1' },            'resource_missing',          "No such customer: 'cus_1'"],
  ['an unknown card',           { payment_method: 'pm_1' },       'resource_missing',          "No such PaymentMethod: 'pm_1'"],
])('%s is refused', async (_, changes, code, message) => {
  const { call, facts } = await newStripeMerchant(simulator)
  const form = { amount: '1099', currency: 'eur', confirm: 'true', payment_method: 'pm_card_visa', ...changes }
  const { status, text } = await call('POST', '/v1/payment_intents', form)

  expect(status).toBe(400)
  expect(JSON.parse(text)).toMatchObject({ error: { type: 'invalid_request_error', code, message } })
  expect(await facts()).toEqual([])
})

test('requests in a different format, to unknown addresses, and with a different key are refused', async () => {
  const { call, base, secretKey, stripe } = await newStripeMerchant(simulator)
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' }
  const json = await fetch(`${base}/v1/payment_intents`, { method: 'POST', headers, body: '{"amount":1}' })
  const stranger = new Stripe('sk_test_stranger', { ...hostOf(base), maxNetworkRetries: 0 })

  expect(json.status).toBe(400)
  expect((await call('GET', '/v1/unicorns')).status).toBe(404)
  expect((await call('GET', '/v1/payment_intents/pi_1')).status).toBe(404)
  expect(await errorOf(stranger.paymentIntents.list())).toMatchObject({ statusCode: 401 })
  expect(await errorOf(stripe.paymentIntents.retrieve('pi_unknown'))).toMatchObject({
    code: 'resource_missing',
  })
  const basic = Buffer.from(`${secretKey}:`).toString('base64')
  expect((await call('GET', '/v1/account', undefined, { authorization: `Basic ${basic}` })).status).toBe(200)
})

function hostOf(base: string) {
  const { hostname, port } = new URL(base)
  return { host: hostname, port, protocol: 'http' as const }
}

test('webhooks have the signature and the objects of Stripe', async () => {
  const { stripe, flush, advance, control } = await newStripeMerchant(simulator, {
    webhook_url: receiver.url,
  })
  receiver.events.length = 0
  const received = async () => {
    await flush()
    return receiver.events
      .splice(0)
      .map(({ type, isValid, data }) => ({ type, isValid, object: data.object as { id: string } }))
  }
  const params = authorization()
  const { id } = await stripe.paymentIntents.create(params)
  expect(await received()).toMatchObject([
    { type: 'payment_intent.amount_capturable_updated', isValid: true, object: { id } },
  ])
  await stripe.paymentIntents.capture(id, { amount_to_capture: 500, final_capture: false })
  expect(await received()).toMatchObject([
    { type: 'payment_intent.amount_capturable_updated', object: { amount_received: 500 } },
  ])
  await stripe.paymentIntents.capture(id, { amount_to_capture: 500 })
  const types = (await received()).map(({ type }) => type).toSorted()
  expect(types).toEqual(['payment_intent.amount_capturable_updated', 'payment_intent.succeeded'])
  await stripe.refunds.create({ payment_intent: id, amount: 100 })
  expect(await received()).toMatchObject([
    { type: 'refund.created', object: { amount: 100, status: 'succeeded' } },
  ])
  await control('POST', 'refunds', { parent_reference: referenceIn(params), amount: 250 })
  expect(await received()).toMatchObject([
    {
      type: 'refund.created',
      object: { amount: 250, payment_intent: id, metadata: {}, balance_transaction: expect.any(String) },
    },
  ])
  expect((await stripe.refunds.list({ payment_intent: id })).data.map(({ amount }) => amount)).toEqual([
    250, 100,
  ])

  await errorOf(stripe.paymentIntents.create(payment({ payment_method: 'pm_sim_decline_51' })))
  expect(await received()).toMatchObject([
    {
      type: 'payment_intent.payment_failed',
      object: { last_payment_error: { decline_code: 'insufficient_funds' } },
    },
  ])
  const pending = await stripe.paymentIntents.create(payment({ payment_method: 'pm_sim_6005' }))
  await received()
  await stripe.refunds.create({ payment_intent: pending.id })
  expect(await received()).toMatchObject([{ type: 'refund.created', object: { status: 'pending' } }])
  await advance(5_000)
  expect(await received()).toMatchObject([{ type: 'refund.updated', object: { status: 'succeeded' } }])
  const authorized = await stripe.paymentIntents.create(authorization())
  await received()
  await stripe.paymentIntents.cancel(authorized.id)
  expect(await received()).toMatchObject([
    { type: 'payment_intent.canceled', object: { status: 'canceled' } },
  ])
  await stripe.setupIntents.create({ confirm: true, payment_method: 'pm_card_visa' })
  expect(await received()).toMatchObject([{ type: 'setup_intent.succeeded', isValid: true }])
  expect(signingSecret).toMatch(/^whsec_/)
})
