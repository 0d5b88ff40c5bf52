import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Capabilities, operationKinds } from '../../providers/contract.ts'
import { changeNarrowing, type Narrowing, narrowed } from './capabilities.ts'

const everything: Capabilities = {
  kinds: operationKinds,
  ...{ brands: 'all', currencies: 'all', countries: 'all', amount: null },
  ...{ manualCapture: true, multiCapture: true, partialRefund: true, threeDSecure: true, offSession: true },
}

test('nothing asked for leaves all', () => {
  expect(narrowed(everything, {})).toEqual(everything)
})

test('lists are what both have, limits what lies within both', () => {
  const all = { ...everything, currencies: ['eur', 'usd'], amount: { min: 100, max: 5_000 } }
  const wanted: Narrowing = {
    kinds: ['authorize', 'refund'],
    brands: ['visa', 'visa'],
    currencies: ['usd', 'jpy'],
    amount: { min: 1, max: 2_000 },
    off_session: false,
  }

  expect(narrowed(all, wanted)).toEqual({
    ...all,
    kinds: ['authorize', 'refund'],
    brands: ['visa'],
    currencies: ['usd'],
    amount: { min: 100, max: 2_000 },
    offSession: false,
  })
})

test('whoever asks for more does not get it', () => {
  const little: Capabilities = {
    ...everything,
    kinds: ['authorize'],
    currencies: ['eur'],
    amount: { min: 100, max: 200 },
    manualCapture: false,
  }
  const wanted: Narrowing = {
    kinds: ['authorize', 'refund'],
    currencies: ['eur', 'usd'],
    amount: { min: 0, max: 1_000_000 },
    manual_capture: true,
  }

  expect(narrowed(little, wanted)).toEqual(little)
})

const words = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'))
const wishes: fc.Arbitrary<Narrowing> = fc.record(
  { brands: words, currencies: words, countries: words, manual_capture: fc.boolean() },
  { requiredKeys: [] },
)

test('narrowing twice by the same is narrowing once', () => {
  fc.assert(
    fc.property(wishes, (wanted) => {
      const once = narrowed({ ...everything, currencies: ['a', 'b'] }, wanted)
      expect(narrowed(once, wanted)).toEqual(once)
    }),
  )
})

test('a wish that is not mentioned stays, null takes it back, and null for all takes back all', () => {
  const before: Narrowing = { currencies: ['eur'], off_session: false }

  expect(changeNarrowing(before, {})).toEqual(before)
  expect(changeNarrowing(before, { currencies: null, brands: ['visa'] })).toEqual({
    off_session: false,
    brands: ['visa'],
  })
  expect(changeNarrowing(before, null)).toEqual({})
})
