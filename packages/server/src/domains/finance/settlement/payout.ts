import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'

export const payoutStatuses = ['in_transit', 'paid', 'failed'] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

export type Payout = {
  readonly id: Id<'payout'>
  readonly providerAccountId: Id<'provider_account'>
  readonly providerReference: string
  /** In transit until the time at which the provider expects it to arrive. */
  readonly status: PayoutStatus
  readonly currency: Currency
  readonly amount: bigint
  readonly gross: bigint
  readonly fees: bigint
  readonly lines: bigint
  readonly arrivesAt: Date | null
  readonly failedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}
