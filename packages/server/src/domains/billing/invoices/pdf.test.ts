// The invoice PDF contains the data that the API returns.

import { expect, test } from 'vitest'
import { buildInvoiceLine, createDraftInvoice } from '../../../../test/support/invoices.ts'
import { textOfPdf } from '../../../../test/support/pdf-text.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import type { Id } from '../../../kernel/id.ts'

const switchyard = await switchyardForThisFile()

const month = { startAt: new Date('2026-11-14'), endAt: new Date('2026-12-14') }

async function pdfOf({ address, token }: Workspace, id: string) {
  const response = await fetch(`${address}/invoices/${id}/pdf`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, bytes, text: textOfPdf(bytes) }
}

async function anInvoice(workspace: Workspace, amounts: readonly number[], customer: object = {}) {
  const customerId = (await workspace.aCustomer(customer)) as Id<'customer'>
  const currency = 'eur'
  const lines = amounts.map((amount) => buildInvoiceLine(amount, { currency, ...month }))
  const options = { customerId, currency, lines, collect: 'never' } as const
  const { id } = await createDraftInvoice(switchyard.deps, workspace.workspaceId, options)
  await workspace.post(`/invoices/${id}/finalize`)
  return id
}

test('an invoice PDF contains number, customer, lines and totals', async () => {
  const workspace = await switchyard.newWorkspace()
  const address = { line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'GB' }
  const tax_ids = [{ type: 'gb_vat', value: 'GB123456789' }]
  const id = await anInvoice(workspace, [359_880, -2_025], { name: 'Ada Lovelace', address, tax_ids })

  const { status, headers, bytes, text } = await pdfOf(workspace, id)

  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/pdf')
  expect(headers.get('content-disposition')).toBe('inline; filename="TEST-000001.pdf"')
  expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-')
  for (const part of [
    'Invoice',
    'A workspace',
    'TEST-000001',
    '14 November 2026',
    'Ada Lovelace',
    'SW1Y 4JH London',
    '12 St James’s Square',
    'Tax number GB123456789',
    'EUR 3,578.55 due on 14 November 2026',
    'Subscription',
    '3,598.80',
    '3598.80, full period',
    'Unused time',
    '-20.25',
    '20.25, unused time',
    'Subtotal',
    'Total',
    'Amount due',
    'EUR 3,578.55',
    'Page 1 of 1',
  ])
    expect(text).toContain(part)
})

test('rendering an invoice again gives an identical file', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anInvoice(workspace, [2999])

  const [first, second] = [await pdfOf(workspace, id), await pdfOf(workspace, id)]

  expect(Buffer.from(first.bytes).equals(Buffer.from(second.bytes))).toBe(true)
})

test.each([
  ['paid', 'EUR 29.99 paid on 14 November 2026'],
  ['void', 'Voided on 14 November 2026: nothing is due'],
])('the headline of a %s invoice shows its status', async (state, headline) => {
  const workspace = await switchyard.newWorkspace()
  const id = await anInvoice(workspace, [2999])

  if (state === 'paid') await workspace.post(`/invoices/${id}/pay`, { out_of_band: true })
  else await workspace.post(`/invoices/${id}/void`)

  expect((await pdfOf(workspace, id)).text).toContain(headline)
})

test('names in other scripts are rendered with glyphs, not boxes', async () => {
  const workspace = await switchyard.newWorkspace()
  const names = [
    'Ελένη Παπαδοπούλου',
    'Наталья Ковалёва',
    'Łukasz Żółć',
    'Żaneta Zoe',
    'Þórður Ægisson',
    '₹ ₽ ₺ ₩ ₫ ₦',
  ]
  for (const name of names) {
    const { text } = await pdfOf(workspace, await anInvoice(workspace, [2999], { name }))
    expect(text).toContain(name)
  }
})

test('many lines continue over several numbered pages', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anInvoice(workspace, Array(25).fill(2999))

  const { text } = await pdfOf(workspace, id)

  expect(text.match(/29\.99, full period/g)).toHaveLength(25)
  expect(text).toMatch(/Page 1 of (\d)[\s\S]*Page \1 of \1/)
})

test('the PDF of a draft for a deleted customer contains only their id', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = (await workspace.aCustomer({ name: 'Ada Lovelace' })) as Id<'customer'>
  const { id } = await createDraftInvoice(switchyard.deps, workspace.workspaceId, { customerId })

  const deleted = await workspace.delete(`/customers/${customerId}?subscriptions=cancel`)

  expect(deleted.status).toBe(200)
  const { text } = await pdfOf(workspace, id)
  expect(text).not.toContain('Lovelace')
  // The id is wrapped because it is too long for one line.
  expect(text.replaceAll(' ', '')).toContain(customerId)
})
