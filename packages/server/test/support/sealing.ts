// A database with empty workspaces and its own master keys, for tests of encryption.

import { createHash } from 'node:crypto'
import { afterAll } from 'vitest'
import { type Id, idFromUuid, idMaker, uuidOf } from '../../src/kernel/id.ts'
import { type Db, openDatabases } from '../../src/platform/db/databases.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import type { MasterKey } from '../../src/platform/sealed-box/keyring.ts'
import type { SecretLocation } from '../../src/platform/sealed-box.ts'
import { newDatabase } from './database.ts'

/** A master key that is derived from its id. */
export function masterKey(id: string): MasterKey {
  return { id, key: createHash('sha256').update(id).digest() }
}

const newUuid = idMaker(new Date(), 7)

/** The location of a secret of the workspace. */
export function secretLocation(workspaceId: Id<'workspace'>): SecretLocation {
  const rowId = idFromUuid('webhook_secret', 'test', newUuid())
  return { workspaceId, table: 'webhook_secrets', column: 'sealed', rowId }
}

export async function sealingForThisFile() {
  const url = await newDatabase()
  const databases = openDatabases({ url, poolSize: 8, onError: () => {} })
  afterAll(() => databases.close())

  return {
    url,
    databases,
    /** Runs an action with the database role of requests. */
    inWorkspace: <T>(id: Id<'workspace'>, action: (db: Db) => Promise<T>) =>
      databases.of(id).inWorkspace(id, action),
    async newWorkspaces(count: number): Promise<Id<'workspace'>[]> {
      const ids = Array.from({ length: count }, () => idFromUuid('workspace', 'test', newUuid()))
      await asOwner(url, (client) =>
        client.query(
          `insert into workspaces (workspace_id, organization_id, name, mode, api_version, created_at, updated_at)
           select id, id, 'A workspace', 'test', '2026-11-14', now(), now() from unnest($1::uuid[]) as id`,
          [ids.map(uuidOf)],
        ),
      )
      return ids
    },
  }
}
