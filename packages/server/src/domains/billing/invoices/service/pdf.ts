/** Renders an invoice as a PDF with the current customer data, so that erased data does not appear. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { getWorkspace } from '../../../access/organizations/service.ts'
import { type Customer, findAnyCustomer } from '../../../payments/customers/service.ts'
import { renderPdf } from '../pdf.ts'
import { findInvoice } from '../store/invoices.ts'

export async function renderInvoice(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const { invoice, customer } = await read(deps, caller, async (view) => {
    const found = await findInvoice(view, id)
    return { invoice: found, customer: await findAnyCustomer(view, found.customerId) }
  })
  const { name: seller } = await getWorkspace(deps, caller)
  const bytes = await renderPdf(invoice, { seller, customer: addressOf(customer) }, deps.invoiceFonts)
  return { name: `${invoice.number ?? invoice.id}.pdf`, bytes }
}

function addressOf({ id, name, email, address, taxIds }: Customer): string[] {
  const town = [address?.postal_code, address?.city].filter(Boolean).join(' ')
  const lines = [name, address?.line1, address?.line2, town, address?.state, address?.country, email]
  const nonEmpty = [...lines, ...taxIds.map(({ value }) => `Tax number ${value}`)].filter(isText)
  return nonEmpty.length === 0 ? [id] : nonEmpty
}

function isText(text: string | null | undefined): text is string {
  return typeof text === 'string' && text !== ''
}
