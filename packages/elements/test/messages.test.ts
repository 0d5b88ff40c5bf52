// The messages between page and frame are validated exactly.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FrameMessage, type PageMessage, readFrameMessage, readPageMessage } from '../src/messages.ts'

const session = { id: 'checkout_session_test_01M7CYVSCBEAKS6M475NRJM4KW', client_secret: 'cs_abc-_1' }
const settings = { locale: 'pt-BR', appearance: { theme: 'dark', fontSize: 15 } } as const
const pageMessages: readonly PageMessage[] = [
  { type: 'init', version: 1, session, locale: null, appearance: {} },
  { type: 'init', version: 1, session, ...settings },
  { type: 'update', ...settings },
  { type: 'focus' },
  { type: 'submit', id: 1, return_url: 'https://shop.example.com/orders/1?a=b' },
  { type: 'unmount' },
]
const error = { code: 'declined', message: 'Use another card.', advice_code: 'other_method' } as const
const frameMessages: readonly FrameMessage[] = [
  { type: 'ready' },
  { type: 'resize', height: 412 },
  { type: 'change', status: 'form', complete: false, brand: 'visa' },
  { type: 'change', status: 'succeeded', complete: true, brand: null },
  { type: 'escape' },
  { type: 'challenge', url: 'https://pay.example.com/a/b' },
  { type: 'result', id: 3, status: 'succeeded', error: null },
  { type: 'result', id: 3, status: 'failed', error },
]

test.each(pageMessages)('the frame accepts $type', (message) => {
  expect(readPageMessage(message)).toEqual(message)
  expect(readFrameMessage(message)).toBeNull()
})

test.each(frameMessages)('the page accepts $type', (message) => {
  expect(readFrameMessage(message)).toEqual(message)
  expect(readPageMessage(message)).toBeNull()
})

test('a message with another member, a missing member or a changed value is ignored', () => {
  for (const message of [...pageMessages, ...frameMessages]) {
    const isAccepted = (data: unknown) => readPageMessage(data) !== null || readFrameMessage(data) !== null
    expect(isAccepted({ ...message, extra: 1 })).toBe(false)
    for (const name of Object.keys(message)) {
      const { [name as 'type']: _, ...rest } = message
      expect(isAccepted(rest), `${message.type} without ${name}`).toBe(false)
      for (const value of [undefined, [], {}, -1, 1.5, 'javascript:alert(1)', Number.NaN])
        if (name !== 'appearance' || JSON.stringify(value) !== '{}')
          expect(isAccepted({ ...message, [name]: value }), `${message.type} ${name} ${value}`).toBe(false)
    }
  }
})

test('arbitrary data is never a message', () => {
  const data = fc.oneof(fc.anything(), fc.object(), fc.record({ type: fc.string(), id: fc.anything() }))
  fc.assert(
    fc.property(data, (value) => {
      expect(readPageMessage(value)).toBeNull()
      expect(readFrameMessage(value)).toBeNull()
    }),
    { numRuns: 1_000 },
  )
})

test('a message cannot carry a card number in an unexpected place', () => {
  const number = '4242424242424242'
  expect(readFrameMessage({ type: 'change', status: 'form', complete: true, brand: number })).toBeNull()
  expect(readFrameMessage({ type: 'change', status: 'form', complete: true, brand: null, number })).toBeNull()
  expect(readFrameMessage({ type: 'resize', height: Number(number) })).toBeNull()
  expect(
    readFrameMessage({ type: 'result', id: 1, status: 'failed', error: { ...error, advice_code: number } }),
  ).toBeNull()
})
