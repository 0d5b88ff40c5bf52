// Runs the conformance suite and generated responses against the Adyen connector, and tests what the suite
// does not cover.

import { describe, expect, test } from 'vitest'
import { describeGeneratedResponses } from '../../../test/support/generated-responses.ts'
import { currencies, exponentOf } from '../../kernel/currency.ts'
import { conformanceOf, interpret } from '../conformance.ts'
import type { BuildContext, ConnectorConfig, OperationInput, Provider } from '../contract.ts'
import { isProviderCode } from '../declines.ts'
import { exponents, supportedCurrencies } from './currencies.ts'
import { declineOfReason, declineOfRefusal } from './declines.ts'
import {
  authorize,
  capture,
  complete,
  config,
  now,
  refund,
  saving,
  stored,
  voiding,
} from './fixtures/inputs.ts'
import { kit } from './fixtures/kit.ts'
import { approval, json } from './fixtures/replies.ts'
import { adyen } from './provider.ts'
import { storedCardOf, tokenOf } from './request.ts'

const provider = adyen as Provider
const context: BuildContext<ConnectorConfig> = { config, now, accessToken: null }

describe('conformance', () => {
  test.each(conformanceOf(adyen, kit))('$name', ({ fault }) => {
    expect(fault()).toBeNull()
  })
})

describeGeneratedResponses(adyen, kit, {
  steps: [
    { step: 'authorize', input: authorize },
    { step: 'complete', input: complete },
    { step: 'capture', input: capture },
  ],
})

test('only the specified status makes a response a result', () => {
  const statusesOf = (step: 'authorize' | 'capture', input: OperationInput, body: string) =>
    Array.from({ length: 500 }, (_, index) => index + 100).filter(
      (status) => interpret(provider, { step, input, reply: { status, headers: {}, body } }).is !== 'unknown',
    )
  const received = kit.replies.find(({ name }) => name === 'capture: received')

  expect(statusesOf('authorize', authorize, approval(authorize).body)).toEqual([200])
  expect(statusesOf('capture', capture, received?.reply.body ?? '')).toEqual([201])
})

describe('requests', () => {
  const bodyOf = (changes: Partial<OperationInput>) =>
    JSON.parse(
      adyen.operations.authorize?.build({ ...authorize, ...changes }, context).body ?? '{}',
    ) as Record<string, unknown>
  const device = authorize.device as NonNullable<OperationInput['device']>

  test('incomplete browser data is reduced to the members that allow a redirect', () => {
    expect(bodyOf({ device: { ...device, screenWidth: null } }).browserInfo).toEqual({
      userAgent: 'Mozilla/5.0',
      acceptHeader: 'text/html',
    })
    expect(bodyOf({ device: { ...device, userAgent: null } })).not.toHaveProperty('browserInfo')
    expect(bodyOf({ device: null })).not.toHaveProperty('shopperIP')
  })

  test('an incomplete address is omitted', () => {
    expect(bodyOf({ billing: { address: { line1: 'Graben 1', city: 'Wien' } } })).not.toHaveProperty(
      'billingAddress',
    )
    expect(bodyOf({ billing: null })).not.toHaveProperty('billingAddress')
  })

  test('a state is only sent as a code', () => {
    const address = { line1: '1 A St', line2: 'Apt 2', city: 'Austin', postal_code: '73301', country: 'US' }

    expect(bodyOf({ billing: { address: { ...address, state: 'TX' } } }).billingAddress).toMatchObject({
      houseNumberOrName: 'Apt 2',
      stateOrProvince: 'TX',
    })
    expect(
      bodyOf({ billing: { address: { ...address, state: 'Texas' } } }).billingAddress,
    ).not.toHaveProperty('stateOrProvince')
  })

  test('a card without a customer is saved for the payment', () => {
    expect(bodyOf({ ...saving, customer: null }).shopperReference).toBe(authorize.paymentId)
  })

  test('a token without a shopper belongs to the customer', () => {
    const body = bodyOf({ ...stored, instrument: { type: 'token', token: 'M5N7TQ4TG5PFWR50' } })

    expect(body).toMatchObject({
      paymentMethod: { storedPaymentMethodId: 'M5N7TQ4TG5PFWR50' },
      shopperReference: authorize.customer?.id,
    })
  })

  test('exactly one capture setting is sent, and none for a verification', () => {
    const verification = { kind: 'verify', money: { amount: 0n, currency: 'eur' }, capture: false } as const

    expect(bodyOf({ capture: true })).not.toHaveProperty('additionalData')
    expect(bodyOf({ capture: false })).not.toHaveProperty('captureDelayHours')
    expect(bodyOf(verification)).not.toHaveProperty('captureDelayHours')
    expect(bodyOf(verification)).not.toHaveProperty('additionalData')
  })

  test('a second return with different parameters has a different idempotency key', () => {
    const keyOf = (redirectResult: string) =>
      adyen.complete?.build({ ...complete, returnParams: { redirectResult } }, context).headers[
        'idempotency-key'
      ]

    expect(keyOf('a')).not.toBe(keyOf('b'))
    expect(keyOf('a')).toBe(keyOf('a'))
    expect(keyOf('a')?.length).toBeLessThanOrEqual(64)
  })

  test('a return without known parameters passes nothing on', () => {
    const call = adyen.complete?.build({ ...complete, returnParams: { evil: 'x' } }, context)

    expect(call?.body).toBe('{"details":{}}')
  })

  const invalidReferences = ['..', '.', '', 'a/b', 'a?b', 'a%2Fb', 'a\n', 'A'.repeat(65)]

  test.each(invalidReferences)('a path never contains the reference %j', (providerReference) => {
    const parent = { reference: authorize.reference, providerReference }

    for (const input of [capture, voiding, refund])
      expect(() => adyen.operations[input.kind]?.build({ ...input, parent }, context)).toThrow(
        'reference of Adyen',
      )
  })

  test('amounts that Adyen cannot represent are not sent', () => {
    const build = () => bodyOf({ money: { amount: 1050n, currency: 'idr' } })

    expect(build).toThrow('cannot represent')
  })
})

describe('stored cards', () => {
  test('a token contains the shopper and the stored payment method', () => {
    expect(storedCardOf(tokenOf('a/b', 'M5N7'))).toEqual({ shopperReference: 'a/b', id: 'M5N7' })
    expect(storedCardOf('M5N7')).toEqual({ shopperReference: null, id: 'M5N7' })
  })

  test('a token whose stored payment method would change the path is not deleted', () => {
    for (const token of ['shopper/..', 'shopper/.', 'shopper/', '..'])
      expect(() => adyen.forget?.build({ token }, context)).toThrow('reference of Adyen')
  })

  test('a card is deleted', () => {
    const call = adyen.forget?.build({ token: 'shopper 1/M5N7' }, context)

    expect(call).toMatchObject({
      method: 'DELETE',
      url: 'https://checkout-test.adyen.com/v72/storedPaymentMethods/M5N7?merchantAccount=ExampleShopECOM&shopperReference=shopper+1',
      body: null,
    })
    const parsed = [204, 200, 401, 404, 500].map((code) => adyen.forget?.parse(json('', code), { token: '' }))
    expect(parsed).toEqual([true, false, false, false, false])
  })
})

describe('account', () => {
  test('requests are not replayed when the idempotency key may have expired', () => {
    expect(adyen.resolve.replayHours).toBe(167)
  })

  test('the credentials are checked with a call that changes nothing', () => {
    expect(adyen.check?.build(null, context)).toMatchObject({
      url: 'https://checkout-test.adyen.com/v72/paymentMethods',
      body: '{"merchantAccount":"ExampleShopECOM"}',
    })
    expect(adyen.check?.parse(json({ paymentMethods: [] }), null).ok).toBe(true)
    expect(adyen.check?.parse(json({}, 401), null)).toEqual({
      ok: false,
      detail: 'Adyen does not accept the API key or the merchant account.',
    })
    expect(adyen.check?.parse(json('<html>'), null).ok).toBe(false)
    expect(adyen.health?.parse(json({}, 500), null)).toBe(false)
  })

  test('the live URL contains the prefix of the company', () => {
    const prefix = '1797a841fbb37ca7-ExampleShop'

    expect(adyen.setup?.baseUrl('test', {})).toBe('https://checkout-test.adyen.com/v72')
    expect(adyen.setup?.baseUrl('live', { live_url_prefix: prefix })).toBe(
      `https://${prefix}-checkout-live.adyenpayments.com/checkout/v72`,
    )
    expect(() => adyen.setup?.baseUrl('live', {})).toThrow('prefix')
    expect(() => adyen.setup?.baseUrl('live', { live_url_prefix: 'evil.example/-x' })).toThrow('prefix')
  })

  test('only currencies whose amounts are exact are offered', () => {
    const inexact = supportedCurrencies.filter(
      (code) => (exponents[code] ?? exponentOf(code)) < exponentOf(code),
    )

    expect(inexact).toEqual([])
    expect(supportedCurrencies.filter((code) => !currencies.includes(code))).toEqual([])
    expect(new Set(supportedCurrencies).size).toBe(supportedCurrencies.length)
  })
})

test('refusals are mapped to codes that a provider may report', () => {
  const numbers = Array.from({ length: 60 }, (_, number) => String(number))
  const codes = numbers.map((number) => declineOfRefusal({ number }).code)

  expect(codes.filter((code) => !isProviderCode(code))).toEqual([])
  expect(declineOfReason('CVC Declined')).toEqual({ code: 'incorrect_cvc', message: 'CVC Declined' })
  expect(declineOfReason('constructor')).toEqual({ code: 'generic_decline', message: 'constructor' })
  expect(declineOfRefusal({ number: '5', networkCode: '41' }).code).toBe('lost_card')
  expect(declineOfRefusal({ number: '12', networkCode: '05' }).code).toBe('insufficient_funds')
  // The issuer or the network failed, so another account may succeed.
  expect(declineOfRefusal({ number: '39' }).code).toBe('authentication_unavailable')
  expect(declineOfReason('3DS Authentication Error').code).toBe('authentication_unavailable')
})
