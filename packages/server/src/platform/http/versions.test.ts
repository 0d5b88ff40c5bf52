import { expect, test } from 'vitest'
import { oldVersion, withOldVersion } from '../../../test/support/old-version.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { createVersions } from './versions.ts'

const switchyard = await switchyardForThisFile({ overrides: { versions: withOldVersion } })
const old = { headers: { 'switchyard-version': oldVersion } }

test('a request in an old version gets a response in that version', async () => {
  const { post, get, put } = await switchyard.newWorkspace()

  const created = await post('/customers', { full_name: 'Ada' }, old)

  expect(created.status).toBe(201)
  expect(created.headers.get('switchyard-version')).toBe(oldVersion)
  expect(created.body).toMatchObject({ full_name: 'Ada' })
  expect(created.body).not.toHaveProperty('name')
  expect((await get(`/customers/${created.body.id}`)).body).toMatchObject({ name: 'Ada' })
  expect((await get('/customers', old)).body.data[0]).toMatchObject({ full_name: 'Ada' })
  expect((await put(`/customers/${created.body.id}`, { full_name: null }, old)).body).toMatchObject({
    full_name: null,
  })
})

test('an old response differs from the newest only in the changed members', async () => {
  const { post } = await switchyard.newWorkspace()

  const { body } = await post('/customers', { full_name: 'Ada', email: 'ada@example.com' }, old)

  expect(body).toEqual({
    id: body.id,
    object: 'customer',
    full_name: 'Ada',
    email: 'ada@example.com',
    email_status: null,
    phone: null,
    description: null,
    locale: null,
    address: null,
    tax_ids: [],
    tax_exempt: false,
    electronic_address: null,
    buyer_reference: null,
    metadata: {},
    test_clock_id: null,
    created_at: '2026-11-14T12:00:00.000Z',
    updated_at: '2026-11-14T12:00:00.000Z',
  })
})

test('errors of an old request use its own member names', async () => {
  const { post } = await switchyard.newWorkspace()

  expect(await post('/customers', { full_name: '' }, old)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/full_name', code: 'too_short' }] },
  })
  expect(await post('/customers', { name: 'Ada' }, old)).toMatchObject({
    status: 400,
    body: {
      errors: [
        {
          pointer: '/name',
          code: 'unknown_member',
          detail: 'is not a known member in this version: did you mean `full_name`?',
        },
      ],
    },
  })
})

test('a workspace gets responses in the version it is pinned to', async () => {
  const { get, put, aCustomer } = await switchyard.newWorkspace()
  const id = await aCustomer({ name: 'Ada' })

  expect((await put('/workspace', { api_version: oldVersion })).body).toMatchObject({
    api_version: oldVersion,
  })

  expect((await get(`/customers/${id}`)).body).toMatchObject({ full_name: 'Ada' })
  const newest = { headers: { 'switchyard-version': '2026-11-14' } }
  expect((await get(`/customers/${id}`, newest)).body).toMatchObject({ name: 'Ada' })
})

test('an unknown version is rejected, and the known ones are listed', async () => {
  const { get, put } = await switchyard.newWorkspace()

  const rejected = await get('/customers', { headers: { 'switchyard-version': '2031-01-01' } })

  expect(rejected).toMatchObject({ status: 400, body: { code: 'unknown_version' } })
  expect(rejected.body.detail).toContain('2026-10-01, 2026-11-14')
  expect(await put('/workspace', { api_version: 'latest' })).toMatchObject({
    status: 400,
    body: { code: 'unknown_version' },
  })
})

test('changes are applied in order to requests and in reverse to responses', () => {
  const rename = (version: string, from: string, to: string) => ({
    version,
    about: '',
    concerns: ['things.*'],
    request: (object: object) => swap(object, from, to),
    response: (object: object) => swap(object, to, from),
  })
  const swap = (object: object, from: string, to: string) =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name === from ? to : name, value]))
  const versions = createVersions('2025-01-01', [
    rename('2025-06-01', 'a', 'b'),
    rename('2026-01-01', 'b', 'c'),
  ])

  expect(versions.up('2025-01-01', 'things.create', { a: 1 })).toEqual({ c: 1 })
  expect(versions.up('2025-06-01', 'things.create', { b: 1 })).toEqual({ c: 1 })
  expect(versions.down('2025-01-01', 'things.get', { c: 1 })).toEqual({ a: 1 })
  expect(versions.down('2025-01-01', 'things.list', { object: 'list', data: [{ c: 1 }] })).toEqual({
    object: 'list',
    data: [{ a: 1 }],
  })
  expect(versions.down('2025-01-01', 'others.get', { c: 1 })).toEqual({ c: 1 })
  expect(versions.down('2026-01-01', 'things.get', { c: 1 })).toEqual({ c: 1 })
  expect(() => createVersions('2025-01-01', [rename('2024-01-01', 'a', 'b')])).toThrow('order')
})
