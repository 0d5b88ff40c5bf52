/** Operations as the objects of Mollie's API (Payments API v2, OpenAPI document of 2026-06-29). No side effects. */
import { type MoneyFact, sumsOf } from '../../ledger.ts'
import type { RedirectType } from '../../protocol.ts'
import { behaviourOf } from '../../scenarios.ts'
import type { Account, Operation } from '../../simulator-state.ts'
import { toAmount } from './amounts.ts'
import { cardDetailsOf, failureOf } from './cards.ts'
import type { StoredCustomer, StoredMandate, StoredPart, StoredPayment } from './store.ts'

/** An object of the API. */
export type ApiObject = { readonly id: string; readonly [name: string]: unknown }

export type PaymentStatus = 'open' | 'pending' | 'authorized' | 'paid' | 'failed' | 'canceled' | 'expired'

/** A payment that was processed, with its operation and the money that moved. */
export type PaymentView = {
  readonly stored: StoredPayment
  readonly operation: Operation & { readonly record: NonNullable<Operation['record']> }
  readonly facts: readonly MoneyFact[]
  readonly status: PaymentStatus
}

const openMs = 30 * 60_000

/** Undefined if the payment does not exist at Mollie: it was refused, or never processed. */
export function paymentView(account: Account, stored: StoredPayment): PaymentView | undefined {
  const operation = account.operations.get(stored.reference)
  const { record, request } = operation ?? {}
  if (operation == null || record == null || request == null || record.status === 'rejected') return undefined
  const processed = { ...operation, record }
  if (isDeclinedAtCreation(stored, processed)) return undefined
  const facts = account.ledger
    .factsOfPayment(request.payment_id)
    .filter((fact) => fact.reference === stored.reference || fact.parent_reference === stored.reference)
  return { stored, operation: processed, facts, status: statusOf(processed, facts) }
}

/** A new card that is declined immediately is an error of the request, and no payment is created. */
export function isDeclinedAtCreation({ hasCardToken }: StoredPayment, operation: Operation): boolean {
  const { record, request, scenario } = operation
  if (!hasCardToken || record?.status !== 'declined' || request === null) return false
  return behaviourOf(scenario, request.kind).processing.type === 'decline'
}

function statusOf({ record, request }: Operation, facts: readonly MoneyFact[]): PaymentStatus {
  switch (record?.status) {
    case 'action_required':
      return 'open'
    case 'succeeded':
      if (request?.kind === 'verify' || request?.capture) return 'paid'
      // By default Mollie allows one capture, and releases the rest of the authorization.
      if (facts.some(({ fact }) => fact === 'capture')) return 'paid'
      return facts.some(({ fact }) => fact === 'void') ? 'canceled' : 'authorized'
    case 'declined':
      return record.decline?.code === 'authentication_abandoned' ? 'expired' : 'failed'
    case 'closed':
      return 'canceled'
    default:
      return 'pending'
  }
}

/** The amount that was captured, and the amount that can still be refunded. */
export function amountsOf({ facts }: PaymentView): { captured: number; refunded: number; remaining: number } {
  const { captured, refunded } = sumsOf(facts)
  return { captured, refunded, remaining: captured - refunded }
}

export function paymentObject(view: PaymentView, base: string): ApiObject {
  const { stored, status } = view
  const { sequenceType, captureMode, customerId, mandateId } = stored
  return {
    resource: 'payment',
    id: stored.id,
    mode: 'test',
    createdAt: timeOf(stored.at),
    ...moneyMembersOf(view),
    description: stored.description,
    method: methodOf(view),
    metadata: stored.metadata,
    status,
    ...(isFinal(status) ? {} : { isCancelable: status === 'authorized' }),
    ...timesOf(view),
    profileId: 'pfl_simulator',
    ...(customerId === null ? {} : { customerId }),
    ...(mandateId === null ? {} : { mandateId }),
    sequenceType,
    ...(captureMode === null ? {} : { captureMode }),
    redirectUrl: stored.redirectUrl,
    ...(stored.webhookUrl === null ? {} : { webhookUrl: stored.webhookUrl }),
    details: detailsOf(view),
    _links: paymentLinksOf(view, base),
  }
}

/** The payer chooses a card on Mollie's page if the merchant has not chosen a method. */
function methodOf({ stored, status, operation }: PaymentView): string | null {
  const redirect = operation.request?.redirect ?? null
  if (redirect !== null) return redirect
  return status === 'open' && !stored.hasCardToken ? null : 'creditcard'
}

function isFinal(status: PaymentStatus): boolean {
  return status !== 'open' && status !== 'pending' && status !== 'authorized'
}

function moneyMembersOf(view: PaymentView): object {
  const { record, request } = view.operation
  const money = { amount: record.amount ?? 0, currency: record.currency ?? 'eur' }
  const { captured, refunded, remaining } = amountsOf(view)
  const amountOf = (amount: number) => toAmount({ ...money, amount })
  return {
    amount: toAmount(money),
    ...(request?.capture === false && request.kind === 'authorize'
      ? { amountCaptured: amountOf(captured) }
      : {}),
    ...(view.status === 'paid' && money.amount > 0
      ? { amountRefunded: amountOf(refunded), amountRemaining: amountOf(remaining) }
      : {}),
  }
}

function timesOf({ stored, operation, facts, status }: PaymentView): object {
  const at = (kinds: readonly MoneyFact['fact'][]) => {
    const fact = facts.find((candidate) => kinds.includes(candidate.fact))
    return timeOf(fact === undefined ? stored.at : Date.parse(fact.at))
  }
  const { action, capture_before_at: captureBefore } = operation.record
  if (status === 'open')
    return action === undefined ? {} : { expiresAt: timeOf(Date.parse(action.expires_at)) }
  if (status === 'failed') return { failedAt: timeOf(stored.at) }
  if (status === 'expired') return { expiredAt: timeOf(stored.at + openMs) }
  if (status === 'pending' || operation.record.status === 'closed') return {}
  const isHeld = captureBefore !== undefined
  return {
    ...(isHeld ? { authorizedAt: at(['charge']), captureBefore: timeOf(Date.parse(captureBefore)) } : {}),
    ...(status === 'paid' ? { paidAt: at(isHeld ? ['capture'] : ['charge', 'verification']) } : {}),
    ...(status === 'canceled' ? { canceledAt: at(['void']) } : {}),
  }
}

function detailsOf({ operation, status }: PaymentView): object | null {
  if (status === 'open' || status === 'pending') return null
  const redirect = operation.request?.redirect ?? null
  if (redirect !== null) return redirectDetailsOf(redirect)
  const { decline } = operation.record
  const cardSecurity = operation.scenario.startsWith('3') ? '3dsecure' : 'normal'
  const card = { ...cardDetailsOf(operation.card), cardSecurity, feeRegion: 'intra-eu' }
  return decline === undefined ? card : { ...card, ...failureOf(decline) }
}

function redirectDetailsOf(type: RedirectType): object {
  const consumerName = 'T. Tester'
  return type === 'paypal'
    ? { consumerName, consumerAccount: 'payer@example.com', paypalReference: '9AL35361CF606152E' }
    : { consumerName, consumerAccount: 'NL53INGB0654422370', consumerBic: 'INGBNL2A' }
}

function paymentLinksOf({ stored, operation, status }: PaymentView, base: string): object {
  const { id, customerId, mandateId } = stored
  const path = `/payments/${id}`
  const { action } = operation.record
  return {
    self: link(base, path),
    ...(status === 'open' && action ? { checkout: { href: action.url, type: 'text/html' } } : {}),
    dashboard: dashboardOf(`payments/${id}`),
    ...(stored.captures.length > 0 ? { captures: link(base, `${path}/captures`) } : {}),
    ...(stored.refunds.length > 0 ? { refunds: link(base, `${path}/refunds`) } : {}),
    ...(customerId === null ? {} : { customer: link(base, `/customers/${customerId}`) }),
    ...(mandateId === null ? {} : { mandate: link(base, `/customers/${customerId}/mandates/${mandateId}`) }),
    documentation: documentationOf('get-payment'),
  }
}

/** Mollie processes captures and refunds asynchronously, so a new one is pending. */
export function partObject(stored: StoredPart, operation: Operation, base: string, isNew = false): ApiObject {
  const { id, paymentId, at, description, metadata } = stored
  const { record, request } = operation
  const isRefund = request?.kind === 'refund'
  const path = `/payments/${paymentId}`
  const resource = isRefund ? 'refund' : 'capture'
  return {
    resource,
    id,
    mode: 'test',
    amount: toAmount({ amount: record?.amount ?? 0, currency: record?.currency ?? 'eur' }),
    description,
    metadata,
    status: isNew ? 'pending' : partStatusOf(operation, isRefund),
    paymentId,
    createdAt: timeOf(at),
    _links: {
      self: link(base, `${path}/${resource}s/${id}`),
      payment: link(base, path),
      documentation: documentationOf(`get-${resource}`),
    },
  }
}

function partStatusOf({ record }: Operation, isRefund: boolean): string {
  if (record?.status === 'succeeded') return isRefund ? 'refunded' : 'succeeded'
  return record?.status === 'pending' ? 'pending' : 'failed'
}

export function customerObject(stored: StoredCustomer, base: string): object {
  const { id, at, name, email, locale, metadata } = stored
  const _links = {
    self: link(base, `/customers/${id}`),
    dashboard: dashboardOf(`customers/${id}`),
    ...(stored.mandates.length > 0 ? { mandates: link(base, `/customers/${id}/mandates`) } : {}),
    documentation: documentationOf('get-customer'),
  }
  return {
    resource: 'customer',
    id,
    mode: 'test',
    name,
    email,
    locale,
    metadata,
    createdAt: timeOf(at),
    _links,
  }
}

export function mandateObject(stored: StoredMandate, operation: Operation, base: string): ApiObject {
  const { id, at, customerId } = stored
  return {
    resource: 'mandate',
    id,
    mode: 'test',
    status: operation.record?.status === 'succeeded' ? 'valid' : 'pending',
    method: 'creditcard',
    details: { ...cardDetailsOf(operation.card), cardExpiryDate: '2040-12-31' },
    mandateReference: null,
    signatureDate: timeOf(at).slice(0, 10),
    scopes: ['customer-present', 'customer-not-present'],
    customerId,
    createdAt: timeOf(at),
    _links: {
      self: link(base, `/customers/${customerId}/mandates/${id}`),
      customer: link(base, `/customers/${customerId}`),
      documentation: documentationOf('get-mandate'),
    },
  }
}

export function cardMethodObject(base: string): object {
  return {
    resource: 'method',
    id: 'creditcard',
    description: 'Card',
    minimumAmount: { value: '0.00', currency: 'EUR' },
    maximumAmount: { value: '10000.00', currency: 'EUR' },
    image: { size1x: `${base}/card.png`, size2x: `${base}/card@2x.png`, svg: `${base}/card.svg` },
    status: 'activated',
    _links: { self: link(base, '/methods/creditcard'), documentation: documentationOf('get-method') },
  }
}

export function link(base: string, path: string): { readonly href: string; readonly type: string } {
  return { href: `${base}${path}`, type: 'application/hal+json' }
}

function dashboardOf(path: string): object {
  return { href: `https://www.mollie.com/dashboard/org_1/${path}`, type: 'text/html' }
}

export function documentationOf(page: string): object {
  return { href: `https://docs.mollie.com/reference/${page}`, type: 'text/html' }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00')
}
