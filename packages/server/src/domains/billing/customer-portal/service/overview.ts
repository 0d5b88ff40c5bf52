/** The overview of the portal: subscriptions, cards, invoices and details of one customer. */
import type { Deps } from '../../../../deps.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { newestOf } from '../../../../platform/db/keyset.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { findSeller } from '../../../access/organizations/service.ts'
import { openCardUpdate } from '../../../payments/checkout-sessions/service/open-card-update.ts'
import { type Customer, getCustomer, updateCustomer } from '../../../payments/customers/service.ts'
import { listPaymentMethods } from '../../../payments/payment-methods/service.ts'
import { listInvoices, remainingOf } from '../../invoices/service/read.ts'
import { findProductNames } from '../../products/service.ts'
import { getBillingState } from '../../subscriptions/service/read.ts'
import { changeCard } from '../../subscriptions/service/replace-card.ts'
import { actionsFor, type DetailsForm, faultsOfDetails, type PortalConfiguration } from '../portal.ts'
import {
  type Frame,
  type PortalNotice,
  renderCard,
  renderDetails,
  renderExpired,
  renderOverview,
} from '../portal-page.ts'
import { shownSubscription } from '../shown-subscription.ts'
import { readConfiguration } from '../store.ts'
import type { OpenedPortal, Portal } from './sessions.ts'

const maxListed = 20
const newest = newestOf(maxListed)

/** The data that every page of the portal needs. */
export type PortalContext = {
  readonly frame: Frame
  readonly customer: Customer
  readonly configuration: PortalConfiguration
}

export async function contextOf(deps: Deps, portal: Portal, languages: string): Promise<PortalContext> {
  const { caller, session, url } = portal
  const customer = await getCustomer(deps, caller, session.customerId)
  const configuration = await read(deps, caller, readConfiguration)
  const frame = {
    seller: await findSeller(deps, caller.workspaceId),
    locale: customer.locale ?? languages,
    isTest: caller.mode === 'test',
    url,
    returnUrl: session.returnUrl,
  }
  return { frame, customer, configuration }
}

export async function showExpired(
  deps: Deps,
  { ref }: Extract<OpenedPortal, { is: 'expired' }>,
  languages: string,
): Promise<string> {
  return renderExpired({ seller: await findSeller(deps, ref.workspaceId), locale: languages })
}

export async function showOverview(
  deps: Deps,
  portal: Portal,
  { notice, languages }: { readonly notice: PortalNotice | null; readonly languages: string },
): Promise<string> {
  const { caller, session } = portal
  const { frame, configuration, customer } = await contextOf(deps, portal, languages)
  const of = { customer_id: session.customerId }
  const { subscriptions } = await getBillingState(deps, caller, session.customerId)
  const shown = subscriptions.slice(0, maxListed)
  const names = await read(deps, caller, (view) =>
    findProductNames(
      view,
      shown.flatMap(({ items }) => items.map(({ priceId }) => priceId)),
    ),
  )
  const methods = configuration.paymentMethods ? await listPaymentMethods(deps, caller, newest, of) : null
  const invoices = configuration.invoices ? await listInvoices(deps, caller, newest, of) : null
  const pages = deps.pagesOf(caller.workspaceId)
  const usedCards = new Set(shown.map(({ paymentMethodId }) => paymentMethodId))
  return renderOverview({
    frame,
    notice,
    subscriptions: shown.map((subscription) => ({
      ...shownSubscription(subscription, names),
      actions: actionsFor(subscription, configuration),
    })),
    cards:
      methods?.rows
        .filter(({ status }) => status === 'attached')
        .map(({ id, card }) => ({ id, card, isUsed: usedCards.has(id) })) ?? null,
    canSelectCard: shown.some(({ status }) => status !== 'cancelled'),
    invoices:
      invoices?.rows
        .filter(({ number }) => number !== null)
        .map((invoice) => ({
          number: invoice.number ?? '',
          status: invoice.status,
          total: invoice.total,
          remaining: remainingOf(invoice),
          currency: invoice.currency,
          at: invoice.finalizedAt ?? invoice.createdAt,
          url: pages.invoicePage(invoice.id) ?? '',
        })) ?? null,
    details: configuration.address ? { name: customer.name, email: customer.email } : null,
  })
}

/** The page for links that lead directly to replacing the card. Its button opens the payment page. */
export async function showCardStep(deps: Deps, portal: Portal, languages: string): Promise<string> {
  const { frame, configuration } = await contextOf(deps, portal, languages)
  requireSwitchedOn(configuration.paymentMethods)
  return renderCard({ frame })
}

function requireSwitchedOn(isOn: boolean): void {
  if (!isOn) refuse('not_found', { detail: 'There is no such page.' })
}

/** The URL of a checkout session in which the customer enters a new card. */
export async function replaceCardInPortal(deps: Deps, portal: Portal): Promise<string> {
  const { caller, session, url } = portal
  requireSwitchedOn((await read(deps, caller, readConfiguration)).paymentMethods)
  return openCardUpdate(deps, caller, session.customerId, `${url}?notice=saved`)
}

/** Uses a stored card for all subscriptions of the customer. */
export async function selectCard(deps: Deps, { caller, session }: Portal, methodId: string): Promise<void> {
  requireSwitchedOn((await read(deps, caller, readConfiguration)).paymentMethods)
  await changeCard(deps, caller, session.customerId as Id<'customer'>, methodId)
}

/** The form with the details of the customer. */
export async function showDetails(
  deps: Deps,
  portal: Portal,
  { languages, form }: { readonly languages: string; readonly form: DetailsForm | null },
): Promise<string> {
  const { frame, customer, configuration } = await contextOf(deps, portal, languages)
  requireSwitchedOn(configuration.address)
  return renderDetails({
    frame,
    form: form ?? formOf(customer),
    faults: form === null ? [] : faultsOfDetails(form),
  })
}

function formOf({ name, email, address }: Customer): DetailsForm {
  return {
    name: name ?? '',
    email: email ?? '',
    line1: address?.line1 ?? '',
    line2: address?.line2 ?? '',
    postal_code: address?.postal_code ?? '',
    city: address?.city ?? '',
    state: address?.state ?? '',
    country: address?.country ?? '',
  }
}

/** Returns false, and changes nothing, if the form has errors. */
export async function saveDetails(
  deps: Deps,
  { caller, session }: Portal,
  form: DetailsForm,
): Promise<boolean> {
  requireSwitchedOn((await read(deps, caller, readConfiguration)).address)
  if (faultsOfDetails(form).length > 0) return false
  const orNull = (text: string) => (text === '' ? null : text)
  const { name, email, ...parts } = form
  const hasAddress = Object.values(parts).some((part) => part !== '')
  const address = Object.fromEntries(Object.entries(parts).map(([part, text]) => [part, orNull(text)]))
  await updateCustomer(deps, caller, session.customerId, {
    name: orNull(name),
    email: orNull(email),
    address: hasAddress ? address : null,
    ifMatch: null,
  })
  return true
}
