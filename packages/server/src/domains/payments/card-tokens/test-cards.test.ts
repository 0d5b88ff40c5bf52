import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scenarioOfNumber, testCards } from '../../../../../simulator/src/cards.ts'
import { isTestCard } from './test-cards.ts'

test.each([
  ['4242424242424242', 'always approved'],
  ['5555555555554444', 'always approved'],
  ['378282246310005', 'always approved'],
  ['4000000050040007', 'charges, then does not respond'],
  ['4000000000510000', 'declines with network code 51'],
  ['5200000000030004', 'declines with Mastercard advice 03'],
])('%s is accepted: %s', (number) => {
  expect(isTestCard(number)).toBe(true)
})

test.each([
  ['4000000000000002', 'network code 00 is not a decline'],
  ['4000000050040008', 'its last digit is wrong'],
  ['4000000070000000', 'there is no such scenario'],
  ['4000000050210003', 'its last digit is wrong'],
  ['4111111111111111', 'a test card of another provider'],
  ['5200828282828210', 'a test card of another provider'],
  ['42424242424242424242', 'it only starts like a test card'],
])('%s is rejected: %s', (number) => {
  expect(isTestCard(number)).toBe(false)
})

// The two packages have separate lists; only this test compares them.
test('the simulator supports every accepted test card, and every card it supports is accepted', () => {
  expect(testCards.length).toBeGreaterThan(60)
  expect(testCards.filter(({ number }) => !isTestCard(number))).toEqual([])

  const similarNumbers = fc.oneof(
    fc.stringMatching(/^40000000[0356][0-9]{3}000[0-9]$/),
    fc.stringMatching(/^4000000000[0-9]{2}000[0-9]$/),
    fc.stringMatching(/^5200000000[0-9]{2}000[0-9]$/),
    fc.stringMatching(/^[3-6][0-9]{14,15}$/),
  )
  fc.assert(
    fc.property(similarNumbers, (number) => {
      expect(isTestCard(number)).toBe(scenarioOfNumber(number) !== null)
    }),
    { numRuns: 3_000 },
  )
})
