import { expect, test } from 'vitest'
import { addDuration, isDuration } from './duration.ts'

const start = new Date('2027-01-31T10:00:00.000Z')

test.each([
  ['P1M', '2027-02-28T10:00:00.000Z'],
  ['P13M', '2028-02-29T10:00:00.000Z'],
  ['P1Y', '2028-01-31T10:00:00.000Z'],
  ['P2W', '2027-02-14T10:00:00.000Z'],
  ['P1DT12H', '2027-02-01T22:00:00.000Z'],
  ['PT90S', '2027-01-31T10:01:30.000Z'],
  ['P1Y2M3W4DT5H6M7S', '2028-04-25T15:06:07.000Z'],
])('%s after January 31 is %s', (text, expected) => {
  expect(addDuration(start, text).toISOString()).toBe(expected)
})

test.each(['P', 'PT', '1Y', 'P1S', 'P-1Y', 'P1.5D', 'p1y', 'P1Y2', ''])('"%s" is not a duration', (text) => {
  expect(isDuration(text)).toBe(false)
})
