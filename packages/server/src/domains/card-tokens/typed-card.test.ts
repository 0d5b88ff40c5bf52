import { expect, test } from 'vitest'
import { comparable, rawCardOf, shownCardOf } from './typed-card.ts'

const card = { number: '4539 5787-6362 1486', exp_month: 12, exp_year: 2030, cvc: '7359', name: 'Ada' }

test('what is hashed for a key holds no code, and of the number what may be shown', () => {
  const hashed = comparable({ type: 'card', card } as { card: typeof card })

  expect(hashed).toEqual({
    type: 'card',
    card: { exp_month: 12, exp_year: 2030, name: 'Ada', bin: '453957', last4: '1486' },
  })
})

test('a request without a number is compared as a whole', () => {
  const body = { type: 'provider_token', provider_token: { token: 'tok_1' } }

  expect(comparable(body as object)).toBe(body)
})

test('what is shown of a card holds at most six and four digits of its number', () => {
  const shown = shownCardOf(rawCardOf(card))

  expect(shown).toEqual({
    ...{ brand: 'visa', last4: '1486', exp_month: 12, exp_year: 2030 },
    ...{ funding: null, country: null, bin: '453957' },
  })
})
