// Search results in the generated index.

import { expect, test } from 'vitest'
import { createSearch } from '../src/client/find.ts'
import { assets } from './support/dist.ts'

const [index] = [...assets].filter(([name]) => /^search-.*\.json$/.test(name)).map(([, bytes]) => bytes)
const search = createSearch(JSON.parse(String(index)))

test.each([
  ['conflict', '/docs/errors/conflict'],
  ['idempotency_key_reused', '/docs/errors/idempotency_key_reused'],
  ['Payment_Failed', '/docs/errors/payment_failed'],
  ['payment.created', '/docs/events/payment.created'],
  ['subscription.past_due', '/docs/events/subscription.past_due'],
])('a search for the code %s finds its page first', (query, href) => {
  expect(search(query)[0]?.href).toBe(href)
})

test('a search for the beginning of a code finds its page first', () => {
  expect(search('payment.unres')[0]?.href).toBe('/docs/events/payment.unresolved')
})

test.each([
  ['quickstart', '/docs/guides/quickstart'],
  ['idempotency', '/docs/guides/idempotency'],
  ['invoices', '/docs/guides/invoices'],
  ['backup', '/backup-and-restore'],
  ['stripe', '/docs/providers/stripe'],
])('the word %s finds its guide first', (query, href) => {
  expect(search(query)[0]?.href).toContain(href)
})

test('a result links to the heading of the passage with the words', () => {
  const hits = search('if-match etag')

  expect(hits[0]).toMatchObject({
    section: 'Build',
    title: 'Objects and ids',
    heading: 'Change only what you have seen',
    href: '/docs/guides/objects#change-only-what-you-have-seen',
  })
})

test.each([
  ['webhook signature', '/docs/guides/receive-webhooks'],
  ['test card', '/docs/guides/test-cards-and-faults'],
  ['getting started', '/docs/guides/quickstart'],
  ['API key', '/docs/guides/tokens-and-roles'],
  ['authentication', '/docs/guides/tokens-and-roles'],
  ['3ds', '/docs/guides/test-cards-and-faults'],
])('the synonym %s finds its guide first', (query, href) => {
  expect(search(query)[0]?.href).toContain(href)
})

test('a word that is also a resource finds a guide among the first three results', () => {
  const hits = search('refund').slice(0, 3)

  expect(hits.map(({ href }) => href)).toContainEqual(expect.stringContaining('/docs/guides/'))
})

test('the tables of a connector are not searched', () => {
  expect(search('INSTRUMENT_DECLINED')).toEqual([])
})

test('a typo still finds results', () => {
  expect(search('idempotancy').length).toBeGreaterThan(0)
})

test('unknown words and an empty query have no results', () => {
  expect(search('xylophone')).toEqual([])
  expect(search(' ')).toEqual([])
})
