/** Creates, rotates and reveals the secrets of an endpoint. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { type Tx, transact, type View } from '../../../../platform/db/unit-of-work.ts'
import type { SecretLocation } from '../../../../platform/sealed-box.ts'
import { recordAuditEntry } from '../../../access/audit/service.ts'
import { webhookEndpointSecretRotated } from '../events.ts'
import type { RotateSecret } from '../schema.ts'
import { generateSecret, maxActiveSecrets } from '../secret.ts'
import * as lanes from '../store/lanes.ts'
import * as secrets from '../store/secrets.ts'
import * as store from '../store.ts'
import type { EndpointDetails, RevealedEndpoint } from '../webhook-endpoint.ts'
import { loadDetails } from './details.ts'

/**
 * Creates a secret that signs all subsequent requests. It is stored encrypted, and only `revealSecret`
 * returns it.
 */
export async function addSecret(
  deps: Deps,
  tx: Tx,
  endpoint: Id<'webhook_endpoint'>,
): Promise<Id<'webhook_secret'>> {
  const id = tx.newId('webhook_secret')
  const sealed = await deps.sealedBox.seal(tx.db, locationOf(tx, id), generateSecret())
  await secrets.insertSecret(tx, endpoint, { id, sealed })
  return id
}

/** Reveals the newest secret. The audit log entry is committed before the response. */
export function revealSecret(deps: Deps, caller: Caller, id: string): Promise<RevealedEndpoint> {
  return transact(deps, caller, async (tx) => {
    const endpoint = await loadDetails(tx, await store.lockPresentEndpoint(tx, id))
    const newest = await secrets.findNewestSecret(tx, endpoint.id)
    const secret = await deps.sealedBox.open(tx.db, locationOf(tx, newest.id), newest.sealed)
    await recordAuditEntry(tx, 'webhook_endpoint.secret_revealed', {
      objectId: endpoint.id,
      details: { webhook_secret_id: newest.id },
    })
    return { ...endpoint, secret }
  })
}

/**
 * The new secret signs requests immediately. Earlier secrets also sign them until the overlap ends, so that
 * receivers can be updated one by one.
 */
export function rotateSecret(
  deps: Deps,
  caller: Caller,
  id: string,
  { overlap_seconds = 86_400 }: RotateSecret,
): Promise<EndpointDetails> {
  return transact(deps, caller, async (tx) => {
    const row = await store.lockPresentEndpoint(tx, id)
    const before = await loadDetails(tx, row)
    const overlapEndsAt = addSeconds(tx.now, overlap_seconds)
    // Without an overlap no earlier secret stays active.
    const remaining = overlap_seconds === 0 ? 0 : before.secrets.length
    if (remaining >= maxActiveSecrets) refuse('too_many_secrets')

    await secrets.limitExpiry(tx, row.id, overlapEndsAt)
    const secretId = await addSecret(deps, tx, row.id)
    await lanes.scheduleSweepBy(tx, row.id, overlapEndsAt)
    const after = await loadDetails(tx, await store.updateEndpoint(tx, row, {}))
    tx.emit(webhookEndpointSecretRotated, { before, after })
    await recordAuditEntry(tx, 'webhook_endpoint.secret_rotated', {
      objectId: row.id,
      details: { webhook_secret_id: secretId, overlap_seconds },
    })
    return after
  })
}

function locationOf({ caller }: View, rowId: Id<'webhook_secret'>): SecretLocation {
  return { workspaceId: caller.workspaceId, table: 'webhook_secrets', column: 'sealed', rowId }
}
