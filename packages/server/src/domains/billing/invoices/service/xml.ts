/**
 * Writes finalized invoices and credit notes as e-invoices, with the seller and the customer as they were at
 * finalization. A document that violates a rule of EN 16931, or of the profile, is refused with an error for each
 * field.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { type Fault, refuse } from '../../../../kernel/errors.ts'
import type { Parties } from '../../../../kernel/parties.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { type CreditedDocument, fromCreditNote, fromInvoice, type InvoicedDocument } from '../e-invoice.ts'
import { toCii } from '../e-invoice-cii.ts'
import type { EInvoice, Profile } from '../e-invoice-model.ts'
import { type Violation, violationsOf } from '../e-invoice-rules.ts'
import { toUbl } from '../e-invoice-ubl.ts'
import type { Invoice } from '../invoice.ts'
import { findInvoice } from '../store/invoices.ts'

export type XmlOptions = { readonly format?: 'cii' | 'ubl'; readonly profile?: Profile }

export async function writeInvoiceXml(deps: Deps, caller: Caller, id: string, options: XmlOptions) {
  const invoice = await read(deps, caller, (view) => findInvoice(view, id))
  const document = issuedDocument(invoice, options)
  return { name: `${invoice.number}.xml`, bytes: write(fromInvoice(document), options) }
}

export async function writeCreditNoteXml(
  deps: Deps,
  caller: Caller,
  note: CreditedDocument & { readonly invoiceId: Invoice['id']; readonly status: string },
  options: XmlOptions,
) {
  if (note.status === 'void') refuseState('void', 'A void credit note has no e-invoice.')
  const invoice = await read(deps, caller, (view) => findInvoice(view, note.invoiceId))
  const document = fromCreditNote(finalizedDocument(invoice, options), note)
  return { name: `${note.number}.xml`, bytes: write(document, options) }
}

/**
 * The XML that the PDF of an invoice contains. Null if the invoice does not meet the rules of EN 16931, or is a draft
 * or void.
 */
export function embeddedInvoiceXml(invoice: Invoice, parties: Parties): string | null {
  const { number, finalizedAt } = invoice
  if (number === null || finalizedAt === null || invoice.status === 'void') return null
  const issued = { ...invoice, number, finalizedAt }
  return expressible(fromInvoice({ invoice: issued, parties, profile: 'en16931' }))
}

export function embeddedNoteXml(invoice: Invoice, parties: Parties, note: CreditedDocument): string | null {
  const { number, finalizedAt } = invoice
  if (number === null || finalizedAt === null) return null
  const issued = { ...invoice, number, finalizedAt }
  return expressible(fromCreditNote({ invoice: issued, parties, profile: 'en16931' }, note))
}

function expressible(document: EInvoice): string | null {
  return violationsOf(document).length === 0 ? toCii(document) : null
}

function issuedDocument(invoice: Invoice, options: XmlOptions): InvoicedDocument {
  if (invoice.status === 'void') refuseNotIssued(invoice)
  return finalizedDocument(invoice, options)
}

/** A void invoice has no e-invoice, but its credit notes refer to it. */
function finalizedDocument(invoice: Invoice, { profile = 'en16931', format }: XmlOptions): InvoicedDocument {
  const { number, finalizedAt, parties } = invoice
  if (number === null || finalizedAt === null) return refuseNotIssued(invoice)
  if (parties === null)
    return refuseIncomplete([
      {
        field: 'parties',
        rule: 'BG-4',
        reason: 'is required: the invoice was finalized by an earlier version',
      },
    ])
  if (profile === 'peppol' && format !== 'ubl')
    return refuse('invalid_request', {
      errors: [{ pointer: '/format', code: 'not_in_list', detail: 'must be ubl for the profile peppol' }],
    })
  return { invoice: { ...invoice, number, finalizedAt }, parties, profile }
}

const refuseNotIssued = ({ status }: Invoice): never =>
  refuseState(status, 'Only a finalized invoice that is not void has an e-invoice.')

function refuseState(status: string, detail: string): never {
  return refuse('invalid_state', { detail, current_status: status, allowed_actions: [] })
}

function write(document: EInvoice, { format = 'cii' }: XmlOptions): Uint8Array {
  const violations = violationsOf(document)
  if (violations.length > 0) refuseIncomplete(violations)
  return Buffer.from(format === 'cii' ? toCii(document) : toUbl(document))
}

/** Each error names the field as a pointer, such as `/customer/address/country`, and the rule. */
function refuseIncomplete(violations: readonly Violation[]): never {
  const errors = violations.map(({ field, rule, reason }): Fault => {
    const pointer = `/${field.replaceAll(/\[(\d+)\]/g, '/$1').replaceAll('.', '/')}`
    return {
      pointer,
      code: reason.startsWith('is required') ? 'required' : 'bad_format',
      detail: `${reason} (${rule})`,
    }
  })
  return refuse('e_invoice_incomplete', { errors })
}
