// PayPal passes the conformance suite, and interprets its own webhooks, certificates and access tokens.

import { describe, expect, test } from 'vitest'
import { describeGeneratedResponses } from '../../../test/support/generated-responses.ts'
import { conformanceOf } from '../conformance.ts'
import type { BuildContext, ConnectorConfig, OperationInput, ProviderEvent } from '../contract.ts'
import { isProviderCode } from '../declines.ts'
import { toDecimal } from '../provider-amounts.ts'
import { paypalCurrencies } from './currencies.ts'
import { declinedIssues, processorCodes, rejectedIssues } from './declines.ts'
import { createCertificate, createKeys } from './fixtures/certificate.ts'
import { authorize, capture, config, now, orderId, refundOfCapture } from './fixtures/inputs.ts'
import { certificate, keys, kit, webhookOf } from './fixtures/kit.ts'
import { captureOf, json, refunded } from './fixtures/replies.ts'
import { paypal } from './provider.ts'
import { webhookEvents } from './webhooks.ts'

const context: BuildContext<ConnectorConfig> = { config, now, accessToken: 'access-token-1' }

describe('conformance', () => {
  test.each(conformanceOf(paypal, kit))('$name', ({ fault }) => {
    expect(fault()).toBeNull()
  })
})

describeGeneratedResponses(paypal, kit, {
  steps: [
    { step: 'authorize', input: authorize },
    { step: 'capture', input: capture },
    { step: 'refund', input: refundOfCapture },
  ],
})

describe('access token', () => {
  test('is requested with the credentials in a header', () => {
    expect(paypal.accessToken?.build(null, { ...context, accessToken: null })).toEqual({
      method: 'POST',
      url: 'https://api-m.sandbox.paypal.com/v1/oauth2/token',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${btoa('client-id-0123456789:client-secret-0123456789')}`,
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'Switchyard',
      },
      body: 'grant_type=client_credentials',
    })
  })

  test('is read from the response', () => {
    const body = { access_token: 'A21', token_type: 'Bearer', expires_in: 32_400, scope: 'openid' }
    expect(paypal.accessToken?.parse(json(body, 200), null)).toEqual({
      token: 'A21',
      expiresInSeconds: 32_400,
    })
  })

  test.each([
    [json({ error: 'invalid_client' }, 401)],
    [json({ access_token: 'A21', token_type: 'Bearer' }, 200)],
    [json({ access_token: '', token_type: 'Bearer', expires_in: 1 }, 200)],
  ])('%j contains no token', (reply) => {
    expect(() => paypal.accessToken?.parse(reply, null)).toThrow()
  })
})

test('the request hash does not depend on the access token', () => {
  const build = (accessToken: string | null) =>
    paypal.operations.authorize?.build(authorize, { ...context, accessToken })
  expect(build(null)?.headers).not.toHaveProperty('authorization')
  expect(build(null)?.body).toBe(build('access-token-1')?.body)
})

describe('requests', () => {
  const cardIn = (input: OperationInput, settings: ConnectorConfig['settings'] = { vault: 'on' }) => {
    const call = paypal.operations.authorize?.build(input, { ...context, config: { ...config, settings } })
    return JSON.parse(call?.body ?? '').payment_source?.card
  }
  const first: OperationInput = {
    ...authorize,
    storedCredential: { use: 'first', networkTransactionId: null },
  }

  test('a card is saved at PayPal only if the vault is enabled', () => {
    expect(cardIn(first).attributes.vault).toEqual({ store_in_vault: 'ON_SUCCESS' })
    expect(cardIn(first, {}).attributes.vault).toBeUndefined()
    expect(cardIn(authorize).attributes.vault).toBeUndefined()
  })

  test('a payer pays again with a saved card', () => {
    const instrument = { type: 'token', token: '5vault0123' } as const
    const storedCredential = { use: 'subsequent', networkTransactionId: '123456789012345' } as const
    expect(cardIn({ ...authorize, instrument, storedCredential })).toMatchObject({
      vault_id: '5vault0123',
      stored_credential: { payment_initiator: 'CUSTOMER', payment_type: 'ONE_TIME', usage: 'SUBSEQUENT' },
      attributes: { verification: { method: 'SCA_WHEN_REQUIRED' } },
    })
  })

  test('the network transaction is only sent for networks that do not require its date', () => {
    const mastercard = {
      type: 'card',
      number: '5555555555554444',
      brand: 'mastercard',
      bin: '555555',
      last4: '4444',
      expMonth: 3,
      expYear: 2030,
    } as const
    const storedCredential = { use: 'subsequent', networkTransactionId: 'MCC0123456' } as const
    const card = cardIn({ ...authorize, initiator: 'merchant', instrument: mastercard, storedCredential })
    expect(card.stored_credential).toEqual({
      payment_initiator: 'MERCHANT',
      payment_type: 'UNSCHEDULED',
      usage: 'SUBSEQUENT',
    })
  })

  test('an order without a card is not built', () => {
    expect(() => cardIn({ ...authorize, instrument: null })).toThrow('card')
  })

  test('an address without a country is not sent', () => {
    expect(
      cardIn({ ...authorize, billing: { address: { city: 'Wien', country: null } } }),
    ).not.toHaveProperty('billing_address')
    expect(cardIn({ ...authorize, billing: null })).not.toHaveProperty('billing_address')
  })

  test('strings are limited to the lengths that PayPal accepts', () => {
    const texts = {
      description: 'x'.repeat(200),
      statementDescriptor: 'Ünsere Läden — und noch viel mehr Text',
    }
    const call = paypal.operations.authorize?.build({ ...authorize, ...texts }, context)
    const [unit] = JSON.parse(call?.body ?? '').purchase_units
    expect(unit.description).toHaveLength(127)
    expect(unit.soft_descriptor).toBe('nsere Lden  und noch v')
  })

  test('a refund uses the first capture that is large enough', () => {
    const earlier = (id: string, amount: bigint) => ({
      reference: id,
      providerReference: id,
      money: { amount, currency: 'eur' as const },
    })
    const urlOf = (...captures: OperationInput['captures']) =>
      paypal.operations.refund?.build({ ...refundOfCapture, captures }, context).url
    expect(urlOf(earlier('SMALL', 100n), earlier('LARGE', 300n))).toMatch('/captures/LARGE/refund')
    expect(urlOf(earlier('SMALL', 100n), earlier('OTHER', 200n))).toMatch('/captures/SMALL/refund')
  })

  test.each([null, '', '..', 'a/b'])('the id %j is not put into a path', (providerReference) => {
    const parent = { reference: authorize.reference, providerReference }
    expect(() => paypal.operations.capture?.build({ ...capture, parent }, context)).toThrow()
  })

  test('a saved card is deleted', () => {
    expect(paypal.forget?.build({ token: '5vault0123' }, context)).toMatchObject({
      method: 'DELETE',
      url: 'https://api-m.sandbox.paypal.com/v3/vault/payment-tokens/5vault0123',
      body: null,
    })
    const isDeleted = (body: unknown, status: number) =>
      paypal.forget?.parse(json(body, status), { token: '5vault0123' })
    expect(isDeleted('', 204)).toBe(true)
    expect(isDeleted({ name: 'RESOURCE_NOT_FOUND' }, 404)).toBe(true)
    expect(isDeleted('<html>', 404)).toBe(false)
    expect(isDeleted({ name: 'NOT_AUTHORIZED' }, 403)).toBe(false)
  })

  test('credentials are checked with a call that changes nothing', () => {
    expect(paypal.check?.build(null, context)).toMatchObject({ method: 'GET', body: null })
    expect(paypal.check?.parse(json({ webhooks: [] }, 200), null).ok).toBe(true)
    expect(paypal.check?.parse(json({}, 401), null).ok).toBe(false)
  })

  test('each mode has its own base URL', () => {
    expect(paypal.setup?.baseUrl('live', {})).toBe('https://api-m.paypal.com')
    expect(paypal.setup?.baseUrl('test', {})).toBe('https://api-m.sandbox.paypal.com')
  })
})

describe('webhooks', () => {
  const sale = captureOf(authorize)
  const up = (path: string) => [{ rel: 'up', href: `https://api.paypal.com${path}`, method: 'GET' }]
  const ofAuthorization = {
    ...captureOf(capture),
    links: up('/v2/payments/authorizations/7AUTH0123456789AB'),
  }
  const authorization = {
    ...sale,
    id: '7AUTH0123456789AB',
    status: 'CREATED',
    expiration_time: '2026-12-13T12:00:00Z',
  }
  const external = { ...refunded, invoice_id: authorize.reference, custom_id: authorize.paymentId }

  const eventOf = (changes: Partial<ProviderEvent>): ProviderEvent => ({
    dedupeKey: 'WH-1',
    reference: authorize.reference,
    providerReference: sale.id,
    kind: 'authorize',
    found: null,
    ...changes,
  })
  const succeeded = { is: 'succeeded', ref: sale.id, money: authorize.money } as const

  test.each<[string, string, object, readonly ProviderEvent[]]>([
    ['a captured payment', 'PAYMENT.CAPTURE.COMPLETED', sale, [eventOf({ found: succeeded })]],
    [
      'a captured authorization',
      'PAYMENT.CAPTURE.COMPLETED',
      ofAuthorization,
      [
        eventOf({
          reference: capture.reference,
          kind: 'capture',
          found: { ...succeeded, money: capture.money },
        }),
      ],
    ],
    ['a pending capture', 'PAYMENT.CAPTURE.PENDING', { ...sale, status: 'PENDING' }, [eventOf({})]],
    [
      'a declined capture',
      'PAYMENT.CAPTURE.DECLINED',
      { ...sale, status: 'DECLINED', processor_response: { response_code: '5120' } },
      [
        eventOf({
          found: {
            is: 'declined',
            ref: sale.id,
            decline: { code: 'insufficient_funds', networkCode: '5120' },
          },
        }),
      ],
    ],
    ['a capture with another status', 'PAYMENT.CAPTURE.DENIED', { ...sale, status: 'FAILED' }, [eventOf({})]],
    [
      'an authorization',
      'PAYMENT.AUTHORIZATION.CREATED',
      authorization,
      [eventOf({ providerReference: authorization.id })],
    ],
    [
      'a refund that was made in the dashboard',
      'PAYMENT.CAPTURE.REFUNDED',
      external,
      [
        {
          dedupeKey: 'WH-1',
          reference: null,
          providerReference: '2CAPT0123456789AB',
          found: null,
          refund: {
            reference: refunded.id,
            providerReference: refunded.id,
            money: { amount: 300n, currency: 'eur' },
          },
        },
      ],
    ],
    ['a pending refund of the dashboard', 'PAYMENT.CAPTURE.REFUNDED', { ...external, status: 'PENDING' }, []],
    ['an expired authorization', 'PAYMENT.AUTHORIZATION.VOIDED', authorization, []],
    ['an event of another product', 'BILLING.SUBSCRIPTION.CREATED', { id: 'I-1' }, []],
  ])('%s is parsed', (_, type, resource, expected) => {
    expect(paypal.webhooks?.parse(webhookOf(type, resource).body)).toEqual(expected)
  })

  test('a capture without a known origin proves nothing', () => {
    const { body } = webhookOf('PAYMENT.CAPTURE.COMPLETED', { ...sale, links: [], invoice_id: undefined })
    expect(paypal.webhooks?.parse(body)).toEqual([
      { dedupeKey: 'WH-1', reference: null, providerReference: sale.id, found: null },
    ])
  })

  test.each([
    ['not an event', '{}'],
    ['not JSON', 'x'],
    [
      'a capture without an amount',
      JSON.stringify({ id: '1', event_type: 'PAYMENT.CAPTURE.COMPLETED', resource: {} }),
    ],
    [
      'a refund without a capture',
      JSON.stringify({
        id: '1',
        event_type: 'PAYMENT.CAPTURE.REFUNDED',
        resource: { ...external, links: [] },
      }),
    ],
  ])('%s is not readable', (_, body) => {
    expect(() => paypal.webhooks?.parse(Buffer.from(body))).toThrow()
  })

  test('only events that are parsed are requested', () => {
    expect(paypal.setup?.webhookEvents).toEqual(webhookEvents)
  })
})

describe('certificates', () => {
  const call = webhookOf('PAYMENT.CAPTURE.REFUNDED', refunded)
  const verify = (pem: string | null, changes: Partial<typeof call> = {}) =>
    paypal.webhooks?.verify({ ...call, ...changes }, { config, now, certificate: pem })
  const authority = createKeys()
  const issuer = { name: 'Example CA', keys: authority }
  const authorityPem = (changes: object = {}) =>
    createCertificate({ keys: authority, subject: 'Example CA', isAuthority: true, ...changes })
  const issued = createCertificate({ keys, issuer })

  test.each<[string, string | null, string]>([
    ['of PayPal', certificate, 'valid'],
    ['with its issuer', issued + authorityPem(), 'valid'],
    ['that is missing', null, 'invalid'],
    ['that is empty', '', 'invalid'],
    ['that is broken', certificate.replace(/[A-Za-z]{8}/, 'AAAAAAAA'), 'invalid'],
    ['of another host', createCertificate({ keys, subject: 'attacker.example.com' }), 'invalid'],
    ['with another key', createCertificate({ keys: authority }), 'invalid'],
    ['that has expired', createCertificate({ keys, validTo: new Date('2026-11-14T11:59:59Z') }), 'invalid'],
    [
      'that is not valid yet',
      createCertificate({ keys, validFrom: new Date('2026-11-14T12:00:01Z') }),
      'invalid',
    ],
    [
      'with another issuer',
      issued + createCertificate({ keys, subject: 'Example CA', isAuthority: true }),
      'invalid',
    ],
    [
      'with an issuer that is not a certificate authority',
      issued + authorityPem({ isAuthority: false }),
      'invalid',
    ],
    [
      'with an expired issuer',
      issued + authorityPem({ validTo: new Date('2026-11-01T00:00:00Z') }),
      'invalid',
    ],
  ])('a webhook with a certificate %s is checked', (_, pem, expected) => {
    expect(verify(pem)).toBe(expected)
  })

  const live = createCertificate({ keys, subject: 'messageverificationcerts.paypal.com' })

  test.each([
    ['https://api-m.paypal.com', live, certificate],
    ['https://api-m.sandbox.paypal.com/', certificate, live],
    ['https://sandbox.paypal.com.example.com', live, certificate],
  ])('%s accepts only certificates of its own environment', (baseUrl, own, other) => {
    const verdictOf = (pem: string) =>
      paypal.webhooks?.verify(call, { config: { ...config, base_url: baseUrl }, now, certificate: pem })
    expect(verdictOf(own)).toBe('valid')
    expect(verdictOf(other)).toBe('invalid')
  })

  test.each([
    ['paypal-transmission-id', 'another'],
    ['paypal-transmission-time', 'now'],
    ['paypal-transmission-sig', 'AAAA'],
    ['paypal-auth-algo', 'SHA1withRSA'],
  ])('a webhook with another %s is invalid', (name, value) => {
    expect(verify(certificate, { headers: { ...call.headers, [name]: value } })).toBe('invalid')
  })

  test('a webhook is invalid without a configured webhook id', () => {
    const withoutId = { ...config, webhook_secrets: {} }
    expect(paypal.webhooks?.verify(call, { config: withoutId, now, certificate })).toBe('invalid')
  })

  test('the certificate is fetched from its path at PayPal only', () => {
    const urlIn = (url: string) =>
      paypal.webhooks?.certificate?.urlIn({ ...call, headers: { 'paypal-cert-url': url } })
    expect(paypal.webhooks?.certificate?.urlIn(call)).toBe(call.headers['paypal-cert-url'])
    expect(urlIn('https://api.paypal.com/v1/other')).toBeNull()
    expect(urlIn('')).toBeNull()
    expect(paypal.webhooks?.certificate?.hosts.every((host) => host.endsWith('.paypal.com'))).toBe(true)
  })
})

describe('tables', () => {
  test('every decline maps to one of our codes', () => {
    const codes = [processorCodes, declinedIssues, rejectedIssues].flatMap((table) => [...table.values()])
    expect(codes.filter((code) => !isProviderCode(code))).toEqual([])
    expect([...declinedIssues.keys()].filter((issue) => rejectedIssues.has(issue))).toEqual([])
  })

  test('every amount in every currency has at most two decimal places', () => {
    const texts = paypalCurrencies.map((currency) => toDecimal({ amount: 123n, currency }))
    expect(texts.filter((text) => !/^\d+(\.\d{2})?$/.test(text))).toEqual([])
    expect(paypalCurrencies).not.toEqual(expect.arrayContaining(['huf']))
    expect(paypalCurrencies).not.toEqual(expect.arrayContaining(['twd']))
  })
})

test('a payer who does not return is not charged: the order is closed once nothing can complete it', () => {
  const found = kit.replies.filter(({ step, expected }) => step === 'lookup' && expected.is === 'closed')
  expect(found.map(({ reply }) => JSON.parse(reply.body).id)).toEqual([orderId, orderId])
})
