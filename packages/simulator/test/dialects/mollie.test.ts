// Mollie's API, driven by the official SDK as an independent client: a response that the SDK cannot read is an error.

import { randomUUID } from 'node:crypto'
import {
  CaptureMethod,
  CaptureStatus,
  MandateStatus,
  type MollieApiError,
  PaymentMethod,
  PaymentStatus,
  RefundStatus,
  SequenceType,
} from '@mollie/api-client'
import { afterAll, expect, test } from 'vitest'
import { startSimulator } from '../../src/index.ts'
import { apiKeyOf, newClient, newMollieMerchant } from '../support/mollie.ts'

const simulator = await startSimulator({ dialectPorts: { mollie: 0 } })
afterAll(() => simulator.stop())

const eur = (value: string) => ({ currency: 'EUR', value })

/** A payment of 12.50 EUR with a card token. */
const cardPayment = (scenario: string) => ({
  amount: eur('12.50'),
  description: 'Order 7',
  redirectUrl: 'http://shop.example/return?order=7',
  method: PaymentMethod.creditcard,
  cardToken: `tkn_sim_${scenario}`,
})
const held = (scenario = 'approve') => ({ ...cardPayment(scenario), captureMode: CaptureMethod.manual })

async function press(url: string | null | undefined, result: string) {
  const body = new URLSearchParams({ result })
  const response = await fetch(url ?? '', { method: 'POST', body, redirect: 'manual' })
  return { status: response.status, location: response.headers.get('location') }
}

const errorOf = (call: Promise<unknown>): Promise<MollieApiError> =>
  call.then(
    () => Promise.reject(new Error('There was no error.')),
    (error) => error,
  )

test('a card token that needs no authentication is paid immediately', async () => {
  const { client, facts } = await newMollieMerchant(simulator.url)

  const payment = await client.payments.create({ ...cardPayment('approve'), metadata: { order: 7 } })
  const read = await client.payments.get(payment.id)

  expect(payment).toMatchObject({
    resource: 'payment',
    mode: 'test',
    status: PaymentStatus.paid,
    amount: eur('12.50'),
    amountRefunded: eur('0.00'),
    amountRemaining: eur('12.50'),
    description: 'Order 7',
    method: 'creditcard',
    sequenceType: 'oneoff',
    metadata: { order: 7 },
    details: { cardNumber: '4242', cardLabel: 'Visa' },
  })
  expect(payment.getCheckoutUrl()).toBeNull()
  expect(payment.paidAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
  expect({ ...read }).toEqual({ ...payment })
  expect(await facts()).toMatchObject([{ fact: 'charge', amount: 1250, currency: 'eur', capture: true }])
})

test('the port of the dialect identifies the account by its API key', async () => {
  const { account } = await newMollieMerchant(simulator.url)
  const client = newClient(`${simulator.dialectUrls.mollie}/v2/`, apiKeyOf(account))

  const { id } = await client.payments.create(cardPayment('approve'))
  expect((await client.payments.page()).map((payment) => payment.id)).toEqual([id])

  const stranger = newClient(`${simulator.dialectUrls.mollie}/v2/`, 'test_unknown')
  expect(await errorOf(stranger.payments.page())).toMatchObject({
    statusCode: 401,
    title: 'Unauthorized Request',
  })
})

test.each([
  ['JPY', '1250', 1250],
  ['ISK', '1250', 1250],
  ['HUF', '1250.00', 125_000],
  ['USD', '0.05', 5],
])('an amount in %s has the decimal places of the currency', async (currency, value, amount) => {
  const { client, facts } = await newMollieMerchant(simulator.url)

  const payment = await client.payments.create({ ...cardPayment('approve'), amount: { currency, value } })

  expect(payment.amount).toEqual({ currency, value })
  expect(await facts()).toMatchObject([{ amount, currency: currency.toLowerCase() }])
})

test.each([
  ['approve', PaymentStatus.paid, undefined],
  ['fail', PaymentStatus.failed, 'authentication_failed'],
])(
  'after 3-D Secure with the button %s the payer returns and the payment is %s',
  async (button, status, reason) => {
    const { client } = await newMollieMerchant(simulator.url)

    const open = await client.payments.create(cardPayment('3000'))
    expect(open).toMatchObject({ status: PaymentStatus.open, isCancelable: false, details: null })
    expect(Date.parse(open.expiresAt ?? '')).toBeGreaterThan(Date.parse(open.createdAt))
    const { location } = await press(open.getCheckoutUrl(), button)

    expect(location).toBe('http://shop.example/return?order=7')
    const ended = await client.payments.get(open.id)
    expect(ended.status).toBe(status)
    expect((ended.details as { failureReason?: string }).failureReason).toBe(reason)
    expect(ended.getCheckoutUrl()).toBeNull()
  },
)

test('a payment without a card token is paid on the page of the checkout', async () => {
  const { client } = await newMollieMerchant(simulator.url)
  const { method: _, cardToken: __, ...hosted } = cardPayment('approve')

  const open = await client.payments.create(hosted)
  expect(open).toMatchObject({ status: PaymentStatus.open, method: null })
  await press(open.getCheckoutUrl(), 'approve')

  expect(await client.payments.get(open.id)).toMatchObject({
    status: PaymentStatus.paid,
    method: 'creditcard',
  })
})

test('an open payment expires after 30 minutes', async () => {
  const { client, advance, facts } = await newMollieMerchant(simulator.url)
  const { id } = await client.payments.create(cardPayment('3003'))

  await advance(30 * 60_000)

  const expired = await client.payments.get(id)
  expect(expired.status).toBe(PaymentStatus.expired)
  expect(expired.expiredAt).toBeDefined()
  expect(await facts()).toEqual([])
})

// biome-ignore format: a table.
test.each([
  ['0051',       'insufficient_funds'],
  ['0054',       'card_expired'],
  ['0014',       'invalid_card_number'],
  ['0082',       'invalid_cvv'],
  ['0059',       'possible_fraud'],
  ['0062',       'inactive_card'],
  ['decline_05', 'refused_by_issuer'],
  ['advice_24',  'insufficient_funds'],
  ['0043',       'card_declined'],
  ['3004',       'authentication_unavailable_acs'],
])('the new card %s is declined with %s, and no payment is created', async (scenario, failureReason) => {
  const { client, post, facts } = await newMollieMerchant(simulator.url)

  const { status, body } = await post('payments', cardPayment(scenario))
  expect(status).toBe(422)
  expect(body).toMatchObject({ status: 422, title: 'Unprocessable Entity', extra: { failureReason } })
  expect(await errorOf(client.payments.create(cardPayment(scenario)))).toMatchObject({ statusCode: 422 })
  expect(await client.payments.page()).toHaveLength(0)
  expect(await facts()).toEqual([])
})

test('a pending payment is decided later', async () => {
  const { client, advance } = await newMollieMerchant(simulator.url)
  const approved = await client.payments.create(cardPayment('5016'))
  const declined = await client.payments.create(cardPayment('5017'))
  expect([approved.status, declined.status]).toEqual(['pending', 'pending'])

  await advance(5_000)

  expect((await client.payments.get(approved.id)).status).toBe(PaymentStatus.paid)
  expect(await client.payments.get(declined.id)).toMatchObject({
    status: PaymentStatus.failed,
    details: { failureReason: 'refused_by_issuer' },
  })
})

test('an authorization is captured once, and the rest is released', async () => {
  const { client, facts } = await newMollieMerchant(simulator.url)
  const payment = await client.payments.create(held())
  expect(payment).toMatchObject({
    status: PaymentStatus.authorized,
    captureMode: 'manual',
    amountCaptured: eur('0.00'),
    isCancelable: true,
    captureBefore: expect.any(String),
  })

  const capture = await client.paymentCaptures.create({ paymentId: payment.id, amount: eur('5.00') })
  expect(capture).toMatchObject({ status: CaptureStatus.pending, amount: eur('5.00'), paymentId: payment.id })

  expect(await client.paymentCaptures.get(capture.id, { paymentId: payment.id })).toMatchObject({
    id: capture.id,
    status: CaptureStatus.succeeded,
  })
  expect([...(await client.paymentCaptures.page({ paymentId: payment.id }))]).toMatchObject([
    { id: capture.id },
  ])
  const paid = await client.payments.get(payment.id)
  expect(paid).toMatchObject({ status: 'paid', amount: eur('12.50'), amountCaptured: eur('5.00') })
  const again = client.paymentCaptures.create({ paymentId: payment.id, amount: eur('1.00') })
  expect(await errorOf(again)).toMatchObject({ statusCode: 422 })
  expect(await errorOf(client.payments.releaseAuthorization(payment.id))).toMatchObject({ statusCode: 422 })
  expect((await facts()).map(({ fact, amount }) => [fact, amount])).toEqual([
    ['charge', 1250],
    ['capture', 500],
  ])
})

test('without an amount the whole authorization is captured; more is refused', async () => {
  const { client } = await newMollieMerchant(simulator.url)
  const { id: paymentId } = await client.payments.create(held())

  const tooMuch = client.paymentCaptures.create({ paymentId, amount: eur('12.51') })
  expect(await errorOf(tooMuch)).toMatchObject({ statusCode: 422, field: 'amount' })
  const inDollars = client.paymentCaptures.create({ paymentId, amount: { currency: 'USD', value: '5.00' } })
  expect(await errorOf(inDollars)).toMatchObject({ statusCode: 422, field: 'amount.currency' })
  expect(await client.paymentCaptures.page({ paymentId })).toHaveLength(0)
  await client.paymentCaptures.create({ paymentId })

  expect(await client.payments.get(paymentId)).toMatchObject({ status: 'paid', amountCaptured: eur('12.50') })
})

test('a capture can fail, or be pending first', async () => {
  const { client, advance } = await newMollieMerchant(simulator.url)
  const failing = await client.payments.create(held('6001'))
  const slow = await client.payments.create(held('6007'))
  const failed = await client.paymentCaptures.create({ paymentId: failing.id })
  const pending = await client.paymentCaptures.create({ paymentId: slow.id })
  const statusOf = async (id: string, paymentId: string) =>
    (await client.paymentCaptures.get(id, { paymentId })).status

  expect(await statusOf(failed.id, failing.id)).toBe('failed')
  expect((await client.payments.get(failing.id)).status).toBe('authorized')
  expect(await statusOf(pending.id, slow.id)).toBe('pending')
  expect(await errorOf(client.paymentCaptures.create({ paymentId: slow.id }))).toMatchObject({
    statusCode: 422,
  })
  await advance(5_000)
  expect(await statusOf(pending.id, slow.id)).toBe('succeeded')
  expect((await client.payments.get(slow.id)).status).toBe('paid')
})

test('a release is accepted without a body, and the payment is canceled', async () => {
  const { client, post, facts, advance } = await newMollieMerchant(simulator.url)
  const { id } = await client.payments.create(held())
  const slow = await client.payments.create(held('6009'))
  const failing = await client.payments.create(held('6003'))

  expect(await post(`payments/${id}/release-authorization`, undefined)).toMatchObject({
    status: 202,
    body: {},
  })
  expect(await client.payments.get(id)).toMatchObject({ status: 'canceled', canceledAt: expect.any(String) })
  expect((await facts()).at(-1)).toMatchObject({ fact: 'void', amount: 1250 })
  await client.payments.releaseAuthorization(slow.id)
  expect((await client.payments.get(slow.id)).status).toBe('authorized')
  await advance(5_000)
  expect((await client.payments.get(slow.id)).status).toBe('canceled')
  expect(await errorOf(client.payments.releaseAuthorization(failing.id))).toMatchObject({ statusCode: 422 })
  expect(await errorOf(client.payments.releaseAuthorization(id))).toMatchObject({
    statusCode: 422,
    message: expect.stringContaining('not in the authorized state'),
  })
})

test('an authorized payment can be canceled, but not a paid or open one', async () => {
  const { client } = await newMollieMerchant(simulator.url)
  const authorized = await client.payments.create(held())
  const paid = await client.payments.create(cardPayment('approve'))
  const open = await client.payments.create(cardPayment('3000'))

  expect((await client.payments.cancel(authorized.id)).status).toBe('canceled')
  for (const { id } of [authorized, paid, open])
    expect(await errorOf(client.payments.cancel(id))).toMatchObject({ statusCode: 422 })
})

test('a payment is refunded in parts, and never beyond the captured amount', async () => {
  const { client, facts } = await newMollieMerchant(simulator.url)
  const { id: paymentId } = await client.payments.create(held())
  const refundOf = (value: string) => client.paymentRefunds.create({ paymentId, amount: eur(value) })

  expect(await errorOf(refundOf('1.00'))).toMatchObject({ statusCode: 422 })
  await client.paymentCaptures.create({ paymentId, amount: eur('8.00') })
  const first = await refundOf('5.00')
  expect(first).toMatchObject({ status: RefundStatus.pending, amount: eur('5.00'), paymentId })
  expect(await client.paymentRefunds.get(first.id, { paymentId })).toMatchObject({ status: 'refunded' })
  expect(await errorOf(refundOf('3.01'))).toMatchObject({ statusCode: 422, field: 'amount' })
  const second = await refundOf('3.00')

  expect((await client.paymentRefunds.page({ paymentId })).map(({ id }) => id).sort()).toEqual(
    [first.id, second.id].sort(),
  )
  expect(await client.payments.get(paymentId)).toMatchObject({
    amountRefunded: eur('8.00'),
    amountRemaining: eur('0.00'),
  })
  expect((await facts()).filter(({ fact }) => fact === 'refund')).toHaveLength(2)
})

test('a refund can fail, or be pending first', async () => {
  const { client, advance } = await newMollieMerchant(simulator.url)
  const statuses = async (scenario: string) => {
    const { id: paymentId } = await client.payments.create(cardPayment(scenario))
    const refund = await client.paymentRefunds.create({ paymentId, amount: eur('5.00') })
    const statusOf = async () => (await client.paymentRefunds.get(refund.id, { paymentId })).status
    const before = await statusOf()
    await advance(5_000)
    return [refund.status, before, await statusOf()]
  }

  expect(await statuses('6004')).toEqual(['pending', 'failed', 'failed'])
  expect(await statuses('6005')).toEqual(['pending', 'pending', 'refunded'])
})

test('a refund that was made at Mollie appears among the refunds of the payment', async () => {
  const { client, control } = await newMollieMerchant(simulator.url)
  const reference = randomUUID()
  const metadata = { switchyard_reference: reference }
  const { id: paymentId } = await client.payments.create({ ...cardPayment('approve'), metadata })

  await control('POST', 'refunds', { parent_reference: reference, amount: 250 })

  const [refund] = await client.paymentRefunds.page({ paymentId })
  expect(refund).toMatchObject({ status: 'refunded', amount: eur('2.50'), metadata: null })
  expect(await client.paymentRefunds.get(refund?.id ?? '', { paymentId })).toMatchObject({ id: refund?.id })
})

test('a first payment creates a mandate, with which recurring payments are charged without the payer', async () => {
  const { client, facts } = await newMollieMerchant(simulator.url)
  const customer = await client.customers.create({
    name: 'Ada',
    email: 'ada@example.org',
    metadata: { n: 1 },
  })
  const { id: customerId } = customer
  expect(await client.customers.get(customerId)).toMatchObject({
    resource: 'customer',
    name: 'Ada',
    metadata: { n: 1 },
  })

  const first = await client.payments.create({
    ...cardPayment('3000'),
    sequenceType: SequenceType.first,
    customerId,
  })
  const mandateId = first.mandateId ?? ''
  expect(await client.customerMandates.get(mandateId, { customerId })).toMatchObject({
    status: MandateStatus.pending,
  })
  const recurring = {
    amount: eur('3.00'),
    description: 'Month 1',
    sequenceType: SequenceType.recurring,
    customerId,
  }
  expect(await errorOf(client.payments.create(recurring))).toMatchObject({ statusCode: 422 })
  await press(first.getCheckoutUrl(), 'approve')

  expect([...(await client.customerMandates.page({ customerId }))]).toMatchObject([
    { id: mandateId, status: MandateStatus.valid, method: 'creditcard', details: { cardNumber: '0006' } },
  ])
  expect(await client.payments.create(recurring)).toMatchObject({
    status: 'paid',
    mandateId,
    redirectUrl: null,
  })
  expect(await client.payments.create({ ...recurring, mandateId })).toMatchObject({ status: 'paid' })
  const present = { ...cardPayment('approve'), cardToken: undefined, customerId, mandateId }
  expect(await client.payments.create(present as never)).toMatchObject({
    status: 'open',
    sequenceType: 'oneoff',
  })
  expect((await facts()).map(({ amount }) => amount)).toEqual([1250, 300, 300])

  expect(await client.customerMandates.revoke(mandateId, { customerId })).toBe(true)
  expect(await errorOf(client.customerMandates.get(mandateId, { customerId }))).toMatchObject({
    statusCode: 404,
  })
  expect(await errorOf(client.payments.create({ ...recurring, mandateId }))).toMatchObject({
    statusCode: 422,
  })
})

test('a first payment of zero verifies the card', async () => {
  const { client, facts } = await newMollieMerchant(simulator.url)
  const zero = { ...cardPayment('approve'), amount: eur('0.00') }

  const payment = await client.payments.create({
    ...zero,
    sequenceType: SequenceType.first,
    customerId: 'cst_sim_1',
  })

  expect(payment).toMatchObject({ status: 'paid', amount: eur('0.00'), customerId: 'cst_sim_1' })
  expect((await client.customerMandates.page({ customerId: 'cst_sim_1' })).length).toBe(1)
  expect(await facts()).toMatchObject([{ fact: 'verification' }])
  expect(await errorOf(client.payments.create(zero))).toMatchObject({ statusCode: 422, field: 'amount' })
})

test('a declined recurring payment exists, with the reason for its failure', async () => {
  const { client, configure } = await newMollieMerchant(simulator.url)
  const customerId = 'cst_sim_1'
  await client.payments.create({ ...cardPayment('approve'), sequenceType: SequenceType.first, customerId })
  await configure({ auth_rate: 0 })

  const declined = await client.payments.create({
    amount: eur('3.00'),
    description: 'Month 1',
    sequenceType: SequenceType.recurring,
    customerId,
  })

  expect(declined).toMatchObject({ status: 'failed', details: { failureReason: 'refused_by_issuer' } })
  expect(await client.payments.get(declined.id)).toMatchObject({ status: 'failed' })
})

test('payments are listed in pages, newest first', async () => {
  const { client } = await newMollieMerchant(simulator.url)
  const ids = []
  for (let count = 0; count < 5; count += 1)
    ids.unshift((await client.payments.create(cardPayment('approve'))).id)

  const page = await client.payments.page({ limit: 2 })
  const next = await page.nextPage?.()
  const all: string[] = []
  for await (const { id } of client.payments.iterate()) all.push(id)

  expect([...page].map(({ id }) => id)).toEqual(ids.slice(0, 2))
  expect([...(next ?? [])].map(({ id }) => id)).toEqual(ids.slice(2, 4))
  expect(all).toEqual(ids)
  expect(await errorOf(client.payments.page({ limit: 251 }))).toMatchObject({
    statusCode: 400,
    field: 'limit',
  })
  expect(await errorOf(client.payments.page({ from: 'tr_unknown' }))).toMatchObject({ statusCode: 400 })
})

test('the card method can be read, and unknown objects are not found', async () => {
  const { client } = await newMollieMerchant(simulator.url)
  const { id: paymentId } = await client.payments.create(cardPayment('approve'))

  expect(await client.methods.get(PaymentMethod.creditcard)).toMatchObject({
    id: 'creditcard',
    status: 'activated',
  })
  for (const call of [
    client.payments.get('tr_unknown'),
    client.paymentRefunds.get('re_unknown', { paymentId }),
    client.paymentCaptures.get('cpt_unknown', { paymentId }),
    client.customers.get('cst_unknown'),
    client.customerMandates.get('mdt_unknown', { customerId: 'cst_sim_1' }),
    client.methods.get(PaymentMethod.ideal),
  ])
    expect(await errorOf(call)).toMatchObject({ statusCode: 404, title: 'Not Found' })
})
