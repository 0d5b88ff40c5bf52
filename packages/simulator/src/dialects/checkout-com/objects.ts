/** The objects of Checkout.com: payments, actions and instruments. No side effects. */
import type { Kind, OperationRecord } from '../../protocol.ts'
import type { Account } from '../../simulator-state.ts'
import { amountOf, fromLedger } from './amounts.ts'
import { digitsOf, idOf } from './ids.ts'
import { findAction, type PaymentView, type StoredPayment } from './payments.ts'
import { type ResponseCode, responseCodeOf } from './response-codes.ts'

/** The response to a payment request that was processed. A capture is processed later. */
export function paymentResponse(account: Account, view: PaymentView, code: ResponseCode): object {
  const { payment, record } = view
  const approved = code.response_code === '10000'
  const status = record.kind === 'verify' ? 'Card Verified' : 'Authorized'
  return {
    id: payment.id,
    action_id: idOf('act', account, payment.operation),
    amount: amountOf(record),
    currency: record.currency?.toUpperCase(),
    approved,
    status: approved ? status : 'Declined',
    ...(approved ? { auth_code: authCodeOf(payment) } : {}),
    ...code,
    ...(approved && record.capture_before_at ? { expires_on: record.capture_before_at } : {}),
    risk: { flagged: false },
    source: sourceOf(payment, approved),
    ...(payment.echo.customer === undefined ? {} : { customer: payment.echo.customer }),
    processed_on: timeOf(payment.requestedAt),
    ...referenceOf(payment),
    processing: processingOf(payment, record),
    ...(approved ? { scheme_id: record.network_transaction_id } : {}),
    _links: linksOf(payment),
  }
}

/** The response to a payment request that is pending. With an action, the payer must authenticate. */
export function acceptedResponse({ payment, record }: PaymentView): object {
  const { self } = linksOf(payment)
  return {
    id: payment.id,
    status: 'Pending',
    ...referenceOf(payment),
    ...(payment.echo.customer === undefined ? {} : { customer: payment.echo.customer }),
    ...(record.action === undefined ? {} : { '3ds': { downgraded: false, enrolled: 'Y' } }),
    _links: { self, ...(record.action === undefined ? {} : { redirect: { href: record.action.url } }) },
  }
}

/** The details do not contain the reason for a decline. The actions do. */
export function paymentDetails(view: PaymentView): object {
  const { payment, record } = view
  const approved = record.status === 'succeeded'
  return {
    id: payment.id,
    requested_on: timeOf(payment.requestedAt),
    source: sourceOf(payment, approved),
    amount: amountOf(record),
    currency: record.currency?.toUpperCase(),
    payment_type: 'Regular',
    ...payment.echo,
    ...referenceOf(payment),
    approved,
    ...(approved && record.capture_before_at ? { expires_on: record.capture_before_at } : {}),
    status: statusOf(view),
    balances: balancesOf(view),
    risk: { flagged: false },
    ...(record.network_transaction_id === undefined ? {} : { scheme_id: record.network_transaction_id }),
    _links: linksOf(payment),
  }
}

function statusOf({ record, sums }: PaymentView): string {
  if (record.status !== 'succeeded') return record.status === 'declined' ? 'Declined' : 'Pending'
  if (record.kind === 'verify') return 'Card Verified'
  const { authorized, captured, voided, refunded } = sums
  if (refunded > 0) return refunded < captured ? 'Partially Refunded' : 'Refunded'
  if (captured > 0) return captured < authorized ? 'Partially Captured' : 'Captured'
  return voided > 0 ? 'Voided' : 'Authorized'
}

export function balancesOf({ sums, record }: PaymentView) {
  const { authorized, captured, voided, refunded } = sums
  const balance = (amount: number) => fromLedger(amount, record.currency)
  const available = balance(authorized - captured - voided)
  return {
    total_authorized: balance(authorized),
    total_voided: balance(voided),
    available_to_void: available,
    total_captured: balance(captured),
    available_to_capture: available,
    total_refunded: balance(refunded),
    available_to_refund: balance(captured - refunded),
  }
}

const actionTypes: { readonly [K in Kind]: string } = {
  verify: 'Card Verification',
  authorize: 'Authorization',
  capture: 'Capture',
  void: 'Void',
  refund: 'Refund',
}

/** Pending actions are not listed: a listed action has a response code. The newest is the first. */
export function actionList(
  account: Account,
  view: PaymentView,
  operations: readonly string[],
): readonly object[] {
  const { payment, record } = view
  const isApproved = record.status === 'succeeded'
  const authorization =
    isApproved || record.status === 'declined' ? [actionObject(account, payment, record)] : []
  const capture =
    isApproved && view.isCapturedAutomatically && record.kind === 'authorize'
      ? [
          {
            ...actionObject(account, payment, record),
            id: automaticCaptureId(account, payment),
            type: 'Capture',
          },
        ]
      : []
  const later = operations.flatMap((operation) => {
    const found = account.operations.get(operation)?.record
    return found?.status === 'succeeded' || found?.status === 'declined'
      ? [actionObject(account, payment, found)]
      : []
  })
  return [...authorization, ...capture, ...later].reverse()
}

export function automaticCaptureId(account: Account, payment: StoredPayment): string {
  return idOf('act', account, `${payment.operation}/capture`)
}

function actionObject(account: Account, payment: StoredPayment, record: OperationRecord): object {
  const action = findAction(account, record.reference)
  const isPayment = record.reference === payment.operation
  const reference = isPayment ? payment.reference : (action?.reference ?? null)
  return {
    id: idOf('act', account, record.reference),
    type: actionTypes[record.kind ?? 'authorize'],
    processed_on: timeOf(action?.requestedAt ?? payment.requestedAt),
    amount: amountOf(record),
    approved: record.status === 'succeeded',
    ...(isPayment && record.status === 'succeeded' ? { auth_code: authCodeOf(payment) } : {}),
    ...responseCodeOf(record),
    ...(reference === null ? {} : { reference }),
    processing: processingOf(payment, record),
    metadata: (isPayment ? payment.echo.metadata : action?.metadata) ?? {},
  }
}

/** The id of a stored card is only returned if the payment is approved. */
export function sourceOf({ card, instrument }: StoredPayment, approved: boolean): object {
  return { ...(approved && instrument !== null ? { id: instrument } : {}), ...card }
}

/** The codes of the card network. */
export function processingOf(payment: StoredPayment, { status, decline }: OperationRecord): object {
  const networkCode = status === 'succeeded' ? '00' : decline?.network_code
  return {
    retrieval_reference_number: digitsOf(12, payment.id),
    acquirer_transaction_id: digitsOf(21, payment.id),
    ...(networkCode === undefined ? {} : { partner_response_code: networkCode }),
    ...(decline?.advice_code === undefined ? {} : { partner_merchant_advice_code: decline.advice_code }),
  }
}

export function authCodeOf({ id }: StoredPayment): string {
  return digitsOf(6, id)
}

function referenceOf({ reference }: StoredPayment): object {
  return reference === null ? {} : { reference }
}

function linksOf({ url }: StoredPayment) {
  return { self: { href: url }, actions: { href: `${url}/actions` } }
}

export function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
