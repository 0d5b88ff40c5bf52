/** The hosted page of an invoice, for payers who have its address, and the checkout session that pays it. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { sumByDiscount } from '../../../kernel/discounts.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Mode, Ref } from '../../../kernel/id.ts'
import { taxGroupsOf } from '../../../kernel/invoice-lines.ts'
import { readSlug } from '../../../kernel/object-slug.ts'
import { documentLanguageOf } from '../../../kernel/parties.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import { findSeller } from '../../access/organizations/service.ts'
import { openInvoiceSession } from '../../payments/checkout-sessions/service/open-invoice.ts'
import { findAnyCustomer } from '../../payments/customers/service.ts'
import {
  findPayment,
  hasOutcome,
  type Payment,
} from '../../payments/payments/commands/pay-checkout-session.ts'
import { applyPaymentResult } from '../invoices/service/apply-payment-result.ts'
import { hostedUrlOf } from '../invoices/service/customer-payment.ts'
import { renderInvoice } from '../invoices/service/pdf.ts'
import { getInvoice, type Invoice, remainingOf, taxNoteOf } from '../invoices/service/read.ts'
import { type InvoicePage, renderPage } from './page.ts'

export { callerForPayer } from '../../payments/checkout-sessions/service/payer.ts'

/** An invalid slug is refused without a database query. */
export function requireInvoice({ linkKeys }: Deps, mode: Mode, slug: string): Ref<'invoice'> {
  return (
    readSlug(linkKeys, 'invoice', mode, slug) ?? refuse('not_found', { detail: 'There is no such invoice.' })
  )
}

export async function showInvoicePage(deps: Deps, caller: Caller, ref: Ref<'invoice'>): Promise<string> {
  const { invoice, payment } = await loadInvoice(deps, caller, ref)
  const customer = await read(deps, caller, (view) => findAnyCustomer(view, invoice.customerId))
  const url = requireUrl(deps, ref, invoice)
  return renderPage({
    seller: await findSeller(deps, ref.workspaceId),
    locale: customer.locale,
    isTest: caller.mode === 'test',
    number: invoice.number ?? '',
    currency: invoice.currency,
    lines: [
      ...invoice.lines.map(({ description, amount }) => ({ name: description, amount })),
      ...sumByDiscount(invoice.lines).map(({ name, amount }) => ({ name, amount: -amount })),
    ],
    ...taxOf(invoice, customer.locale),
    total: invoice.total,
    memo: invoice.memo,
    dueAt: invoice.collectionMethod === 'send_invoice' ? invoice.dueAt : null,
    amountDue: remainingOf(invoice),
    state: stateOf(invoice, payment, url),
    pdfUrl: `${url}/pdf`,
  })
}

/** The tax of each rate that charges tax, and why other lines have none. */
function taxOf({ lines }: Invoice, locale: string | null): Pick<InvoicePage, 'taxes' | 'taxNotes'> {
  const groups = taxGroupsOf(lines)
  const language = documentLanguageOf(locale)
  return {
    taxes: groups
      .filter(({ tax }) => tax !== 0n)
      .map(({ rate, tax }) => ({
        percentage: rate.percentage,
        amount: tax,
        isIncluded: rate.inclusive,
      })),
    taxNotes: [...new Set(groups.flatMap(({ rate }) => taxNoteOf(rate, language) ?? []))],
  }
}

/** If the payment in progress has ended, its result is applied first. */
async function loadInvoice(deps: Deps, caller: Caller, ref: Ref<'invoice'>) {
  const load = async () => {
    const invoice = await getInvoice(deps, caller, ref.id)
    const { pendingPaymentId: id } = invoice
    const payment = id === null ? null : await read(deps, caller, (view) => findPayment(view, id))
    return { invoice, payment }
  }
  const found = await load()
  if (found.payment === null || !hasOutcome(found.payment)) return found
  await applyPaymentResult(deps, ref)
  return load()
}

function stateOf(invoice: Invoice, payment: Payment | null, url: string): InvoicePage['state'] {
  if (invoice.status === 'paid') return { is: 'paid' }
  const isOwed = invoice.status === 'open' || invoice.status === 'uncollectible'
  if (!isOwed || invoice.withdrawnAt !== null) return { is: 'closed' }
  if (payment === null) return { is: 'payable', payUrl: `${url}/pay` }
  const { status, nextAction } = payment
  return status === 'requires_action' && nextAction !== null
    ? { is: 'to_confirm', url: nextAction.url }
    : { is: 'processing' }
}

function requireUrl(deps: Deps, ref: Ref<'invoice'>, invoice: Invoice): string {
  return hostedUrlOf(deps, ref, invoice) ?? refuse('not_found', { detail: 'There is no such invoice.' })
}

/** The URL of a checkout session that pays the invoice, or of the invoice if it cannot be paid now. */
export async function openPayment(deps: Deps, caller: Caller, ref: Ref<'invoice'>): Promise<string> {
  const { invoice, payment } = await loadInvoice(deps, caller, ref)
  const url = requireUrl(deps, ref, invoice)
  if (stateOf(invoice, payment, url).is !== 'payable') return url
  const { locale, email } = await read(deps, caller, (view) => findAnyCustomer(view, invoice.customerId))
  return openInvoiceSession(deps, caller, {
    invoiceId: invoice.id,
    customerId: invoice.customerId,
    paymentRouteId: invoice.paymentRouteId,
    amount: remainingOf(invoice),
    currency: invoice.currency,
    description: invoice.number,
    locale,
    collectsEmail: email === null,
    url,
  })
}

export async function downloadPdf(deps: Deps, caller: Caller, ref: Ref<'invoice'>) {
  requireUrl(deps, ref, await getInvoice(deps, caller, ref.id))
  return renderInvoice(deps, caller, ref.id)
}
