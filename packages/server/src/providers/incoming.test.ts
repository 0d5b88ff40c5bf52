import { expect, test } from 'vitest'
import type { Provider, ProviderEvent } from './contract.ts'
import { receive } from './incoming.ts'

const call = { method: 'POST', path: '/', headers: {}, body: new Uint8Array() }
const context = { config: {}, now: new Date('2026-11-14T12:00:00.000Z'), certificate: null }

const providerWith = (webhooks: Provider['webhooks']) => ({ webhooks }) as Provider

test('a webhook with an invalid signature is not parsed', () => {
  const parse = () => expect.fail('It was parsed.')

  expect(receive(providerWith({ signature: 'body', verify: () => 'invalid', parse }), call, context)).toEqual(
    {
      status: 'invalid',
    },
  )
  expect(receive({} as Provider, call, context)).toEqual({ status: 'invalid' })
})

test('a webhook that cannot be verified is invalid', () => {
  const verify = () => {
    throw new Error('The signature is not readable.')
  }
  expect(receive(providerWith({ signature: 'body', verify, parse: () => [] }), call, context)).toEqual({
    status: 'invalid',
  })
})

test('an unreadable webhook is reported as such', () => {
  const parse = () => {
    throw new Error('No.')
  }

  expect(receive(providerWith({ signature: 'body', verify: () => 'valid', parse }), call, context)).toEqual({
    status: 'unreadable',
  })
})

test('stored events contain no card number, and nothing that Postgres cannot store', () => {
  const event: ProviderEvent = {
    dedupeKey: 'evt\u0000_1',
    reference: '4242424242424242',
    providerReference: '\ud800',
    found: { is: 'declined', decline: { code: 'do_not_honor', message: 'Not 4242 4242 4242 4242.' } },
  }
  const parse = () => [event]

  expect(
    receive(providerWith({ signature: 'body', verify: () => 'unsigned', parse }), call, context),
  ).toEqual({
    status: 'received',
    verdict: 'unsigned',
    events: [
      {
        dedupeKey: 'evt_1',
        reference: '4242424242424242',
        providerReference: '\ufffd',
        found: { is: 'declined', decline: { code: 'do_not_honor', message: 'Not [redacted].' } },
      },
    ],
  })
})

test('amounts and times are unchanged', () => {
  const at = new Date('2026-11-21T12:00:00.000Z')
  const event: ProviderEvent = {
    dedupeKey: 'evt_1',
    reference: 'one',
    providerReference: 'two',
    found: {
      is: 'succeeded',
      ref: 'two',
      money: { amount: 1299n, currency: 'eur' },
      extra: { captureBeforeAt: at },
    },
  }

  const received = receive(
    providerWith({ signature: 'body', verify: () => 'valid', parse: () => [event] }),
    call,
    context,
  )
  expect(received).toEqual({ status: 'received', verdict: 'valid', events: [event] })
})
