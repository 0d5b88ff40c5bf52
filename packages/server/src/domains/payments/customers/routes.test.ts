import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

test('a customer is created with the members that were sent, and a read returns the same object', async () => {
  const { post, get } = await switchyard.newWorkspace()
  const sent = {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    phone: '+442071234567',
    locale: 'en-GB',
    description: 'Met at the “Zürich” fair 漢字 💳',
    address: { line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'GB' },
    tax_ids: [{ type: 'gb_vat', value: 'GB123456789' }],
    metadata: { order: '4711' },
  }

  const created = await post('/customers', sent)

  expect(created.status).toBe(201)
  expect(created.headers.get('etag')).toBe('"1"')
  expect(created.body).toEqual({
    ...sent,
    email_status: null,
    tax_exempt: false,
    electronic_address: null,
    buyer_reference: null,
    test_clock_id: null,
    id: expect.stringMatching(/^customer_test_[0-9A-HJKMNP-TV-Z]{26}$/),
    object: 'customer',
    address: { ...sent.address, line2: null, state: null },
    created_at: '2026-11-14T12:00:00.000Z',
    updated_at: '2026-11-14T12:00:00.000Z',
  })
  expect((await get(`/customers/${created.body.id}`)).body).toEqual(created.body)
  expect((await get(`/customers/${created.body.id.toLowerCase()}/`)).body).toEqual(created.body)
})

test('an update keeps omitted members, clears members sent as null, and merges metadata by key', async () => {
  const { post, put } = await switchyard.newWorkspace()
  const { body: customer } = await post('/customers', {
    name: 'Ada',
    phone: '+442071234567',
    metadata: { a: '1', b: '2' },
  })

  const changed = await put(`/customers/${customer.id}`, { phone: null, metadata: { b: null, c: '3' } })

  expect(changed).toMatchObject({
    status: 200,
    body: { name: 'Ada', phone: null, metadata: { a: '1', c: '3' } },
  })
  expect(changed.headers.get('etag')).toBe('"2"')
})

test('each change emits one event with the next sequence, and an update without a change emits none', async () => {
  const { post, put, delete: remove, eventsOf } = await switchyard.newWorkspace()
  const { body: customer } = await post('/customers', { name: 'Ada' })
  await put(`/customers/${customer.id}`, { name: 'Ada Lovelace' })
  await put(`/customers/${customer.id}`, { name: 'Ada Lovelace' })
  await remove(`/customers/${customer.id}`)

  const events = await eventsOf(customer.id)

  expect(events).toMatchObject([
    { type: 'customer.created', sequence: 1, object: { name: 'Ada' } },
    { type: 'customer.updated', sequence: 2, object: { name: 'Ada Lovelace' }, previous: { name: 'Ada' } },
    { type: 'customer.deleted', sequence: 3, object: { name: null } },
  ])
  expect(events[0]).not.toHaveProperty('previous')
  expect(JSON.stringify(events[2])).not.toContain('Lovelace')
  expect(events[0].request).toEqual({ id: expect.stringMatching(/^request_test_/), idempotency_key: null })
})

test('a deleted customer is gone from reads and lists, and deleting it again returns the same response', async () => {
  const { get, put, delete: remove, aCustomer } = await switchyard.newWorkspace()
  const id = await aCustomer()

  const first = await remove(`/customers/${id}`)
  const second = await remove(`/customers/${id}`)

  expect(first).toMatchObject({ status: 200, body: { id, object: 'customer', deleted: true } })
  expect(second.body).toEqual(first.body)
  expect(await get(`/customers/${id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await put(`/customers/${id}`, { name: 'x' })).toMatchObject({ status: 404 })
  expect((await get('/customers')).body.data).toEqual([])
})

test('an update with equal values changes nothing, whatever the order of members', async () => {
  const { post, put, eventsOf } = await switchyard.newWorkspace()
  const address = { line1: 'Square 1', city: 'London', country: 'GB' }
  const { body: customer } = await post('/customers', { address, tax_ids: [{ type: 'gb_vat', value: '1' }] })

  const same = await put(`/customers/${customer.id}`, {
    address: { country: 'GB', city: 'London', line1: 'Square 1' },
    tax_ids: [{ value: '1', type: 'gb_vat' }],
  })

  expect(same.headers.get('etag')).toBe('"1"')
  expect(await eventsOf(customer.id)).toHaveLength(1)
})

test('an update with If-Match succeeds only for the current version', async () => {
  const { put, aCustomer } = await switchyard.newWorkspace()
  const id = await aCustomer()

  const first = await put(`/customers/${id}`, { name: 'A' }, { headers: { 'if-match': '"1"' } })
  const stale = await put(`/customers/${id}`, { name: 'B' }, { headers: { 'if-match': '"1"' } })
  const wrong = await put(`/customers/${id}`, { name: 'B' }, { headers: { 'if-match': 'latest' } })

  expect(first.status).toBe(200)
  expect(stale).toMatchObject({ status: 412, body: { code: 'version_mismatch', retryable: false } })
  expect(wrong).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/headers/if-match', code: 'bad_format' }] },
  })
})

test('customers are found by e-mail address, ignoring case', async () => {
  const { get, aCustomer } = await switchyard.newWorkspace()
  const id = await aCustomer({ email: 'Ada@Example.com' })
  await aCustomer({ email: 'grace@example.com' })

  const list = await get('/customers?email=ada@example.COM')

  expect(list.body.data.map((customer: { id: string }) => customer.id)).toEqual([id])
})

test('an update that would merge metadata to more than 50 keys is rejected', async () => {
  const { post, put } = await switchyard.newWorkspace()
  const keys = (from: number, to: number) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`k${from + index}`, 'v']))
  const { body: customer } = await post('/customers', { metadata: keys(0, 30) })

  const refused = await put(`/customers/${customer.id}`, { metadata: keys(30, 60) })

  expect(refused).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/metadata', code: 'too_many' }] },
  })
})

test.each([
  [{ email: 'not an address' }, '/email', 'bad_format'],
  [{ phone: '020 7123' }, '/phone', 'bad_format'],
  [{ locale: 'english' }, '/locale', 'bad_format'],
  [{ name: '' }, '/name', 'too_short'],
  [{ name: 'x'.repeat(501) }, '/name', 'too_long'],
  [{ name: 1 }, '/name', 'wrong_type'],
  [{ nme: 'Ada' }, '/nme', 'unknown_member'],
  [{ address: { country: 'gb' } }, '/address/country', 'bad_format'],
  [{ address: { zip: '1' } }, '/address/zip', 'unknown_member'],
  [{ tax_ids: [{ type: 'eu_vat' }] }, '/tax_ids/0/value', 'required'],
  [{ metadata: { order: 4711 } }, '/metadata/order', 'wrong_type'],
  [{ metadata: { '1st': 'x' } }, '/metadata', 'bad_format'],
])('%j is rejected with an error at %s: %s', async (body, pointer, code) => {
  const { post } = await switchyard.newWorkspace()

  const refused = await post('/customers', body)

  expect(refused).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', errors: [{ pointer, code }] },
  })
})
