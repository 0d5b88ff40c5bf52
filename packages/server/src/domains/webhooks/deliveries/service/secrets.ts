import type { Deps } from '../../../../deps.ts'
import { type Id, idFromUuid, modeOf } from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import type { SealedSecret } from '../store/lanes.ts'

/** A decrypted signing secret, kept in memory while its endpoint is served. */
export type Secret = { readonly uuid: string; readonly text: string; readonly expiresAt: Date | null }

export async function decryptSecrets(
  { sealedBox }: Pick<Deps, 'sealedBox'>,
  db: Db,
  workspaceId: Id<'workspace'>,
  sealed: readonly SealedSecret[],
): Promise<Secret[]> {
  const secrets: Secret[] = []
  for (const secret of sealed) {
    const rowId = idFromUuid('webhook_secret', modeOf(workspaceId), secret.uuid)
    const location = { workspaceId, table: 'webhook_secrets', column: 'sealed', rowId }
    const text = await sealedBox.open(db, location, secret.sealed)
    secrets.push({ uuid: secret.uuid, text, expiresAt: secret.expiresAt })
  }
  return secrets
}
