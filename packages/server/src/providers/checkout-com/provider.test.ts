// Checkout.com: the conformance suite, generated responses, and what the suite does not cover.

import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { describeGeneratedResponses } from '../../../test/support/generated-responses.ts'
import { exponentOf } from '../../kernel/currency.ts'
import { conformanceOf, interpret } from '../conformance.ts'
import type { Found, HttpReply, OperationInput, Provider } from '../contract.ts'
import { isProviderCode } from '../declines.ts'
import { toProviderAmount } from '../provider-amounts.ts'
import { currencies, exponents } from './currencies.ts'
import { declined, isApproval } from './declines.ts'
import {
  authorize,
  capture,
  config,
  instrumentId,
  lookupOf,
  now,
  paymentId,
  refund,
  saving,
  voiding,
} from './fixtures/inputs.ts'
import { kit, refundedWebhook } from './fixtures/kit.ts'
import { approve, json } from './fixtures/replies.ts'
import { checkoutCom } from './provider.ts'

const provider = checkoutCom as Provider
const context = { config, now, accessToken: null }

describe('conformance', () => {
  test.each(conformanceOf(checkoutCom, kit))('$name', ({ fault }) => {
    expect(fault()).toBeNull()
  })
})

describeGeneratedResponses(checkoutCom, kit, {
  steps: (['authorize', 'complete', 'lookup'] as const).map((step) => ({ step, input: authorize })),
})

test('only 201 makes an authorized payment a success', () => {
  const meanings = Array.from({ length: 500 }, (_, offset) => offset + 100).filter(
    (status) =>
      interpret(provider, { step: 'authorize', input: authorize, reply: { ...approve(authorize), status } })
        .is !== 'unknown',
  )
  expect(meanings).toEqual([201])
})

describe('currencies', () => {
  test('every amount of an offered currency is exact', () => {
    for (const currency of currencies) {
      expect(exponentOf(currency)).toBeLessThanOrEqual(2)
      expect(() => toProviderAmount({ amount: 1n, currency }, exponents)).not.toThrow()
    }
    expect(new Set(currencies).size).toBe(currencies.length)
    expect(currencies).not.toContain('kwd')
  })

  test('Chilean pesos are sent and read with two decimals', () => {
    const pesos: OperationInput = { ...authorize, money: { amount: 1290n, currency: 'clp' } }
    const { body } = provider.operations.authorize?.build(pesos, context) ?? {}
    const reply = approve({ ...pesos, money: { amount: 129_000n, currency: 'clp' } })

    expect(JSON.parse(body ?? '')).toMatchObject({ amount: 129_000, currency: 'CLP' })
    expect(interpret(provider, { step: 'authorize', input: pesos, reply })).toMatchObject({
      money: pesos.money,
    })
    expect(interpret(provider, { step: 'authorize', input: pesos, reply: approve(pesos) })).toMatchObject({
      is: 'unknown',
    })
  })
})

describe('declines', () => {
  test('every code maps to one that a provider may report', () => {
    const classes = ['20', '30', '40', '41', '50'].flatMap((start) =>
      Array.from({ length: 1000 }, (_, rest) => `${start}${String(rest).padStart(3, '0')}`),
    )
    for (const code of [...classes, '2005C', '2009G', '200N7', '200R1']) {
      const outcome = declined('pay_1', { response_code: code })
      if (outcome.is !== 'declined') expect(outcome.is).toBe('unknown')
      else expect(isProviderCode(outcome.decline.code)).toBe(true)
    }
  })

  // biome-ignore format: a table.
  test.each([
    ['20082', '82', 'incorrect_cvc'],
    ['44301', null, 'authentication_required'],
    ['20006', null, 'provider_request_invalid'],
    ['20006', '06', 'processing_error'],
  ])('%s with network code %s is %s', (response_code, partner_response_code, code) => {
    const outcome = declined('pay_1', { response_code, processing: { partner_response_code } })
    expect(outcome).toMatchObject({ is: 'declined', decline: { code } })
  })

  test('approvals are not declines', () => {
    expect(['10000', '10008', '10100', '10010', '20000', '1000', ''].filter(isApproval)).toEqual([
      '10000',
      '10008',
      '10100',
    ])
    expect(declined('pay_1', { response_code: '10000' }).is).toBe('unknown')
  })
})

describe('requests', () => {
  const bodyOf = (input: OperationInput) =>
    JSON.parse(provider.operations[input.kind]?.build(input, context).body ?? '{}') as Record<string, unknown>

  test('a saved card number is marked as stored, and an instrument is used by its id', () => {
    const use = { use: 'subsequent', networkTransactionId: null } as const
    const saved = bodyOf({ ...authorize, storedCredential: use })
    const instrument = bodyOf({ ...authorize, instrument: { type: 'token', token: instrumentId } })

    expect(saved).toMatchObject({ merchant_initiated: false, source: { type: 'card', stored: true } })
    expect(instrument.source).toEqual({ type: 'id', id: instrumentId })
  })

  test('a final capture releases the rest, and a void has no amount', () => {
    expect(bodyOf({ ...capture, final: true }).capture_type).toBe('Final')
    expect(bodyOf(voiding)).not.toHaveProperty('amount')
  })

  test('a statement descriptor is sent only with a city', () => {
    const settings = { processing_channel_id: 'pc_aaaaaaaaaaaaaaaaaaaaaaaaa1' }
    const call = provider.operations.authorize?.build(authorize, {
      ...context,
      config: { ...config, settings },
    })

    expect(JSON.parse(call?.body ?? '')).not.toHaveProperty('billing_descriptor')
  })

  test('a description is cut to 100 characters without splitting one', () => {
    const { description } = bodyOf({ ...authorize, description: `${'a'.repeat(99)}😀b` })

    expect(description).toBe(`${'a'.repeat(99)}😀`)
  })

  test('an address is cut to the documented lengths, and a state is sent only as a code', () => {
    const addressOf = (address: object) =>
      (bodyOf({ ...authorize, billing: { address } }).source as { billing_address: object }).billing_address
    const long = 'x'.repeat(500)

    expect(
      addressOf({ line1: long, line2: long, city: long, postal_code: '90210', state: 'CA', country: 'US' }),
    ).toEqual({
      address_line1: 'x'.repeat(200),
      address_line2: 'x'.repeat(200),
      city: 'x'.repeat(50),
      zip: '90210',
      state: 'CA',
      country: 'US',
    })
    expect(addressOf({ city: 'Los Angeles', state: 'California' })).toEqual({ city: 'Los Angeles' })
  })

  test('a payment whose card was deleted has no source', () => {
    expect(bodyOf({ ...authorize, instrument: null })).not.toHaveProperty('source')
  })

  test('a capture without the id of the payment is not sent', () => {
    const orphan = { ...capture, parent: { reference: authorize.reference, providerReference: null } }

    expect(() => bodyOf(orphan)).toThrow('needs the id of the payment')
    expect(provider.lookup?.build(lookupOf(orphan), context).url).toContain(
      `reference=${authorize.reference}`,
    )
  })

  test.each(['..', '', 'pay_1/voids', 'pay_1?x', 'pay_1\n', 'a'.repeat(65)])(
    'the id %j is not sent',
    (id) => {
      const parent = { reference: authorize.reference, providerReference: id }
      const builds = [
        ...[capture, voiding, refund].map((input) => () => bodyOf({ ...input, parent })),
        () => provider.lookup?.build(lookupOf({ ...capture, parent }), context),
        () => provider.lookup?.build(lookupOf(authorize, id), context),
        () => provider.complete?.build({ ...lookupOf(authorize, id), returnParams: {} }, context),
        () => provider.forget?.build({ token: id }, context),
      ]

      for (const build of builds) expect(build).toThrow('An id in a path')
    },
  )
})

describe('responses', () => {
  const read = (step: 'authorize' | 'capture', input: OperationInput, reply: HttpReply) =>
    interpret(provider, { step, input, reply })
  const pending = (href: string) =>
    ({
      id: paymentId,
      status: 'Pending',
      reference: saving.reference,
      _links: { redirect: { href } },
    }) as const

  test('a live payer is sent to https pages only', () => {
    const local = json(pending('http://localhost:4000/3ds'), 202)

    expect(read('authorize', saving, local).is).toBe('action')
    expect(read('authorize', { ...saving, mode: 'live' }, local).is).toBe('unknown')
    expect(read('authorize', saving, json(pending('javascript:alert(1)'), 202)).is).toBe('unknown')
  })

  test('without a time in the response, the core limits how long the payer can authenticate', () => {
    const reply = { ...json(pending('https://acs.example.com'), 202), headers: {} }

    expect(read('authorize', saving, reply)).toMatchObject({ expiresAt: new Date('9999-12-31T23:59:59Z') })
  })

  test('403 on a capture is about the payment, unless it comes from a gateway', () => {
    const refused = (body: unknown) => read('capture', capture, json(body, 403))
    const error = { error_type: 'request_invalid', error_codes: ['capture_not_allowed'] }

    expect(refused(error)).toMatchObject({ is: 'rejected', fault: { code: 'provider_request_invalid' } })
    expect(refused('<html>')).toMatchObject({
      is: 'rejected',
      fault: { code: 'provider_credentials_invalid' },
    })
    expect(refused({ action_id: 'act_1', ...error }).is).toBe('unknown')
  })
})

describe('webhooks', () => {
  const parse = (change: object, type = 'payment_refunded') => {
    const data = { ...refundedWebhook.data, ...change }
    return checkoutCom.webhooks?.parse(Buffer.from(JSON.stringify({ ...refundedWebhook, type, data }))) ?? []
  }
  const foundIn = (change: object, type?: string): Found | null | undefined => parse(change, type)[0]?.found

  test('an approval triggers a lookup', () => {
    const { reference } = authorize
    const event = { reference, providerReference: paymentId, found: null }

    expect(parse({ reference }, 'payment_approved')).toMatchObject([{ ...event, kind: 'authorize' }])
    expect(parse({ reference }, 'card_verified')).toMatchObject([{ ...event, kind: 'verify' }])
  })

  test('a decline has its reason, unless Checkout.com may try again', () => {
    const decline = { reference: authorize.reference, response_code: '20151', response_summary: 'Failed' }
    const found = {
      is: 'declined',
      ref: paymentId,
      decline: { code: 'authentication_failed', message: '20151: Failed' },
    }

    expect(foundIn(decline, 'payment_declined')).toEqual(found)
    expect(foundIn({ ...decline, response_code: '20154' }, 'payment_declined')).toBeNull()
    expect(foundIn({ ...decline, retry: { ends_on: 'x' } }, 'payment_declined')).toBeNull()
    expect(foundIn({ ...decline, response_code: undefined }, 'payment_declined')).toBeNull()
    expect(foundIn({ ...decline, response_code: '10000' }, 'payment_declined')).toBeNull()
  })

  test('a success must state its action, its amount and an approval', () => {
    for (const change of [
      { action_id: undefined },
      { amount: undefined },
      { currency: undefined },
      { response_code: '20005' },
    ])
      expect(foundIn(change)).toBeNull()
  })

  test('a refund made at Checkout.com is reported under its payment', () => {
    const refund = {
      reference: 'Goodwill',
      providerReference: refundedWebhook.data.action_id,
      money: capture.money,
    }
    const payment = {
      dedupeKey: refundedWebhook.id,
      reference: null,
      providerReference: paymentId,
      found: null,
    }

    expect(parse({ reference: 'Goodwill' })).toEqual([{ ...payment, refund }])
    expect(parse({ reference: null })).toEqual([payment])
    expect(parse({ reference: 'Goodwill' }, 'payment_refund_declined')).toEqual([payment])
  })

  test('payments of other systems and other types are ignored', () => {
    expect(parse({ reference: 'ORD-5023' }, 'payment_approved')).toEqual([])
    expect(parse({}, 'dispute_received')).toEqual([])
    expect(parse({}, 'constructor')).toEqual([])
  })

  test('a webhook that is not readable is refused', () => {
    for (const change of [{ id: '../x' }, { amount: '500' }, { amount: 5.5 }])
      expect(() => parse(change)).toThrow()
  })

  test('a missing or malformed signature is invalid', () => {
    const call = kit.webhook?.call
    const verdicts = ['', 'x'.repeat(64), 'ab'].map((signature) =>
      checkoutCom.webhooks?.verify(
        {
          method: 'POST',
          path: '/',
          headers: { 'cko-signature': signature },
          body: call?.body ?? new Uint8Array(),
        },
        { config, now, certificate: null },
      ),
    )
    expect(verdicts).toEqual(['invalid', 'invalid', 'invalid'])
    const keyless = { config: { ...config, webhook_secrets: {} }, now, certificate: null }
    expect(call && checkoutCom.webhooks?.verify(call, keyless)).toBe('invalid')
  })
})

describe('setup', () => {
  const { setup } = checkoutCom

  test('the base URL has the prefix of the account', () => {
    expect(setup?.baseUrl('live', { prefix: 'abcdefgh' })).toBe('https://abcdefgh.api.checkout.com')
    expect(setup?.baseUrl('test', { prefix: 'abcdefgh' })).toBe('https://abcdefgh.api.sandbox.checkout.com')
    expect(setup?.baseUrl('test', {})).toBe('https://api.sandbox.checkout.com')
  })

  test('the configuration is checked, and live keys are distinguished from test keys', () => {
    const { live = '', test: sandbox = '' } = setup?.credentials[0]?.pattern ?? {}
    const keys = ['sk_abcdefghijklmnopqrstuvwxyz2', 'sk_sbox_abcdefghijklmnopqrstuvwxyz2']

    expect(keys.map((key) => [new RegExp(live).test(key), new RegExp(sandbox).test(key)])).toEqual([
      [true, false],
      [false, true],
    ])
    expect(Check(checkoutCom.config, config)).toBe(true)
    expect(Check(checkoutCom.config, { ...config, settings: {} })).toBe(false)
    const isAccepted = (key: string) =>
      Check(checkoutCom.config, { ...config, webhook_secrets: { signature_key: [key] } })
    expect(['x'.repeat(15), 'x'.repeat(16)].map(isAccepted)).toEqual([false, true])
  })

  test('the credentials are checked with a search that finds nothing', () => {
    const call = checkoutCom.check?.build(null, context)
    const results = [200, 401, 403, 500].map((status) => checkoutCom.check?.parse(json('', status), null).ok)

    expect(call).toMatchObject({ method: 'GET', body: null })
    expect(results).toEqual([true, false, false, false])
    expect([200, 503].map((status) => checkoutCom.health?.parse(json('', status), null))).toEqual([
      true,
      false,
    ])
  })

  test('a stored card is deleted, and an unknown one counts as deleted', () => {
    const call = checkoutCom.forget?.build({ token: instrumentId }, context)
    const results = [204, 404, 500].map((status) =>
      checkoutCom.forget?.parse(json('', status), { token: instrumentId }),
    )

    expect(call).toMatchObject({ method: 'DELETE', url: `${config.base_url}/instruments/${instrumentId}` })
    expect(results).toEqual([true, true, false])
  })
})
