/**
 * A payment charges one card for one purpose. An attempt is a try at one provider account. An operation is
 * one request to that account: authorize, verify, capture, void or refund. Every change to a payment, its
 * attempts or its operations locks the row of the payment.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { DebitDetails } from '../../../kernel/debit-details.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Decline, Device, Fault, MethodType, OperationKind } from '../../../providers/contract.ts'

export const paymentStatuses = [
  'processing',
  'requires_action',
  'requires_capture',
  'succeeded',
  'failed',
  'cancelled',
] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

/** The card details that may be shown, with the member names of the API. */
export type DisplayCard = {
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
  readonly funding: string | null
  readonly country: string | null
  /** Missing in cards stored before this member existed. */
  readonly issuer?: string | null
  readonly bin: string | null
}

export type Failure = {
  readonly code: string
  readonly class: string
  readonly advice_code: string
  readonly message: string
  readonly network_code: string | null
}

export type NextAction = {
  readonly type: 'redirect'
  /**
   * The URL for the payer. It redirects to the provider page while the payment requires the action, and to
   * the merchant afterwards.
   */
  readonly url: string
  readonly expires_at: string
  /** The provider page. The API does not return it: payers are redirected to it from `url`. */
  readonly target: string
  /** The fields of the form with which the provider page is opened. Without them it is opened with a redirect. */
  readonly fields?: Readonly<Record<string, string>>
}

/**
 * When the bank confirms a debit. While it is pending, the payment is processing, and its outcome does not count as
 * unknown.
 */
export type Settlement = {
  readonly status: 'pending' | 'settled'
  /** Null if the provider confirmed the debit immediately. */
  readonly expectedAt: Date | null
  readonly settledAt: Date | null
}

/** The return of a debit that was settled, with the member names of the database. */
export type Reversal = {
  readonly reason_code: string | null
  readonly provider_reference: string
  readonly at: string
}

/** The members that the API can change. */
export type EditableFields = Pick<Intent, 'description' | 'metadata'>

/** The requested payment. Its members do not change, except the editable ones. */
export type Intent = {
  readonly purpose: 'payment' | 'verification'
  readonly amount: bigint
  readonly currency: Currency
  readonly captureMethod: 'automatic' | 'manual'
  readonly initiator: 'customer' | 'merchant'
  readonly threeDSecure: 'auto' | 'required'
  readonly customerId: Id<'customer'> | null
  readonly paymentMethodId: Id<'payment_method'> | null
  readonly tokenId: Id<'token'> | null
  /** The invoice that this payment pays. */
  readonly invoiceId: Id<'invoice'> | null
  readonly checkoutSessionId: Id<'checkout_session'> | null
  /** The payment link from which the checkout session was opened. */
  readonly paymentLinkId: Id<'payment_link'> | null
  readonly methodType: MethodType
  readonly card: DisplayCard
  /** The bank account, for a debit. In that case, `card` contains only the details that lists show. */
  readonly debit: DebitDetails | null
  readonly fingerprint: string | null
  readonly vaultCardUuid: string | null
  /** Whether an approval creates a payment method. A verification always creates one. */
  readonly savePaymentMethod: boolean
  /** The intended usage of the payment method, if one is created. */
  readonly usage: 'on_session' | 'off_session' | null
  readonly returnUrl: string | null
  readonly orderReference: string | null
  readonly statementDescriptor: string | null
  readonly description: string | null
  readonly billingDetails: object | null
  /** The payer's browser. Deleted when the payment has a result. */
  readonly device: Device | null
  readonly metadata: Readonly<Record<string, string>>
}

export type Payment = Intent & {
  readonly id: Id<'payment'>
  /**
   * The route of this payment. If it is null, accounts are tried in their default order. The payment keeps
   * the revision with which it was created.
   */
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly routeRevision: number | null
  readonly status: PaymentStatus
  readonly amountCapturable: bigint
  readonly amountCaptured: bigint
  readonly amountRefunding: bigint
  readonly amountRefunded: bigint
  /** The amount that the bank has returned to the payer after the settlement. */
  readonly amountReversed: bigint
  readonly reversal: Reversal | null
  /** Null for cards, and before a debit is submitted. */
  readonly settlement: Settlement | null
  /** The captured amount that is neither applied to an invoice nor returned yet. */
  readonly amountUnapplied: bigint
  readonly providerAccountId: Id<'provider_account'> | null
  readonly providerReference: string | null
  readonly networkTransactionId: string | null
  readonly attemptsCount: number
  readonly captureBeforeAt: Date | null
  /** Whether `payment.authorization_expiring` was emitted, or is not needed because the expiry was too close. */
  readonly expiryWarningDone: boolean
  readonly nextAction: NextAction | null
  readonly unresolvedSinceAt: Date | null
  /** Whether `payment.unresolved` was emitted. */
  readonly unresolvedEmitted: boolean
  readonly failure: Failure | null
  readonly lastError: Failure | null
  readonly cancelRequestedAt: Date | null
  readonly review: 'needs_review' | 'conflict' | null
  /**
   * The description and metadata that were sent to providers, if they were changed later: a repeated request must be
   * identical.
   */
  readonly sentFields: EditableFields | null
  readonly dueAt: Date | null
  /** The test clock on which the payment was created, if any. */
  readonly testClockId: Id<'test_clock'> | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** Whether the status is final. Refunds can still change the amounts. */
export function isFinal({ status }: Pick<Payment, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled'
}

/** Whether a debit was submitted to the bank, which has not confirmed it yet. */
export function isAwaitingBank({ settlement }: Pick<Payment, 'settlement'>): boolean {
  return settlement?.status === 'pending'
}

/** The captured amount that was neither refunded nor returned, including refunds in progress. */
export function refundableAmount(
  payment: Pick<Payment, 'amountCaptured' | 'amountRefunded' | 'amountRefunding' | 'amountReversed'>,
): bigint {
  const { amountCaptured, amountRefunded, amountRefunding, amountReversed } = payment
  return amountCaptured - amountRefunded - amountRefunding - amountReversed
}

/** Whether it is known if the payment was captured, authorized, or neither. */
export function hasOutcome({ status }: Pick<Payment, 'status'>): boolean {
  return status !== 'processing' && status !== 'requires_action'
}

/**
 * Whether an approval adds a credential to an existing payment method. The verification of a new card has a
 * card token, and this verification has none.
 */
export function addsCredential({ purpose, tokenId }: Pick<Intent, 'purpose' | 'tokenId'>): boolean {
  return purpose === 'verification' && tokenId === null
}

/** Whether an approval creates a payment method, or adds a credential to one. */
export function savesCard({ purpose, savePaymentMethod }: Intent): boolean {
  return purpose === 'verification' || savePaymentMethod
}

export const attemptStatuses = [
  'started',
  'requires_action',
  'unresolved',
  'authorized',
  'captured',
  'declined',
  'failed',
  'voided',
  'expired',
] as const
export type AttemptStatus = (typeof attemptStatuses)[number]

/** An attempt with one of these statuses has ended, and nothing is authorized or captured. */
const unchargedStatuses: readonly AttemptStatus[] = ['declined', 'failed', 'voided', 'expired']

export function endedWithoutCharge({ status }: Pick<Attempt, 'status'>): boolean {
  return unchargedStatuses.includes(status)
}

export type Attempt = {
  readonly id: Id<'payment_attempt'>
  readonly paymentId: Id<'payment'>
  readonly number: number
  readonly status: AttemptStatus
  readonly providerAccountId: Id<'provider_account'>
  readonly providerReference: string | null
  readonly decline: Decline | null
  readonly trace: Trace
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  /** The number of events that were emitted about the attempt. */
  readonly sequence: number
}

/** Why this account was chosen: the operands, the evaluated rules, and the skipped accounts with reasons. */
export type Trace = {
  readonly payment_route_id: string | null
  readonly revision: number | null
  readonly operands: Readonly<Record<string, string | number | null>>
  readonly rules: readonly {
    readonly rule: number
    readonly matched: boolean
    readonly failed_at: string | null
  }[]
  readonly draw: {
    readonly key: 'payment' | 'customer' | 'card'
    readonly drawn: number
    readonly provider_account_id: string
  } | null
  readonly candidates: readonly {
    readonly provider_account_id: string
    readonly eligible: boolean
    readonly reasons: readonly string[]
    readonly estimated_cost?: number | null
  }[]
  readonly order: readonly string[]
  readonly adaptive?: object
  readonly cause: string
}

export const openStatuses = ['sending', 'pending', 'awaiting_customer', 'unknown', 'needs_review'] as const
export const operationStatuses = [
  ...openStatuses,
  'succeeded',
  'declined',
  'rejected',
  'not_sent',
  'not_processed',
] as const
export type OperationStatus = (typeof operationStatuses)[number]

/** The parameters with which the payer returned from the provider page. */
export type ReturnParams = Readonly<Record<string, string>>

/** The provider's latest report about an operation, which is shown in a review. */
export type ReportedResult = {
  readonly status: string
  readonly amount: number | null
  readonly currency: string | null
}

export type Operation = {
  readonly id: Id<'operation'>
  readonly paymentId: Id<'payment'>
  readonly attemptId: Id<'payment_attempt'>
  readonly refundId: Id<'refund'> | null
  readonly kind: OperationKind
  readonly number: number
  readonly reference: string
  readonly status: OperationStatus
  readonly amount: bigint
  readonly currency: Currency
  readonly capture: boolean
  readonly final: boolean
  readonly providerAccountId: Id<'provider_account'>
  readonly providerReference: string | null
  /** The customer created at the provider for a card that this operation saves. */
  readonly providerCustomer: string | null
  readonly requestHash: Buffer | null
  readonly leaseUntil: Date
  readonly completeBeforeAt: Date | null
  readonly checks: number
  readonly fault: Fault | null
  readonly decline: Decline | null
  readonly reported: ReportedResult | null
  /** Whether the payer had to authenticate. After that no other account is tried. */
  readonly challenged: boolean
  /** How many times the payer has returned from the provider page. */
  readonly returns: number
  /** The last time the payer returned. */
  readonly returnedAt: Date | null
  /** The parameters of the last return, until the provider has responded to them; null if there are none. */
  readonly returnParams: ReturnParams | null
  /** How many times the same request was sent before, as separate operations. */
  readonly resends: number
  /** When an open operation is checked next, or when an operation that has ended is resent. */
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly version: number
}

export function isOpen({ status }: Pick<Operation, 'status'>): boolean {
  return (openStatuses as readonly string[]).includes(status)
}
