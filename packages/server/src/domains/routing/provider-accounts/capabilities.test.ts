import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allCapabilities } from '../../../../test/support/arbitrary-routes.ts'
import type { Capabilities } from '../../../providers/contract.ts'
import { changeNarrowing, type Narrowing, narrowCapabilities } from './capabilities.ts'

test('without restrictions all capabilities remain', () => {
  expect(narrowCapabilities(allCapabilities, {})).toEqual(allCapabilities)
})

test('lists are intersected, and the stricter amount limits apply', () => {
  const providerCapabilities = {
    ...allCapabilities,
    currencies: ['eur', 'usd'],
    amount: { min: 100, max: 5_000 },
  }
  const narrowing: Narrowing = {
    kinds: ['authorize', 'refund'],
    brands: ['visa', 'visa'],
    currencies: ['usd', 'jpy'],
    amount: { min: 1, max: 2_000 },
    off_session: false,
  }

  expect(narrowCapabilities(providerCapabilities, narrowing)).toEqual({
    ...providerCapabilities,
    kinds: ['authorize', 'refund'],
    brands: ['visa'],
    currencies: ['usd'],
    amount: { min: 100, max: 2_000 },
    offSession: false,
  })
})

test('a restriction cannot add capabilities', () => {
  const limited: Capabilities = {
    ...allCapabilities,
    kinds: ['authorize'],
    currencies: ['eur'],
    amount: { min: 100, max: 200 },
    manualCapture: false,
  }
  const narrowing: Narrowing = {
    kinds: ['authorize', 'refund'],
    currencies: ['eur', 'usd'],
    amount: { min: 0, max: 1_000_000 },
    manual_capture: true,
  }

  expect(narrowCapabilities(limited, narrowing)).toEqual(limited)
})

const someValues = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'))
const anyNarrowing: fc.Arbitrary<Narrowing> = fc.record(
  { brands: someValues, currencies: someValues, countries: someValues, manual_capture: fc.boolean() },
  { requiredKeys: [] },
)

test('narrowing is idempotent', () => {
  fc.assert(
    fc.property(anyNarrowing, (narrowing) => {
      const once = narrowCapabilities({ ...allCapabilities, currencies: ['a', 'b'] }, narrowing)
      expect(narrowCapabilities(once, narrowing)).toEqual(once)
    }),
  )
})

test('omitted restrictions stay, a null member removes one, and null instead of the object removes all', () => {
  const before: Narrowing = { currencies: ['eur'], off_session: false }

  expect(changeNarrowing(before, {})).toEqual(before)
  expect(changeNarrowing(before, { currencies: null, brands: ['visa'] })).toEqual({
    off_session: false,
    brands: ['visa'],
  })
  expect(changeNarrowing(before, null)).toEqual({})
})
