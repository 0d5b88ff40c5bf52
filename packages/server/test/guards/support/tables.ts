// Lists the tables with workspace data and reads their rows, for the guards.

import type { Client } from 'pg'

/** Tables with a workspace_id, without their partitions. */
export async function workspaceTables(client: Client): Promise<string[]> {
  const { rows } = await client.query(`
    select relname from pg_class
    join pg_attribute on attrelid = pg_class.oid and attname = 'workspace_id' and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`)
  return rows.map(({ relname }) => relname)
}

/** Tables of the control plane that have rows of a workspace. */
const controlTables = [
  'control.api_token_secrets',
  'control.api_tokens',
  'control.audit_outbox',
  'control.idempotency_keys',
]

/** Every row of these workspaces in every table, as text, to detect whether anything changed. */
export async function readWorkspaceRows(
  client: Client,
  workspaces: readonly string[],
): Promise<Record<string, string[]>> {
  const entries: [string, string[]][] = []
  for (const table of [...(await workspaceTables(client)), ...controlTables]) {
    // Use prepared statements, because the tenancy guard reads all rows hundreds of times.
    const { rows } = await client.query({
      name: `rows of ${table}`,
      text: `select row::text as text from ${table} as row where workspace_id = any($1) order by 1`,
      values: [workspaces],
    })
    entries.push([table, rows.map(({ text }) => text)])
  }
  return Object.fromEntries(entries)
}
