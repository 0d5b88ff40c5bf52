import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import { Switchyard } from '../src/index.ts'

const switchyard = await switchyardForThisFile()

/** A workspace with customers, and their ids, the oldest first. */
async function withCustomers(count: number) {
  const { address: baseUrl, token } = await switchyard.newWorkspace()
  const urls: string[] = []
  const sy = new Switchyard({ token, baseUrl, onRequest: ({ url }) => urls.push(url) })
  const ids: string[] = []
  for (let place = 0; place < count; place += 1) ids.push((await sy.customers.create({})).id)
  urls.length = 0
  return { sy, ids, urls }
}

test('walking over 250 customers neither repeats nor skips one while others are deleted', async () => {
  const { sy, ids } = await withCustomers(250)
  const seen: string[] = []
  const goneBefore = new Set<string>()

  for await (const { id } of sy.customers.list({ limit: 40 })) {
    seen.push(id)
    if (seen.length % 40 !== 0) continue
    // At the end of a page: the cursor itself, one that was seen, and one that lies ahead.
    const ahead = ids[ids.indexOf(id) - 10]
    for (const deleted of [id, seen.at(-3), ahead])
      if (deleted !== undefined) await sy.customers.delete(deleted)
    if (ahead !== undefined) goneBefore.add(ahead)
  }

  expect(goneBefore.size).toBe(5)
  expect(seen).toEqual(ids.toReversed().filter((id) => !goneBefore.has(id)))
})

test('walking asks for the longest pages, a page for what the query says', async () => {
  const { sy, urls } = await withCustomers(3)

  for await (const _ of sy.customers.list({ email: 'nobody@example.com' })) expect.unreachable()
  const page = await sy.customers.list({ limit: 2 }).page()

  expect(urls.map((url) => new URL(url).search)).toEqual([
    '?email=nobody%40example.com&limit=100',
    '?limit=2',
  ])
  expect(page).toMatchObject({ object: 'list', has_more: true, data: [{}, {}], url: '/customers' })
  expect(page.$response.status).toBe(200)
})

test('all stops at max, and asks for no more than that', async () => {
  const { sy, ids, urls } = await withCustomers(5)

  const three = await sy.customers.list().all({ max: 3 })
  const every = await sy.customers.list({ limit: 2 }).all({ max: 100 })

  expect(three.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 3))
  expect(every.map(({ id }) => id)).toEqual(ids.toReversed())
  expect(new URL(urls[0] ?? '').search).toBe('?limit=3')
})

test('with ending_before the walk goes from the cursor to newer ones', async () => {
  const { sy, ids } = await withCustomers(7)
  const seen: string[] = []

  for await (const { id } of sy.customers.list({ ending_before: ids[1], limit: 2 })) seen.push(id)

  expect(seen).toEqual(ids.slice(2))
})

test('times of creation are sent as bounds', async () => {
  const { sy, ids } = await withCustomers(2)
  const hour = 3_600_000

  const recent = await sy.customers
    .list({ created_at: { gte: new Date(Date.now() - hour) } })
    .all({ max: 10 })
  const later = await sy.customers.list({ created_at: { gt: new Date(Date.now() + hour) } }).all({ max: 10 })

  expect(recent).toHaveLength(ids.length)
  expect(later).toEqual([])
})

test('a list without pages is walked like any other', async () => {
  const { sy } = await withCustomers(0)

  const types = await sy.eventTypes.list().all({ max: 100 })

  expect(types.map(({ type }) => type)).toContain('customer.created')
})
