/** Opens a session that pays an invoice, from the hosted page of the invoice. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { noSavedMethods } from '../../../../kernel/cart.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Currency } from '../../../../kernel/currency.ts'
import type { Id } from '../../../../kernel/id.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import { requireCardEntryForPages } from '../../card-tokens/service.ts'
import { checkoutSessionCreated } from '../events.ts'
import { lifetimeSeconds, type NewSession } from '../session.ts'
import { insertSession } from '../store/sessions.ts'
import { withSecretAndUrl } from './open.ts'

export type InvoiceToPay = {
  readonly invoiceId: Id<'invoice'>
  readonly customerId: Id<'customer'>
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly amount: bigint
  readonly currency: Currency
  readonly description: string | null
  readonly locale: string | null
  readonly collectsEmail: boolean
  /** The page of the invoice, to which the payer returns. */
  readonly url: string
}

/** Returns the URL of the session. Several sessions may be open: the invoice allows one payment in progress. */
export function openInvoiceSession(deps: Deps, caller: Caller, invoice: InvoiceToPay): Promise<string> {
  return transact(deps, caller, async (tx) => {
    await requireCardEntryForPages(deps, tx)
    const expiresAt = addSeconds(tx.now, lifetimeSeconds.link)
    const session = await insertSession(tx, toNewSession(invoice, expiresAt))
    tx.emit(checkoutSessionCreated, { after: session })
    return withSecretAndUrl(deps, session).url
  })
}

function toNewSession(invoice: InvoiceToPay, expiresAt: Date): NewSession {
  return {
    mode: 'payment',
    subscription: null,
    invoiceId: invoice.invoiceId,
    currency: invoice.currency,
    amount: invoice.amount,
    openAmount: null,
    lineItems: null,
    paymentLinkId: null,
    customerId: invoice.customerId,
    discounts: [],
    cardUpdate: null,
    paymentRouteId: invoice.paymentRouteId,
    captureMethod: 'automatic',
    collect: invoice.collectsEmail ? ['email'] : [],
    customFields: [],
    savedMethods: noSavedMethods,
    allowPromotionCodes: false,
    successUrl: invoice.url,
    successMessage: null,
    cancelUrl: invoice.url,
    locale: invoice.locale,
    description: invoice.description,
    metadata: {},
    expiresAt,
  }
}
