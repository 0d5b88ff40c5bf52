import { expect, test } from 'vitest'
import { entryOf } from './timeline.ts'

const at = '2027-04-15T00:00:00.000Z'

function sentenceFor(object: object, about = 'It happened. More of it.'): string {
  const data = JSON.stringify({ object: { id: 'x', ...object }, test_clock: { now_at: at } })
  return entryOf({ id: 'event', type: 'it.happened', data }, () => about).sentence
}

test.each([
  ['nothing', {}, 'It happened.'],
  [
    'a number and an amount',
    { number: 'TEST-000001', total: 2999, currency: 'usd' },
    'It happened (TEST-000001, USD 29.99).',
  ],
  ['an amount that goes back', { total: -500, currency: 'jpy' }, 'It happened (-JPY 500).'],
  ['a decline', { decline_code: 'insufficient_funds' }, 'It happened (insufficient funds).'],
  [
    'a next try',
    { next_attempt_at: '2027-04-16T09:18:53.000Z' },
    'It happened (next try at 2027-04-16 09:18).',
  ],
  ['words of its own', { summary: 'USD 29.99 was taken.', amount: 1 }, 'USD 29.99 was taken.'],
])('an entry with %s says so', (_, object, sentence) => {
  expect(sentenceFor(object)).toBe(sentence)
})
