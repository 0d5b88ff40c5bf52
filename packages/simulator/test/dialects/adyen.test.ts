// Adyen's official library pays, captures, cancels and refunds at the simulator.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cardNumberForScenario, testCards } from '../../src/cards.ts'
import { type Config, startSimulator } from '../../src/index.ts'
import {
  euros,
  manual,
  merchantAccount,
  newShop,
  payment,
  type Shop,
  shopOf,
  startAdyenReceiver,
} from '../support/adyen.ts'
import { goodCard } from '../support/merchant.ts'

const simulator = await startSimulator({ dialectPorts: { adyen: 0 } })
const receiver = await startAdyenReceiver()
afterAll(() => {
  receiver.stop()
  return simulator.stop()
})

async function shopWith(config: Partial<Config> = {}) {
  const inbox = receiver.newInbox()
  return { ...(await newShop(simulator, { webhook_url: inbox.url, ...config })), inbox }
}

async function pay(shop: Shop, ...request: Parameters<typeof payment>) {
  const sent = payment(...request)
  const paid = await shop.payments.payments(sent)
  return { ...paid, psp: paid.pspReference ?? '', reference: sent.reference }
}

const modification = (value?: number) => ({
  merchantAccount,
  reference: 'modification-1',
  ...(value === undefined ? {} : { amount: euros(value) }),
})
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: { statusCode: number; errorCode: string }) => `${error.statusCode} ${error.errorCode}`,
  )

describe('payments', () => {
  test('a payment is authorised and captured, and a signed webhook reports it', async () => {
    const shop = await shopWith()
    const paid = await pay(shop)
    await shop.flush()

    expect(paid).toMatchObject({
      resultCode: 'Authorised',
      pspReference: expect.stringMatching(/^[A-Z0-9]{16}$/),
      merchantReference: paid.reference,
      amount: euros(1250),
      paymentMethod: { brand: 'visa', type: 'scheme' },
      additionalData: { cardSummary: '4242', networkTxReference: expect.stringMatching(/^\d{15}$/) },
    })
    expect(await shop.sums()).toMatchObject([{ payment_id: paid.reference, captured: 1250 }])
    expect(shop.inbox.webhooks()).toHaveLength(1)
    expect(shop.inbox.webhooks()[0]).toMatchObject({
      valid: true,
      authorization: `Basic ${Buffer.from(':secret').toString('base64')}`,
      items: [
        {
          eventCode: 'AUTHORISATION',
          success: 'true',
          pspReference: paid.psp,
          merchantReference: paid.reference,
          merchantAccountCode: merchantAccount,
          amount: euros(1250),
        },
      ],
    })
  })

  test('every refusal has a reason, the raw code of the network, and a webhook', async () => {
    const shop = await shopWith()
    for (const { number, scenario } of testCards.filter((card) => /^(decline|advice)/.test(card.scenario))) {
      const { resultCode, refusalReason, refusalReasonCode, additionalData } = await pay(shop, number)
      await shop.flush()

      expect(['Refused', 'Error']).toContain(resultCode)
      expect(refusalReasonCode).toMatch(/^\d+$/)
      const [prefix, code] = scenario.split(':')
      expect(additionalData?.[prefix === 'advice' ? 'merchantAdviceCode' : 'refusalReasonRaw']).toMatch(
        new RegExp(`^${code} : `),
      )
      const { refusalReasonRaw } = additionalData ?? {}
      const webhook = { success: 'false', reason: refusalReason, additionalData: { refusalReasonRaw } }
      expect(shop.inbox.last()).toMatchObject(webhook)
    }
    expect(await shop.sums()).toEqual([])
  })

  test('a card with the amount 0 is verified', async () => {
    const shop = await shopWith()
    const { resultCode, amount } = await pay(shop, goodCard, { amount: euros(0) })

    expect({ resultCode, amount }).toEqual({ resultCode: 'Authorised', amount: euros(0) })
    expect(await shop.facts()).toMatchObject([{ fact: 'verification', amount: 0 }])
  })

  test('a pending payment is received, and decided by webhook', async () => {
    const shop = await shopWith()
    const paid = await pay(shop, cardNumberForScenario('5017'))
    await shop.flush()

    expect(paid.resultCode).toBe('Received')
    expect(shop.inbox.events()).toEqual([])
    await simulator.control('POST', 'time', { advance_ms: 5_000 })
    expect(shop.inbox.last()).toMatchObject({
      eventCode: 'AUTHORISATION',
      success: 'false',
      pspReference: paid.psp,
    })
  })

  test('amounts are in the minor units of Adyen', async () => {
    const shop = await shopWith()
    const { amount } = await pay(shop, goodCard, { amount: { currency: 'CLP', value: 109900 } })
    await pay(shop, goodCard, { amount: { currency: 'IDR', value: 10_500 } })

    expect(amount).toEqual({ currency: 'CLP', value: 109900 })
    expect((await shop.facts()).map((fact) => fact.amount)).toEqual([1099, 1_050_000])
  })

  test('encrypted values of the test environment are accepted', async () => {
    const shop = await shopWith()
    const { resultCode, additionalData } = await pay(shop, goodCard, {
      paymentMethod: {
        type: 'scheme',
        encryptedCardNumber: 'test_5555555555554444',
        encryptedExpiryMonth: 'test_03',
        encryptedExpiryYear: 'test_2030',
        encryptedSecurityCode: 'test_737',
      },
    })

    expect(resultCode).toBe('Authorised')
    expect(additionalData?.paymentMethod).toBe('mc')
    const { calls } = await shop.control<{ calls: { body: unknown }[] }>('GET', 'calls')
    expect(JSON.stringify(calls)).not.toMatch(/5555555555554444|737/)
  })
})

describe('3-D Secure', () => {
  const page = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init })

  /** The parameters with which the shopper returns. */
  async function authenticate(action: { url?: string; method?: string; data?: object }, result = 'approve') {
    const fields = new URLSearchParams({ ...(action.data as { [name: string]: string }), result })
    const response = await page(action.url ?? '', { method: 'POST', body: fields })
    const location = new URL(response.headers.get('location') ?? '')
    return {
      redirectResult: location.searchParams.get('redirectResult') ?? '',
      order: location.searchParams.get('order'),
    }
  }

  test('the shopper is redirected, returns, and the details authorise the payment', async () => {
    const shop = await shopWith()
    const paid = await pay(shop, cardNumberForScenario('3000'))
    expect(paid).toMatchObject({
      resultCode: 'RedirectShopper',
      action: { type: 'redirect', method: 'GET', paymentMethodType: 'scheme' },
    })
    const returned = await authenticate(paid.action as never)
    await shop.flush()
    expect(shop.inbox.events()).toEqual([])

    const details = { details: { redirectResult: returned.redirectResult } }
    const completed = await shop.payments.paymentsDetails(details)
    await shop.flush()

    expect(returned.order).toBe('7')
    expect(completed).toMatchObject({ resultCode: 'Authorised', pspReference: paid.psp, amount: euros(1250) })
    expect(shop.inbox.events()).toEqual(['AUTHORISATION true'])
    expect(await shop.payments.paymentsDetails(details)).toMatchObject({ resultCode: 'Authorised' })
    expect(await shop.sums()).toMatchObject([{ captured: 1250 }])
  })

  test('the page may open with a form, before the PSP reference is known', async () => {
    const shop = await shopWith()
    const paid = await pay(shop, cardNumberForScenario('3005'))
    expect(paid).toMatchObject({ action: { method: 'POST', data: { creq: expect.any(String) } } })
    expect(paid.pspReference).toBeUndefined()

    const { redirectResult } = await authenticate(paid.action as never)

    expect(await shop.payments.paymentsDetails({ details: { redirectResult } })).toMatchObject({
      resultCode: 'Authorised',
      pspReference: expect.stringMatching(/^[A-Z0-9]{16}$/),
      merchantReference: paid.reference,
    })
  })

  test('a failed authentication refuses the payment', async () => {
    const shop = await shopWith()
    const { action } = await pay(shop, goodCard, { authenticationData: { attemptAuthentication: 'always' } })
    const { redirectResult } = await authenticate(action as never, 'fail')

    expect(await shop.payments.paymentsDetails({ details: { redirectResult } })).toMatchObject({
      resultCode: 'Refused',
      refusalReasonCode: '11',
    })
  })

  test('an abandoned page closes the offer', async () => {
    const shop = await shopWith()
    await pay(shop, cardNumberForScenario('3003'))
    await simulator.control('POST', 'time', { advance_ms: 30 * 60_000 })

    expect(shop.inbox.events()).toEqual(['OFFER_CLOSED true'])
  })

  test('an invalid result of a redirect is rejected', async () => {
    const shop = await shopWith()
    const invented = Buffer.from('["another","secret"]').toString('base64url')

    for (const redirectResult of ['', 'X6XtfGC3!Y', invented])
      expect(await errorOf(shop.payments.paymentsDetails({ details: { redirectResult } }))).toBe('422 14_007')
  })
})

describe('modifications', () => {
  test('a partial capture is received, reported by webhook, and releases the rest', async () => {
    const shop = await shopWith()
    const { psp } = await pay(shop, goodCard, manual)
    const captured = await shop.modifications.captureAuthorisedPayment(psp, modification(1000) as never)
    await shop.flush()

    expect(captured).toMatchObject({
      status: 'received',
      paymentPspReference: psp,
      reference: 'modification-1',
      amount: euros(1000),
      merchantAccount,
    })
    expect(shop.inbox.last()).toMatchObject({
      eventCode: 'CAPTURE',
      success: 'true',
      pspReference: captured.pspReference,
      originalReference: psp,
      merchantReference: 'modification-1',
      amount: euros(1000),
    })
    expect(await shop.sums()).toMatchObject([{ authorized: 1250, captured: 1000, voided: 250 }])
  })

  test('a capture beyond the authorised amount is received, and fails by webhook', async () => {
    const shop = await shopWith()
    const { psp } = await pay(shop, goodCard, manual)
    for (const amount of [1251, 1000, 250]) {
      await shop.flush()
      await shop.modifications.captureAuthorisedPayment(psp, modification(amount) as never)
    }
    await shop.flush()

    expect(shop.inbox.events()).toEqual([
      'AUTHORISATION true',
      'CAPTURE false',
      'CAPTURE true',
      'CAPTURE false',
    ])
    expect(shop.inbox.last().reason).toBe('Insufficient balance on payment')
    expect(await shop.sums()).toMatchObject([{ captured: 1000 }])
  })

  test('a capture that fails late is reported with two items in one webhook', async () => {
    const shop = await shopWith()
    const { psp } = await pay(shop, cardNumberForScenario('6008'), manual)
    await shop.modifications.captureAuthorisedPayment(psp, modification(1000) as never)
    await shop.flush()
    await simulator.control('POST', 'time', { advance_ms: 5_000 })

    expect(shop.inbox.webhooks()).toHaveLength(2)
    expect(shop.inbox.events()).toEqual(['AUTHORISATION true', 'CAPTURE_FAILED true', 'CAPTURE false'])
    expect(await shop.sums()).toMatchObject([{ captured: 0, voided: 0 }])
  })

  test('a capture that succeeds late releases the rest', async () => {
    const shop = await shopWith()
    const { psp } = await pay(shop, cardNumberForScenario('6007'), manual)
    await shop.modifications.captureAuthorisedPayment(psp, modification(1000) as never)
    await simulator.control('POST', 'time', { advance_ms: 5_000 })

    expect(await shop.sums()).toMatchObject([{ captured: 1000, voided: 250 }])
  })

  test('a payment is cancelled by its PSP reference or by its own reference', async () => {
    const shop = await shopWith()
    const first = await pay(shop, goodCard, manual)
    const second = await pay(shop, goodCard, manual)
    await shop.modifications.cancelAuthorisedPaymentByPspReference(first.psp, modification() as never)
    await shop.flush()
    expect(shop.inbox.last()).toMatchObject({
      eventCode: 'CANCELLATION',
      merchantReference: 'modification-1',
    })

    const request = { ...modification(), paymentReference: second.reference }
    const cancelled = await shop.modifications.cancelAuthorisedPayment(request as never)
    await shop.flush()

    expect(cancelled).toMatchObject({ status: 'received', paymentReference: second.reference })
    expect(shop.inbox.last()).toMatchObject({
      eventCode: 'TECHNICAL_CANCEL',
      success: 'true',
      merchantReference: second.reference,
      originalReference: second.psp,
    })
    expect((await shop.sums()).map(({ voided }) => voided)).toEqual([1250, 1250])
  })

  test('a captured payment cannot be cancelled, and an unknown reference is accepted', async () => {
    const shop = await shopWith()
    const { psp } = await pay(shop)
    await shop.modifications.cancelAuthorisedPaymentByPspReference(psp, modification() as never)
    await shop.modifications.cancelAuthorisedPayment({ ...modification(), paymentReference: 'none' } as never)
    await shop.flush()

    expect(shop.inbox.events()).toEqual(['AUTHORISATION true', 'CANCELLATION false'])
  })

  test('refunds are limited to the captured amount, and can name a capture', async () => {
    const shop = await shopWith()
    const { psp } = await pay(shop, goodCard, manual)
    const refundOf = async (value: number, changes: object = {}) => {
      await shop.flush()
      return shop.modifications.refundCapturedPayment(psp, { ...modification(value), ...changes } as never)
    }
    await refundOf(100)
    await shop.flush()
    const { pspReference } = await shop.modifications.captureAuthorisedPayment(
      psp,
      modification(1000) as never,
    )
    const refunded = await refundOf(400, { capturePspReference: pspReference })
    await refundOf(601)
    await refundOf(600)
    await shop.flush()

    expect(refunded).toMatchObject({ capturePspReference: pspReference, amount: euros(400) })
    expect(shop.inbox.events().slice(1)).toEqual([
      'REFUND false',
      'CAPTURE true',
      'REFUND true',
      'REFUND false',
      'REFUND true',
    ])
    expect(await shop.sums()).toMatchObject([{ captured: 1000, refunded: 1000 }])
    expect(await errorOf(refundOf(1, { capturePspReference: 'ZZ' }))).toBe('422 167')
  })

  test('a reversal cancels or refunds', async () => {
    const shop = await shopWith()
    for (const [changes, action] of [
      [manual, 'cancel'],
      [{}, 'refund'],
    ] as const) {
      const { psp } = await pay(shop, goodCard, changes)
      await shop.modifications.refundOrCancelPayment(psp, modification() as never)
      await shop.flush()

      expect(shop.inbox.last()).toMatchObject({
        eventCode: 'CANCEL_OR_REFUND',
        success: 'true',
        additionalData: { 'modification.action': action },
      })
    }
    expect(await shop.sums()).toMatchObject([{ voided: 1250 }, { refunded: 1250 }])
  })

  test.each([
    ['6001', 'captures', 'CAPTURE false'],
    ['6003', 'cancels', 'CANCELLATION false'],
    ['6004', 'refunds', 'REFUND false'],
  ])('card %s: %s fail by webhook', async (scenario, path, event) => {
    const shop = await shopWith()
    const { psp } = await pay(shop, cardNumberForScenario(scenario), path === 'refunds' ? {} : manual)
    const { status } = await shop.post(
      `/payments/${psp}/${path}`,
      modification(path === 'cancels' ? undefined : 1250),
    )
    await shop.flush()

    expect(status).toBe(201)
    expect(shop.inbox.events().at(-1)).toBe(event)
  })

  test('a refund in the Customer Area is reported with the reference of the payment', async () => {
    const shop = await shopWith()
    const { psp, reference } = await pay(shop)
    await shop.control('POST', 'refunds', { parent_reference: reference, amount: 250 })

    expect(shop.inbox.last()).toMatchObject({
      eventCode: 'REFUND',
      success: 'true',
      merchantReference: reference,
      originalReference: psp,
      amount: euros(250),
    })
  })
})

describe('stored cards', () => {
  const storing = {
    shopperReference: 'shopper-1',
    storePaymentMethod: true,
    recurringProcessingModel: 'CardOnFile',
  }

  test('a stored card is reported, listed, charged without the shopper, and deleted', async () => {
    const shop = await shopWith()
    const { additionalData } = await pay(shop, cardNumberForScenario('3002'), {
      ...storing,
      amount: euros(0),
    })
    await shop.flush()
    const id = additionalData?.['tokenization.storedPaymentMethodId'] ?? ''
    expect(shop.inbox.events()).toEqual(['AUTHORISATION true', 'RECURRING_CONTRACT true'])
    expect(shop.inbox.webhooks()).toHaveLength(1)
    expect(shop.inbox.last().pspReference).toBe(id)

    const listed = await shop.recurring.getTokensForStoredPaymentDetails('shopper-1', merchantAccount)
    expect(listed.storedPaymentMethods).toMatchObject([{ id, brand: 'visa', expiryYear: '2040' }])
    const charge = (shopperReference: string) =>
      pay(shop, goodCard, {
        paymentMethod: { type: 'scheme', storedPaymentMethodId: id },
        shopperReference,
        shopperInteraction: 'ContAuth',
        recurringProcessingModel: 'Subscription',
      })
    expect((await charge('shopper-1')).resultCode).toBe('Authorised')
    expect(await errorOf(charge('shopper-2'))).toBe('422 803')

    await shop.recurring.deleteTokenForStoredPaymentDetails(id, 'shopper-1', merchantAccount)
    expect(await errorOf(charge('shopper-1'))).toBe('422 803')
    expect(await shop.recurring.getTokensForStoredPaymentDetails('shopper-1', merchantAccount)).toMatchObject(
      {
        storedPaymentMethods: [],
      },
    )
    expect(await shop.sums()).toMatchObject([{ approvals: 1, captured: 0 }, { captured: 1250 }])
  })

  test('a stored card keeps the scenario of its card, and needs no authentication without the shopper', async () => {
    const shop = await shopWith()
    const { additionalData } = await pay(shop, cardNumberForScenario('6004'), storing)
    const id = additionalData?.['tokenization.storedPaymentMethodId'] ?? ''
    const stored = {
      paymentMethod: { type: 'scheme', storedPaymentMethodId: id },
      shopperReference: 'shopper-1',
    }
    const { psp } = await pay(shop, goodCard, {
      ...stored,
      shopperInteraction: 'ContAuth',
      recurringProcessingModel: 'UnscheduledCardOnFile',
      authenticationData: { attemptAuthentication: 'always' },
    })
    await shop.modifications.refundCapturedPayment(psp, modification(1250) as never)
    await shop.flush()

    expect(shop.inbox.events().at(-1)).toBe('REFUND false')
  })
})

describe('idempotency', () => {
  const keyed = (shop: Shop, key: string, request: object, changes: object = {}) =>
    shop.post('/payments', { ...request, ...changes }, { 'idempotency-key': key })

  test('a repeated request returns the first response with its key, and charges once', async () => {
    const shop = await shopWith()
    const request = payment()
    const first = await keyed(shop, 'key-1', request)
    const second = await keyed(shop, 'key-1', request)

    expect(second.body).toEqual(first.body)
    expect([first, second].map(({ headers }) => headers.get('idempotency-key'))).toEqual(['key-1', 'key-1'])
    expect(await shop.facts()).toHaveLength(1)
  })

  test('another request with the same key is rejected', async () => {
    const shop = await shopWith()
    const request = payment()
    await keyed(shop, 'key-1', request)
    const other = await keyed(shop, 'key-1', request, { amount: euros(1) })

    expect(other).toMatchObject({ status: 422, body: { errorCode: '704' } })
    expect(other.headers.get('transient-error')).toBeNull()
    expect(await shop.facts()).toHaveLength(1)
  })

  test('a repeat during the first request is a transient error', async () => {
    const shop = await shopWith({ latency_ms: 200 })
    const request = payment()
    const [first, second] = await Promise.all([keyed(shop, 'key-1', request), keyed(shop, 'key-1', request)])
    const [rejected, accepted] = first.status === 200 ? [second, first] : [first, second]

    expect(accepted?.body.resultCode).toBe('Authorised')
    expect(rejected).toMatchObject({ status: 422, body: { errorCode: '704' } })
    expect(rejected?.headers.get('transient-error')).toBe('true')
  })

  test('after 7 days, and without a key, a repeat charges again', async () => {
    const shop = await shopWith()
    const request = payment()
    await keyed(shop, 'key-1', request)
    await simulator.control('POST', 'time', { advance_ms: 7 * 24 * 3_600_000 })
    await keyed(shop, 'key-1', request)
    await keyed(shop, 'key-1', request)
    await shop.payments.payments(request)

    expect(await shop.facts()).toHaveLength(3)
    expect(await shop.sums()).toMatchObject([{ payment_id: request.reference, approvals: 3 }])
  })

  test('with replay: false every repeat charges', async () => {
    const shop = await shopWith({ replay: false })
    const request = payment()
    for (let count = 0; count < 2; count += 1) await keyed(shop, 'key-1', request)

    expect(await shop.sums()).toMatchObject([{ approvals: 2 }])
  })

  test.each([
    ['5008', 503],
    ['5009', 429],
  ])('card %s: the request is not processed, as the header states', async (scenario, status) => {
    const shop = await shopWith()
    const response = await keyed(shop, 'key-1', payment(cardNumberForScenario(scenario)))

    expect(response).toMatchObject({ status, body: { status, errorType: 'internal' } })
    expect(response.headers.get('transient-error')).toBe('true')
    expect(await shop.facts()).toEqual([])
  })

  test('a dropped request is processed when it is repeated', async () => {
    const shop = await shopWith()
    const request = payment(cardNumberForScenario('5002'))
    const first = await keyed(shop, 'key-1', request)
    const second = await keyed(shop, 'key-1', request)

    expect(first).toMatchObject({ status: 500, body: { status: 500 } })
    expect(first.headers.get('transient-error')).toBeNull()
    expect(second.body.resultCode).toBe('Authorised')
    expect(await shop.facts()).toHaveLength(1)
  })

  test('a duplicate notice is a refusal, and a repeat returns the result', async () => {
    const shop = await shopWith()
    const request = payment(cardNumberForScenario('5015'))
    const first = await keyed(shop, 'key-1', request)
    const second = await keyed(shop, 'key-1', request)

    expect(first.body).toMatchObject({
      resultCode: 'Refused',
      additionalData: { refusalReasonRaw: '94 : Duplicate transmission' },
    })
    expect(second.body.resultCode).toBe('Authorised')
    expect(await shop.facts()).toHaveLength(1)
  })

  test('a capture is repeated with its key', async () => {
    const shop = await shopWith()
    const { psp } = await pay(shop, goodCard, manual)
    const capture = () =>
      shop.post(`/payments/${psp}/captures`, modification(1250), { 'idempotency-key': 'key-2' })
    const responses = [await capture(), await capture()]
    await shop.flush()

    expect(responses[1]?.body).toEqual(responses[0]?.body)
    expect(shop.inbox.events()).toEqual(['AUTHORISATION true', 'CAPTURE true'])
  })
})

describe('errors', () => {
  // biome-ignore format: a table.
  const requests: readonly (readonly [name: string, changes: object, error: string])[] = [
    ['unknown member',          { pan: '4242' },                                       '422 702'],
    ['unknown card member',     { paymentMethod: { type: 'scheme', pan: '4242' } },    '422 702'],
    ['no merchant account',     { merchantAccount: undefined },                        '403 901'],
    ['no reference',            { reference: undefined },                              '422 130'],
    ['long reference',          { reference: 'x'.repeat(81) },                         '422 702'],
    ['no return URL',           { returnUrl: undefined },                              '422 14_030'],
    ['no amount',               { amount: undefined },                                 '422 100'],
    ['amount as text',          { amount: { currency: 'EUR', value: '1250' } },        '422 137'],
    ['decimal amount',          { amount: { currency: 'EUR', value: 12.5 } },          '422 137'],
    ['lowercase currency',      { amount: { currency: 'eur', value: 1250 } },          '422 138'],
    ['unknown currency',        { amount: { currency: 'ABC', value: 1250 } },          '422 138'],
    ['invalid card number',     { paymentMethod: { type: 'scheme', number: '4242424242424241', expiryMonth: '3', expiryYear: '2030' } }, '422 101'],
    ['year with two digits',    { paymentMethod: { type: 'scheme', number: goodCard, expiryMonth: '03', expiryYear: '30' } }, '422 140'],
    ['other payment method',    { paymentMethod: { type: 'ideal' } },                  '500 905'],
    ['long metadata name',      { metadata: { 'a name with 21 chars.': 'x' } },        '422 177'],
    ['unknown interaction',     { shopperInteraction: 'ecommerce' },                   '422 702'],
    ['incomplete address',      { billingAddress: { city: 'Wien' } },                  '422 702'],
    ['stored without shopper',  { storePaymentMethod: true },                          '422 139'],
    ['delayed capture',         { captureDelayHours: 24 },                             '422 702'],
  ]

  test.each(requests)('%s', async (_, changes, error) => {
    const shop = await shopWith()
    const { status, body } = await shop.post('/payments', { ...payment(), ...changes })

    expect(`${status} ${body.errorCode}`).toBe(error)
    expect(body.status).toBe(status)
    expect(await shop.facts()).toEqual([])
  })

  test('calls without a valid key, path, type or body are rejected', async () => {
    const shop = await shopWith()
    const statusOf = async (...call: Parameters<Shop['post']>) => (await shop.post(...call)).status
    const request = { ...payment() }

    expect(await statusOf('/payments', request, { 'x-api-key': 'wrong' })).toBe(401)
    expect(await statusOf('/payment', request)).toBe(404)
    expect(await statusOf('/payments', request, { 'content-type': 'text/plain' })).toBe(415)
    expect(await statusOf('/payments', '{')).toBe(400)
    expect(await statusOf('/payments/ZZ/captures', modification(1))).toBe(422)
    expect(await errorOf(shop.modifications.captureAuthorisedPayment('ZZ', modification(1) as never))).toBe(
      '422 167',
    )
    expect(await statusOf('/paymentMethods', {})).toBe(403)
    expect((await shop.payments.paymentMethods({ merchantAccount })).paymentMethods).toMatchObject([
      { type: 'scheme' },
    ])
  })

  test('during an outage nothing is processed, and the response does not prove it', async () => {
    const shop = await shopWith({ outage: true })
    const response = await shop.post('/payments', { ...payment() })

    expect(response.status).toBe(503)
    expect(response.headers.get('transient-error')).toBeNull()
  })

  test('card 5010: the credentials are rejected, even in a repeated request', async () => {
    const shop = await shopWith()
    const request = { ...payment(cardNumberForScenario('5010')) }
    const statuses = []
    for (let count = 0; count < 2; count += 1)
      statuses.push((await shop.post('/payments', request, { 'idempotency-key': 'key-1' })).status)

    expect(statuses).toEqual([401, 401])
  })
})

test('a forged webhook has an invalid signature', async () => {
  const shop = await shopWith()
  const request = payment(cardNumberForScenario('5020'))
  const silent = fetch(`${simulator.dialectUrls.adyen}/v72/payments`, {
    method: 'POST',
    headers: { 'x-api-key': shop.api_key, 'content-type': 'application/json', 'idempotency-key': 'key-1' },
    body: JSON.stringify(request),
  }).catch(() => null)
  await expect.poll(() => shop.inbox.webhooks().length).toBe(1)

  expect(shop.inbox.webhooks()[0]).toMatchObject({ valid: false, items: [{ success: 'true' }] })
  expect(await shop.post('/payments', { ...request }, { 'idempotency-key': 'key-1' })).toMatchObject({
    body: { resultCode: 'Refused' },
  })
  await simulator.control('POST', 'time', { advance_ms: 120_000 })
  await silent
})

describe('restart', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-simulator-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const file = () => join(folder, 'ledger.jsonl')
  const start = async () => {
    const started = await startSimulator({ ledgerFile: file(), dialectPorts: { adyen: 0 } })
    return { started, shop: await shopOf(started, 'one', { api_key: 'key-one', config: {} }) }
  }
  const key = { 'idempotency-key': 'key-1' }

  test('references, keys and stored cards are known after a restart with the same ledger', async () => {
    const storing = { shopperReference: 'shopper-1', storePaymentMethod: true }
    const request = { ...payment(goodCard, { ...manual, ...storing }) }
    const before = await start()
    const first = await before.shop.post('/payments', request, key)
    await before.started.stop()

    const { started, shop } = await start()
    const second = await shop.post('/payments', request, key)
    const psp = first.body.pspReference as string
    const captured = await shop.modifications.captureAuthorisedPayment(psp, modification(1000) as never)
    const listed = await shop.recurring.getTokensForStoredPaymentDetails('shopper-1', merchantAccount)

    expect(second.body).toEqual(first.body)
    expect(captured.status).toBe('received')
    expect(listed.storedPaymentMethods).toHaveLength(1)
    expect(await shop.sums()).toMatchObject([{ approvals: 1, captured: 1000, voided: 250 }])
    await started.stop()
  })

  test('a repeated request charges once even if the first response was lost in a crash', async () => {
    const request = { ...payment() }
    const before = await start()
    const first = await before.shop.post('/payments', request, key)
    await before.started.stop()
    const lines = readFileSync(file(), 'utf8').split('\n')
    writeFileSync(file(), lines.filter((line) => !/"key":"(idempotency|psp)/.test(line)).join('\n'))

    const { started, shop } = await start()
    const second = await shop.post('/payments', request, key)

    expect(second.body).toEqual(first.body)
    expect(await shop.facts()).toHaveLength(1)
    await started.stop()
  })
})
