/** What may pile up in an installation, by the names that its figures have. Pure. */
export const backlogKinds = [
  ...(['payments_unknown', 'payments_in_review', 'refunds_in_review'] as const),
  ...(['deliveries_due', 'endpoints_failing', 'endpoints_disabled'] as const),
  ...(['subscriptions_past_due', 'dunning_running'] as const),
] as const
export type BacklogKind = (typeof backlogKinds)[number]

/** Whoever has more needs no exact figure. */
export const mostCounted = 10_000
