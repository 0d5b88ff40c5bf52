/** The kinds of backlog in an installation: the values of the `kind` label of the backlog metrics. No side effects. */
export const backlogKinds = [
  'payments_unknown',
  'payments_in_review',
  'refunds_in_review',
  'disputes_open',
  'disputes_due',
  'disputes_overdue',
  'disputes_responding',
  'deliveries_due',
  'endpoints_failing',
  'endpoints_disabled',
  'subscriptions_past_due',
  'dunning_running',
] as const
export type BacklogKind = (typeof backlogKinds)[number]

/** Above this number the exact count does not matter. */
export const maxCounted = 10_000
