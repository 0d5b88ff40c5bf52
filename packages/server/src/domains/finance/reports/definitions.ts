/**
 * The definitions of all metrics in reports. The API descriptions use these sentences, and a test compares
 * them with docs/concepts/metrics.md.
 */

export const paymentMetrics = {
  created: 'Payments created in the bucket.',
  succeeded: 'Payments that succeeded in the bucket: everything that will be captured has been captured.',
  failed: 'Payments that failed in the bucket.',
  cancelled: 'Payments that were cancelled in the bucket.',
  volume: 'Amount captured by the payments that succeeded, before refunds, in minor units.',
  refunded: 'Amount of the refunds that succeeded in the bucket, in minor units.',
  recovered: 'Payments that succeeded after at least one other provider account had been tried.',
  recovered_volume: 'Amount captured by the recovered payments, in minor units.',
  attempts:
    'Attempts that a provider approved or declined, or that failed at the provider, counted when the outcome of their payment is known.',
  approved: 'Attempts that were approved. The approval rate is `approved / attempts`.',
} as const

export const billingMetrics = {
  mrr: 'Monthly recurring revenue: price times quantity of every item of the active subscriptions, converted to a month. A year counts as 12 months, 52 weeks or 365 days. Each subscription is rounded once to whole minor units, half away from zero. Trials, paused subscriptions, one-time charges and taxes are not counted.',
  subscriptions: 'Subscriptions by their current status.',
  at_risk: 'Amounts due on invoices whose dunning campaign is running.',
  recovered:
    'Amounts due on invoices whose dunning campaign ended with a payment, today or in the 29 days before, in UTC.',
} as const

/** Reports exclude test clocks unless the request includes them. */
export const testClockRules = {
  exclude: 'Customers on test clocks are not counted.',
  include:
    'Customers on test clocks are counted too: payments and refunds by the real time at which they happened, and recovered campaigns regardless of when they ended.',
} as const
export type TestClockRule = keyof typeof testClockRules
