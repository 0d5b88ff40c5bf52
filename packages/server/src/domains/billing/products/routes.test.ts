import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
import { markPricesUsed, requirePrice } from './service.ts'

const switchyard = await switchyardForThisFile()

const aProduct = async ({ post }: Workspace, members: object = {}) =>
  (await post('/products/', { name: 'Team plan', ...members })).body
const monthly = { currency: 'eur', unit_amount: 2999, recurring: { interval: 'month' } }
async function aPrice(workspace: Workspace, members: object = {}) {
  const product_id = (await aProduct(workspace)).id
  return (await workspace.post('/prices/', { product_id, ...monthly, ...members })).body
}

/** Marks the price as used, as a new subscription does. */
const usePrice = (workspace: Workspace, idOrLookupKey: string) =>
  transact(switchyard.deps, systemCallerOf(workspace), async (tx) => {
    const price = await requirePrice(tx, idOrLookupKey)
    await markPricesUsed(tx, [price.id])
    return price
  })

function systemCallerOf({ workspaceId }: Workspace) {
  const id = workspaceId as Id<'workspace'>
  return systemCaller({ workspaceId: id, id })
}

test('a product and its prices in several currencies are returned as they were created', async () => {
  const workspace = await switchyard.newWorkspace()
  const sent = {
    name: 'Team plan',
    description: 'For teams “étoile” 漢字',
    unit_label: 'seat',
    features: ['Unlimited projects', 'Support'],
    metadata: { tier: '2' },
  }

  const product = await workspace.post('/products', sent)
  const euro = await workspace.post('/prices', { product_id: product.body.id, ...monthly })
  const yen = await workspace.post('/prices/', {
    product_id: product.body.id,
    currency: 'jpy',
    unit_amount_decimal: '4800.00',
    recurring: { interval: 'year', interval_count: 1 },
    nickname: 'Yearly, Japan',
  })

  expect(product).toMatchObject({ status: 201, body: { ...sent, object: 'product', active: true } })
  expect(product.headers.get('etag')).toBe('"1"')
  expect(euro.body).toEqual({
    id: expect.stringMatching(/^price_test_/),
    object: 'price',
    product_id: product.body.id,
    active: true,
    currency: 'eur',
    type: 'recurring',
    scheme: 'per_unit',
    tax_behavior: 'exclusive',
    tiers: null,
    package: null,
    minimum_amount: null,
    maximum_amount: null,
    meter_id: null,
    unit_amount: 2999,
    unit_amount_decimal: '2999',
    recurring: { interval: 'month', interval_count: 1 },
    lookup_key: null,
    nickname: null,
    metadata: {},
    created_at: '2026-11-14T12:00:00.000Z',
    updated_at: '2026-11-14T12:00:00.000Z',
  })
  expect(yen.body).toMatchObject({ unit_amount: 4800, unit_amount_decimal: '4800' })
  expect((await workspace.get(`/products/${product.body.id}/`)).body).toEqual(product.body)
  expect((await workspace.get(`/prices/${euro.body.id}`)).body).toEqual(euro.body)
  const list = await workspace.get(`/prices?product_id=${product.body.id}`)
  expect(list.body.data).toEqual([yen.body, euro.body])
})

test('a price may be a fraction of a minor unit, and then has no unit_amount', async () => {
  const workspace = await switchyard.newWorkspace()

  const price = await aPrice(workspace, { unit_amount: undefined, unit_amount_decimal: '0.400000000000' })

  expect(price).toMatchObject({ unit_amount: null, unit_amount_decimal: '0.4' })
})

test('a price without an interval is a one-time price', async () => {
  const price = await aPrice(await switchyard.newWorkspace(), { recurring: null })

  expect(price).toMatchObject({ type: 'one_time', recurring: null })
})

test('an update keeps omitted members and clears members that are null, and an update without changes emits no event', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await aProduct(workspace, { unit_label: 'seat', features: ['A'] })

  await workspace.put(`/products/${id}`, { description: 'New' })
  await workspace.put(`/products/${id}`, { description: 'New' })
  const changed = await workspace.put(`/products/${id}`, { unit_label: null, active: false })

  expect(changed.body).toMatchObject({ name: 'Team plan', description: 'New', unit_label: null })
  expect(changed.body).toMatchObject({ features: ['A'], active: false })
  expect(await workspace.eventsOf(id)).toMatchObject([
    { type: 'product.created', sequence: 1 },
    { type: 'product.updated', sequence: 2, previous: { description: null } },
    { type: 'product.updated', sequence: 3, previous: { unit_label: 'seat', active: true } },
  ])
})

test('products can be filtered by active', async () => {
  const workspace = await switchyard.newWorkspace()
  const old = await aProduct(workspace, { active: false })
  const current = await aProduct(workspace)
  const idsOf = async (query: string) =>
    (await workspace.get(`/products${query}`)).body.data.map(({ id }: { id: string }) => id)

  expect(await idsOf('')).toEqual([current.id, old.id])
  expect(await idsOf('?active=true')).toEqual([current.id])
  expect(await idsOf('?active=false')).toEqual([old.id])
})

test('the amount of a price cannot be changed, neither by a request nor in the database', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await aPrice(workspace)

  const response = await workspace.put(`/prices/${id}`, { unit_amount: 1 })
  const update = asOwner(switchyard.databaseUrl, (client) =>
    client.query('update prices set unit_amount_decimal = 1 where id = $1', [uuidOf(id)]),
  )

  expect(response).toMatchObject({ status: 400, body: { errors: [{ code: 'unknown_member' }] } })
  await expect(update).rejects.toThrow('its money and its interval never change')
})

test('a lookup key identifies one price, and moves to a new price only with transfer_lookup_key', async () => {
  const workspace = await switchyard.newWorkspace()
  const first = await aPrice(workspace, { lookup_key: 'team' })
  const request = { product_id: first.product_id, ...monthly, unit_amount: 3999, lookup_key: 'team' }

  const refused = await workspace.post('/prices', request)
  const second = await workspace.post('/prices', { ...request, transfer_lookup_key: true })

  expect(refused).toMatchObject({ status: 409, body: { code: 'lookup_key_taken', resource_id: first.id } })
  expect(second).toMatchObject({ status: 201, body: { lookup_key: 'team' } })
  expect((await workspace.get(`/prices/${first.id}`)).body.lookup_key).toBeNull()
  expect((await workspace.get('/prices?lookup_key=team')).body.data).toEqual([second.body])
  expect(await usePrice(workspace, 'lookup:team')).toMatchObject({ id: second.body.id })
  expect((await workspace.eventsOf(first.id)).map(({ type }: { type: string }) => type)).toEqual([
    'price.created',
    'price.updated',
  ])
})

test('of several concurrent requests to create a price with the same lookup key, exactly one succeeds', async () => {
  const workspace = await switchyard.newWorkspace()
  const { product_id } = await aPrice(workspace)
  const request = { product_id, ...monthly, lookup_key: 'contested' }

  const responses = await Promise.all(Array.from({ length: 8 }, () => workspace.post('/prices', request)))

  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)])
})

test('prices that swap their lookup keys concurrently never share a key', async () => {
  const workspace = await switchyard.newWorkspace()
  const [a, b] = [await aPrice(workspace, { lookup_key: 'a' }), await aPrice(workspace, { lookup_key: 'b' })]
  const transferKey = (id: string, lookup_key: string) =>
    workspace.put(`/prices/${id}`, { lookup_key, transfer_lookup_key: true })

  const responses = await Promise.all([transferKey(a.id, 'b'), transferKey(b.id, 'a')])

  for (const { status } of responses) expect(status).toBe(200)
  const keys = await Promise.all(
    [a, b].map(async ({ id }) => (await workspace.get(`/prices/${id}`)).body.lookup_key),
  )
  expect(new Set(keys.filter((key) => key !== null)).size).toBe(keys.filter((key) => key !== null).length)
})

test('a price that was used cannot be deleted; an unused price can be deleted, and then its product', async () => {
  const workspace = await switchyard.newWorkspace()
  const { delete: remove, get, eventsOf } = workspace
  const used = await aPrice(workspace)
  await usePrice(workspace, used.id)
  const unused = await aPrice(workspace, { lookup_key: 'old' })

  expect(await remove(`/prices/${used.id}`)).toMatchObject({ status: 409, body: { code: 'object_in_use' } })
  expect(await remove(`/products/${unused.product_id}`)).toMatchObject({ status: 409 })
  const first = await remove(`/prices/${unused.id}`)
  expect(first).toMatchObject({ status: 200, body: { id: unused.id, object: 'price', deleted: true } })
  expect((await remove(`/prices/${unused.id}`)).body).toEqual(first.body)
  expect(await get(`/prices/${unused.id}`)).toMatchObject({ status: 404 })
  expect((await get('/prices?lookup_key=old')).body.data).toEqual([])
  expect(await remove(`/products/${unused.product_id}`)).toMatchObject({ status: 200 })
  expect(await get(`/products/${unused.product_id}`)).toMatchObject({ status: 404 })
  expect((await eventsOf(unused.product_id)).at(-1)).toMatchObject({ type: 'product.deleted' })
})

test('a price that is deleted and first used concurrently is either used or deleted, never both', async () => {
  const workspace = await switchyard.newWorkspace()
  for (let round = 0; round < 10; round += 1) {
    const { id } = await aPrice(workspace)

    const [used, deleted] = await Promise.allSettled([
      usePrice(workspace, id),
      workspace.delete(`/prices/${id}`),
    ])

    const isUsed = used.status === 'fulfilled'
    const isDeleted = deleted.status === 'fulfilled' && deleted.value.status === 200
    expect(isUsed).toBe(!isDeleted)
  }
})

test('the default price of a product must be one of its active prices', async () => {
  const workspace = await switchyard.newWorkspace()
  const { put, delete: remove } = workspace
  const { id, product_id } = await aPrice(workspace, { lookup_key: 'team' })
  const other = await aPrice(workspace)
  const setDefaultPrice = (default_price_id: string | null) =>
    put(`/products/${product_id}`, { default_price_id })

  expect(await setDefaultPrice('lookup:team')).toMatchObject({ status: 200, body: { default_price_id: id } })
  expect(await remove(`/prices/${id}`)).toMatchObject({ status: 409, body: { code: 'object_in_use' } })
  expect(await setDefaultPrice(other.id)).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'not_together' }] },
  })
  expect(await setDefaultPrice('lookup:nobody')).toMatchObject({
    status: 422,
    body: { code: 'reference_not_found', errors: [{ pointer: '/default_price_id' }] },
  })
  await put(`/prices/${id}`, { active: false })
  expect(await setDefaultPrice(null)).toMatchObject({ status: 200, body: { default_price_id: null } })
  expect(await setDefaultPrice(id)).toMatchObject({
    status: 422,
    body: { code: 'price_inactive', resource_id: id },
  })
})

test('a price that is deleted concurrently does not become the default of its product', async () => {
  const workspace = await switchyard.newWorkspace()
  for (let round = 0; round < 8; round += 1) {
    const { id, product_id } = await aPrice(workspace)
    const [updated, deleted] = await Promise.all([
      workspace.put(`/products/${product_id}`, { default_price_id: id }),
      workspace.delete(`/prices/${id}`),
    ])
    expect([updated.status, deleted.status]).toBeOneOf([
      [200, 409],
      [422, 200],
    ])
  }
})

test('a request with If-Match is refused if the version has changed', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await aPrice(workspace)
  const ifMatchFirstVersion = { headers: { 'if-match': '"1"' } }

  expect(await workspace.put(`/prices/${id}`, { nickname: 'A' }, ifMatchFirstVersion)).toMatchObject({
    status: 200,
  })
  expect(await workspace.put(`/prices/${id}`, { nickname: 'B' }, ifMatchFirstVersion)).toMatchObject({
    status: 412,
  })
  expect(await workspace.delete(`/prices/${id}`, ifMatchFirstVersion)).toMatchObject({ status: 412 })
})

test.each([
  [{ unit_amount: undefined }, '/unit_amount', 'required'],
  [{ unit_amount_decimal: '1' }, '/unit_amount_decimal', 'not_together'],
  [{ unit_amount: undefined, unit_amount_decimal: '1.0000000000001' }, '/unit_amount_decimal', 'bad_format'],
  [{ unit_amount: undefined, unit_amount_decimal: '-1' }, '/unit_amount_decimal', 'bad_format'],
  [{ unit_amount: 29.99 }, '/unit_amount', 'wrong_type'],
  [{ currency: 'EUR' }, '/currency', 'not_in_list'],
  [{ recurring: { interval: 'month', interval_count: 37 } }, '/recurring/interval_count', 'too_large'],
  [{ recurring: { interval: 'year', interval_count: 4 } }, '/recurring/interval_count', 'too_large'],
  [{ recurring: { interval: 'day', interval_count: 0 } }, '/recurring/interval_count', 'too_small'],
  [{ lookup_key: 'two words' }, '/lookup_key', 'bad_format'],
  [{ scheme: 'tiered' }, '/scheme', 'not_in_list'],
])('a price with %j is refused with an error at %s and the code %s', async (members, pointer, code) => {
  const workspace = await switchyard.newWorkspace()

  const refused = await workspace.post('/prices', {
    product_id: (await aProduct(workspace)).id,
    ...monthly,
    ...members,
  })

  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } })
})

test('a price for a deleted product is rejected', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await aProduct(workspace)
  await workspace.delete(`/products/${id}`)

  expect(await workspace.post('/prices', { product_id: id, ...monthly })).toMatchObject({
    status: 422,
    body: { code: 'reference_not_found', errors: [{ pointer: '/product_id' }] },
  })
})
