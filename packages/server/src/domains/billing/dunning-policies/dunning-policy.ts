/** How overdue invoices are retried, and what happens if every retry fails. */
import type { Id } from '../../../kernel/id.ts'

export const subscriptionFinalActions = ['pause', 'cancel', 'mark_unpaid', 'keep'] as const
export const invoiceFinalActions = ['leave_open', 'uncollectible', 'void'] as const
export const graceOptions = ['campaign', 'none'] as const

/** The members that a caller can set. */
export type PolicyTerms = {
  readonly name: string
  /** Days after the first failure, ascending. */
  readonly retryDays: readonly number[]
  /** Days relative to the due date of an invoice that was sent to the customer, ascending. */
  readonly reminderDays: readonly number[]
  readonly localHour: number
  readonly jitterMinutes: number
  /** Whether access continues while a campaign runs. */
  readonly grace: (typeof graceOptions)[number]
  readonly final: {
    readonly subscription: (typeof subscriptionFinalActions)[number]
    readonly invoice: (typeof invoiceFinalActions)[number]
  }
  readonly metadata: Readonly<Record<string, string>>
}

export type DunningPolicy = PolicyTerms & {
  readonly id: Id<'dunning_policy'>
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** The policy for subscriptions without a dunning policy, and the defaults of omitted members. */
export const defaultTerms: Omit<PolicyTerms, 'name'> = {
  retryDays: [1, 3, 6, 10, 15, 21, 27],
  reminderDays: [-3, 1, 7, 14],
  localHour: 9,
  jitterMinutes: 30,
  grace: 'campaign',
  final: { subscription: 'pause', invoice: 'leave_open' },
  metadata: {},
}

export const maxRetries = 12
export const maxRetryDay = 60
