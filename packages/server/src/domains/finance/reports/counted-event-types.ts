/** The event types that change a figure. A test compares them with the existing event types. */

/** The first of these events determines the outcome of a payment, and its attempts are counted with that event. */
export const decidingTypes = [
  'payment.authorized',
  'payment.succeeded',
  'payment.failed',
  'payment.cancelled',
] as const

export const paymentTypes = ['payment.created', ...decidingTypes, 'refund.succeeded'] as const

/** Every event of these types may change the contribution of its object. */
export const billingTypes = [
  ...[
    'created',
    'activated',
    'activation_required',
    'activation_expired',
    'trial_will_end',
    'updated',
    'renewed',
    'paused',
    'resumed',
    'cancel_scheduled',
    'cancelled',
    'past_due',
    'recovered',
    'unpaid',
    'parked',
    'unparked',
  ].map((verb) => `subscription.${verb}`),
  ...['started', 'step_failed', 'recovered', 'exhausted', 'stopped'].map(
    (verb) => `dunning_campaign.${verb}`,
  ),
]

export const countedTypes: readonly string[] = [...paymentTypes, ...billingTypes]
