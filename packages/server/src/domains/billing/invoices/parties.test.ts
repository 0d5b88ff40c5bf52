// A finalized invoice keeps a copy of the seller and the customer. In live mode it needs the legal fields of both.

import { expect, test } from 'vitest'
import { createDraftInvoice } from '../../../../test/support/invoices.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { textOfPdf } from '../../../../test/support/pdf-text.ts'
import { runAllDueWork } from '../../../../test/support/run-all-due-work.ts'
import { completeSeller } from '../../../../test/support/seller.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { eraseParties } from './work.ts'

const switchyard = await switchyardForThisFile()
const { deps, clock } = switchyard

const ada = {
  name: 'Ada Lovelace',
  locale: 'de',
  address: { line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'GB' },
  tax_ids: [{ type: 'gb_vat', value: 'GB123456789' }],
}

async function aDraft(workspace: Workspace, customer: object = ada): Promise<string> {
  const customerId = (await workspace.aCustomer(customer)) as Id<'customer'>
  const { id } = await createDraftInvoice(deps, workspace.workspaceId, { customerId, collect: 'never' })
  return id
}

async function pdfTextOf({ address, token }: Workspace, id: string): Promise<string> {
  const response = await fetch(`${address}/invoices/${id}/pdf`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return textOfPdf(new Uint8Array(await response.arrayBuffer()))
}

const inDatabase = (statement: string, id: string) =>
  asOwner(switchyard.databaseUrl, (client) => client.query(statement, [uuidOf(id as Id<'invoice'>)]))

test('an invoice shows the seller and the customer as they were at finalization, even if they change later', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.put('/seller', completeSeller)
  const id = await aDraft(workspace)
  expect((await workspace.get(`/invoices/${id}`)).body).toMatchObject({ parties: null, retain_until: null })

  const { body: finalized } = await workspace.post(`/invoices/${id}/finalize`)
  await workspace.put('/seller', { legal_name: 'Other AG' })
  await workspace.put(`/customers/${finalized.customer_id}`, { name: 'Augusta King' })

  const { body } = await workspace.get(`/invoices/${id}`)
  expect(body.parties).toMatchObject({ seller: completeSeller, customer: ada })
  expect(body).toMatchObject({ missing: [], retain_until: '2035-01-01T00:00:00.000Z' })
  expect(body.parties).toEqual(finalized.parties)
  const text = await pdfTextOf(workspace, id)
  expect(text).toContain('Example GmbH')
  expect(text).toContain('Ada Lovelace')
  const { body: events } = await workspace.get(`/events?object_id=${id}`)
  expect(JSON.stringify(events)).not.toContain('Lovelace')
})

test('in test mode missing fields are listed, and the invoice is finalized', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aDraft(workspace, { ...ada, name: null })

  const { status, body } = await workspace.post(`/invoices/${id}/finalize`)

  expect(status).toBe(200)
  expect(body).toMatchObject({ status: 'open', number: 'TEST-000001' })
  expect(body.missing).toContain('seller.legal_name')
  expect(body.missing).toContain('customer.name')
})

test('in live mode an invoice without legal fields stays a draft, is reported, and is finalized once they are complete', async () => {
  const workspace = await switchyard.newWorkspace('live')
  const id = await aDraft(workspace, { ...ada, address: null })
  await switchyard.settle()

  const { body: blocked } = await workspace.get(`/invoices/${id}`)
  expect(blocked).toMatchObject({ status: 'draft', number: null })
  expect(blocked.missing).toEqual([
    'seller.legal_name',
    'seller.address.line1',
    'seller.address.city',
    'seller.address.country',
    'customer.address.line1',
    'customer.address.city',
    'customer.address.country',
  ])
  expect((await workspace.get('/attention')).body.data).toMatchObject([
    { kind: 'invoices_blocked', severity: 'critical', object_id: id, title: '1 invoice cannot be finalized' },
  ])
  const refused = await workspace.post(`/invoices/${id}/finalize`)
  expect(refused).toMatchObject({ status: 409, body: { code: 'legal_fields_missing' } })
  expect(refused.body.detail).toContain('seller.legal_name')

  await workspace.put('/seller', completeSeller)
  clock.advance({ minutes: 15 })
  await switchyard.settle()
  const { body: other } = await workspace.get(`/invoices/${id}`)
  expect(other.missing).toEqual([
    'customer.address.line1',
    'customer.address.city',
    'customer.address.country',
  ])
  await workspace.put(`/customers/${blocked.customer_id}`, { address: ada.address })
  clock.advance({ minutes: 15 })
  await switchyard.settle()

  const { body: finalized } = await workspace.get(`/invoices/${id}`)
  expect(finalized).toMatchObject({ status: 'open', number: 'INV-000001', missing: [] })
  expect((await workspace.get('/attention')).body.data).toEqual([])
  const { body: events } = await workspace.get(`/events?object_id=${id}`)
  expect(events.data.map(({ type }: { type: string }) => type)).toEqual([
    'invoice.finalized',
    'invoice.updated',
    'invoice.updated',
    'invoice.created',
  ])
})

test('a consumer needs no address, and drafts of others do not wait for a blocked one', async () => {
  const workspace = await switchyard.newWorkspace('live')
  await workspace.put('/seller', completeSeller)
  const blocked = await aDraft(workspace, { ...ada, address: null })
  const consumer = await aDraft(workspace, { name: null })
  await switchyard.settle()

  expect((await workspace.get(`/invoices/${blocked}`)).body.status).toBe('draft')
  expect((await workspace.get(`/invoices/${consumer}`)).body).toMatchObject({ number: 'INV-000001' })
})

test('a live workspace that has issued invoices can issue more while its seller is incomplete', async () => {
  const workspace = await switchyard.newWorkspace('live')
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query('insert into sellers (workspace_id, required, updated_at) values ($1, false, now())', [
      uuidOf(workspace.workspaceId as Id<'workspace'>),
    ]),
  )
  const id = await aDraft(workspace)
  await switchyard.settle()
  expect((await workspace.get(`/invoices/${id}`)).body).toMatchObject({ status: 'open' })

  expect((await workspace.put('/seller', { legal_name: 'Example GmbH' })).body.required).toBe(false)
  expect((await workspace.put('/seller', completeSeller)).body.required).toBe(true)
})

test('an invoice keeps a deleted customer until the retention period has ended, and then erases them', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.put('/seller', completeSeller)
  const id = await aDraft(workspace)
  const { body: finalized } = await workspace.post(`/invoices/${id}/finalize`)
  await workspace.post(`/invoices/${id}/pay`, { out_of_band: true })

  expect((await workspace.delete(`/customers/${finalized.customer_id}`)).status).toBe(200)
  clock.advance({ days: 365 * 8 })
  await runAllDueWork(deps, [eraseParties])
  expect(await pdfTextOf(workspace, id)).toContain('Ada Lovelace')
  clock.advance({ days: 60 })
  await runAllDueWork(deps, [eraseParties])

  const { body } = await workspace.get(`/invoices/${id}`)
  expect(body.parties.customer).toMatchObject({ name: null, address: null, tax_ids: [] })
  expect(body.parties.seller.legal_name).toBe('Example GmbH')
  expect(await pdfTextOf(workspace, id)).not.toContain('Lovelace')
})

test('the database rejects a change of the parties of a final invoice, and an erasure before its time', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aDraft(workspace)
  await workspace.post(`/invoices/${id}/finalize`)

  await expect(
    inDatabase(
      `update invoices set parties = jsonb_set(parties, '{customer,name}', '"Eve"') where id = $1`,
      id,
    ),
  ).rejects.toThrow('cannot be changed')
  await expect(inDatabase('update invoices set retain_until = now() where id = $1', id)).rejects.toThrow(
    'cannot be changed',
  )
  await expect(
    inDatabase(
      `update invoices set parties = parties - 'customer', parties_erased_at = created_at where id = $1`,
      id,
    ),
  ).rejects.toThrow('erased_after_retention')
})
