/** Records whether a destination could be written to. */
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { type ObjectStorage, openBucket } from '../../../../platform/object-storage.ts'
import type { SecretLocation } from '../../../../platform/sealed-box.ts'
import { exportableAt } from '../daily.ts'
import { type Destination, failuresUntilAttention, type UploadError } from '../destination.ts'
import { destinationFailing, destinationRecovered } from '../events.ts'
import * as store from '../store/destinations.ts'

/** Makes requests with the secret of the destination. Null if the destination was deleted. */
export async function openStorage(
  deps: Deps,
  view: View,
  destination: Destination,
): Promise<ObjectStorage | null> {
  const sealed = await store.findSealedSecret(view, destination.id)
  if (sealed === null) return null
  const { id, endpointUrl, region, bucket, accessKeyId } = destination
  return openBucket(deps.outbound, {
    mode: view.caller.mode,
    endpointUrl,
    region,
    bucket,
    accessKeyId,
    secretAccessKey: await deps.sealedBox.open(view.db, secretLocation(view, id), sealed),
    pool: id,
  })
}

export function secretLocation({ caller }: View, rowId: Id<'export_destination'>): SecretLocation {
  return {
    workspaceId: caller.workspaceId,
    table: 'export_destinations',
    column: 'secret_access_key',
    rowId,
  }
}

export async function recordFailure(tx: Tx, before: Destination, error: UploadError): Promise<Destination> {
  if (before.deletedAt !== null) return before
  const failures = before.failures + 1
  const changes = { failures, error, failingSinceAt: before.failingSinceAt ?? tx.now }
  if (failures !== failuresUntilAttention) return store.updateState(tx, before, changes)
  const after = await store.updateWithEvent(tx, before, changes)
  tx.emit(destinationFailing, { before, after })
  return after
}

/** Also starts the export of the next day, if it waits for this one. */
export async function recordSuccess(tx: Tx, before: Destination): Promise<Destination> {
  assert(before.deletedAt === null, 'Exports of a deleted destination must be cancelled.')
  const changes = {
    failures: 0,
    error: null,
    failingSinceAt: null,
    lastSuccessAt: tx.now,
    dueAt: exportableAt(before.nextDayOn),
  }
  if (before.failures < failuresUntilAttention) return store.updateState(tx, before, changes)
  const after = await store.updateWithEvent(tx, before, changes)
  tx.emit(destinationRecovered, { before, after })
  return after
}
