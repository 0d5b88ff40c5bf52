/**
 * A payment is one instrument and one intent. An attempt is a try of it at one provider account; an operation is
 * one thing asked of that account: authorize, capture, void, refund. All of them lie under the payment, whose
 * row is the lock of the whole story.
 */
import type { Currency } from '../../kernel/currency.ts'
import type { Id } from '../../kernel/id.ts'
import type { Decline, Fault, OperationKind } from '../../providers/contract.ts'

export const paymentStatuses = [
  ...(['processing', 'requires_action', 'requires_capture'] as const),
  ...(['succeeded', 'failed', 'cancelled'] as const),
] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

/** What may be shown of a card, in the words of the wire. */
export type ShownCard = {
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
  readonly funding: string | null
  readonly country: string | null
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
  /** Ours: it leads to the provider's page for as long as that is awaited, and to the merchant afterwards. */
  readonly url: string
  readonly expires_at: string
  /** The provider's page. It is shown to nobody but the payer who opens our address. */
  readonly target: string
}

/** What a merchant may change about a payment: it is for people. */
export type Words = Pick<Intent, 'description' | 'metadata'>

/** What was asked for. It does not change. */
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
  /** The invoice that it is for. */
  readonly invoiceId: Id<'invoice'> | null
  /** The checkout session that it is made in, and the link that opened that. */
  readonly checkoutSessionId: Id<'checkout_session'> | null
  readonly paymentLinkId: Id<'payment_link'> | null
  readonly card: ShownCard
  readonly fingerprint: string | null
  readonly vaultCardUuid: string | null
  /** Whether a payment method comes of it, once a bank has approved it. Of a verification one always does. */
  readonly savePaymentMethod: boolean
  /** How the payment method that comes of it is meant to be used, if one does. */
  readonly usage: 'on_session' | 'off_session' | null
  readonly returnUrl: string | null
  readonly orderReference: string | null
  readonly statementDescriptor: string | null
  readonly description: string | null
  readonly billingDetails: object | null
  readonly metadata: Readonly<Record<string, string>>
}

export type Payment = Intent & {
  readonly id: Id<'payment'>
  /** The route that decides for it, and which revision of it; null: accounts are asked in their order. */
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly routeRevision: number | null
  readonly status: PaymentStatus
  readonly amountCapturable: bigint
  readonly amountCaptured: bigint
  readonly amountRefunding: bigint
  readonly amountRefunded: bigint
  readonly providerAccountId: Id<'provider_account'> | null
  readonly providerReference: string | null
  readonly networkTransactionId: string | null
  readonly attemptsCount: number
  readonly captureBeforeAt: Date | null
  /** Whether it was told that the hold runs out. */
  readonly expiringTold: boolean
  readonly nextAction: NextAction | null
  readonly unresolvedSinceAt: Date | null
  readonly unresolvedTold: boolean
  readonly failure: Failure | null
  readonly lastError: Failure | null
  readonly cancelRequestedAt: Date | null
  readonly review: 'needs_review' | 'conflict' | null
  /** What providers were told, once somebody has changed what is shown: a repeat has the bytes of the first call. */
  readonly sent: Words | null
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** It moves no more, but for what is given back. */
export function isFinal({ status }: Pick<Payment, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled'
}

/** It is decided: the money was taken, is held, or neither will happen. */
export function isDecided({ status }: Pick<Payment, 'status'>): boolean {
  return status !== 'processing' && status !== 'requires_action'
}

/** Whether a payment method comes of it. */
export function keepsCard({ purpose, savePaymentMethod }: Intent): boolean {
  return purpose === 'verification' || savePaymentMethod
}

export const attemptStatuses = [
  ...(['started', 'requires_action', 'unresolved', 'authorized', 'captured'] as const),
  ...(['declined', 'failed', 'voided', 'expired'] as const),
] as const
export type AttemptStatus = (typeof attemptStatuses)[number]

/** Nothing can be held or taken by one of these any more. */
const deadStatuses: readonly AttemptStatus[] = ['declined', 'failed', 'voided', 'expired']

export function isDead({ status }: Pick<Attempt, 'status'>): boolean {
  return deadStatuses.includes(status)
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
  /** Counts what is told of it. */
  readonly sequence: number
}

/** Why this account, as its route told it: what it asked for, which rules it looked at, who was passed over and why. */
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
  readonly requestHash: Buffer | null
  readonly leaseUntil: Date
  readonly completeBeforeAt: Date | null
  readonly checks: number
  readonly fault: Fault | null
  readonly decline: Decline | null
  /** A payer was asked to act for it: no other account is tried any more. */
  readonly challenged: boolean
  /** How often the same was sent before, as an operation of its own. */
  readonly resends: number
  /** Of one that is open: when it is asked about. Of one that has ended: when the same is sent again. */
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly version: number
}

export function isOpen({ status }: Pick<Operation, 'status'>): boolean {
  return (openStatuses as readonly string[]).includes(status)
}

export const refundReasons = ['requested_by_customer', 'duplicate', 'fraudulent', 'other'] as const

export type Refund = {
  readonly id: Id<'refund'>
  readonly paymentId: Id<'payment'>
  readonly status: 'pending' | 'succeeded' | 'failed'
  readonly amount: bigint
  readonly currency: Currency
  readonly reason: (typeof refundReasons)[number]
  readonly source: 'api' | 'provider' | 'automatic'
  readonly providerReference: string | null
  readonly failure: Failure | null
  readonly unresolvedSinceAt: Date | null
  readonly review: 'needs_review' | null
  readonly metadata: Readonly<Record<string, string>>
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}
