/** Which events change a figure. Pure; a test holds it against the types that there are. */

/** A payment is decided by the first of these, and its attempts are counted with it. */
export const decidingTypes = [
  'payment.authorized',
  'payment.succeeded',
  'payment.failed',
  'payment.cancelled',
] as const

export const paymentTypes = ['payment.created', ...decidingTypes, 'refund.succeeded'] as const

/** Whatever is told of these may change what they are counted as. */
export const billingTypes = [
  ...[
    ...['created', 'activated', 'activation_required', 'activation_expired', 'trial_will_end', 'updated'],
    ...['renewed', 'paused', 'resumed', 'cancel_scheduled', 'cancelled', 'past_due', 'recovered', 'unpaid'],
    ...['parked', 'unparked'],
  ].map((verb) => `subscription.${verb}`),
  ...['started', 'step_failed', 'recovered', 'exhausted', 'stopped'].map(
    (verb) => `dunning_campaign.${verb}`,
  ),
]

export const countedTypes: readonly string[] = [...paymentTypes, ...billingTypes]
