// Runs the conformance suite on Mollie, and tests what the suite does not cover.

import { describe, expect, test } from 'vitest'
import { describeGeneratedResponses } from '../../../test/support/generated-responses.ts'
import { exponentOf } from '../../kernel/currency.ts'
import { conformanceOf } from '../conformance.ts'
import type { BuildContext, ConnectorConfig, HttpCall, OperationInput } from '../contract.ts'
import { isProviderCode } from '../declines.ts'
import { receive } from '../incoming.ts'
import { fromDecimal, toDecimal } from '../provider-amounts.ts'
import { supportedCurrencies } from './currencies.ts'
import { declineCodeOf } from './declines.ts'
import {
  authorize,
  capture,
  config,
  firstUse,
  hold,
  lookup,
  now,
  recurring,
  savedCard,
  verify,
  webhookPath,
} from './fixtures/inputs.ts'
import { kit } from './fixtures/kit.ts'
import { failure, json } from './fixtures/replies.ts'
import { mollie } from './provider.ts'

const context: BuildContext<ConnectorConfig> = { config, now, accessToken: null }

const pay = (changes: Partial<OperationInput>, settings = config) =>
  mollie.operations.authorize?.build(
    { ...authorize, ...changes },
    { ...context, config: settings },
  ) as HttpCall
const bodyOf = (call: HttpCall) => JSON.parse(call.body ?? '{}') as Record<string, unknown>
const token = (text: string) => ({ instrument: { type: 'token', token: text } }) as const

describe('the conformance suite', () => {
  test.each(conformanceOf(mollie, kit))('$name', ({ fault }) => {
    expect(fault()).toBeNull()
  })
})

describeGeneratedResponses(mollie, kit, {
  steps: [
    { step: 'authorize', input: authorize },
    { step: 'capture', input: capture },
    { step: 'lookup', input: lookup },
  ],
  // A release covers the part that was not captured, so the captured amount shows whether anything was
  // released.
  allowOtherAmount: true,
})

describe('a call that Mollie does not support is not built', () => {
  const number = {
    type: 'card',
    number: '4242424242424242',
    brand: 'visa',
    bin: '424242',
    last4: '4242',
    expMonth: 12,
    expYear: 2030,
  } as const
  const { instrument: mandate } = recurring
  const { instrument: newCard } = firstUse

  // biome-ignore format: a table.
  test.each<[string, OperationInput]>([
    ['a card number',                     { ...authorize, instrument: number }],
    ['no card',                           { ...authorize, instrument: null }],
    ['another token',                     { ...authorize, ...token('pm_1') }],
    ['a mandate without a customer',      { ...recurring, ...token('mdt_h3gAaD5zP2') }],
    ['a path in a token',                 { ...recurring, ...token('cst_a/../mdt_b') }],
    ['saving a card without a customer',  { ...firstUse, ...token('tkn_7Yt1Qm2x') }],
    ['charging a card token again',       { ...recurring, instrument: newCard }],
    ['saving a saved card',               { ...firstUse, instrument: mandate }],
    ['verifying a saved card',            { ...verify, storedCredential: recurring.storedCredential, instrument: mandate }],
    ['verifying a card without a customer', { ...verify, ...token('tkn_7Yt1Qm2x') }],
    ['a payer without a return URL',      { ...authorize, returnUrl: null }],
    ['holding a recurring payment',       { ...recurring, capture: false }],
  ])('%s', (_, input) => {
    expect(() => mollie.operations.authorize?.build(input, context)).toThrow()
  })

  test('an operation on a payment without a Mollie id', () => {
    const parent = { reference: authorize.reference, providerReference: null }

    expect(() => mollie.operations.capture?.build({ ...capture, parent }, context)).toThrow('tr_')
    expect(() => mollie.lookup?.build({ ...lookup, providerReference: null }, context)).toThrow('tr_')
    expect(() =>
      mollie.lookup?.build({ ...lookup, providerReference: 'tr_1/../../methods' }, context),
    ).toThrow('tr_')
  })
})

test('the webhook URL of the account is sent with each payment', () => {
  expect(bodyOf(pay({}, config))).toHaveProperty('webhookUrl', config.webhook_url)
})

test('an incomplete billing address is not sent', () => {
  const address = { line1: 'Ring 1', city: 'Wien', postal_code: null, country: 'AT' }

  expect(bodyOf(pay({ billing: { address } }))).not.toHaveProperty('billingAddress')
  expect(bodyOf(pay({ billing: { address: null } }))).not.toHaveProperty('billingAddress')
})

test('the description is the statement descriptor or the reference, and has at most 255 characters', () => {
  expect(bodyOf(pay({ description: null })).description).toBe('EXAMPLE')
  expect(bodyOf(pay({ description: '', statementDescriptor: null })).description).toBe(authorize.reference)
  expect([...(bodyOf(pay({ description: '🎁'.repeat(300) })).description as string)]).toHaveLength(255)
})

test('the customer is sent only if the card is saved', () => {
  const { storedCredential } = authorize

  expect(bodyOf(pay({ ...firstUse, storedCredential }))).not.toHaveProperty('customerId')
})

describe('a card that Mollie declines before it creates a payment', () => {
  // Handling errors with Mollie Components, in github.com/mollie/api-documentation (read 2026-11).
  const reply = failure(422, 'Unprocessable Entity', 'The card has insufficient funds', {
    extra: { failureReason: 'insufficient_funds', failureMessage: 'Not enough.' },
  })

  test('is a decline of a new card', () => {
    expect(mollie.operations.authorize?.parse(reply, authorize)).toEqual({
      is: 'declined',
      decline: { code: 'insufficient_funds', message: 'Not enough.' },
    })
    expect(mollie.operations.verify?.parse(reply, verify)).toMatchObject({ is: 'declined' })
  })

  test('is not a decline of a saved card, because an earlier charge of it may have succeeded', () => {
    for (const input of [recurring, savedCard])
      expect(mollie.operations.authorize?.parse(reply, input)).toMatchObject({
        is: 'rejected',
        thisCallOnly: true,
      })
  })
})

describe('declines', () => {
  // The values of `payment-details-failure-reason` in Mollie's OpenAPI document of 2026-06-29.
  // biome-ignore format: a table.
  const reasons = [
    'authentication_abandoned', 'authentication_failed', 'authentication_required', 'authentication_unavailable_acs',
    'card_declined', 'card_expired', 'inactive_card', 'insufficient_funds', 'invalid_cvv', 'invalid_card_holder_name',
    'invalid_card_number', 'invalid_card_type', 'possible_fraud', 'refused_by_issuer', 'unknown_reason',
  ]

  test.each(reasons)('%s has one of our codes', (reason) => {
    const code = declineCodeOf(reason, null)

    expect(isProviderCode(code ?? '')).toBe(true)
    expect(code === 'generic_decline').toBe(['card_declined', 'unknown_reason'].includes(reason))
  })

  test('the failure reason takes precedence over the reason from the network', () => {
    expect(declineCodeOf('invalid_cvv', 'do_not_honor')).toBe('incorrect_cvc')
    expect(declineCodeOf(null, 'do_not_honor')).toBe('do_not_honor')
    expect(declineCodeOf('constructor', '__proto__')).toBe('generic_decline')
  })

  test('a failure with a reason that indicates success is not treated as a decline', () => {
    expect(declineCodeOf('card_declined', 'approved_or_completed_successfully')).toBeNull()
  })
})

test.each(supportedCurrencies)('every amount in %s is exact', (currency) => {
  const { length } = toDecimal({ amount: 123_456n, currency }).split('.')[1] ?? ''

  expect(length).toBe(exponentOf(currency))
  for (const amount of [0n, 1n, 99n, 123_456n])
    expect(fromDecimal(toDecimal({ amount, currency }), currency)).toEqual({ amount, currency })
})

describe('webhooks', () => {
  const received = (body: string) =>
    receive(
      mollie as Parameters<typeof receive>[0],
      { method: 'POST', path: webhookPath, headers: {}, body: Buffer.from(body) },
      { config, now, certificate: null },
    )

  test('a payment is looked up, whatever else the webhook says', () => {
    expect(received('id=tr_7UhSN1zuXS&status=paid')).toEqual({
      status: 'received',
      verdict: 'unsigned',
      events: [{ dedupeKey: null, reference: null, providerReference: 'tr_7UhSN1zuXS', found: null }],
    })
  })

  test.each(['id=ord_1', 'id=tr_1%2F..%2F2', 'id=TR_1'])('%s is ignored', (body) => {
    expect(received(body)).toMatchObject({ status: 'received', events: [] })
  })

  test.each(['', 'id=', 'id=tr_1&id=tr_2', '{"id":"tr_1"}'])('"%s" is not a webhook of Mollie', (body) => {
    expect(received(body)).toEqual({ status: 'unreadable' })
  })
})

describe('the credential check', () => {
  const method = { resource: 'method', id: 'creditcard', description: 'Card' }
  const { build, parse } = mollie.check as NonNullable<typeof mollie.check>

  test('reads the card method and sends the key in a header only', () => {
    const call = build(null, context)

    expect(call).toMatchObject({
      method: 'GET',
      url: 'https://api.mollie.com/v2/methods/creditcard',
      body: null,
    })
    expect(call.headers.authorization).toBe(`Bearer ${config.credentials.api_key}`)
    expect(mollie.health?.build(null, context)).toEqual(call)
  })

  // biome-ignore format: a table.
  test.each([
    [json({ ...method, status: 'activated' }), true],
    [json(method), true],
    [json({ ...method, status: 'pending-review' }), true],
    [json({ ...method, status: 'rejected' }), false],
    [failure(401, 'Unauthorized Request', 'x'), false],
    [failure(403, 'Forbidden', 'x'), false],
    [failure(404, 'Not Found', 'x'), false],
    [failure(500, 'Internal Server Error', 'x'), false],
  ])('%j', (reply, ok) => {
    expect(parse(reply, null).ok).toBe(ok)
  })

  test('an unreadable response is not accepted', () => {
    expect(() => parse(json({ ...method, id: 'ideal' }), null)).toThrow()
  })
})

test('the health check tests whether card payments are available', () => {
  expect(mollie.health?.parse(json('{}'), null)).toBe(true)
  expect(mollie.health?.parse(json('{}', 503), null)).toBe(false)
})

describe('a saved card', () => {
  const { build, parse } = mollie.forget as NonNullable<typeof mollie.forget>
  const saved = { token: 'cst_8wmqcHMN4U/mdt_h3gAaD5zP2' }

  test('is deleted with its mandate', () => {
    expect(build(saved, context)).toMatchObject({
      method: 'DELETE',
      url: 'https://api.mollie.com/v2/customers/cst_8wmqcHMN4U/mandates/mdt_h3gAaD5zP2',
    })
    expect(() => build({ token: 'tkn_7Yt1Qm2x' }, context)).toThrow()
  })

  test.each([
    [204, true],
    [404, true],
    [401, false],
    [409, false],
    [500, false],
  ])('%s: %s', (status, deleted) => {
    expect(parse(json('', status), saved)).toBe(deleted)
  })
})

test('keys of the other mode are detected', () => {
  const pattern = mollie.setup?.credentials[0]?.pattern

  expect(new RegExp(pattern?.test ?? '').test('live_0123456789abcdefghijABCDEFGHIJ')).toBe(false)
  expect(new RegExp(pattern?.live ?? '').test('live_0123456789abcdefghijABCDEFGHIJ')).toBe(true)
  expect(new RegExp(pattern?.live ?? '').test('test_0123456789abcdefghijABCDEFGHIJ')).toBe(false)
  expect(mollie.setup?.baseUrl('live', {})).toBe('https://api.mollie.com')
})

test('replays stop well before Mollie deletes the idempotency key after an hour', () => {
  expect(mollie.resolve.replayHours).toBeLessThanOrEqual(0.75)
})

test('a hold is built like a charge, except for the capture mode', () => {
  expect(bodyOf(pay(hold))).toEqual({ ...bodyOf(pay({ billing: null })), captureMode: 'manual' })
})
