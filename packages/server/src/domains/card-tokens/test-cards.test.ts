import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scenarioOfNumber, testCards } from '../../../../simulator/src/cards.ts'
import { isTestCard } from './test-cards.ts'

test.each([
  ['4242424242424242', 'always approved'],
  ['5555555555554444', 'always approved'],
  ['378282246310005', 'always approved'],
  ['4000000050040007', 'charges, then silence'],
  ['4000000000510000', 'declines with network code 51'],
  ['5200000000030004', 'declines with Mastercard advice 03'],
])('%s is taken: %s', (number) => {
  expect(isTestCard(number)).toBe(true)
})

test.each([
  ['4000000000000002', 'network code 00 is no decline'],
  ['4000000050040008', 'its last digit is wrong'],
  ['4000000070000000', 'there is no such scenario'],
  ['4000000050210003', 'there is no such scenario'],
  ['4111111111111111', 'another one that is published elsewhere'],
  ['5200828282828210', 'another one that is published elsewhere'],
  ['42424242424242424242', 'it only begins like one'],
])('%s is refused: %s', (number) => {
  expect(isTestCard(number)).toBe(false)
})

// The two packages have a list each and do not know each other; only this test compares them.
test('the simulator plays every card that is taken, and every card it plays is taken', () => {
  expect(testCards.length).toBeGreaterThan(60)
  expect(testCards.filter(({ number }) => !isTestCard(number))).toEqual([])

  const near = fc.oneof(
    fc.stringMatching(/^40000000[0356][0-9]{3}000[0-9]$/),
    fc.stringMatching(/^4000000000[0-9]{2}000[0-9]$/),
    fc.stringMatching(/^5200000000[0-9]{2}000[0-9]$/),
    fc.stringMatching(/^[3-6][0-9]{14,15}$/),
  )
  fc.assert(
    fc.property(near, (number) => {
      expect(isTestCard(number)).toBe(scenarioOfNumber(number) !== null)
    }),
    { numRuns: 3_000 },
  )
})
