import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()
type ListedObject = { id: string; created_at: string }

async function withCustomers(count: number) {
  const workspace = await switchyard.newWorkspace()
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) ids.push(await workspace.aCustomer())
  const newestFirst = ids.toReversed()
  const page = async (query: string) => {
    const { body } = await workspace.get(`/customers?${query}`)
    return { ids: body.data.map((customer: ListedObject) => customer.id), more: body.has_more }
  }
  return { ...workspace, newestFirst, page }
}

test('a list returns the newest first, twenty at a time, and whether there are more', async () => {
  const { page, newestFirst, get } = await withCustomers(21)

  expect(await page('')).toEqual({ ids: newestFirst.slice(0, 20), more: true })
  expect(await page('limit=21')).toEqual({ ids: newestFirst, more: false })
  expect((await get('/customers?limit=1')).body).toMatchObject({ object: 'list', url: '/customers' })
})

test('paging to older and back to newer returns every object once', async () => {
  const { page, newestFirst } = await withCustomers(7)

  const first = await page('limit=3')
  const second = await page(`limit=3&starting_after=${first.ids.at(-1)}`)
  const third = await page(`limit=3&starting_after=${second.ids.at(-1)}`)
  expect([...first.ids, ...second.ids, ...third.ids]).toEqual(newestFirst)
  expect([first.more, second.more, third.more]).toEqual([true, true, false])

  expect(await page(`limit=3&ending_before=${third.ids[0]}`)).toEqual({ ids: second.ids, more: true })
  expect(await page(`limit=3&ending_before=${second.ids[0]}`)).toEqual({ ids: first.ids, more: false })
})

test('a deleted object still works as a cursor, and nothing older is skipped or repeated', async () => {
  const { page, newestFirst, delete: remove, aCustomer } = await withCustomers(5)
  const first = await page('limit=2')

  await remove(`/customers/${first.ids.at(-1)}`)
  await aCustomer()

  expect((await page(`starting_after=${first.ids.at(-1)}`)).ids).toEqual(newestFirst.slice(2))
})

test('a list can be filtered by creation time, including or excluding the instant itself', async () => {
  const { get, aCustomer, page } = await switchyard
    .newWorkspace()
    .then((workspace) => ({ ...workspace, page: (query: string) => workspace.get(`/events?${query}`) }))
  await aCustomer()
  const { body } = await get('/events')
  const [event] = body.data
  const at = encodeURIComponent(event.created_at)
  const count = async (query: string) => (await page(query)).body.data.length

  expect(await count(`created_at[gte]=${at}`)).toBe(1)
  expect(await count(`created_at[gt]=${at}`)).toBe(0)
  expect(await count(`created_at[lte]=${at}`)).toBe(1)
  expect(await count(`created_at[lt]=${at}`)).toBe(0)
  expect(await count(`created_at[gte]=${at}&created_at[lte]=${at}`)).toBe(1)
  expect(await count('created_at[gte]=1900-01-01T00:00:00Z')).toBe(1)
})

test.each([
  ['limit=0', '/limit', 'too_small'],
  ['limit=101', '/limit', 'too_large'],
  ['limit=ten', '/limit', 'wrong_type'],
  ['created_at[gte]=yesterday', '/created_at[gte]', 'bad_format'],
  ['creted_at[gte]=2026-11-14T12:00:00Z', '/creted_at[gte]', 'unknown_member'],
  ['offset=20', '/offset', 'unknown_member'],
  [
    'starting_after=customer_test_01M7CYVGQTEAKSNTBFR026MPQ1&ending_before=customer_test_01M7CYVGQTEAKSNTBFR026MPQ1',
    '/ending_before',
    'not_together',
  ],
])('%s is rejected at %s as %s', async (query, pointer, code) => {
  const { get } = await switchyard.newWorkspace()

  expect(await get(`/customers?${query}`)).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', errors: [{ pointer, code }] },
  })
})

test.each(['nonsense', 'event_test_01M7CYVGQTEAKSNTBFR026MPQ1', 'customer_01M7CYVGQTEAKSNTBFR026MPQ1'])(
  '%s is not a valid cursor',
  async (cursor) => {
    const { get } = await switchyard.newWorkspace()

    expect(await get(`/customers?starting_after=${cursor}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    })
  },
)
