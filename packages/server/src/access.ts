/**
 * Who may call what: one row per operation, and no operation without a row. The documentation and the
 * test of every route with every role are made from this table.
 */
import type { Authority } from './kernel/caller.ts'
import type { Mode } from './kernel/id.ts'
import { audienceOf } from './platform/http/audience.ts'
import type { Access } from './platform/http/site.ts'

const admin = ['ADMIN'] as const
const writers = ['ADMIN', 'DEVELOPER'] as const
/** Those who look after what went wrong. */
const helpers = ['ADMIN', 'DEVELOPER', 'SUPPORT'] as const
const readers = ['ADMIN', 'DEVELOPER', 'SUPPORT', 'READ_ONLY'] as const
/** Pages of a payment. A server that tries something out may do what they do, but not with real cards. */
const pages = { live: ['publishable'], test: ['ADMIN', 'DEVELOPER', 'publishable'] } as const

// biome-ignore format: a table.
export const access: Access = {
  'api_tokens.create':   admin,
  'api_tokens.get':      admin,
  'api_tokens.list':     admin,
  'api_tokens.revoke':   admin,
  'api_tokens.roll':     admin,
  'audit_entries.list':  admin,
  'customers.create':    writers,
  'customers.delete':    writers,
  'customers.get':       readers,
  'customers.list':      readers,
  'customers.update':    writers,
  'deliveries.get':      readers,
  'deliveries.list':     readers,
  'deliveries.resend':   helpers,
  'event_types.list':    readers,
  'events.get':          readers,
  'events.list':         readers,
  'events.resend':       helpers,
  'events.stream':       readers,
  'me.get':              readers,
  'payment_methods.attach':           writers,
  'payment_methods.create':           writers,
  'payment_methods.detach':           writers,
  'payment_methods.get':              readers,
  'payment_methods.list':             readers,
  'payment_methods.update':           writers,
  'payment_routes.archive':           writers,
  'payment_routes.create':            writers,
  'payment_routes.delete':            writers,
  'payment_routes.diff':              readers,
  'payment_routes.get':               readers,
  'payment_routes.lint':              writers,
  'payment_routes.list':              readers,
  'payment_routes.publish':           writers,
  'payment_routes.revision':          readers,
  'payment_routes.revisions':         readers,
  'payment_routes.simulate':          writers,
  'payment_routes.update':            writers,
  'payments.attempts':   readers,
  'payments.cancel':     helpers,
  'payments.capture':    writers,
  'payments.check':      helpers,
  'payments.create':     writers,
  'payments.get':        readers,
  'payments.list':       readers,
  'payments.operations': readers,
  'payments.resolve_operation':       admin,
  'payments.timeline':   readers,
  'payments.update':     writers,
  'people.list':         admin,
  'provider_accounts.archive':        admin,
  'provider_accounts.check':          writers,
  'provider_accounts.create':         admin,
  'provider_accounts.disable':        writers,
  'provider_accounts.enable':         writers,
  'provider_accounts.get':            readers,
  'provider_accounts.health':         readers,
  'provider_accounts.hold':           writers,
  'provider_accounts.list':           readers,
  'provider_accounts.release':        writers,
  'provider_accounts.rotate_secret':  admin,
  'provider_accounts.update':         admin,
  'refunds.create':      helpers,
  'refunds.get':         readers,
  'refunds.list':        readers,
  'requests.get':        readers,
  'requests.list':       readers,
  'tokens.create':       pages,
  'vault.confirm':       admin,
  'vault.get':           readers,
  'webhook_endpoints.create':         writers,
  'webhook_endpoints.delete':         writers,
  'webhook_endpoints.disable':        writers,
  'webhook_endpoints.enable':         writers,
  'webhook_endpoints.figures':        readers,
  'webhook_endpoints.get':            readers,
  'webhook_endpoints.list':           readers,
  'webhook_endpoints.reveal_secret':  admin,
  'webhook_endpoints.rotate_secret':  admin,
  'webhook_endpoints.test':           writers,
  'webhook_endpoints.update':         writers,
  'webhook_recoveries.cancel':        writers,
  'webhook_recoveries.create':        writers,
  'webhook_recoveries.get':           readers,
  'webhook_recoveries.list':          readers,
  'workspace.get':       readers,
  'workspace.update':    admin,
}

export function allowedOperations(authority: Authority, mode: Mode): readonly string[] {
  return Object.keys(access).filter((id) => audienceOf(access, id, mode)?.some((one) => one === authority))
}
