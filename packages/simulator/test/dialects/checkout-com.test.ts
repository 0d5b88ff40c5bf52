// The wire format of Checkout.com. The official SDK is the client, so that a response it cannot read is an error.

import { afterAll, expect, test } from 'vitest'
import { cardNumberForScenario } from '../../src/cards.ts'
import { startSimulator, testCards } from '../../src/index.ts'
import {
  type CheckoutMerchant,
  newCheckoutMerchant,
  payment,
  startWebhookReceiver,
} from './support/checkout-com-merchant.ts'

const simulator = await startSimulator()
const receiver = await startWebhookReceiver()
afterAll(() => {
  receiver.stop()
  return simulator.stop()
})

const visa = '4242424242424242'
const cardNumberForAdvice = (code: string) =>
  testCards.find(({ scenario }) => scenario === `advice:${code}`)?.number ?? ''
const newMerchant = (config = {}) => newCheckoutMerchant(simulator, { webhook_url: receiver.url, ...config })

/** The webhooks about a payment, sorted, because those of one change are sent concurrently. */
async function webhookTypes(merchant: CheckoutMerchant, id: string) {
  await merchant.flush()
  return receiver
    .about(id)
    .map(({ type, isValid }) => (isValid ? type : `forged ${type}`))
    .sort()
}

test('amounts of Chilean pesos have two decimals, but none in the ledger', async () => {
  const merchant = await newMerchant()
  const { id, amount } = await merchant.pay(
    payment(visa, { amount: 50_000, currency: 'CLP', capture: false }),
  )
  await merchant.sdk.payments.capture(id, { amount: 30_000 })

  expect(amount).toBe(50_000)
  expect(await merchant.details(id)).toMatchObject({ amount: 50_000, balances: { total_captured: 30_000 } })
  expect(await merchant.sums()).toMatchObject([{ currency: 'clp', authorized: 500, captured: 300 }])
})

test('a payment is authorized, captured in parts, and refunded', async () => {
  const merchant = await newMerchant()
  const request = payment(visa, { metadata: { switchyard_payment_id: 'payment_1' } })
  const authorized = await merchant.pay(request)
  expect(authorized).toMatchObject({
    id: expect.stringMatching(/^pay_[a-z2-7]{26}$/),
    action_id: expect.stringMatching(/^act_[a-z2-7]{26}$/),
    amount: 1250,
    currency: 'EUR',
    approved: true,
    status: 'Authorized',
    response_code: '10000',
    reference: request.reference,
    source: { id: expect.stringMatching(/^src_[a-z2-7]{26}$/), last4: '4242', scheme: 'Visa' },
    scheme_id: expect.stringMatching(/^\d{15}$/),
    requiresRedirect: false,
  })

  const { id } = authorized
  const first = await merchant.sdk.payments.capture(id, {
    amount: 400,
    capture_type: 'NonFinal',
    reference: 'part-1',
  })
  expect(first).toMatchObject({ action_id: expect.stringMatching(/^act_/), reference: 'part-1' })
  expect(await merchant.details(id)).toMatchObject({ status: 'Partially Captured', approved: true })
  await merchant.sdk.payments.capture(id, { amount: 500, reference: 'part-2' })
  await merchant.sdk.payments.refund(id, { amount: 100, reference: 'refund-1' })

  expect(await merchant.details(id)).toMatchObject({
    id,
    reference: request.reference,
    status: 'Partially Refunded',
    // The second capture was final, so the rest is voided.
    balances: {
      total_authorized: 1250,
      total_captured: 900,
      total_voided: 350,
      total_refunded: 100,
      available_to_refund: 800,
    },
    metadata: { switchyard_payment_id: 'payment_1' },
  })
  expect(
    (await merchant.actions(id)).map(({ type, amount, approved, reference }) => [
      type,
      amount,
      approved,
      reference,
    ]),
  ).toEqual([
    ['Refund', 100, true, 'refund-1'],
    ['Capture', 500, true, 'part-2'],
    ['Capture', 400, true, 'part-1'],
    ['Authorization', 1250, true, request.reference],
  ])
  expect(await merchant.sums()).toMatchObject([
    { payment_id: 'payment_1', authorized: 1250, captured: 900, voided: 350, refunded: 100 },
  ])
  expect(await webhookTypes(merchant, id)).toEqual([
    'payment_approved',
    'payment_captured',
    'payment_captured',
    'payment_refunded',
  ])
})

test('a payment with automatic capture is authorized first, and has a capture action', async () => {
  const merchant = await newMerchant()
  const request = payment(visa, { capture: true })
  const { id, status } = await merchant.pay(request)

  expect(status).toBe('Authorized')
  expect(await merchant.details(id)).toMatchObject({ status: 'Captured', balances: { total_captured: 1250 } })
  expect((await merchant.actions(id)).map(({ type, reference }) => [type, reference])).toEqual([
    ['Capture', request.reference],
    ['Authorization', request.reference],
  ])
  expect(await webhookTypes(merchant, id)).toEqual(['payment_approved', 'payment_captured'])
})

test('a webhook has the ids, the reference, the amount and the response code', async () => {
  const merchant = await newMerchant()
  const request = payment(visa)
  const { id } = await merchant.pay(request)
  const { action_id } = (await merchant.sdk.payments.void(id, {
    reference: 'void-1',
    metadata: { a: 'b' },
  })) as {
    action_id: string
  }
  await merchant.flush()

  const [approved, voided] = receiver.about(id)
  expect(approved).toMatchObject({
    id: expect.stringMatching(/^evt_/),
    type: 'payment_approved',
    data: {
      id,
      reference: request.reference,
      amount: 1250,
      currency: 'EUR',
      response_code: '10000',
      source: { last_4: '4242' },
    },
  })
  expect(voided).toMatchObject({
    type: 'payment_voided',
    data: {
      id,
      action_id,
      reference: 'void-1',
      amount: 1250,
      response_code: '10000',
      metadata: { a: 'b' },
      balances: { total_voided: 1250 },
    },
  })
  expect(await merchant.details(id)).toMatchObject({ status: 'Voided' })
})

test('a verification stores the card, which can be charged without the payer until it is deleted', async () => {
  const merchant = await newMerchant()
  const verified = await merchant.pay(payment(visa, { amount: 0, payment_type: 'Unscheduled' }))
  expect(verified).toMatchObject({ status: 'Card Verified', approved: true, amount: 0 })
  expect(await webhookTypes(merchant, verified.id)).toEqual(['card_verified'])

  const source = { type: 'id', id: verified.source.id }
  const charge = () =>
    merchant.pay(payment('', { source, merchant_initiated: true, payment_type: 'Unscheduled' }))
  expect(await charge()).toMatchObject({
    status: 'Authorized',
    source: { id: verified.source.id, last4: '4242' },
  })
  await merchant.sdk.instruments.delete(verified.source.id)
  await expect(charge()).rejects.toMatchObject({
    http_code: 422,
    body: { error_codes: ['source_id_unknown'] },
  })
  await expect(merchant.sdk.instruments.delete(verified.source.id)).rejects.toMatchObject({ http_code: 404 })
})

test('a card is not stored if the request says so, or if it is declined', async () => {
  const merchant = await newMerchant()
  const source = {
    type: 'card',
    number: visa,
    expiry_month: 12,
    expiry_year: 2040,
    store_for_future_use: false,
  }
  expect((await merchant.pay(payment('', { source }))).source.id).toBeUndefined()
  expect((await merchant.pay(payment(cardNumberForScenario('0051')))).source.id).toBeUndefined()
})

test('a token can be used once, within 15 minutes', async () => {
  const merchant = await newMerchant()
  const request = () =>
    merchant.sdk.tokens.request({
      type: 'card',
      number: cardNumberForScenario('0051'),
      expiry_month: 12,
      expiry_year: 2040,
      cvv: '100',
    })
  const { token } = (await request()) as { token: string }
  const pay = (used: string) => merchant.pay(payment('', { source: { type: 'token', token: used } }))

  expect(await pay(token)).toMatchObject({
    status: 'Declined',
    response_code: '20051',
    source: { last4: expect.any(String) },
  })
  await expect(pay(token)).rejects.toMatchObject({ body: { error_codes: ['token_used'] } })
  const late = (await request()) as { token: string }
  await merchant.advance(15 * 60_000)
  await expect(pay(late.token)).rejects.toMatchObject({ body: { error_codes: ['token_expired'] } })
  await expect(pay(`tok_${'a'.repeat(26)}`)).rejects.toMatchObject({
    body: { error_codes: ['token_invalid'] },
  })
  expect(await pay('tok_sim_decline_05')).toMatchObject({ response_code: '20005' })
  expect(await pay('tok_sim_approve')).toMatchObject({ approved: true })
})

test('an instrument is created from a token, and can be read', async () => {
  const merchant = await newMerchant()
  const card = { type: 'card', number: visa, expiry_month: 12, expiry_year: 2040 }
  const { token } = (await merchant.sdk.tokens.request(card)) as { token: string }
  const created = (await merchant.sdk.instruments.create({ type: 'token', token })) as { id: string }

  expect(created).toMatchObject({
    type: 'card',
    id: expect.stringMatching(/^src_/),
    last4: '4242',
    bin: '424242',
  })
  expect(await merchant.sdk.instruments.get(created.id)).toEqual(created)
  expect(await merchant.pay(payment('', { source: { type: 'id', id: created.id } }))).toMatchObject({
    approved: true,
  })
})

// biome-ignore format: a table.
test.each([
  [cardNumberForScenario('0005'), '20005', { partner_response_code: '05' }],
  [cardNumberForScenario('0051'), '20051', { partner_response_code: '51' }],
  [cardNumberForScenario('0041'), '30041', { partner_response_code: '41' }],
  [cardNumberForScenario('0082'), '20082', { partner_response_code: '82' }],
  [cardNumberForScenario('0083'), '20183', { partner_response_code: '83' }],
  [cardNumberForScenario('3004'), '20153', {}],
  [cardNumberForAdvice('03'),       '20005', { partner_response_code: '05', partner_merchant_advice_code: '03' }],
  ['4111111111111111',       '20014', { partner_response_code: '14' }],
])('card %s is declined with %s', async (number, code, processing) => {
  const merchant = await newMerchant()
  const declined = await merchant.pay(payment(number))

  expect(declined).toMatchObject({ approved: false, status: 'Declined', response_code: code, processing })
  expect(await merchant.details(declined.id)).toMatchObject({ approved: false, status: 'Declined' })
  expect(await merchant.actions(declined.id)).toMatchObject([{ type: 'Authorization', approved: false, response_code: code }])
  expect(await webhookTypes(merchant, declined.id)).toEqual(['payment_declined'])
  expect(await merchant.facts()).toEqual([])
})

async function pressButton(url: string, result: string) {
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ result }),
    redirect: 'manual',
  })
  return new URL(response.headers.get('location') ?? '')
}

// biome-ignore format: a table.
test.each([
  ['3000', 'approve', '/success', 'Authorized', '10000'],
  ['3005', 'approve', '/success', 'Authorized', '10000'],
  ['3000', 'fail',    '/failure', 'Declined',   '20151'],
])('card %s: after %s, the payer returns to %s with a session, and the payment is %s', async (scenario, button, path, status, code) => {
  const merchant = await newMerchant()
  const pending = await merchant.pay(payment(cardNumberForScenario(scenario)))
  expect(pending).toMatchObject({ status: 'Pending', requiresRedirect: true })
  expect(await merchant.details(pending.id)).toMatchObject({ status: 'Pending', approved: false })
  expect(await merchant.actions(pending.id)).toEqual([])

  const returned = await pressButton(pending.redirectLink ?? '', button)

  expect(returned.pathname).toBe(path)
  const session = returned.searchParams.get('cko-session-id') ?? ''
  expect(session).toMatch(/^sid_[a-z2-7]{26}$/)
  const found = await merchant.details(session)
  expect(found).toMatchObject({ id: pending.id, status, actions: [{ type: 'Authorization', response_code: code }] })
  await merchant.advance(15 * 60_000)
  await expect(merchant.details(session)).rejects.toMatchObject({ http_code: 404 })
  expect(await merchant.details(pending.id)).toMatchObject({ status })
})

test('3-D Secure can be required, and a payment that is not authenticated within 15 minutes is declined', async () => {
  const merchant = await newMerchant()
  const { id, status } = await merchant.pay(payment(visa, { '3ds': { enabled: true } }))
  expect(status).toBe('Pending')
  await merchant.advance(15 * 60_000)

  expect(await merchant.actions(id)).toMatchObject([{ approved: false, response_code: '20152' }])
  expect(await webhookTypes(merchant, id)).toEqual(['payment_declined', 'payment_pending'])
})

// biome-ignore format: a table.
test.each([
  ['6001', 'capture', 'payment_capture_declined', false],
  ['6003', 'void',    'payment_void_declined',    false],
  ['6004', 'refund',  'payment_refund_declined',  false],
  ['6007', 'capture', 'payment_captured',         true],
  ['6008', 'capture', 'payment_capture_declined', false],
  ['6009', 'void',    'payment_voided',           true],
  ['6005', 'refund',  'payment_refunded',         true],
] as const)('card %s: a %s is accepted, and its result is %s', async (scenario, kind, type, approved) => {
  const merchant = await newMerchant()
  const { id } = await merchant.pay(payment(cardNumberForScenario(scenario), { capture: kind === 'refund' }))
  const { action_id } = (await merchant.sdk.payments[kind](id, { reference: 'action-1' })) as { action_id: string }
  await merchant.advance(5_000)

  const actions = await merchant.actions(id)
  expect(actions.find((action) => action.id === action_id)).toMatchObject({
    approved,
    amount: 1250,
    reference: 'action-1',
    response_code: approved ? '10000' : '20057',
  })
  await merchant.flush()
  const webhook = receiver.about(id).find((received) => received.type === type && received.data.action_id === action_id)
  expect(webhook).toMatchObject({ isValid: true, data: { reference: 'action-1', amount: 1250, currency: 'EUR' } })
})

test('a pending action is not listed until it is decided, and a final one then voids the rest', async () => {
  const merchant = await newMerchant()
  const { id } = await merchant.pay(payment(cardNumberForScenario('6007')))
  await merchant.sdk.payments.capture(id, { amount: 1000 })
  expect(await merchant.actions(id)).toHaveLength(1)
  expect(await merchant.details(id)).toMatchObject({ status: 'Authorized' })
  await merchant.advance(5_000)

  expect(await merchant.sums()).toMatchObject([{ captured: 1000, voided: 250 }])
  expect(await merchant.actions(id)).toHaveLength(2)
})

test('actions that the payment does not allow are refused', async () => {
  const merchant = await newMerchant()
  const { payments } = merchant.sdk
  const { id } = await merchant.pay(payment(visa))
  const { id: declinedId } = await merchant.pay(payment(cardNumberForScenario('0005')))
  const unknownId = `pay_${'a'.repeat(26)}`

  await expect(payments.capture(unknownId)).rejects.toMatchObject({ http_code: 404 })
  await expect(payments.capture(declinedId)).rejects.toMatchObject({ http_code: 403 })
  await expect(payments.refund(id)).rejects.toMatchObject({ http_code: 403 })
  await expect(payments.capture(id, { amount: 1251 })).rejects.toMatchObject({
    body: { error_type: 'request_invalid', error_codes: ['capture_value_greater_than_remaining_authorized'] },
  })
  await expect(payments.void(id, { amount: 1 })).rejects.toMatchObject({
    body: { error_codes: ['void_amount_invalid'] },
  })
  await payments.capture(id)
  await expect(payments.void(id)).rejects.toMatchObject({ http_code: 403 })
  await expect(payments.refund(id, { amount: 1251 })).rejects.toMatchObject({
    body: { error_codes: ['amount_exceeds_balance'] },
  })
  expect(await merchant.sums()).toMatchObject([{ authorized: 1250, captured: 1250, voided: 0, refunded: 0 }])
})

test('a refund that was made at the provider is listed, and reported with its reference', async () => {
  const merchant = await newMerchant()
  const request = payment(visa, { capture: true })
  const { id } = await merchant.pay(request)
  const { reference } = await merchant.control<{ reference: string }>('POST', 'refunds', {
    parent_reference: request.reference,
    amount: 50,
  })

  expect(await merchant.details(id)).toMatchObject({ status: 'Partially Refunded' })
  expect((await merchant.actions(id))[0]).toMatchObject({ type: 'Refund', amount: 50, approved: true })
  expect(receiver.about(id)).toContainEqual(
    expect.objectContaining({
      type: 'payment_refunded',
      data: expect.objectContaining({ reference, amount: 50 }),
    }),
  )
})

test('payments are found by reference, the newest first, and pages are limited', async () => {
  const merchant = await newMerchant()
  const request = payment(visa)
  const [first, second] = [await merchant.pay(request), await merchant.pay(request)]
  const search = (query: object) =>
    merchant.sdk.payments.getPaymentList({ reference: request.reference, ...query })

  expect(first.id).not.toBe(second.id)
  expect(await search({})).toMatchObject({
    limit: 10,
    skip: 0,
    total_count: 2,
    data: [{ id: second.id }, { id: first.id }],
  })
  expect(await search({ limit: 1, skip: 1 })).toMatchObject({ total_count: 2, data: [{ id: first.id }] })
  expect(await search({ reference: 'switchyard-credential-check' })).toMatchObject({
    total_count: 0,
    data: [],
  })
  await expect(search({ limit: 101 })).rejects.toMatchObject({ http_code: 422 })
  await expect(search({ reference: '' })).rejects.toMatchObject({ http_code: 422 })
  expect(await merchant.facts()).toHaveLength(2)
})

test('a search does not find a new payment during the lag, but its id does', async () => {
  const merchant = await newMerchant({ lookup_lag_ms: 30_000 })
  const request = payment(visa)
  const { id } = await merchant.pay(request)
  const search = () => merchant.sdk.payments.getPaymentList({ reference: request.reference })

  expect(await search()).toMatchObject({ total_count: 0 })
  expect(await merchant.details(id)).toMatchObject({ status: 'Authorized' })
  await merchant.advance(30_000)
  expect(await search()).toMatchObject({ total_count: 1 })
})

// biome-ignore format: a table.
test.each([
  [{ source: undefined },                                                       'payment_source_required'],
  [{ source: { type: 'card', expiry_month: 12, expiry_year: 2040 } },           'card_number_required'],
  [{ source: { type: 'card', number: '4242424242424241', expiry_month: 12, expiry_year: 2040 } }, 'card_number_invalid'],
  [{ source: { type: 'card', number: visa, expiry_month: '12', expiry_year: 2040 } }, 'card_expiry_month_invalid'],
  [{ source: { type: 'card', number: visa, expiry_month: 12, expiry_year: 2020 } }, 'card_expired'],
  [{ source: { type: 'card', number: visa, expiry_month: 12, expiry_year: 2040, cvv: '12' } }, 'cvv_invalid'],
  [{ source: { type: 'card', number: visa, expiry_month: 12, expiry_year: 2040, billing_address: { country: 'Austria' } } }, 'country_invalid'],
  [{ source: { type: 'card', number: visa, expiry_month: 12, expiry_year: 2040, billing_address: { state: 'California' } } }, 'address_invalid'],
  [{ source: { type: 'card', number: visa, expiry_month: 12, expiry_year: 2040, exp: 1 } }, 'parameter_invalid'],
  [{ source: { type: 'id', id: 'src_x' } },                                     'source_id_invalid'],
  [{ source: { type: 'token' } },                                               'source_token_required'],
  [{ source: { type: 'klarna' } },                                              'source_invalid'],
  [{ amount: '1250' },                                                          'amount_invalid'],
  [{ amount: 12.5 },                                                            'amount_invalid'],
  [{ amount: 1251, currency: 'KWD' },                                           'amount_invalid'],
  [{ currency: undefined },                                                     'currency_required'],
  [{ currency: 'eur' },                                                         'currency_invalid'],
  [{ payment_type: 'unscheduled' },                                             'payment_type_invalid'],
  [{ payment_ip: 'localhost' },                                                 'ip_address_invalid'],
  [{ success_url: 'shop' },                                                     'success_url_invalid'],
  [{ failure_url: 'ftp://shop.example' },                                       'fail_url_invalid'],
  [{ billing_descriptor: { name: 'Shop' } },                                    'billing_descriptor_city_required'],
  [{ billing_descriptor: { name: 'x'.repeat(26), city: 'Vienna' } },            'billing_descriptor_name_invalid'],
  [{ customer: { email: 'ada' } },                                              'customer_email_invalid'],
  [{ metadata: { a: { b: 1 } } },                                               'metadata_key_invalid'],
  [{ '3ds': { enabled: 'true' } },                                              'parameter_invalid'],
  [{ processing_channel_id: 'pc_1' },                                           'channel_details_invalid'],
  [{ amout: 1 },                                                                'parameter_invalid'],
  [{ constructor: 1 },                                                          'parameter_invalid'],
])('a payment with %j is refused with %s', async (changes, code) => {
  const merchant = await newMerchant()
  const { status, body } = await merchant.call('POST', 'payments', payment(visa, changes))

  expect({ status, codes: body.error_codes }).toEqual({ status: 422, codes: [code] })
  expect(await merchant.facts()).toEqual([])
})

test('wrong keys, content types and paths are refused', async () => {
  const merchant = await newMerchant()
  const { call, secretKey } = merchant
  const statusOf = async (method: string, path: string, body?: unknown, headers = {}) =>
    (await call(method, path, body, headers)).status

  expect(
    await statusOf('GET', 'payments?reference=a', undefined, { authorization: `Bearer ${secretKey}x` }),
  ).toBe(401)
  expect(await statusOf('GET', 'payments?reference=a', undefined, { authorization: secretKey })).toBe(401)
  // Only the public key can create tokens.
  expect(await statusOf('POST', 'tokens', {})).toBe(401)
  expect(await statusOf('POST', 'payments', payment(visa), { 'content-type': 'text/plain' })).toBe(415)
  expect(await statusOf('POST', 'payments', [])).toBe(422)
  expect(await statusOf('GET', 'payouts')).toBe(404)
  await merchant.configure({ lookup: false })
  expect(await statusOf('GET', 'payments?reference=a')).toBe(403)
  await merchant.configure({ outage: true })
  expect(await statusOf('GET', 'payments?reference=a')).toBe(503)
})

test('recorded calls contain no card number and no security code', async () => {
  const merchant = await newMerchant()
  await merchant.pay(payment(visa), 'key-1')
  const [call] = await merchant.calls()

  expect(call).toMatchObject({ idempotency_key: 'key-1', body: { source: { type: 'card', number: '4242' } } })
  expect(JSON.stringify(call)).not.toMatch(/4242424242424242|cvv/)
})
