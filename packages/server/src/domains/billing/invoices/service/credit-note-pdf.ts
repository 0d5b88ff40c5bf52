/** Renders a credit note with the seller and the customer of its invoice. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { findSeller } from '../../../access/organizations/service.ts'
import type { PrintedNote } from '../credit-note-pdf.ts'
import type { CreditedDocument } from '../e-invoice.ts'
import type { Invoice } from '../invoice.ts'
import { findInvoice } from '../store/invoices.ts'
import { findCurrentParties } from './parties.ts'
import { embeddedNoteXml } from './xml.ts'

export async function renderCreditNotePdf(
  deps: Deps,
  caller: Caller,
  note: PrintedNote & CreditedDocument & { readonly invoiceId: Invoice['id']; readonly status: string },
): Promise<Uint8Array> {
  const { invoice, parties } = await read(deps, caller, async (view) => {
    const found = await findInvoice(view, note.invoiceId)
    return { invoice: found, parties: found.parties ?? (await findCurrentParties(view, found)) }
  })
  const { name: displayName } = await findSeller(deps, caller.workspaceId)
  const isIssued = invoice.parties !== null && note.status !== 'void'
  const facturX = isIssued ? embeddedNoteXml(invoice, parties, note) : null
  // Loaded for the first document, as in pdf.ts.
  const { renderNotePdf } = await import('../credit-note-pdf.ts')
  return renderNotePdf({ note, invoice, parties, displayName, facturX, fallbacks: deps.invoiceFonts })
}
