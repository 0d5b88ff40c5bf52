/**
 * Who may call what: one row per operation, and no operation without a row. The documentation and the
 * test of every route with every role are made from this table.
 */
import type { Authority } from './kernel/caller.ts'
import type { Access } from './platform/http/site.ts'

const admin = ['ADMIN'] as const
const writers = ['ADMIN', 'DEVELOPER'] as const
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
  'event_types.list':    readers,
  'events.get':          readers,
  'events.list':         readers,
  'me.get':              readers,
  'people.list':         admin,
  'requests.get':        readers,
  'requests.list':       readers,
  'workspace.get':       readers,
  'workspace.update':    admin,
}

export function allowedOperations(authority: Authority): readonly string[] {
  return Object.keys(access).filter((id) => access[id]?.some((one) => one === authority))
}
