// E-invoices through the API: XML of invoices and credit notes, what is refused, and the PDF that contains the XML.

import { Profile, validateXsd } from '@stackforge-eu/factur-x'
import { expect, test, vi } from 'vitest'
import { attachmentsOf } from '../../../../test/support/pdf-text.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

vi.setConfig({ testTimeout: 30_000 })

const switchyard = await switchyardForThisFile()

const seller = {
  legal_name: 'Example & Söhne GmbH',
  address: { line1: 'Unter den Linden 1', postal_code: '10117', city: 'Berlin', country: 'DE' },
  tax_ids: [{ type: 'eu_vat', value: 'DE136695976' }],
  bank: { iban: 'DE89370400440532013000' },
  contact: { email: 'billing@example.com', phone: '+49 30 1234567' },
  electronic_address: { scheme: '9930', value: 'DE136695976' },
  tax: 'rates',
}
const customer = {
  name: 'Bundesamt',
  email: 'ada@example.com',
  address: { line1: 'Platz 1', postal_code: '53113', city: 'Bonn', country: 'DE' },
  electronic_address: { scheme: '0204', value: '04011000-12345-34' },
  buyer_reference: '04011000-12345-34',
}

/** A finalized invoice of 100.00 plus 19%. */
async function anInvoice(workspace: Workspace, members: object = {}) {
  const { post, put } = workspace
  await put('/seller', seller)
  const { body: rate } = await post('/tax-rates', { name: 'Germany', percentage: '19' })
  await post('/tax-rules', { tax_rate_id: rate.id })
  const { body: buyer } = await post('/customers', { ...customer, ...members })
  const { body: draft } = await post('/invoices', {
    customer_id: buyer.id,
    currency: 'eur',
    collection_method: 'send_invoice',
    lines: [{ description: 'Workshop <2 days>', unit_amount: 5000, quantity: 2 }],
  })
  return (await post(`/invoices/${draft.id}/finalize`)).body
}

async function download({ address, token }: Workspace, path: string) {
  const response = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, bytes, text: Buffer.from(bytes).toString() }
}

test('an invoice is written as CII that is valid against the schema, with the amounts of the invoice', async () => {
  const workspace = await switchyard.newWorkspace()
  const invoice = await anInvoice(workspace)

  const { status, headers, text } = await download(workspace, `/invoices/${invoice.id}/xml`)

  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/xml/)
  expect(headers.get('content-disposition')).toBe('inline; filename="TEST-000001.xml"')
  expect((await validateXsd(text, Profile.EN16931)).errors).toEqual([])
  for (const part of [
    '<ram:ID>urn:cen.eu:en16931:2017</ram:ID>',
    '<ram:Name>Workshop &lt;2 days&gt;</ram:Name>',
    '<ram:ChargeAmount>50.00</ram:ChargeAmount>',
    '<ram:BilledQuantity unitCode="C62">2</ram:BilledQuantity>',
    '<ram:IBANID>DE89370400440532013000</ram:IBANID>',
    '<ram:TaxBasisTotalAmount>100.00</ram:TaxBasisTotalAmount>',
    '<ram:TaxTotalAmount currencyID="EUR">19.00</ram:TaxTotalAmount>',
    '<ram:DuePayableAmount>119.00</ram:DuePayableAmount>',
  ])
    expect(text).toContain(part)
})

test.each([
  ['xrechnung', 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0'],
  ['peppol', 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0'],
])(
  'the profile %s names its specification, and contains the electronic addresses and the buyer reference',
  async (profile, id) => {
    const workspace = await switchyard.newWorkspace()
    const invoice = await anInvoice(workspace)

    const { text } = await download(workspace, `/invoices/${invoice.id}/xml?format=ubl&profile=${profile}`)

    expect(text).toContain(`<cbc:CustomizationID>${id}</cbc:CustomizationID>`)
    expect(text).toContain('<cbc:EndpointID schemeID="9930">DE136695976</cbc:EndpointID>')
    expect(text).toContain('<cbc:EndpointID schemeID="0204">04011000-12345-34</cbc:EndpointID>')
    expect(text).toContain('<cbc:BuyerReference>04011000-12345-34</cbc:BuyerReference>')
  },
)

test('a credit note refers to its invoice, and does not change the XML of the invoice', async () => {
  const workspace = await switchyard.newWorkspace()
  const invoice = await anInvoice(workspace)
  const before = await download(workspace, `/invoices/${invoice.id}/xml`)
  const { body: note } = await workspace.post('/credit-notes', {
    invoice_id: invoice.id,
    lines: [{ invoice_line_id: invoice.lines[0].id, amount: 5000 }],
  })

  const cii = await download(workspace, `/credit-notes/${note.id}/xml`)
  const ubl = await download(workspace, `/credit-notes/${note.id}/xml?format=ubl`)

  expect((await validateXsd(cii.text, Profile.EN16931)).errors).toEqual([])
  expect(cii.text).toContain('<ram:TypeCode>381</ram:TypeCode>')
  expect(ubl.text).toContain('<CreditNote xmlns="urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2"')
  expect(ubl.text).toMatch(/<cac:InvoiceDocumentReference>\s+<cbc:ID>TEST-000001<\/cbc:ID>/)
  expect(ubl.text).toContain('<cbc:PayableAmount currencyID="EUR">59.50</cbc:PayableAmount>')
  expect((await download(workspace, `/invoices/${invoice.id}/xml`)).text).toBe(before.text)
  await workspace.post(`/credit-notes/${note.id}/void`)
  expect((await workspace.get(`/credit-notes/${note.id}/xml`)).body.code).toBe('invalid_state')
})

test('a document with missing fields is refused, and the error lists all of them', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await anInvoice(workspace, { name: null, address: null, buyer_reference: null })

  const { status, body } = await workspace.get(`/invoices/${id}/xml?profile=xrechnung`)

  expect(status).toBe(409)
  expect(body).toMatchObject({ code: 'e_invoice_incomplete' })
  expect(body.errors).toEqual([
    { pointer: '/customer/name', code: 'required', detail: 'is required (BR-7)' },
    { pointer: '/customer/address/country', code: 'required', detail: 'is required (BR-11)' },
    { pointer: '/customer/buyer_reference', code: 'required', detail: 'is required (BR-DE-15)' },
    { pointer: '/customer/address/city', code: 'required', detail: 'is required (BR-DE-8)' },
    { pointer: '/customer/address/postal_code', code: 'required', detail: 'is required (BR-DE-9)' },
  ])
})

test('drafts and void invoices have no e-invoice, and Peppol has no CII', async () => {
  const workspace = await switchyard.newWorkspace()
  const invoice = await anInvoice(workspace)
  const { body: draft } = await workspace.post('/invoices', {
    customer_id: invoice.customer_id,
    currency: 'eur',
  })

  expect((await workspace.get(`/invoices/${draft.id}/xml`)).body.code).toBe('invalid_state')
  expect((await workspace.get(`/invoices/${invoice.id}/xml?profile=peppol`)).body.errors).toMatchObject([
    { pointer: '/format' },
  ])
  await workspace.post(`/invoices/${invoice.id}/void`)
  expect((await workspace.get(`/invoices/${invoice.id}/xml`)).body.code).toBe('invalid_state')
})

test('the PDF is PDF/A-3 and contains the same XML as factur-x.xml; without it the PDF has no attachment', async () => {
  const workspace = await switchyard.newWorkspace()
  const invoice = await anInvoice(workspace)
  const { text: xml } = await download(workspace, `/invoices/${invoice.id}/xml`)
  const pdf = await download(workspace, `/invoices/${invoice.id}/pdf`)
  const source = Buffer.from(pdf.bytes).toString('latin1')

  expect(source.startsWith('%PDF-1.7')).toBe(true)
  expect(source).toContain('<pdfaid:part>3</pdfaid:part>')
  expect(source).toContain('<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>')
  expect(source).toContain('/AFRelationship /Alternative')
  expect(source).toMatch(/\/AF \[\d+ 0 R\]/)
  expect(source).toContain('/GTS_PDFA1')
  expect(attachmentsOf(pdf.bytes)).toEqual([xml])
  expect((await download(workspace, `/invoices/${invoice.id}/pdf`)).bytes).toEqual(pdf.bytes)

  const incomplete = await anInvoice(workspace, { name: null })
  const plain = await download(workspace, `/invoices/${incomplete.id}/pdf`)
  expect(plain.status).toBe(200)
  expect(attachmentsOf(plain.bytes)).toEqual([])
})
