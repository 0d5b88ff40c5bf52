// The seller of a workspace, as it is read and changed through the API.

import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

const address = { line1: 'Unter den Linden 1', postal_code: '10117', city: 'Berlin', country: 'DE' }
const taxIds = [{ type: 'eu_vat', value: 'DE123456789' }]

test('a new workspace lacks all legal fields, and fields that an update sends are no longer listed as missing', async () => {
  const { get, put } = await switchyard.newWorkspace()
  const { body: empty } = await get('/seller')
  expect(empty).toMatchObject({ object: 'seller', legal_name: null, time_zone: 'UTC', required: true })
  expect(empty.missing).toEqual(['legal_name', 'address.line1', 'address.city', 'address.country'])

  const { body: named } = await put('/seller', { legal_name: 'Example GmbH' })
  expect(named.missing).toEqual(['address.line1', 'address.city', 'address.country'])
  const { body: located } = await put('/seller', { address })
  expect(located.missing).toEqual(['tax_ids'])
  const { body: complete } = await put('/seller', { tax_ids: taxIds, time_zone: 'Europe/Berlin' })

  expect(complete.missing).toEqual([])
  expect(await get('/seller')).toMatchObject({ status: 200, body: complete })
  expect(complete).toMatchObject({ legal_name: 'Example GmbH', address: { ...address, line2: null } })
})

test.each([
  ['a small business in the EU', { address, vat_scheme: 'small_business' }],
  ['a company in the United States', { address: { ...address, country: 'US' } }],
])('%s needs no tax id', async (_, input) => {
  const { put } = await switchyard.newWorkspace()

  const { body } = await put('/seller', { legal_name: 'Example', ...input })

  expect(body.missing).toEqual([])
})

test('nested objects are replaced as a whole, and null clears them', async () => {
  const { put } = await switchyard.newWorkspace()
  const bank = { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', name: 'Example Bank' }
  await put('/seller', { bank, contact: { email: 'billing@example.com' }, footer: { de: 'Vielen Dank.' } })

  const { body } = await put('/seller', { bank: { iban: bank.iban }, contact: null, footer: {} })

  expect(body).toMatchObject({ bank: { iban: bank.iban, bic: null, name: null }, contact: null, footer: {} })
})

test.each([
  ['/time_zone', { time_zone: 'Berlin' }],
  ['/bank/iban', { bank: { iban: 'DE89 3704' } }],
  ['/address/country', { address: { country: 'Germany' } }],
  ['/footer/nl', { footer: { nl: 'Dank u wel.' } }],
  ['/vat_scheme', { vat_scheme: 'none' }],
])('an invalid value of %s is rejected', async (pointer, input) => {
  const { put } = await switchyard.newWorkspace()

  const { status, body } = await put('/seller', input)

  expect(status).toBe(400)
  expect(body.errors).toMatchObject([{ pointer }])
})

test('only admins change the seller, and the audit log records it', async () => {
  const workspace = await switchyard.newWorkspace()
  const developer = await workspace.tokenFor('DEVELOPER')

  expect((await workspace.put('/seller', { legal_name: 'Mallory' }, { token: developer })).status).toBe(403)
  await workspace.put('/seller', { legal_name: 'Example GmbH', address })

  const { body } = await workspace.get('/audit-entries?act=seller.updated')
  expect(body.data).toMatchObject([{ details: { legal_name: 'Example GmbH', country: 'DE' } }])
})
