import type { Deps } from '../../../deps.ts'
import { type Id, idFromUuid, modeOf } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import type { SealedSecret } from '../store/lanes.ts'

/** A signing secret with its text, kept in memory while its endpoint is served. */
export type Secret = { readonly uuid: string; readonly text: string; readonly expiresAt: Date | null }

export async function openSecrets(
  { sealedBox }: Pick<Deps, 'sealedBox'>,
  db: Db,
  workspaceId: Id<'workspace'>,
  sealed: readonly SealedSecret[],
): Promise<Secret[]> {
  const opened: Secret[] = []
  for (const one of sealed) {
    const rowId = idFromUuid('webhook_secret', modeOf(workspaceId), one.uuid)
    const place = { workspaceId, table: 'webhook_secrets', column: 'sealed', rowId }
    const text = await sealedBox.open(db, place, one.sealed)
    opened.push({ uuid: one.uuid, text, expiresAt: one.expiresAt })
  }
  return opened
}
