/** How invoices that could not be collected are tried again, and what happens in the end. */
import type { Id } from '../../kernel/id.ts'

export const finalForSubscriptions = ['pause', 'cancel', 'mark_unpaid', 'keep'] as const
export const finalForInvoices = ['leave_open', 'uncollectible', 'void'] as const
export const graces = ['campaign', 'none'] as const

/** What a caller may set. */
export type PolicyTerms = {
  readonly name: string
  /** Days after the first failure, rising. */
  readonly retryDays: readonly number[]
  readonly localHour: number
  readonly jitterMinutes: number
  /** Whether access is kept while a campaign runs. */
  readonly grace: (typeof graces)[number]
  readonly final: {
    readonly subscription: (typeof finalForSubscriptions)[number]
    readonly invoice: (typeof finalForInvoices)[number]
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

/** What holds for subscriptions that name none, and for what a policy leaves out. */
export const usualTerms: Omit<PolicyTerms, 'name'> = {
  retryDays: [1, 3, 6, 10, 15, 21, 27],
  localHour: 9,
  jitterMinutes: 30,
  grace: 'campaign',
  final: { subscription: 'pause', invoice: 'leave_open' },
  metadata: {},
}

export const maxRetries = 12
export const longestDays = 60
