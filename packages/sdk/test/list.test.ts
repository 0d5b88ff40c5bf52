import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import { Switchyard } from '../src/index.ts'

const switchyard = await switchyardForThisFile()

/** A workspace with customers, and their ids, oldest first. */
async function withCustomers(count: number) {
  const { address: baseUrl, token } = await switchyard.newWorkspace()
  const urls: string[] = []
  const sy = new Switchyard({ token, baseUrl, onRequest: ({ url }) => urls.push(url) })
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) ids.push((await sy.customers.create({})).id)
  urls.length = 0
  return { sy, ids, urls }
}

test('iterating over 250 customers neither repeats nor skips one while others are deleted', async () => {
  const { sy, ids } = await withCustomers(250)
  const listed: string[] = []
  const deletedAhead = new Set<string>()

  for await (const { id } of sy.customers.list({ limit: 40 })) {
    listed.push(id)
    if (listed.length % 40 !== 0) continue
    // At the end of a page: the cursor itself, an entry that was already returned, and one that is still to
    // come.
    const upcoming = ids[ids.indexOf(id) - 10]
    for (const deleted of [id, listed.at(-3), upcoming])
      if (deleted !== undefined) await sy.customers.delete(deleted)
    if (upcoming !== undefined) deletedAhead.add(upcoming)
  }

  expect(deletedAhead.size).toBe(5)
  expect(listed).toEqual(ids.toReversed().filter((id) => !deletedAhead.has(id)))
})

test('iterating requests pages of the maximum size, and page() uses the limit of the query', async () => {
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

test('`all` returns at most `max` entries and requests no more than that', async () => {
  const { sy, ids, urls } = await withCustomers(5)

  const firstThree = await sy.customers.list().all({ max: 3 })
  const all = await sy.customers.list({ limit: 2 }).all({ max: 100 })

  expect(firstThree.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 3))
  expect(all.map(({ id }) => id)).toEqual(ids.toReversed())
  expect(new URL(urls[0] ?? '').search).toBe('?limit=3')
})

test('with ending_before the iteration proceeds from the cursor to newer objects', async () => {
  const { sy, ids } = await withCustomers(7)
  const listed: string[] = []

  for await (const { id } of sy.customers.list({ ending_before: ids[1], limit: 2 })) listed.push(id)

  expect(listed).toEqual(ids.slice(2))
})

test('lists can be filtered by creation time', async () => {
  const { sy, ids } = await withCustomers(2)
  const hour = 3_600_000

  const recent = await sy.customers
    .list({ created_at: { gte: new Date(Date.now() - hour) } })
    .all({ max: 10 })
  const later = await sy.customers.list({ created_at: { gt: new Date(Date.now() + hour) } }).all({ max: 10 })

  expect(recent).toHaveLength(ids.length)
  expect(later).toEqual([])
})

test('an unpaginated list is iterated like any other', async () => {
  const { sy } = await withCustomers(0)

  const types = await sy.eventTypes.list().all({ max: 100 })

  expect(types.map(({ type }) => type)).toContain('customer.created')
})
