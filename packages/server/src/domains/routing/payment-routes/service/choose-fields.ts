/**
 * Chooses the account whose fields a payment page shows. The payer has not entered a card yet, so rules about
 * the card cannot match. When the payment is created, the account is chosen again from those that can charge
 * the card.
 */
import type { Deps } from '../../../../deps.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import { type FieldsComponent, type MethodType, otherMethodTypes } from '../../../../providers/contract.ts'
import { operandsOf, type PaymentFacts } from '../engine/facts.ts'
import { decideFor, isPublished, listFieldsAccounts, routeFor } from './decide.ts'

/** The payment for which the page collects a card. */
export type ExpectedPayment = Pick<
  PaymentFacts,
  'amount' | 'currency' | 'captureMethod' | 'paymentLinkId' | 'checkoutSessionId' | 'metadata'
> & {
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly customerId: Id<'customer'> | null
  /** The same key selects the same account of a split. */
  readonly key: string
}

export type ChosenFields = {
  readonly component: FieldsComponent
  readonly provider: string
  readonly providerAccountId: Id<'provider_account'>
  readonly config: Readonly<Record<string, string>>
}

/** Which accounts the page has tried, and which one it already shows. */
export type FieldsChoice = { readonly skipped: readonly string[]; readonly preferred: string | null }

/** Null if no eligible account has a provider with its own card fields. */
export async function chooseFields(
  deps: Deps,
  view: View & { readonly now: Date },
  payment: ExpectedPayment,
  { skipped, preferred }: FieldsChoice,
): Promise<ChosenFields | null> {
  const { paymentRouteId, key, customerId } = payment
  if (paymentRouteId !== null && !(await isPublished(deps, view, paymentRouteId))) return null
  const accounts = await listFieldsAccounts(deps, view)
  const { chosen, trace } = await decideFor(deps, view, await routeFor(deps, view, paymentRouteId), {
    operands: operandsOf(factsOf(payment, view.now)),
    keys: { payment: key, customer: customerId, card: null },
    instrument: { hasCardNumber: false, tokensAt: new Set(), isEnteredInFields: true },
    tried: skipped,
  })
  // Without reasons, the account is eligible and not degraded.
  const keepsPreferred = trace.candidates.some(
    ({ provider_account_id: account, reasons }) => account === preferred && reasons.length === 0,
  )
  const id = keepsPreferred ? preferred : chosen
  return accounts.find(({ providerAccountId }) => providerAccountId === id) ?? null
}

/** The types of payment methods other than cards with which the payment can be made on a page. */
export async function chooseMethods(
  deps: Deps,
  view: View & { readonly now: Date },
  payment: ExpectedPayment,
): Promise<OtherMethod[]> {
  const { paymentRouteId, key, customerId } = payment
  if (paymentRouteId !== null && !(await isPublished(deps, view, paymentRouteId))) return []
  const route = await routeFor(deps, view, paymentRouteId)
  const possible: OtherMethod[] = []
  for (const methodType of otherMethodTypes) {
    const { chosen } = await decideFor(deps, view, route, {
      operands: operandsOf({ ...factsOf(payment, view.now), methodType }),
      keys: { payment: key, customer: customerId, card: null },
      instrument: { hasCardNumber: false, tokensAt: new Set(), isEnteredInFields: true },
      tried: [],
    })
    if (chosen !== null) possible.push(methodType)
  }
  return possible
}

type OtherMethod = Exclude<MethodType, 'card'>

function factsOf(payment: ExpectedPayment, now: Date): PaymentFacts {
  const { amount, currency, captureMethod, paymentLinkId, checkoutSessionId, metadata, customerId } = payment
  return {
    amount,
    currency,
    captureMethod,
    paymentLinkId,
    checkoutSessionId,
    metadata,
    purpose: 'payment',
    initiator: 'customer',
    recurring: 'none',
    threeDSecure: 'auto',
    card: null,
    billingCountry: null,
    invoiceId: null,
    priceId: null,
    customer: customerId === null ? null : { id: customerId, country: null, metadata: {} },
    lastProviderAccountId: null,
    createdAt: now,
  }
}
