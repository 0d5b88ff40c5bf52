/** Descriptions of the roles. The server decides which operations a role may call. */
export const roles = ['ADMIN', 'DEVELOPER', 'SUPPORT', 'FINANCE', 'READ_ONLY'] as const
export type Role = (typeof roles)[number]

export const roleOptions = [
  { value: 'ADMIN', text: 'Admin: everything' },
  { value: 'DEVELOPER', text: 'Developer: create and change objects, publish routes' },
  { value: 'SUPPORT', text: 'Support: refund, cancel, pause, resend' },
  { value: 'FINANCE', text: 'Finance: settlement, disputes and journal' },
  { value: 'READ_ONLY', text: 'Read-only: view everything' },
]

export type Permission = {
  readonly description: string
  readonly roles: readonly Role[]
  /** An operation that represents the row. The API returns whether the current user may call it. */
  readonly operation: string
}

export const permissions: readonly Permission[] = [
  { description: 'View objects, API log, events', roles, operation: 'payments.list' },
  {
    description: 'Refund, cancel, pause, resend',
    roles: ['ADMIN', 'DEVELOPER', 'SUPPORT'],
    operation: 'refunds.create',
  },
  {
    description: 'Respond to disputes',
    roles: ['ADMIN', 'DEVELOPER', 'SUPPORT', 'FINANCE'],
    operation: 'disputes.submit',
  },
  {
    description: 'Import settlement reports, resolve differences',
    roles: ['ADMIN', 'FINANCE'],
    operation: 'settlement_lines.resolve',
  },
  {
    description: 'Create and change objects, publish routes, hold providers',
    roles: ['ADMIN', 'DEVELOPER'],
    operation: 'payment_routes.publish',
  },
  {
    description:
      'View and rotate secrets; manage API tokens, people and provider credentials; view the audit log; resolve reviews',
    roles: ['ADMIN'],
    operation: 'webhook_endpoints.reveal_secret',
  },
]
