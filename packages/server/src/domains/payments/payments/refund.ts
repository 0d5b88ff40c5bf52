import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Failure } from './payment.ts'

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
