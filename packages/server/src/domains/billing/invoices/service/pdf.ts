/**
 * Renders an invoice as a PDF with the seller and the customer as they were at finalization. Drafts, and invoices of
 * earlier versions, have no such copy and show the current ones. The logo comes from the branding of the workspace.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { taxGroupsOf } from '../../../../kernel/invoice-lines.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { findSeller } from '../../../access/organizations/service.ts'
import { type Invoice, remainingOf } from '../invoice.ts'
import { findInvoice } from '../store/invoices.ts'
import { hostedUrlOf } from './customer-payment.ts'
import { findCurrentParties } from './parties.ts'
import { embeddedInvoiceXml } from './xml.ts'

export async function renderInvoice(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const { invoice, parties } = await read(deps, caller, async (view) => {
    const found = await findInvoice(view, id)
    return { invoice: found, parties: found.parties ?? (await findCurrentParties(view, found)) }
  })
  const { name: displayName, logo_url: logoUrl } = await findSeller(deps, caller.workspaceId)
  // Loaded for the first document, because pdfkit takes a tenth of the start-up time of a process.
  const { renderPdf } = await import('../pdf.ts')
  const bytes = await renderPdf({
    invoice,
    parties,
    displayName,
    taxGroups: taxGroupsOf(invoice.lines),
    // Drafts and invoices of earlier versions have no copy of their parties.
    facturX: invoice.parties === null ? null : embeddedInvoiceXml(invoice, invoice.parties),
    logo: logoOf(logoUrl),
    payUrl: isOwed(invoice) ? hostedUrlOf(deps, caller, invoice) : null,
    fallbacks: deps.invoiceFonts,
  })
  return { name: `${invoice.number ?? invoice.id}.pdf`, bytes }
}

function isOwed(invoice: Invoice): boolean {
  const { status, withdrawnAt } = invoice
  return (
    (status === 'open' || status === 'uncollectible') && withdrawnAt === null && remainingOf(invoice) > 0n
  )
}

/** PDF documents can contain PNG and JPEG images, but neither WebP nor GIF. An incomplete image is left out. */
function logoOf(dataUrl: string | null): Buffer | null {
  const [, type, data = ''] = /^data:image\/(png|jpeg);base64,(.+)$/.exec(dataUrl ?? '') ?? []
  const bytes = Buffer.from(data, 'base64')
  const isComplete =
    type === 'png' ? bytes.includes('IHDR') && bytes.includes('IEND') : bytes.includes(jpegEnd)
  return type !== undefined && isComplete ? bytes : null
}

const jpegEnd = Buffer.from('ffd9', 'hex')
