/** What must be true before a workspace is moved between two shards. */
import type { Client } from 'pg'
import { MoveError } from './errors.ts'
import { exists } from './replication.ts'
import type { Side } from './sides.ts'
import { findMovedTables } from './tables.ts'

export async function requireEqualSchemas(sides: readonly Side[]): Promise<void> {
  const versions = await Promise.all(sides.map(({ client }) => readSchema(client)))
  if (new Set(versions).size > 1)
    throw new MoveError(
      `The schemas of ${sides.map(({ name }) => name).join(' and ')} differ. Run migrate, and then this command again.`,
    )
}

async function readSchema(client: Client): Promise<string> {
  const { rows } = await client.query<{ version: string }>(
    `select string_agg(name || ' ' || checksum, ',' order by name) as version from schema_migrations`,
  )
  return rows[0]?.version ?? ''
}

export async function requireServer({ name, client }: Side): Promise<void> {
  const { rows } = await client.query<{ level: string; isSuperuser: boolean }>(
    `select current_setting('wal_level') as level, rolsuper as "isSuperuser" from pg_roles where rolname = current_user`,
  )
  if (rows[0]?.level !== 'logical')
    throw new MoveError(
      `PostgreSQL of ${name} must run with wal_level = logical. See docs/operations/cells.md.`,
    )
  if (rows[0].isSuperuser !== true)
    throw new MoveError(
      `The user of ${name} in SHARD_OWNERS must be a superuser while workspaces are moved. See docs/operations/cells.md.`,
    )
}

export async function requireEmpty({ name, client }: Side, workspace: string): Promise<void> {
  for (const table of await findMovedTables(client))
    if (await exists(client, `from ${table.name} where workspace_id = $1`, workspace))
      throw new MoveError(`${name} already has rows of the workspace in ${table.name}. Delete them first.`)
}
