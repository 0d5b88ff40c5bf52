/** The secrets of an endpoint: made, rotated, and shown to those who may see them. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import { type Tx, transact, type View } from '../../../platform/db/unit-of-work.ts'
import type { Place } from '../../../platform/sealed-box.ts'
import { recordAct } from '../../audit/service.ts'
import { webhookEndpointSecretRotated } from '../events.ts'
import type { RotateSecret } from '../schema.ts'
import { drawSecret, maxLiveSecrets } from '../secret.ts'
import * as lanes from '../store/lanes.ts'
import * as secrets from '../store/secrets.ts'
import * as store from '../store.ts'
import type { ObservedEndpoint, RevealedEndpoint } from '../webhook-endpoint.ts'
import { observe } from './observe.ts'

/** Makes a secret that signs from now on. Its text is sealed here and leaves by `revealSecret` alone. */
export async function addSecret(
  deps: Deps,
  tx: Tx,
  endpoint: Id<'webhook_endpoint'>,
): Promise<Id<'webhook_secret'>> {
  const id = tx.newId('webhook_secret')
  const sealed = await deps.sealedBox.seal(tx.db, placeOf(tx, id), drawSecret())
  await secrets.insertSecret(tx, endpoint, { id, sealed })
  return id
}

/** The newest. Who saw it, and when, is in the audit log before it is in the answer. */
export function revealSecret(deps: Deps, caller: Caller, id: string): Promise<RevealedEndpoint> {
  return transact(deps, caller, async (tx) => {
    const endpoint = await observe(tx, await store.lockPresentEndpoint(tx, id))
    const newest = await secrets.newestSecret(tx, endpoint.id)
    const secret = await deps.sealedBox.open(tx.db, placeOf(tx, newest.id), newest.sealed)
    await recordAct(tx, 'webhook_endpoint.secret_revealed', {
      objectId: endpoint.id,
      details: { webhook_secret_id: newest.id },
    })
    return { ...endpoint, secret }
  })
}

/** The new one signs at once. Earlier ones sign beside it for the overlap, so that receivers can be changed one by one. */
export function rotateSecret(
  deps: Deps,
  caller: Caller,
  id: string,
  { overlap_seconds = 86_400 }: RotateSecret,
): Promise<ObservedEndpoint> {
  return transact(deps, caller, async (tx) => {
    const row = await store.lockPresentEndpoint(tx, id)
    const before = await observe(tx, row)
    const endsAt = addSeconds(tx.now, overlap_seconds)
    // Without an overlap none of them is left to sign beside the new one.
    const staying = overlap_seconds === 0 ? 0 : before.secrets.length
    if (staying >= maxLiveSecrets) refuse('too_many_secrets')

    await secrets.endSecrets(tx, row.id, endsAt)
    const secretId = await addSecret(deps, tx, row.id)
    await lanes.sweepBy(tx, row.id, endsAt)
    const after = await observe(tx, await store.updateEndpoint(tx, row, {}))
    tx.emit(webhookEndpointSecretRotated, { before, after })
    await recordAct(tx, 'webhook_endpoint.secret_rotated', {
      objectId: row.id,
      details: { webhook_secret_id: secretId, overlap_seconds },
    })
    return after
  })
}

function placeOf({ caller }: View, rowId: Id<'webhook_secret'>): Place {
  return { workspaceId: caller.workspaceId, table: 'webhook_secrets', column: 'sealed', rowId }
}
