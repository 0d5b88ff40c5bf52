/**
 * Renders an invoice as a PDF with the seller and the customer of its finalization. Drafts, and invoices of earlier
 * versions, have no copy and show the current ones.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import type { CustomerParty } from '../../../../kernel/parties.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { getWorkspace } from '../../../access/organizations/service.ts'
import { renderPdf } from '../pdf.ts'
import { findInvoice } from '../store/invoices.ts'
import { findCurrentParties } from './parties.ts'

export async function renderInvoice(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const { invoice, parties } = await read(deps, caller, async (view) => {
    const found = await findInvoice(view, id)
    return { invoice: found, parties: found.parties ?? (await findCurrentParties(view, found)) }
  })
  const { name } = await getWorkspace(deps, caller)
  const seller = parties.seller.legal_name ?? name
  const customer = addressOf(invoice.customerId, parties.customer)
  const bytes = await renderPdf(invoice, { seller, customer }, deps.invoiceFonts)
  return { name: `${invoice.number ?? invoice.id}.pdf`, bytes }
}

function addressOf(id: string, { name, email, address, tax_ids: taxIds }: CustomerParty): string[] {
  const town = [address?.postal_code, address?.city].filter(Boolean).join(' ')
  const lines = [name, address?.line1, address?.line2, town, address?.state, address?.country, email]
  const nonEmpty = [...lines, ...taxIds.map(({ value }) => `Tax number ${value}`)].filter(isText)
  return nonEmpty.length === 0 ? [id] : nonEmpty
}

function isText(text: string | null | undefined): text is string {
  return typeof text === 'string' && text !== ''
}
