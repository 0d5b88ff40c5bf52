/** A campaign: how one invoice that could not be collected is tried again, and what happens in the end. */
import type { Id } from '../../kernel/id.ts'

export const statuses = ['running', 'recovered', 'exhausted', 'stopped'] as const
export type Status = (typeof statuses)[number]

export type Step = {
  readonly dueAt: Date
  /** When it was to be, before a failure moved it. */
  readonly plannedAt: Date
  readonly moved: 'payday' | 'too_soon' | 'requested' | 'new_card' | null
  readonly attemptedAt: Date | null
  readonly paymentId: string | null
  /** Why it failed; null if it has not been tried, or succeeded. */
  readonly code: string | null
}

/** The policy as it was when the campaign began. */
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

/** For whom nobody tries by itself any more. */
export type WaitsFor = 'customer' | 'new_card'

export type DunningCampaign = {
  readonly id: Id<'dunning_campaign'>
  readonly invoiceId: Id<'invoice'>
  readonly subscriptionId: Id<'subscription'>
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
