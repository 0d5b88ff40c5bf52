import { expect, test } from 'vitest'
import { comparableRequest, toDisplayCard, toRawCard } from './card-input.ts'

const card = { number: '4539 5787-6362 1486', exp_month: 12, exp_year: 2030, cvc: '7359', name: 'Ada' }

test('the request that is hashed for an idempotency key contains no CVC, and only the permitted digits of the number', () => {
  const hashed = comparableRequest({ type: 'card', card } as { card: typeof card })

  expect(hashed).toEqual({
    type: 'card',
    card: { exp_month: 12, exp_year: 2030, name: 'Ada', bin: '453957', last4: '1486' },
  })
})

test('a request without a card number is compared as a whole', () => {
  const body = { type: 'provider_token', provider_token: { token: 'tok_1' } }

  expect(comparableRequest(body as object)).toBe(body)
})

test('the displayed card contains at most the first six and the last four digits of its number', () => {
  const displayed = toDisplayCard(toRawCard(card))

  expect(displayed).toEqual({
    brand: 'visa',
    last4: '1486',
    exp_month: 12,
    exp_year: 2030,
    funding: null,
    country: null,
    issuer: null,
    bin: '453957',
  })
})
