import { expect, test } from 'vitest'
import { oldVersion, withOldVersion } from '../../../../test/support/old-version.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const switchyard = await switchyardForThisFile({ overrides: { versions: withOldVersion } })
type ListedEvent = { id: string; type: string; data: string }

test('GET /events/{event_id} returns the event with exactly the text that was serialized with the change', async () => {
  const { get, aCustomer } = await switchyard.newWorkspace()
  const id = await aCustomer({ name: 'Café “Zürich” 漢字 💳 </b> \\ "x"' })
  const { body: list } = await get(`/events?object_id=${id}`)

  const { status, body } = await get(`/events/${list.data[0].id}`)

  expect(status).toBe(200)
  const members = ['id', 'object', 'type', 'created_at', 'api_version', 'pending_deliveries', 'data']
  expect(Object.keys(body)).toEqual(members)
  expect(body).toMatchObject({ object: 'event', type: 'customer.created', api_version: '2026-11-14' })
  expect(body.id).toMatch(/^event_test_[0-9A-HJKMNP-TV-Z]{26}$/)
  const content = JSON.parse(body.data)
  expect(Object.keys(content)).toEqual(['id', 'type', 'created_at', 'mode', 'sequence', 'object', 'request'])
  expect(content).toMatchObject({
    id: body.id,
    type: body.type,
    created_at: body.created_at,
    mode: 'test',
    sequence: 1,
  })
  // Parsing and serializing the text again gives the same characters.
  expect(JSON.stringify(content)).toBe(body.data)
})

test.each([
  ['a small event is stored as it is', 10, null],
  ['an event below 2 KB is compressed', 600, 'pglz'],
  ['an event above 2 KB is compressed', 2_000, 'pglz'],
])('%s', async (_, length, method) => {
  const { get, aCustomer } = await switchyard.newWorkspace()
  const id = await aCustomer({ description: 'Ada Lovelace '.repeat(200).slice(0, length) })
  const { body } = await get(`/events?object_id=${id}`)

  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `select data, pg_column_compression(data) as method, pg_column_size(events.*) < 300 + octet_length(data)
         / case when padding is null then 1 else 2 end as is_small from events where object_id = $1`,
      [uuidOf(id as Id<'customer'>)],
    ),
  )
  expect(rows).toEqual([{ data: body.data[0].data, method, is_small: true }])
})

test('the id of an event in the live environment does not contain the mode', async () => {
  const { get, aCustomer } = await switchyard.newWorkspace('live')
  await aCustomer()

  const { body } = await get('/events')

  expect(body.data[0].id).toMatch(/^event_[0-9A-HJKMNP-TV-Z]{26}$/)
  expect(JSON.parse(body.data[0].data).mode).toBe('live')
})

test('events can be listed by type or by object, not by both', async () => {
  const { get, put, aCustomer } = await switchyard.newWorkspace()
  const [customer] = [await aCustomer(), await aCustomer()]
  await put(`/customers/${customer}`, { name: 'Ada' })

  const types = async (query: string) =>
    (await get(`/events?${query}`)).body.data.map((event: ListedEvent) => event.type)

  expect(await types('type=customer.updated')).toEqual(['customer.updated'])
  expect(await types(`object_id=${customer}`)).toEqual(['customer.updated', 'customer.created'])
  expect(await get(`/events?type=customer.updated&object_id=${customer}`)).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'not_together' }] },
  })
  expect(await get('/events?object_id=nonsense')).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/object_id' }] },
  })
})

test('event types are listed with their descriptions', async () => {
  const { get } = await switchyard.newWorkspace()

  const { body } = await get('/event-types')

  expect(body.data).toContainEqual({
    object: 'event_type',
    type: 'customer.created',
    about: 'A customer was created.',
  })
})

test('events use the API version of the workspace', async () => {
  const { get, put, aCustomer, eventsOf } = await switchyard.newWorkspace()
  await put('/workspace', { api_version: oldVersion })
  const id = await aCustomer({ full_name: 'Ada', name: undefined })

  const [event] = await eventsOf(id)

  expect(event.object).toMatchObject({ full_name: 'Ada' })
  expect(event.object).not.toHaveProperty('name')
  expect((await get(`/events?object_id=${id}`)).body.data[0].api_version).toBe(oldVersion)
})
