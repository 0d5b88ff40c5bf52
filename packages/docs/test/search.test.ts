// What the search finds, in the index that readers load.

import { expect, test } from 'vitest'
import { createFind } from '../src/client/find.ts'
import { assets } from './support/dist.ts'

const [index] = [...assets].filter(([name]) => /^search-.*\.json$/.test(name)).map(([, bytes]) => bytes)
const find = createFind(JSON.parse(String(index)))

test.each([
  ['conflict', '/docs/errors/conflict'],
  ['idempotency_key_reused', '/docs/errors/idempotency_key_reused'],
  ['Payment_Failed', '/docs/errors/payment_failed'],
  ['payment.created', '/docs/events/payment.created'],
  ['subscription.past_due', '/docs/events/subscription.past_due'],
])('the code %s comes first', (query, href) => {
  expect(find(query)[0]?.href).toBe(href)
})

test('the beginning of a code suffices', () => {
  expect(find('payment.unres')[0]?.href).toBe('/docs/events/payment.unresolved')
})

test.each([
  ['quickstart', '/docs/guides/quickstart'],
  ['idempotency', '/docs/guides/idempotency'],
  ['invoices', '/docs/guides/invoices'],
  ['backup', '/backup-and-restore'],
])('the word %s finds its guide first', (query, href) => {
  expect(find(query)[0]?.href).toContain(href)
})

test('a result leads to the heading whose passage has the words', () => {
  const hits = find('if-match etag')

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
])('what readers call %s leads to its guide', (query, href) => {
  expect(find(query)[0]?.href).toContain(href)
})

test('a word that is also a resource shows a guide among the first three', () => {
  const hits = find('refund').slice(0, 3)

  expect(hits.map(({ href }) => href)).toContainEqual(expect.stringContaining('/docs/guides/'))
})

test('a slip of the finger still finds', () => {
  expect(find('idempotancy').length).toBeGreaterThan(0)
})

test('what nobody wrote is not found, and no words find nothing', () => {
  expect(find('xylophone')).toEqual([])
  expect(find(' ')).toEqual([])
})
