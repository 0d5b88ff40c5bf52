// PayPal's API, driven by the official SDK as an independent client: a response that the SDK cannot read is an error.

import { randomUUID } from 'node:crypto'
import {
  AuthorizationStatus,
  CaptureStatus,
  type CardRequest,
  CheckoutPaymentIntent,
  type CustomError,
  OrderStatus,
  OrdersCardVerificationMethod,
  PaymentInitiator,
  RefundStatus,
  StoredPaymentSourcePaymentType,
  StoredPaymentSourceUsageType,
  StoreInVaultInstruction,
} from '@paypal/paypal-server-sdk'
import { afterAll, expect, test } from 'vitest'
import { cardNumberForScenario, testCards } from '../../src/cards.ts'
import { startSimulator } from '../../src/index.ts'
import { newPaypalMerchant, sdkOf } from '../support/paypal.ts'

const simulator = await startSimulator({ dialectPorts: { paypal: 0 } })
afterAll(() => simulator.stop())

const eur = (value: string) => ({ currencyCode: 'EUR', value })
const prefer = 'return=representation'
const dayMs = 24 * 3_600_000

/** An order of 12.50 EUR with the test card of a scenario; `approve` is approved. */
function order(scenario: string, { intent = CheckoutPaymentIntent.Capture, card = {} as CardRequest } = {}) {
  const number = scenario === 'approve' ? '4242424242424242' : cardNumberForScenario(scenario)
  return {
    paypalRequestId: randomUUID(),
    prefer,
    body: {
      intent,
      purchaseUnits: [
        { referenceId: 'R1', invoiceId: 'I1', customId: `payment-${randomUUID()}`, amount: eur('12.50') },
      ],
      paymentSource: {
        card: card.vaultId ? card : { number, expiry: '2035-12', securityCode: '123', ...card },
      },
    },
  }
}
const authorization = (scenario: string) => order(scenario, { intent: CheckoutPaymentIntent.Authorize })

async function press(url: string | undefined, result: string) {
  const body = new URLSearchParams({ result })
  const response = await fetch(url ?? '', { method: 'POST', body, redirect: 'manual' })
  return response.headers.get('location')
}

const errorOf = (call: Promise<unknown>): Promise<CustomError> =>
  call.then(
    () => Promise.reject(new Error('There was no error.')),
    (error) => error,
  )

async function issueOf(call: Promise<unknown>): Promise<string> {
  const { statusCode, result } = await errorOf(call)
  return `${statusCode} ${result?.name} ${result?.details?.map(({ issue }) => issue)}`
}

test('an order with a card is captured when it is created', async () => {
  const { orders, payments, facts } = await newPaypalMerchant(simulator)

  const { statusCode, result } = await orders.createOrder(order('approve'))

  expect(statusCode).toBe(201)
  expect(result).toMatchObject({ status: OrderStatus.Completed, intent: 'CAPTURE' })
  expect(result.paymentSource?.card).toMatchObject({ lastDigits: '4242', brand: 'VISA', expiry: '2035-12' })
  const [unit] = result.purchaseUnits ?? []
  expect(unit).toMatchObject({ referenceId: 'R1', invoiceId: 'I1', amount: eur('12.50') })
  const [capture] = unit?.payments?.captures ?? []
  expect(capture).toMatchObject({
    status: CaptureStatus.Completed,
    amount: eur('12.50'),
    finalCapture: true,
    processorResponse: { responseCode: '0000' },
  })
  expect(capture?.networkTransactionReference?.id).toMatch(/^\d{15}$/)
  expect(capture?.links?.map(({ rel }) => rel)).toEqual(['self', 'refund', 'up'])
  expect((await orders.getOrder({ id: result.id ?? '' })).result).toEqual(result)
  expect((await payments.getCapturedPayment({ captureId: capture?.id ?? '' })).result).toMatchObject({
    id: capture?.id,
    status: CaptureStatus.Completed,
    supplementaryData: { relatedIds: { orderId: result.id } },
  })
  expect(await facts()).toMatchObject([
    { fact: 'charge', capture: true, amount: 1250, currency: 'eur', payment_id: unit?.customId },
  ])
})

test('the minimal response has only id, status and links', async () => {
  const { orders } = await newPaypalMerchant(simulator)

  const { result } = await orders.createOrder({ ...order('approve'), prefer: 'return=minimal' })

  expect(Object.keys(result).sort()).toEqual(['id', 'links', 'status'])
})

// biome-ignore format: a table.
test.each([
  ['0051', '5120'], ['0054', '5400'], ['0005', '0500'], ['0043', '9520'], ['0093', '5100'], ['0070', '5650'], ['3004', '7700'],
])('a card that is declined (%s) gives a completed order with a declined capture', async (scenario, code) => {
  const { orders, payments, facts } = await newPaypalMerchant(simulator)

  const { result } = await orders.createOrder(order(scenario))
  const held = await orders.createOrder(authorization(scenario))

  const [capture] = result.purchaseUnits?.[0]?.payments?.captures ?? []
  expect([result.status, capture?.status, capture?.processorResponse?.responseCode]).toEqual([
    'COMPLETED',
    'DECLINED',
    code,
  ])
  const [denied] = held.result.purchaseUnits?.[0]?.payments?.authorizations ?? []
  expect([denied?.status, denied?.processorResponse?.responseCode]).toEqual(['DENIED', code])
  const captured = payments.captureAuthorizedPayment({ authorizationId: denied?.id ?? '', body: {} })
  expect(await issueOf(captured)).toBe('422 UNPROCESSABLE_ENTITY AUTHORIZATION_DENIED')
  const refund = payments.refundCapturedPayment({ captureId: capture?.id ?? '', body: {} })
  expect(await issueOf(refund)).toBe('422 UNPROCESSABLE_ENTITY REFUND_NOT_ALLOWED')
  expect((await facts()).length).toBe(0)
})

test('advice codes of Mastercard are part of the response of the processor', async () => {
  const { orders } = await newPaypalMerchant(simulator)

  const number = testCards.find(({ scenario }) => scenario === 'advice:03')?.number ?? ''
  const { result } = await orders.createOrder(order('approve', { card: { number } }))

  const [capture] = result.purchaseUnits?.[0]?.payments?.captures ?? []
  expect(capture?.processorResponse).toMatchObject({ responseCode: '0500', paymentAdviceCode: '03' })
})

test('an authorization is captured in parts, and the final capture releases the rest', async () => {
  const { orders, payments, facts } = await newPaypalMerchant(simulator)
  const { result } = await orders.createOrder(authorization('approve'))
  const [held] = result.purchaseUnits?.[0]?.payments?.authorizations ?? []
  const authorizationId = held?.id ?? ''
  const statusOf = async () => (await payments.getAuthorizedPayment({ authorizationId })).result.status
  const capture = (value: string, finalCapture = false) =>
    payments.captureAuthorizedPayment({
      authorizationId,
      paypalRequestId: randomUUID(),
      prefer,
      body: { amount: eur(value), finalCapture, invoiceId: `I-${value}` },
    })
  expect(held).toMatchObject({ status: AuthorizationStatus.Created, amount: eur('12.50') })
  expect(Date.parse(held?.expirationTime ?? '') - Date.parse(held?.createTime ?? '')).toBe(29 * dayMs)

  const first = await capture('5.00')
  expect(first.statusCode).toBe(201)
  expect(first.result).toMatchObject({ status: 'COMPLETED', amount: eur('5.00'), invoiceId: 'I-5.00' })
  expect(await statusOf()).toBe(AuthorizationStatus.PartiallyCaptured)
  expect(await issueOf(capture('7.51'))).toBe('422 UNPROCESSABLE_ENTITY MAX_CAPTURE_AMOUNT_EXCEEDED')
  const dollars = { currencyCode: 'USD', value: '1.00' }
  const wrong = payments.captureAuthorizedPayment({ authorizationId, body: { amount: dollars } })
  expect(await issueOf(wrong)).toBe('422 UNPROCESSABLE_ENTITY AUTH_CAPTURE_CURRENCY_MISMATCH')

  const last = await capture('2.00', true)
  expect(last.result).toMatchObject({ finalCapture: true })
  expect(await statusOf()).toBe(AuthorizationStatus.Captured)
  expect(await issueOf(capture('1.00'))).toBe('422 UNPROCESSABLE_ENTITY AUTHORIZATION_ALREADY_CAPTURED')
  expect(await issueOf(payments.voidPayment({ authorizationId }))).toBe(
    '422 UNPROCESSABLE_ENTITY PREVIOUSLY_CAPTURED',
  )
  expect((await facts()).map(({ fact, amount }) => `${fact} ${amount}`)).toEqual([
    'charge 1250',
    'capture 500',
    'capture 200',
  ])
  const listed = (await orders.getOrder({ id: result.id ?? '' })).result.purchaseUnits?.[0]?.payments
  expect(listed?.captures?.map(({ amount }) => amount?.value)).toEqual(['5.00', '2.00'])
})

test('a void releases the rest of an authorization, once', async () => {
  const { orders, payments, facts } = await newPaypalMerchant(simulator)
  const { result } = await orders.createOrder(authorization('approve'))
  const authorizationId = result.purchaseUnits?.[0]?.payments?.authorizations?.[0]?.id ?? ''
  const partial = { amount: eur('5.00') }
  await payments.captureAuthorizedPayment({ authorizationId, body: partial })
  const paypalRequestId = randomUUID()

  const voided = await payments.voidPayment({ authorizationId, paypalRequestId, prefer })
  const repeated = await payments.voidPayment({ authorizationId, paypalRequestId })

  expect([voided.statusCode, voided.result?.status, voided.result?.id]).toEqual([
    200,
    'VOIDED',
    authorizationId,
  ])
  expect([repeated.statusCode, repeated.result]).toEqual([204, null])
  expect(await issueOf(payments.voidPayment({ authorizationId }))).toBe(
    '422 UNPROCESSABLE_ENTITY PREVIOUSLY_VOIDED',
  )
  const capture = payments.captureAuthorizedPayment({ authorizationId, body: {} })
  expect(await issueOf(capture)).toBe('422 UNPROCESSABLE_ENTITY AUTHORIZATION_VOIDED')
  expect((await facts()).at(-1)).toMatchObject({ fact: 'void', amount: 750 })
})

test('captures are refunded in parts, each up to its own amount', async () => {
  const { orders, payments } = await newPaypalMerchant(simulator)
  const { result } = await orders.createOrder(authorization('approve'))
  const authorizationId = result.purchaseUnits?.[0]?.payments?.authorizations?.[0]?.id ?? ''
  const [first = '', second = ''] = await Promise.all(
    ['5.00', '7.50'].map(async (value) => {
      const body = { amount: eur(value) }
      return (await payments.captureAuthorizedPayment({ authorizationId, body })).result.id
    }),
  )
  const refund = (captureId: string, value: string) =>
    payments.refundCapturedPayment({
      captureId,
      prefer,
      body: { amount: eur(value), customId: 'mine', invoiceId: 'R' },
    })

  const part = await refund(first, '2.00')
  expect(part.result).toMatchObject({
    status: RefundStatus.Completed,
    amount: eur('2.00'),
    customId: 'mine',
    invoiceId: 'R',
  })
  expect((await payments.getRefund({ refundId: part.result.id ?? '' })).result).toEqual(part.result)
  expect((await payments.getCapturedPayment({ captureId: first })).result.status).toBe('PARTIALLY_REFUNDED')
  expect(await issueOf(refund(first, '3.01'))).toBe('422 UNPROCESSABLE_ENTITY REFUND_AMOUNT_EXCEEDED')
  const rest = await payments.refundCapturedPayment({ captureId: first, prefer, body: {} })
  expect(rest.result.amount).toEqual(eur('3.00'))
  expect((await payments.getCapturedPayment({ captureId: first })).result.status).toBe(CaptureStatus.Refunded)
  expect(await issueOf(refund(first, '0.01'))).toBe('422 UNPROCESSABLE_ENTITY CAPTURE_FULLY_REFUNDED')
  expect((await payments.getCapturedPayment({ captureId: second })).result.status).toBe(
    CaptureStatus.Completed,
  )
})

test('captures, voids and refunds can fail or be pending', async () => {
  const { orders, payments, advance } = await newPaypalMerchant(simulator)
  const authorizationOf = async (scenario: string) =>
    (await orders.createOrder(authorization(scenario))).result.purchaseUnits?.[0]?.payments
      ?.authorizations?.[0]?.id ?? ''
  const captureOf = async (scenario: string) =>
    (await orders.createOrder(order(scenario))).result.purchaseUnits?.[0]?.payments?.captures?.[0]?.id ?? ''

  const failing = await authorizationOf('6001')
  const declined = await payments.captureAuthorizedPayment({ authorizationId: failing, prefer, body: {} })
  expect(declined.result).toMatchObject({ status: 'DECLINED', processorResponse: { responseCode: '5700' } })
  expect((await payments.getAuthorizedPayment({ authorizationId: failing })).result.status).toBe('CREATED')
  const fixed = await authorizationOf('6003')
  expect(await issueOf(payments.voidPayment({ authorizationId: fixed }))).toBe(
    '422 UNPROCESSABLE_ENTITY CANNOT_BE_VOIDED',
  )
  const refund = payments.refundCapturedPayment({ captureId: await captureOf('6004'), body: {} })
  expect(await issueOf(refund)).toBe('422 UNPROCESSABLE_ENTITY REFUND_FAILED_INSUFFICIENT_FUNDS')

  const slow = await payments.captureAuthorizedPayment({
    authorizationId: await authorizationOf('6007'),
    prefer,
    body: {},
  })
  const slowRefund = await payments.refundCapturedPayment({
    captureId: await captureOf('6005'),
    prefer,
    body: {},
  })
  const voided = await authorizationOf('6009')
  expect((await payments.voidPayment({ authorizationId: voided, prefer })).result?.status).toBe('CREATED')
  const captureId = slow.result.id ?? ''
  const refundId = slowRefund.result.id ?? ''
  expect([slow.result.status, slowRefund.result.status]).toEqual(['PENDING', 'PENDING'])
  expect(await issueOf(payments.refundCapturedPayment({ captureId, body: {} }))).toBe(
    '422 UNPROCESSABLE_ENTITY PENDING_CAPTURE',
  )
  await advance(5_000)
  expect((await payments.getCapturedPayment({ captureId })).result.status).toBe('COMPLETED')
  expect((await payments.getRefund({ refundId })).result.status).toBe('COMPLETED')
  expect((await payments.getAuthorizedPayment({ authorizationId: voided })).result.status).toBe('VOIDED')
})

test('a pending order is completed, and its capture is decided later', async () => {
  const { orders, advance } = await newPaypalMerchant(simulator)
  const request = order('5017')

  const { result } = await orders.createOrder(request)
  await advance(5_000)
  const later = (await orders.getOrder({ id: result.id ?? '' })).result
  const repeated = await orders.createOrder(request)

  const captureOf = ({ purchaseUnits }: typeof result) => purchaseUnits?.[0]?.payments?.captures?.[0]
  expect([result.status, captureOf(result)?.status, captureOf(result)?.statusDetails?.reason]).toEqual([
    'COMPLETED',
    'PENDING',
    'PENDING_REVIEW',
  ])
  expect([later.status, captureOf(later)?.status]).toEqual(['COMPLETED', 'DECLINED'])
  // A repeated request gets the latest state, with status 200.
  expect([repeated.statusCode, captureOf(repeated.result)?.status]).toEqual([200, 'DECLINED'])
})

test('a payer authenticates on the page of the payer action, and the merchant captures the order afterwards', async () => {
  const { orders, facts } = await newPaypalMerchant(simulator)
  const card = {
    attributes: { verification: { method: OrdersCardVerificationMethod.ScaAlways } },
    experienceContext: {
      returnUrl: 'http://shop.example/return?order=7',
      cancelUrl: 'http://shop.example/cancel',
    },
  }
  const created = await orders.createOrder(order('approve', { card }))
  const id = created.result.id ?? ''
  const page = created.result.links?.find(({ rel }) => rel === 'payer-action')?.href
  expect([created.result.status, created.result.purchaseUnits?.[0]?.payments]).toEqual([
    'PAYER_ACTION_REQUIRED',
    undefined,
  ])

  const early = await errorOf(orders.captureOrder({ id }))
  expect(early.result?.details?.map(({ issue }) => issue)).toEqual(['PAYER_ACTION_REQUIRED'])
  expect(early.result?.links?.find(({ rel }) => rel === 'payer-action')?.href).toBe(page)
  expect(await issueOf(orders.authorizeOrder({ id }))).toBe(
    '422 UNPROCESSABLE_ENTITY ACTION_DOES_NOT_MATCH_INTENT',
  )
  expect(await press(page, 'approve')).toBe('http://shop.example/return?order=7')
  const approved = (await orders.getOrder({ id })).result
  expect(approved.status).toBe(OrderStatus.Approved)
  expect(approved.paymentSource?.card?.authenticationResult).toMatchObject({ liabilityShift: 'POSSIBLE' })
  expect(await facts()).toEqual([])

  const paypalRequestId = randomUUID()
  const captured = await orders.captureOrder({ id, paypalRequestId, prefer })
  expect([captured.statusCode, captured.result.status]).toEqual([201, 'COMPLETED'])
  expect(captured.result.purchaseUnits?.[0]?.payments?.captures?.[0]?.status).toBe('COMPLETED')
  expect((await orders.captureOrder({ id, paypalRequestId, prefer })).result).toEqual(captured.result)
  expect(await issueOf(orders.captureOrder({ id }))).toBe('422 UNPROCESSABLE_ENTITY ORDER_ALREADY_CAPTURED')
  expect((await facts()).length).toBe(1)
})

test('a failed authentication is declined when the order is authorized; an abandoned one leaves it unpaid', async () => {
  const { orders, advance } = await newPaypalMerchant(simulator)
  const failing = (await orders.createOrder(authorization('3001'))).result
  await press(failing.links?.find(({ rel }) => rel === 'payer-action')?.href, 'approve')
  const failed = await orders.authorizeOrder({ id: failing.id ?? '', prefer })
  const [denied] = failed.result.purchaseUnits?.[0]?.payments?.authorizations ?? []
  expect([denied?.status, denied?.processorResponse?.responseCode]).toEqual(['DENIED', '7710'])

  const left = (await orders.createOrder(order('3003'))).result
  await press(left.links?.find(({ rel }) => rel === 'payer-action')?.href, 'leave')
  await advance(31 * 60_000)
  const id = left.id ?? ''
  expect((await orders.getOrder({ id })).result.status).toBe(OrderStatus.PayerActionRequired)
  expect(await issueOf(orders.captureOrder({ id }))).toBe('422 UNPROCESSABLE_ENTITY PAYER_ACTION_REQUIRED')
})

test('a card is saved when it is charged, charged again by the merchant, and deleted', async () => {
  const { orders, vault } = await newPaypalMerchant(simulator)
  const first = await orders.createOrder(
    order('approve', {
      card: {
        attributes: { vault: { storeInVault: StoreInVaultInstruction.OnSuccess } },
        storedCredential: {
          paymentInitiator: PaymentInitiator.Customer,
          paymentType: StoredPaymentSourcePaymentType.Unscheduled,
          usage: StoredPaymentSourceUsageType.First,
        },
      },
    }),
  )
  const saved = first.result.paymentSource?.card?.attributes?.vault
  expect(saved?.status).toBe('VAULTED')
  const vaultId = saved?.id ?? ''
  const storedCredential = {
    paymentInitiator: PaymentInitiator.Merchant,
    paymentType: StoredPaymentSourcePaymentType.Unscheduled,
    usage: StoredPaymentSourceUsageType.Subsequent,
  }
  const again = () => orders.createOrder(order('', { card: { vaultId, storedCredential } }))

  expect((await again()).result.status).toBe('COMPLETED')
  expect((await vault.deletePaymentToken(vaultId)).statusCode).toBe(204)
  expect(await issueOf(again())).toBe('422 UNPROCESSABLE_ENTITY TOKEN_ID_NOT_FOUND')
})

test('authorizations expire after 29 days, and captures can be refunded for 180 days', async () => {
  const { account, orders, advance } = await newPaypalMerchant(simulator)
  const held = (await orders.createOrder(authorization('approve'))).result
  const paid = (await orders.createOrder(order('approve'))).result
  const authorizationId = held.purchaseUnits?.[0]?.payments?.authorizations?.[0]?.id ?? ''
  const captureId = paid.purchaseUnits?.[0]?.payments?.captures?.[0]?.id ?? ''
  // The access token expires too, so each call needs a new client.
  const payments = () => sdkOf(simulator.dialectUrls.paypal ?? '', account).payments

  await advance(29 * dayMs + 1000)
  const capture = payments().captureAuthorizedPayment({ authorizationId, body: {} })
  expect(await issueOf(capture)).toBe('422 UNPROCESSABLE_ENTITY AUTHORIZATION_EXPIRED')
  await advance(150 * dayMs)
  await payments().refundCapturedPayment({ captureId, body: { amount: eur('1.00') } })
  await advance(dayMs)
  const late = payments().refundCapturedPayment({ captureId, body: {} })
  expect(await issueOf(late)).toBe('422 UNPROCESSABLE_ENTITY REFUND_TIME_LIMIT_EXCEEDED')
})

test('unknown objects are not found, and wrong credentials are refused', async () => {
  const { account, orders, payments } = await newPaypalMerchant(simulator)
  const notFound = '404 RESOURCE_NOT_FOUND INVALID_RESOURCE_ID'
  const id = '1AB23456CD789012E'

  expect(await issueOf(orders.getOrder({ id }))).toBe(notFound)
  expect(await issueOf(orders.captureOrder({ id }))).toBe(notFound)
  expect(await issueOf(payments.getAuthorizedPayment({ authorizationId: id }))).toBe(notFound)
  expect(await issueOf(payments.captureAuthorizedPayment({ authorizationId: id, body: {} }))).toBe(notFound)
  expect(await issueOf(payments.refundCapturedPayment({ captureId: id, body: {} }))).toBe(notFound)
  expect(await issueOf(payments.getRefund({ refundId: id }))).toBe(notFound)
  const wrong = sdkOf(simulator.dialectUrls.paypal ?? '', account, 'wrong')
  expect(await errorOf(wrong.orders.getOrder({ id }))).toMatchObject({
    statusCode: 401,
    result: { error: 'invalid_client' },
  })
})
