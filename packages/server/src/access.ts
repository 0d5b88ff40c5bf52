/**
 * Who may call what: one row per operation, and no operation without a row. The documentation and the
 * test of every route with every role are made from this table.
 */
import type { Authority } from './kernel/caller.ts'
import type { Access } from './platform/http/site.ts'

const admin = ['ADMIN'] as const
const writers = ['ADMIN', 'DEVELOPER'] as const
/** Those who look after what went wrong. */
const helpers = ['ADMIN', 'DEVELOPER', 'SUPPORT'] as const
const readers = ['ADMIN', 'DEVELOPER', 'SUPPORT', 'READ_ONLY'] as const

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
  'people.list':         admin,
  'requests.get':        readers,
  'requests.list':       readers,
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

export function allowedOperations(authority: Authority): readonly string[] {
  return Object.keys(access).filter((id) => access[id]?.some((one) => one === authority))
}
