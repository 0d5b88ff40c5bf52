// Tax rates and tax rules through the API, and the changes that the database prevents.

import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

test('a tax rate is created with a normalized percentage, renamed and archived', async () => {
  const { get, post, put } = await switchyard.newWorkspace()

  const { status, body: rate } = await post('/tax-rates', {
    name: 'Germany',
    percentage: '19.00',
    country: 'DE',
  })
  expect(status).toBe(201)
  expect(rate).toMatchObject({
    object: 'tax_rate',
    percentage: '19',
    category: 'S',
    active: true,
    country: 'DE',
  })
  expect(await get(`/tax-rates/${rate.id}`)).toMatchObject({ status: 200, body: rate })

  const { body: archived } = await put(`/tax-rates/${rate.id}`, { name: 'Germany 19%', active: false })
  expect(archived).toMatchObject({ name: 'Germany 19%', active: false, percentage: '19' })
  expect((await get('/tax-rates?active=true')).body.data).toEqual([])
  expect((await get('/tax-rates')).body.data).toEqual([archived])
})

test.each([
  ['/percentage', { percentage: '0' }],
  ['/percentage', { percentage: '101' }],
  ['/percentage', { percentage: '19', category: 'AE' }],
  ['/country', { percentage: '19', country: 'Germany' }],
])('an invalid value of %s is rejected', async (pointer, input) => {
  const { post } = await switchyard.newWorkspace()
  const { status, body } = await post('/tax-rates', { name: 'Invalid', ...input })

  expect(status).toBe(400)
  expect(body.errors).toMatchObject([{ pointer }])
})

test('the percentage of a rate cannot be changed, not even in the database', async () => {
  const { post, put } = await switchyard.newWorkspace()
  const { body: rate } = await post('/tax-rates', { name: 'Germany', percentage: '19' })

  expect((await put(`/tax-rates/${rate.id}`, { percentage: '16' })).status).toBe(400)
  const change = asOwner(switchyard.databaseUrl, (client) =>
    client.query("update tax_rates set percentage = '16' where percentage = '19'"),
  )
  await expect(change).rejects.toThrow('never change')
})

test('rules are inserted at a position, and deleting one closes the gap', async () => {
  const { get, post, delete: remove } = await switchyard.newWorkspace()
  const { body: rate } = await post('/tax-rates', { name: 'Germany', percentage: '19' })
  const add = async (input: object) =>
    (await post('/tax-rules', { tax_rate_id: rate.id, ...input })).body as { id: string; position: number }
  const countries = async () =>
    (await get('/tax-rules')).body.data.map((rule: { country: string; position: number }) => [
      rule.position,
      rule.country,
    ])
  const germany = await add({ country: 'DE' })
  await add({ country: 'FR', customer_type: 'consumer' })
  await add({ country: 'AT', position: 1, tax_code: 'books' })
  expect(await countries()).toEqual([
    [1, 'AT'],
    [2, 'DE'],
    [3, 'FR'],
  ])

  expect((await remove(`/tax-rules/${germany.id}`)).body).toMatchObject({ id: germany.id, deleted: true })
  expect(await countries()).toEqual([
    [1, 'AT'],
    [2, 'FR'],
  ])
  expect((await remove(`/tax-rules/${germany.id}`)).status).toBe(404)
})

test('a rate that a rule uses cannot be archived, and an archived rate cannot be used', async () => {
  const { post, put, delete: remove } = await switchyard.newWorkspace()
  const { body: rate } = await post('/tax-rates', { name: 'Germany', percentage: '19' })
  const { body: rule } = await post('/tax-rules', { tax_rate_id: rate.id })

  expect((await put(`/tax-rates/${rate.id}`, { active: false })).body.code).toBe('object_in_use')
  await remove(`/tax-rules/${rule.id}`)
  expect((await put(`/tax-rates/${rate.id}`, { active: false })).status).toBe(200)
  expect((await post('/tax-rules', { tax_rate_id: rate.id })).body.errors).toMatchObject([
    { pointer: '/tax_rate_id' },
  ])
})

test('the tax behavior of a price is fixed, and products and customers have their tax settings', async () => {
  const { post, put } = await switchyard.newWorkspace()
  const { body: product } = await post('/products', { name: 'Guide', tax_code: 'books' })
  expect(product.tax_code).toBe('books')
  const price = { product_id: product.id, currency: 'eur', unit_amount: 1190 }
  expect((await post('/prices', price)).body.tax_behavior).toBe('exclusive')
  const { body: inclusive } = await post('/prices', { ...price, tax_behavior: 'inclusive' })
  expect(inclusive.tax_behavior).toBe('inclusive')
  expect((await put(`/prices/${inclusive.id}`, { tax_behavior: 'exclusive' })).status).toBe(400)
  const change = asOwner(switchyard.databaseUrl, (client) =>
    client.query("update prices set tax_behavior = 'exclusive' where tax_behavior = 'inclusive'"),
  )
  await expect(change).rejects.toThrow('never changes')

  const { body: customer } = await post('/customers', { tax_exempt: true })
  expect(customer.tax_exempt).toBe(true)
  expect((await put('/seller', { tax: 'rates' })).body.tax).toBe('rates')
})

test('only admins change rates and rules, and the audit log records it', async () => {
  const workspace = await switchyard.newWorkspace()
  const token = await workspace.tokenFor('DEVELOPER')
  const input = { name: 'Germany', percentage: '19' }

  expect((await workspace.post('/tax-rates', input, { token })).status).toBe(403)
  const { body: rate } = await workspace.post('/tax-rates', input)
  await workspace.post('/tax-rules', { tax_rate_id: rate.id, country: 'DE' })

  const { body } = await workspace.get('/audit-entries?act=tax_rule.created')
  expect(body.data).toMatchObject([{ details: { country: 'DE', tax_rate_id: rate.id, position: 1 } }])
})

test('a preview names the rule that applies to a customer, or why there is no tax', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, put } = workspace
  const { body: rate } = await post('/tax-rates', { name: 'Germany', percentage: '19' })
  const { body: rule } = await post('/tax-rules', { tax_rate_id: rate.id, country: 'DE' })
  const preview = async (customer: object, members: object = {}) =>
    (await post('/tax-rules/preview', { customer_id: await workspace.aCustomer(customer), ...members })).body
  expect(await preview({})).toMatchObject({ reason: 'tax_off', percentage: null })

  await put('/seller', {
    address: { country: 'DE' },
    tax_ids: [{ type: 'eu_vat', value: 'DE136695976' }],
    tax: 'rates',
  })
  expect(await preview({})).toEqual({
    object: 'tax_preview',
    reason: 'rule',
    tax_rule_id: rule.id,
    tax_rate_id: rate.id,
    percentage: '19',
    category: 'S',
    country: 'DE',
    customer_type: 'consumer',
  })
  expect(await preview({ address: { country: 'FR' } })).toMatchObject({ reason: 'no_rule', country: 'FR' })
  expect(await preview({ tax_ids: [{ type: 'eu_vat', value: 'FR40303265045' }] })).toMatchObject({
    reason: 'reverse_charge',
    category: 'AE',
    customer_type: 'business',
    country: 'FR',
  })
  expect(await preview({ tax_exempt: true })).toMatchObject({ reason: 'customer_exempt', category: 'E' })
  await put('/seller', { vat_scheme: 'small_business' })
  expect(await preview({})).toMatchObject({ reason: 'small_business', percentage: null })
})

test('a preview for an unknown customer is rejected', async () => {
  const { post } = await switchyard.newWorkspace()
  const { status, body } = await post('/tax-rules/preview', { customer_id: 'customer_test_unknown' })

  expect(status).toBe(422)
  expect(body).toMatchObject({ code: 'reference_not_found', errors: [{ pointer: '/customer_id' }] })
})
