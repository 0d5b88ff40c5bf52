// Validates generated documents against the Factur-X schema for EN 16931, which allows no other elements of CII.
// `npm run test:e-invoices` generates 500.

import { Profile, validateXsd } from '@stackforge-eu/factur-x'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { generatedInvoices } from '../../../../test/support/e-invoices.ts'
import { type CreditedDocument, fromCreditNote, fromInvoice, type InvoicedDocument } from './e-invoice.ts'
import { toCii } from './e-invoice-cii.ts'
import type { EInvoice } from './e-invoice-model.ts'
import { toUbl } from './e-invoice-ubl.ts'

const numRuns = Number(process.env.E_INVOICES ?? 20)
vi.setConfig({ testTimeout: 60_000 + 1_000 * numRuns })

/** A credit note for all lines that are not credits themselves. */
function creditNoteOf({ invoice }: InvoicedDocument): CreditedDocument {
  const lines = invoice.lines
    .filter(({ net }) => net > 0n)
    .map(({ id, description, net, tax, taxRate }) => ({
      invoiceLineId: id,
      description,
      amount: taxRate?.inclusive ? net + tax : net,
      tax,
    }))
  return { number: 'CN-000001', memo: 'Sorry.', createdAt: new Date('2026-11-20T10:00:00Z'), lines }
}

/** Seeded, so that a failure can be repeated. */
const documents: readonly EInvoice[] = fc
  .sample(generatedInvoices, { numRuns, seed: 7 })
  .flatMap((invoiced, index) => {
    const document = { ...invoiced, profile: index % 2 === 0 ? 'en16931' : 'xrechnung' } as const
    const note = creditNoteOf(document)
    return [fromInvoice(document), ...(note.lines.length === 0 ? [] : [fromCreditNote(document, note)])]
  })

test('generated invoices and credit notes are valid CII', async () => {
  for (const document of documents) {
    const { errors } = await validateXsd(toCii(document), Profile.EN16931)
    expect(errors).toEqual([])
  }
})

test('an element in the wrong place violates the schema', async () => {
  const [document] = documents as [EInvoice]
  const xml = toCii(document)
    .replace('<ram:TypeCode>380</ram:TypeCode>', '')
    .replace(/<ram:DuePayableAmount>.*\n/, '')

  expect((await validateXsd(xml, Profile.EN16931)).errors).not.toEqual([])
})

/** The elements that are written, in the order of UBL 2.1. */
const order = {
  Invoice:
    'CustomizationID ProfileID ID IssueDate DueDate InvoiceTypeCode Note DocumentCurrencyCode BuyerReference InvoicePeriod OrderReference BillingReference AccountingSupplierParty AccountingCustomerParty Delivery PaymentMeans PaymentTerms TaxTotal LegalMonetaryTotal InvoiceLine',
  CreditNote:
    'CustomizationID ProfileID ID IssueDate CreditNoteTypeCode Note DocumentCurrencyCode BuyerReference InvoicePeriod OrderReference BillingReference AccountingSupplierParty AccountingCustomerParty Delivery PaymentMeans PaymentTerms TaxTotal LegalMonetaryTotal CreditNoteLine',
}

test('generated invoices and credit notes have the elements of UBL in the order of its schema', () => {
  for (const document of documents) {
    const xml = toUbl(document)
    const names = [...xml.matchAll(/^ {2}<c[ab]c:(\w+)/gm)].map(([, name]) => name as string)
    const expected = order[document.typeCode === '380' ? 'Invoice' : 'CreditNote'].split(' ')
    expect(expected).toEqual(expect.arrayContaining(names))
    expect(names).toEqual(names.toSorted((a, b) => expected.indexOf(a) - expected.indexOf(b)))
    expect(xml).not.toMatch(/<[\w:]+><\/|<[\w:]+\/>/)
  }
})
