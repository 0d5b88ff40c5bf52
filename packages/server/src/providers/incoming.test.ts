import { expect, test } from 'vitest'
import type { Provider, ProviderEvent } from './contract.ts'
import { receive } from './incoming.ts'

const call = { method: 'POST', path: '/', headers: {}, body: new Uint8Array() }
const context = { config: {}, now: new Date('2026-11-14T12:00:00.000Z') }

const providerThat = (webhooks: Provider['webhooks']) => ({ webhooks }) as Provider

test('what is not theirs is not read', () => {
  const parse = () => expect.fail('It was read.')

  expect(receive(providerThat({ verify: () => 'invalid', parse }), call, context)).toEqual({ is: 'invalid' })
  expect(receive({} as Provider, call, context)).toEqual({ is: 'invalid' })
})

test('what cannot be read is said to be so', () => {
  const parse = () => {
    throw new Error('No.')
  }

  expect(receive(providerThat({ verify: () => 'valid', parse }), call, context)).toEqual({ is: 'unreadable' })
})

test('what is kept holds no card number, and nothing that the database cannot hold', () => {
  const event: ProviderEvent = {
    dedupeKey: 'evt\u0000_1',
    reference: '4242424242424242',
    providerReference: '\ud800',
    found: { is: 'declined', decline: { code: 'do_not_honor', message: 'Not 4242 4242 4242 4242.' } },
  }
  const parse = () => [event]

  expect(receive(providerThat({ verify: () => 'unsigned', parse }), call, context)).toEqual({
    is: 'received',
    verdict: 'unsigned',
    events: [
      {
        dedupeKey: 'evt_1',
        reference: '4242424242424242',
        providerReference: '\ufffd',
        found: { is: 'declined', decline: { code: 'do_not_honor', message: 'Not [struck out].' } },
      },
    ],
  })
})

test('amounts and times stay what they are', () => {
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

  const received = receive(providerThat({ verify: () => 'valid', parse: () => [event] }), call, context)
  expect(received).toEqual({ is: 'received', verdict: 'valid', events: [event] })
})
