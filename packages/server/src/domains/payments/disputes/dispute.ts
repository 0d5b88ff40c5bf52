/** The dispute object: what the provider reports about it, and what the merchant responds. */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Money } from '../../../kernel/money.ts'
import type { DisputeReason, DisputeStage, EvidenceTexts, Fault } from '../../../providers/contract.ts'
import type { Status } from './machine.ts'

/** A chargeback or an inquiry about a payment, as its provider reports it. */
export type Dispute = {
  readonly id: Id<'dispute'>
  readonly paymentId: Id<'payment'>
  readonly providerAccountId: Id<'provider_account'>
  readonly providerReference: string
  readonly stage: DisputeStage
  readonly status: Status
  readonly amount: bigint
  readonly currency: Currency
  /** The amount that the provider has withdrawn and may return. */
  readonly amountHeld: bigint
  readonly fee: Money | null
  readonly reason: DisputeReason
  readonly networkReasonCode: string | null
  readonly respondByAt: Date | null
  /** The deadline that has passed. It is relevant only while the dispute needs a response. */
  readonly overdueSinceAt: Date | null
  /** The text fields of the evidence, encrypted. Null: there are none. */
  readonly sealedEvidence: Buffer | null
  /** Text fields that were stored before encryption was introduced. Otherwise empty. */
  readonly plainEvidence: EvidenceTexts
  /** When the text fields are deleted. Null while the dispute is open, or if there are none. */
  readonly evidenceDeleteAt: Date | null
  readonly fileIds: readonly Id<'file'>[]
  /** How many requests were made to submit evidence, or to accept the dispute. */
  readonly responseNumber: number
  /** How many times the current request was sent, or was about to be. */
  readonly responseAttempts: number
  /** Why the provider refused the last request. */
  readonly responseError: Fault | null
  /** When the current request is sent again, unless its result is known by then. Null: there is none. */
  readonly respondAt: Date | null
  /** The time since which the current request has had no known result. Null: there is none. */
  readonly respondingSinceAt: Date | null
  /** The provider's time of the newest report. */
  readonly reportedAt: Date
  /** The time of the newest report that states whether the amount is withdrawn. */
  readonly withdrawalReportedAt: Date
  /** The number of ledger lines that are used. */
  readonly postings: number
  readonly endedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

export type DisputeWithEvidence = Dispute & { readonly evidence: EvidenceTexts }

export function hasTexts({
  sealedEvidence,
  plainEvidence,
}: Pick<Dispute, 'sealedEvidence' | 'plainEvidence'>) {
  return sealedEvidence !== null || Object.keys(plainEvidence).length > 0
}

/** Whether the dispute is marked as overdue. */
export function isOverdue({ status, overdueSinceAt }: Dispute): boolean {
  return status === 'needs_response' && overdueSinceAt !== null
}

/** Whether the deadline for the response has passed. Only the provider ends a dispute, so its status stays the same. */
export function isPastDeadline(
  { status, respondByAt }: Pick<Dispute, 'status' | 'respondByAt'>,
  now: Date,
): boolean {
  return status === 'needs_response' && respondByAt !== null && respondByAt <= now
}
