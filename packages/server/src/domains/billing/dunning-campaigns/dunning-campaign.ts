/** A dunning campaign: the retries of one overdue invoice, and what happens if all of them fail. */
import type { Id } from '../../../kernel/id.ts'

export const statuses = ['running', 'recovered', 'exhausted', 'stopped'] as const
export type Status = (typeof statuses)[number]

export type Step = {
  readonly dueAt: Date
  /** The original time, before a failure moved it. */
  readonly plannedAt: Date
  readonly moved: 'payday' | 'too_soon' | 'requested' | 'new_card' | null
  readonly attemptedAt: Date | null
  readonly paymentId: string | null
  /** The decline code; null if the step was not attempted, or succeeded. */
  readonly code: string | null
}

/** A copy of the policy at the start of the campaign. */
export type CampaignPolicy = {
  readonly id: string | null
  readonly retryDays: readonly number[]
  readonly localHour: number
  readonly jitterMinutes: number
  readonly grace: 'campaign' | 'none'
  readonly final: {
    readonly subscription: 'pause' | 'cancel' | 'mark_unpaid' | 'keep'
    readonly invoice: 'leave_open' | 'uncollectible' | 'void'
  }
}

/** What must happen before the campaign makes another automatic attempt. */
export type WaitsFor = 'customer' | 'new_card'

/** Why the invoice is owed: an attempt to collect it has failed, or the bank has returned a debit. */
export const reasons = ['payment_failed', 'debit_returned'] as const
export type Reason = (typeof reasons)[number]

export type DunningCampaign = {
  readonly id: Id<'dunning_campaign'>
  readonly reason: Reason
  readonly invoiceId: Id<'invoice'>
  /** Null for a one-off invoice. */
  readonly subscriptionId: Id<'subscription'> | null
  readonly customerId: Id<'customer'>
  readonly status: Status
  readonly policy: CampaignPolicy
  readonly failedAt: Date
  readonly steps: readonly Step[]
  readonly waitsFor: WaitsFor | null
  readonly endsAt: Date
  readonly endedAt: Date | null
  readonly dueAt: Date | null
  readonly testClockId: Id<'test_clock'> | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}
