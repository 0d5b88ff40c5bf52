/** What each role may do, for people who give one. The server's table of operations decides. */
export const roles = ['ADMIN', 'DEVELOPER', 'SUPPORT', 'READ_ONLY'] as const
export type Role = (typeof roles)[number]

export const roleOptions = [
  { value: 'ADMIN', text: 'ADMIN: everything' },
  { value: 'DEVELOPER', text: 'DEVELOPER: makes and changes objects, publishes routes' },
  { value: 'SUPPORT', text: 'SUPPORT: refunds, cancels, pauses, resends' },
  { value: 'READ_ONLY', text: 'READ_ONLY: looks' },
]

export type Right = {
  readonly what: string
  readonly who: readonly Role[]
  /** An operation that stands for the row: whether the reader may do it is asked of the API. */
  readonly operation: string
}

export const rights: readonly Right[] = [
  { what: 'Read objects, API log, events', who: roles, operation: 'payments.list' },
  {
    what: 'Refund, cancel, pause, resend',
    who: ['ADMIN', 'DEVELOPER', 'SUPPORT'],
    operation: 'refunds.create',
  },
  {
    what: 'Create and change objects, publish routes, hold providers',
    who: ['ADMIN', 'DEVELOPER'],
    operation: 'payment_routes.publish',
  },
  {
    what: 'Show Secret, rotate secret, tokens, people, audit log, provider credentials, resolving a review',
    who: ['ADMIN'],
    operation: 'webhook_endpoints.reveal_secret',
  },
]
