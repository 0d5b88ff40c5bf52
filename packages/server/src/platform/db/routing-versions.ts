/**
 * Detects changes to routes and accounts across workspaces. The role that runs this query sees only version
 * numbers.
 */
import { sql } from 'kysely'
import { type Id, idFromUuid, modeOf, uuidOf } from '../../kernel/id.ts'
import type { Databases } from './databases.ts'

export async function routingVersionsOf(
  databases: Databases,
  ids: readonly Id<'workspace'>[],
): Promise<ReadonlyMap<Id<'workspace'>, string>> {
  const versions = new Map<Id<'workspace'>, string>()
  const modes = new Map(ids.map((id) => [uuidOf(id), modeOf(id)]))
  for (const shard of new Set(ids.map((id) => databases.of(id)))) {
    const { rows } = await shard.as('switchyard_due', (db) =>
      sql<{ workspace_id: string; version: string }>`
        select workspace_id, version::text from routing_versions
        where workspace_id = any(${[...modes.keys()]}::uuid[]) limit ${modes.size}`.execute(db),
    )
    for (const { workspace_id, version } of rows) {
      versions.set(idFromUuid('workspace', modes.get(workspace_id) ?? 'live', workspace_id), version)
    }
  }
  return versions
}
