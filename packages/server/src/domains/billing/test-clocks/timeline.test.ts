import { expect, test } from 'vitest'
import { entryOf } from './timeline.ts'

const at = '2027-04-15T00:00:00.000Z'

function sentenceFor(object: object, about = 'An object changed. More about the event.'): string {
  const data = JSON.stringify({ object: { id: 'x', ...object }, test_clock: { now_at: at } })
  return entryOf({ id: 'event', type: 'object.changed', data }, () => about).sentence
}

test.each([
  ['no details', {}, 'An object changed.'],
  [
    'a number and an amount',
    { number: 'TEST-000001', total: 2999, currency: 'usd' },
    'An object changed (TEST-000001, $29.99).',
  ],
  ['a negative amount', { total: -500, currency: 'jpy' }, 'An object changed (-¥500).'],
  ['a decline', { decline_code: 'insufficient_funds' }, 'An object changed (insufficient funds).'],
  [
    'a next attempt',
    { next_attempt_at: '2027-04-16T09:18:53.000Z' },
    'An object changed (next attempt at 2027-04-16 09:18).',
  ],
  ['a summary', { summary: '$29.99 charged.', amount: 1 }, '$29.99 charged.'],
])('the timeline describes an event of an object with %s', (_, object, sentence) => {
  expect(sentenceFor(object)).toBe(sentence)
})
