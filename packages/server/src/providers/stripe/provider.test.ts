// Runs the conformance suite and generated responses, and tests what the suite cannot express.

import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { describeGeneratedResponses } from '../../../test/support/generated-responses.ts'
import { exponentOf } from '../../kernel/currency.ts'
import { conformanceOf, interpret } from '../conformance.ts'
import type {
  BuildContext,
  ConnectorConfig,
  HttpReply,
  LookupInput,
  OperationInput,
  Provider,
} from '../contract.ts'
import { isProviderCode } from '../declines.ts'
import { currencies } from './currencies.ts'
import { declineIn, refundDecline } from './declines.ts'
import { get } from './fixtures/calls.ts'
import {
  authorize,
  authorizeOnly,
  capture,
  card,
  config,
  intentId,
  lookup,
  lookupOf,
  now,
  refund,
  stored,
  verify,
  verifyCard,
  voiding,
} from './fixtures/inputs.ts'
import { kit, signatureOf } from './fixtures/kit.ts'
import {
  authorized,
  cancelled,
  captured,
  cardError,
  challenged,
  declinedIntent,
  event,
  intent,
  invalidRequest,
  json,
  listOf,
  refundObject,
  setupIntent,
} from './fixtures/objects.ts'
import { stripe } from './provider.ts'
import { eventsIn, verifySignature } from './webhooks.ts'

const untyped = stripe as Provider
const context: BuildContext<ConnectorConfig> = { config, now, accessToken: null }
const read = (
  step: 'authorize' | 'verify' | 'capture' | 'refund' | 'lookup' | 'close',
  input: unknown,
  reply: HttpReply,
) => interpret(untyped, { step, input, reply })
const operate = (input: OperationInput, settings: Readonly<Record<string, string>> = {}) => {
  const call = stripe.operations[input.kind]?.build(input, { ...context, config: { ...config, settings } })
  return { ...call, parameters: Object.fromEntries(new URLSearchParams(call?.body ?? '')) }
}

describe('the conformance suite', () => {
  test.each(conformanceOf(stripe, kit))('$name', ({ fault }) => {
    expect(fault()).toBeNull()
  })
})

describeGeneratedResponses(stripe, kit, {
  steps: (['authorize', 'complete', 'lookup', 'close'] as const).map((step) => ({
    step,
    input: { ...authorize, ...lookup },
  })),
  runs: 10_000,
  truncateEvery: 7,
})

test('only 200 makes a payment a success', () => {
  const reply = kit.approve(authorize)
  const successes = Array.from({ length: 500 }, (_, index) => index + 100).filter(
    (status) => read('authorize', authorize, { ...reply, status }).is === 'succeeded',
  )

  expect(successes).toEqual([200])
})

describe('calls', () => {
  test('multicapture is requested only for manual capture, and only if it is enabled for the account', () => {
    const name = 'payment_method_options[card][request_multicapture]'
    const enabled = { request_multicapture: 'if_available' }

    expect(operate(authorizeOnly, enabled).parameters[name]).toBe('if_available')
    expect(operate(authorizeOnly).parameters).not.toHaveProperty([name])
    expect(operate(authorize, enabled).parameters).not.toHaveProperty([name])
    expect(stripe.narrow?.({ ...config, settings: enabled }).capabilities.multiCapture).toBe(true)
    expect(stripe.narrow?.(config).capabilities.multiCapture).toBe(false)
  })

  test('amounts in Icelandic króna have the decimal places that Stripe uses', () => {
    const money = { amount: 5n, currency: 'isk' } as const
    const reply = json(intent({ amount: 500, amount_received: 500, currency: 'isk', latest_charge: null }))
    const fraction = json(intent({ amount: 550, amount_received: 550, currency: 'isk', latest_charge: null }))

    expect(operate({ ...authorize, money }).parameters.amount).toBe('500')
    expect(read('authorize', { ...authorize, money }, reply)).toMatchObject({ is: 'succeeded', money })
    expect(read('authorize', { ...authorize, money }, fraction).is).toBe('unknown')
  })

  test.each(['bhd', 'jod', 'kwd', 'omr', 'tnd', 'mga', 'ugx'] as const)('%s is not offered', (currency) => {
    expect(currencies).not.toContain(currency)
  })

  test('every offered currency has zero or two decimal places, as at Stripe', () => {
    expect(new Set(currencies).size).toBe(currencies.length)
    expect([...new Set(currencies.map(exponentOf))].toSorted()).toEqual([0, 2])
  })

  // biome-ignore format: a table.
  test.each([
    ['EXAMPLE', 'EXAMPLE'],
    ['Example Store Vienna', 'Example St'],
    ['A*B<C>"D\'', 'ABCD'],
    ['Café Ö', 'Caf'],
    ['4711', undefined],
    ['日本', undefined],
  ])('the statement descriptor %s is sent as %s', (statementDescriptor, expected) => {
    expect(operate({ ...authorize, statementDescriptor }).parameters.statement_descriptor_suffix).toBe(expected)
  })

  test('long descriptions are cut', () => {
    expect(operate({ ...authorize, description: 'x'.repeat(5000) }).parameters.description).toHaveLength(1000)
  })

  test('the metadata of the merchant, the customer and the billing address are not sent', () => {
    const text = JSON.stringify(operate(authorize))

    for (const secret of ['Mitte', 'ada@example.com', 'customer_test', '1010'])
      expect(text).not.toContain(secret)
  })

  test('a card number is sent without a token, and a token without a card number', () => {
    expect(stripe.setup?.cardData).toBe('pan_or_token')
    expect(operate(card).parameters).not.toHaveProperty('payment_method')
    expect(operate(authorize).body).not.toContain('payment_method_data')
  })

  const created = String(now.getTime() / 1000 - 300)
  const until = String(now.getTime() / 1000 + 86_400)
  // biome-ignore format: a table.
  test.each([
    ['an authorization by id', lookupOf(authorize, intentId),     get(`/v1/payment_intents/${intentId}`, { 'expand[0]': 'latest_charge' })],
    ['a verification by id',   lookupOf(verify, 'seti_1Verify'),  get('/v1/setup_intents/seti_1Verify')],
    ['a verification by time', lookupOf(verify, null),            get('/v1/setup_intents', { 'created[gte]': created, 'created[lte]': until, limit: '50' })],
    ['a capture',              lookupOf(capture, null),           get(`/v1/payment_intents/${intentId}`, { 'expand[0]': 'latest_charge' })],
    ['a void',                 lookupOf(voiding, null),           get(`/v1/payment_intents/${intentId}`, { 'expand[0]': 'latest_charge' })],
    ['a refund by id',         lookupOf(refund, 're_3Refund1'),   get('/v1/refunds/re_3Refund1')],
    ['a refund by payment',    lookupOf(refund, null),            get('/v1/refunds', { payment_intent: intentId, limit: '100' })],
  ])('a lookup reads %s', (_, input, call) => {
    expect(stripe.lookup?.build(input, context)).toEqual(call)
    expect(stripe.complete?.build({ ...input, returnParams: {} }, context)).toEqual(call)
  })

  test('only authorizations and verifications can be closed, by the id of their intent', () => {
    const close = (input: LookupInput) => stripe.close?.build(input, context)

    expect(close(lookupOf(verify, 'seti_1Verify'))?.url).toBe(
      'https://api.stripe.com/v1/setup_intents/seti_1Verify/cancel',
    )
    for (const input of [
      lookup,
      lookupOf(capture, null),
      lookupOf(voiding, null),
      lookupOf(refund, 're_3Refund1'),
    ])
      expect(close(input)).toEqual(stripe.lookup?.build(input, context))
  })

  test('a later attempt to close has a different idempotency key, because Stripe stores server errors', () => {
    const keyAt = (minutes: number) =>
      stripe.close?.build(lookupOf(authorize, intentId), {
        ...context,
        now: new Date(now.getTime() + minutes * 60_000),
      }).headers['idempotency-key']

    expect(keyAt(9)).toBe(keyAt(0))
    expect(keyAt(10)).not.toBe(keyAt(0))
  })

  test('text that is not a Stripe id never becomes part of a path', () => {
    const parent = { reference: authorize.reference, providerReference: 'pi_1/../../v1/customers' }

    expect(operate({ ...capture, parent }).url).toContain('/v1/payment_intents?limit=1')
    expect(stripe.lookup?.build(lookupOf(authorize, 'pi_1/../x'), context).url).toContain('/search')
  })
})

describe('operations that the connector cannot perform', () => {
  // biome-ignore format: a table.
  const refused: [string, OperationInput][] = [
    ['a deleted card',                   { ...authorize, instrument: null }],
    ['a token of another provider',      { ...authorize, instrument: { type: 'token', token: 'tok_1' } }],
    ['saving a card without a customer', { ...authorize, storedCredential: { use: 'first', networkTransactionId: null } }],
    ['saving a card number',             { ...card, storedCredential: { use: 'first', networkTransactionId: null } }],
    ['saving a number by verifying it',  { ...verifyCard, storedCredential: { use: 'first', networkTransactionId: null } }],
    ['verifying without a customer',     { ...verify, instrument: { type: 'token', token: 'pm_1Card4242' } }],
    ['verifying with an amount',         { ...verify, money: authorize.money }],
    ['a capture of an unknown payment',  { ...capture, parent: { reference: authorize.reference, providerReference: null } }],
    ['a void of an unknown payment',     { ...voiding, parent: null }],
    ['a refund of an unknown payment',   { ...refund, parent: { reference: authorize.reference, providerReference: 'ch_1' } }],
  ]
  test.each(refused)('%s is rejected with a call that changes nothing', (_, input) => {
    const call = operate(input)
    const outcome = interpret(untyped, { step: input.kind, input, reply: json(listOf([])) })

    expect(call.method).toBe('GET')
    expect(call.body).toBeNull()
    expect(outcome).toMatchObject({
      is: 'rejected',
      fault: { code: 'provider_request_invalid' },
      thisCallOnly: true,
    })
  })

  test('a verification without saving needs no customer', () => {
    const input: OperationInput = {
      ...verify,
      instrument: { type: 'token', token: 'pm_1Card4242' },
      storedCredential: { use: 'none', networkTransactionId: null },
    }

    expect(operate(input).parameters).toMatchObject({ payment_method: 'pm_1Card4242', confirm: 'true' })
  })
})

describe('lookups in lists', () => {
  const lookUpRefund = (reply: HttpReply) => read('lookup', lookupOf(refund, null), reply)
  const lookUpSetup = (reply: HttpReply) => read('lookup', lookupOf(verify, null), reply)
  const other = { metadata: { switchyard_reference: 'another-1' } }

  test('an object is found by its reference', () => {
    expect(lookUpRefund(json(listOf([refundObject(other), refundObject()])))).toMatchObject({
      is: 'succeeded',
    })
    expect(lookUpSetup(json(listOf([setupIntent(other), setupIntent()])))).toMatchObject({ is: 'succeeded' })
  })

  test('an object that is not in a complete list is absent', () => {
    expect(lookUpRefund(json(listOf([])))).toEqual({ is: 'absent' })
    expect(lookUpRefund(json(listOf([refundObject(other), refundObject({ metadata: null })])))).toEqual({
      is: 'absent',
    })
    expect(lookUpSetup(json(listOf([setupIntent(other)])))).toEqual({ is: 'absent' })
  })

  test('an incomplete list and a repeated reference prove nothing', () => {
    expect(lookUpRefund(json(listOf([refundObject(other)], { has_more: true }))).is).toBe('unknown')
    expect(lookUpRefund(json(listOf([refundObject(), refundObject()]))).is).toBe('unknown')
    expect(lookUpRefund(json(listOf([{}]))).is).toBe('unknown')
  })

  test('a void is found by the release of the authorization', () => {
    const lookUp = (object: unknown) => read('lookup', lookupOf(voiding, null), json(object))

    expect(lookUp(cancelled())).toMatchObject({ is: 'succeeded', money: voiding.money })
    expect(lookUp(authorized())).toEqual({ is: 'absent' })
    expect(lookUp(captured()).is).toBe('unknown')
  })

  test('an operation on an unknown payment cannot be looked up', () => {
    const input = lookupOf({ ...capture, parent: null }, null)

    expect(read('lookup', input, json(listOf([])))).toMatchObject({ fault: { code: 'not_queryable' } })
  })
})

describe('declines', () => {
  // biome-ignore format: a table.
  test.each([
    [{},                                                                 'insufficient_funds'],
    [{ decline_code: 'do_not_honor' },                                   'do_not_honor'],
    [{ decline_code: 'a_new_code', code: 'card_declined' },              'generic_decline'],
    [{ decline_code: null, code: 'expired_card' },                       'expired_card'],
    [{ decline_code: null, code: 'a_new_code' },                         'generic_decline'],
    [{ decline_code: 'constructor' },                                    'generic_decline'],
    [{ decline_code: 'generic_decline', advice_code: 'do_not_try_again' }, 'issuer_never_approves'],
    [{ decline_code: 'expired_card', advice_code: 'do_not_try_again' },  'expired_card'],
    [{ decline_code: 'generic_decline', advice_code: 'try_again_later' }, 'generic_decline'],
    [{ network_advice_code: '03', payment_method: { card: { brand: 'mastercard' } } }, 'issuer_never_approves'],
    [{ network_advice_code: '03', payment_method: { card: { brand: 'visa' } } }, 'insufficient_funds'],
    [{ type: 'invalid_request_error', code: 'payment_intent_authentication_failure' }, 'authentication_failed'],
  ])('%j is %s', (changes, code) => {
    expect(declineIn(cardError(changes))?.code).toBe(code)
    expect(isProviderCode(code)).toBe(true)
  })

  test('advice is reported for Mastercard only', () => {
    const advice = (brand: string) =>
      declineIn(cardError({ network_advice_code: '24', payment_method: { card: { brand } } }))?.adviceCode

    expect(advice('mastercard')).toBe('24')
    expect(advice('visa')).toBeUndefined()
  })

  test.each(['api_error', 'invalid_request_error', 'idempotency_error'])('%s is not a decline', (type) => {
    expect(declineIn(cardError({ type }))).toBeNull()
  })

  test('a refund that failed for an unknown reason is a generic decline', () => {
    expect(refundDecline('unknown')).toEqual({ code: 'generic_decline', message: 'unknown' })
    expect(refundDecline('lost_or_stolen_card').code).toBe('lost_card')
  })
})

describe('saved cards', () => {
  const forget = (reply: HttpReply, token = 'cus_Ada1/pm_1Card4242') => stripe.forget?.parse(reply, { token })
  const method = (customer: string | null, id = 'pm_1Card4242') => ({
    id,
    object: 'payment_method',
    customer,
  })

  test('a card is deleted by detaching it from its customer', () => {
    expect(stripe.forget?.build({ token: 'cus_Ada1/pm_1Card4242' }, context)).toMatchObject({
      method: 'POST',
      url: 'https://api.stripe.com/v1/payment_methods/pm_1Card4242/detach',
      headers: { 'idempotency-key': 'forget-pm_1Card4242' },
    })
    expect(stripe.forget?.build({ token: '../x' }, context).method).toBe('GET')
  })

  test('only a card without a customer is deleted', () => {
    expect(forget(json(method(null)))).toBe(true)
    expect(forget(json(invalidRequest({ payment_method: method(null) }), 400))).toBe(true)
    expect(forget(json(invalidRequest({ code: 'resource_missing' }), 404))).toBe(true)
    expect(forget(json(method('cus_Ada1')))).toBe(false)
    expect(forget(json(method(null, 'pm_1Other')))).toBe(false)
    expect(forget(json(invalidRequest({ code: 'x' }), 404))).toBe(false)
    expect(forget(json(invalidRequest(), 400))).toBe(false)
    expect(forget(json('', 500))).toBe(false)
    expect(forget(json(method(null)), 'x')).toBe(false)
  })

  test('a merchant-initiated payment is off-session and has no return URL', () => {
    const { parameters } = operate(stored)

    expect(parameters).toMatchObject({ off_session: 'true', customer: 'cus_Ada1' })
    expect(parameters).not.toHaveProperty('return_url')
  })
})

describe('webhooks', () => {
  const parse = (type: string, object: unknown, changes = {}) =>
    eventsIn(Buffer.from(JSON.stringify(event(type, object, changes))))
  const about = (kind: string, reference = authorize.reference, providerReference = intentId) => ({
    dedupeKey: 'evt_3Event1',
    reference,
    providerReference,
    kind,
  })

  test('events about payments report their final results', () => {
    expect(parse('payment_intent.succeeded', intent({ latest_charge: 'ch_3Auth1' }))).toEqual([
      { ...about('authorize'), found: { is: 'succeeded', ref: intentId, money: authorize.money } },
    ])
    expect(parse('payment_intent.payment_failed', declinedIntent())).toMatchObject([
      { ...about('authorize'), found: { is: 'declined', decline: { code: 'insufficient_funds' } } },
    ])
    expect(parse('payment_intent.canceled', cancelled())).toEqual([
      { ...about('authorize'), found: { is: 'closed' } },
    ])
    expect(parse('payment_intent.requires_action', challenged())).toMatchObject([{ found: { is: 'action' } }])
  })

  test('results that the event does not prove completely are looked up', () => {
    const lookedUp = (type: string, object: unknown, changes = {}) => expect(parse(type, object, changes))

    lookedUp('payment_intent.amount_capturable_updated', authorized()).toEqual([
      { ...about('authorize'), found: null },
    ])
    lookedUp('payment_intent.succeeded', captured()).toEqual([
      { ...about('capture', capture.reference), found: null },
    ])
    lookedUp('payment_intent.succeeded', intent({ amount_received: 1 })).toMatchObject([{ found: null }])
    lookedUp('payment_intent.succeeded', intent({ amount: '1099' })).toMatchObject([{ found: null }])
    lookedUp('payment_intent.succeeded', intent(), { api_version: '2023-10-16' }).toEqual([
      { ...about('authorize'), found: null },
    ])
    lookedUp('refund.updated', refundObject(), { api_version: null }).toMatchObject([{ found: null }])
  })

  test('events about verifications never report a success, because they lack the currency', () => {
    const declined = setupIntent({ status: 'requires_payment_method', last_setup_error: cardError() })

    expect(parse('setup_intent.succeeded', setupIntent())).toEqual([
      { ...about('verify', verify.reference, 'seti_1Verify'), found: null },
    ])
    expect(parse('setup_intent.setup_failed', declined)).toMatchObject([
      { kind: 'verify', found: { is: 'declined' } },
    ])
    expect(parse('setup_intent.canceled', setupIntent({ status: 'canceled' }))).toMatchObject([
      { found: { is: 'closed' } },
    ])
  })

  test('a refund made at Stripe is reported under the payment that it refunds', () => {
    const external = refundObject({ metadata: {}, amount: 300 })

    expect(parse('refund.created', external)).toEqual([
      {
        dedupeKey: 'evt_3Event1',
        reference: null,
        providerReference: intentId,
        found: null,
        refund: {
          reference: 're_3Refund1',
          providerReference: 're_3Refund1',
          money: { amount: 300n, currency: 'eur' },
        },
      },
    ])
    for (const changes of [
      { status: 'pending' },
      { balance_transaction: null },
      { payment_intent: null },
      { currency: 'ugx' },
      { amount: -1 },
    ])
      expect(parse('refund.created', { ...external, ...changes })).toEqual([])
  })

  const dispute = {
    id: 'dp_3Dispute1',
    object: 'dispute',
    amount: 1099,
    balance_transactions: [{ amount: -1099, fee: 1500, currency: 'usd' }],
    currency: 'eur',
    evidence_details: { due_by: 1_795_910_399 },
    network_reason_code: '10.4',
    payment_intent: intentId,
    reason: 'fraudulent',
    status: 'needs_response',
  }
  const created = { created: 1_794_657_600 }
  const reportOf = (changes: object) =>
    parse('charge.dispute.updated', { ...dispute, ...changes }, created)[0]?.dispute

  test('a dispute is reported with its whole state under its payment', () => {
    expect(parse('charge.dispute.created', dispute, created)).toEqual([
      {
        dedupeKey: 'evt_3Event1',
        reference: null,
        providerReference: intentId,
        found: null,
        dispute: {
          providerReference: 'dp_3Dispute1',
          stage: 'chargeback',
          status: 'needs_response',
          money: { amount: 1099n, currency: 'eur' },
          reason: 'fraudulent',
          networkReasonCode: '10.4',
          respondByAt: new Date(1_795_910_399_000),
          isWithdrawn: true,
          fee: { amount: 1500n, currency: 'usd' },
          reportedAt: new Date(1_794_657_600_000),
        },
      },
    ])
    const returned = [...dispute.balance_transactions, { amount: 1099, fee: -1500, currency: 'usd' }]
    expect(reportOf({ status: 'won', balance_transactions: returned })).toMatchObject({
      status: 'won',
      isWithdrawn: false,
      fee: { amount: 0n },
    })
    expect(reportOf({ balance_transactions: [] })).toMatchObject({ isWithdrawn: false, fee: null })
    expect(reportOf({ balance_transactions: null })).toMatchObject({ isWithdrawn: null, fee: null })
  })

  test.each([
    ['warning_needs_response', 'inquiry', 'needs_response'],
    ['warning_under_review', 'inquiry', 'under_review'],
    ['warning_closed', 'inquiry', 'closed'],
    ['prevented', 'inquiry', 'closed'],
    ['under_review', 'chargeback', 'under_review'],
    ['lost', 'chargeback', 'lost'],
    ['appeal_needs_response', 'pre_arbitration', 'needs_response'],
    ['appeal_under_review', 'pre_arbitration', 'under_review'],
  ])('the dispute status %s is %s, %s', (status, stage, expected) => {
    expect(reportOf({ status })).toMatchObject({ stage, status: expected })
  })

  test.each([
    [{ reason: 'product_not_received' }, 'not_received'],
    [{ reason: 'subscription_canceled' }, 'subscription_cancelled'],
    [{ reason: 'unrecognized' }, 'fraudulent'],
    [{ reason: 'general' }, 'fraudulent'],
    [{ reason: 'general', network_reason_code: '12.6.1' }, 'duplicate'],
    [{ reason: 'general', network_reason_code: '12.5' }, 'processing_error'],
    [{ reason: 'general', network_reason_code: '4853' }, 'other'],
    [{ reason: 'noncompliant', network_reason_code: 'none' }, 'other'],
  ])('a dispute with %o has the reason %s', (changes, reason) => {
    expect(reportOf(changes)?.reason).toBe(reason)
  })

  test('a dispute against a charge without a PaymentIntent is ignored, and an unreadable one is rejected', () => {
    expect(parse('charge.dispute.created', { ...dispute, payment_intent: null }, created)).toEqual([])
    for (const changes of [{ status: 'reversed' }, { amount: 0 }, { currency: 'ugx' }, { reason: undefined }])
      expect(() => reportOf(changes)).toThrow()
    expect(() => parse('charge.dispute.created', dispute, { created: undefined })).toThrow('no time')
  })

  test('a failed refund is reported', () => {
    expect(
      parse('refund.failed', refundObject({ status: 'failed', failure_reason: 'declined' })),
    ).toMatchObject([{ ...about('refund', refund.reference, 're_3Refund1'), found: { is: 'declined' } }])
  })

  test('objects of other integrations and other events are ignored', () => {
    for (const metadata of [{}, [], null, { switchyard_reference: 1 }])
      expect(parse('payment_intent.succeeded', intent({ metadata }))).toEqual([])
    expect(parse('payment_intent.succeeded', null)).toEqual([])
    expect(parse('charge.refunded', intent())).toEqual([])
    expect(parse('payout.paid', {})).toEqual([])
  })

  test('a body that is not an event is rejected', () => {
    for (const body of ['null', '[]', '{}', '{"object":"v2.core.event","id":"evt_1","type":"x"}', '<html>'])
      expect(() => eventsIn(Buffer.from(body))).toThrow()
  })

  const body = Buffer.from('{"livemode":false}')
  const header = signatureOf(body, 'whsec_older0123456789', now)
  const verdict = (signature: string | undefined, settings = config) =>
    verifySignature(
      {
        method: 'POST',
        path: '/x',
        headers: signature === undefined ? {} : { 'stripe-signature': signature },
        body,
      },
      { config: settings, now },
    )

  test('events whose mode differs from that of the account are invalid', () => {
    const live = { ...config, credentials: { secret_key: 'sk_live_51Abcdefgh' } }
    expect(verdict(header, live)).toBe('invalid')
  })

  test('any v1 signature by any active secret is enough', () => {
    expect(verdict(header)).toBe('valid')
    expect(verdict(header.replace('v1=', `v1=${'f'.repeat(64)},v1=`))).toBe('valid')
  })

  test.each([
    undefined,
    '',
    header.replace('v1=', 'v0='),
    header.replace('t=', 't=1,t='),
    header.replace(/t=\d+/, 't=x'),
    header.replace(/t=\d+/, 't=1794657601'),
    header.replace(/v1=\w{4}/, 'v1='),
  ])('the signature %s is invalid', (signature) => {
    expect(verdict(signature)).toBe('invalid')
  })

  test('without a secret every webhook is invalid', () => {
    expect(verdict(header, { ...config, webhook_secrets: {} })).toBe('invalid')
    expect(verdict(header, { ...config, webhook_secrets: { signing_secret: [] } })).toBe('invalid')
  })
})

describe('accounts', () => {
  const isValid = (changes: object) => Compile(stripe.config).Check({ ...config, ...changes })

  test('the configuration is checked', () => {
    expect(isValid({})).toBe(true)
    expect(isValid({ settings: { request_multicapture: 'if_available' } })).toBe(true)
    expect(isValid({ settings: { request_multicapture: 'yes' } })).toBe(false)
    expect(isValid({ credentials: { secret_key: 'pk_test_0123456789' } })).toBe(false)
    expect(isValid({ base_url: 'ftp://example.com' })).toBe(false)
  })

  test('a key of the other environment is detected', () => {
    const { live = '', test: inTest = '' } = stripe.setup?.credentials[0]?.pattern ?? {}

    expect('sk_live_0123456789').toMatch(new RegExp(live))
    expect('rk_test_0123456789').toMatch(new RegExp(inTest))
    expect('sk_test_0123456789').not.toMatch(new RegExp(live))
  })

  test('the base URL of the account is used', () => {
    const url = stripe.operations.refund?.build(refund, {
      ...context,
      config: { ...config, base_url: 'http://127.0.0.1:4010/stripe/' },
    }).url

    expect(url).toBe('http://127.0.0.1:4010/stripe/v1/refunds')
    expect(stripe.setup?.baseUrl('live', {})).toBe('https://api.stripe.com')
  })

  test('health and credentials are checked with a call that changes nothing', () => {
    expect(stripe.health?.build(null, context).method).toBe('GET')
    expect(stripe.health?.parse(json(listOf([])), null)).toBe(true)
    expect(stripe.health?.parse(json('', 503), null)).toBe(false)
    expect(stripe.check?.build(null, context)).toEqual(stripe.health?.build(null, context))
    // biome-ignore format: a table.
    for (const [status, ok] of [[200, true], [401, false], [403, false], [500, false]] as const)
      expect(stripe.check?.parse(json('', status), null).ok).toBe(ok)
  })

  test('an emulator may redirect without TLS in test mode', () => {
    const insecure = (livemode: boolean) =>
      json(
        challenged({
          livemode,
          next_action: { type: 'redirect_to_url', redirect_to_url: { url: 'http://127.0.0.1:4010/3ds' } },
        }),
      )

    expect(read('authorize', authorize, insecure(false)).is).toBe('action')
    expect(read('authorize', { ...authorize, mode: 'live' }, insecure(true)).is).toBe('unknown')
  })
})
