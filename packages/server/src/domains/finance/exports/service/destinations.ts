/** Creates, changes, checks and deletes export destinations. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { isSameJson } from '../../../../kernel/json.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { lockAndCheckLimit } from '../../../../platform/db/name-lock.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { recordAuditEntry } from '../../../access/audit/service.ts'
import { dayOf, exportableAt } from '../daily.ts'
import {
  changeDestination,
  type Destination,
  type DestinationSettings,
  maxDestinations,
  pathIn,
} from '../destination.ts'
import { destinationCreated, destinationDeleted, destinationUpdated } from '../events.ts'
import type { CreateDestination, UpdateDestination } from '../schema/destinations.ts'
import * as store from '../store/destinations.ts'
import { lockUnfinished, updateProgress } from '../store/exports.ts'
import { cancel } from './cancel.ts'
import { openStorage, recordFailure, recordSuccess, secretLocation } from './destination-health.ts'

/** The first day is the day of the creation. Earlier days can be exported on request. */
export function createDestination(
  deps: Deps,
  caller: Caller,
  input: CreateDestination,
): Promise<Destination> {
  return transact(deps, caller, async (tx) => {
    requireAllowed(deps, caller, input.endpoint_url)
    if (!(await lockAndCheckLimit(tx, 'export_destinations', maxDestinations)))
      refuse('limit_reached', { detail: `Limit reached: at most ${maxDestinations} export destinations.` })
    const created = newDestination(tx, input)
    const secret = await seal(deps, tx, created, input.secret_access_key)
    await store.insertDestination(tx, created, secret)
    tx.emit(destinationCreated, { after: created })
    await audit(tx, 'export_destination.created', created)
    return created
  })
}

function newDestination(tx: Tx, input: CreateDestination): Destination {
  const { endpoint_url: endpointUrl, access_key_id: accessKeyId, region, bucket, format } = input
  const nextDayOn = dayOf(tx.now)
  return {
    id: tx.newId('export_destination'),
    name: input.name ?? null,
    endpointUrl,
    region,
    bucket,
    prefix: input.prefix ?? null,
    accessKeyId,
    sources: [...new Set(input.of)],
    format,
    nextDayOn,
    dueAt: exportableAt(nextDayOn),
    failures: 0,
    failingSinceAt: null,
    error: null,
    lastSuccessAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    deletedAt: null,
    version: 1,
    sequence: 1,
  }
}

/** The secret is sealed for its row, and is never written to the audit log. */
function seal(deps: Deps, tx: Tx, { id }: Destination, secret: string): Promise<Buffer> {
  return deps.sealedBox.seal(tx.db, secretLocation(tx, id), secret)
}

type DestinationAct = `export_destination.${'created' | 'updated' | 'deleted'}`

async function audit(tx: Tx, act: DestinationAct, { id, endpointUrl, bucket }: Destination): Promise<void> {
  await recordAuditEntry(tx, act, { objectId: id, details: { endpoint_url: endpointUrl, bucket } })
}

function requireAllowed({ outbound }: Deps, { mode }: Caller, url: string): void {
  const fault = outbound.faultOf(url, mode)
  const detail = fault ?? (isOrigin(url) ? null : 'The URL must not contain a path, a query or a fragment.')
  if (detail === null) return
  refuse('url_not_allowed', { detail, errors: [{ pointer: '/endpoint_url', code: 'bad_format', detail }] })
}

function isOrigin(url: string): boolean {
  const { pathname, search, hash } = new URL(url)
  return pathname === '/' && search === '' && hash === ''
}

export function getDestination(deps: Deps, caller: Caller, id: string): Promise<Destination> {
  return read(deps, caller, (view) => store.findDestination(view, id))
}

export function listDestinations(deps: Deps, caller: Caller, range: IdRange) {
  return read(deps, caller, (view) => store.listDestinations(view, range))
}

export function updateDestination(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateDestination & { readonly ifMatch: number | null },
): Promise<Destination> {
  return transact(deps, caller, async (tx) => {
    const before = await lockPresent(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const settings = changeDestination(before, input)
    const { secret_access_key: secret } = input
    if (secret === undefined && isSameJson(settings, changeDestination(before, {}))) return before
    if (settings.endpointUrl !== before.endpointUrl) requireAllowed(deps, caller, settings.endpointUrl)
    if (secret === undefined) requireSameReceiver(before, settings)

    const sealed = secret === undefined ? undefined : await seal(deps, tx, before, secret)
    const after = await store.updateWithEvent(tx, before, settings, sealed)
    await retryUploads(tx, after)
    tx.emit(destinationUpdated, { before, after })
    await audit(tx, 'export_destination.updated', after)
    return after
  })
}

/** A secret is used only with the endpoint and the access key for which it was entered. */
function requireSameReceiver(before: Destination, after: DestinationSettings): void {
  const { endpointUrl, accessKeyId } = before
  if (after.endpointUrl !== endpointUrl || after.accessKeyId !== accessKeyId)
    refuseMember('/secret_access_key', 'required', 'is required to change endpoint_url or access_key_id')
}

async function lockPresent(tx: Tx, id: string): Promise<Destination> {
  const destination = await store.lockDestination(tx, id)
  if (destination.deletedAt !== null) refuse('not_found', { detail: store.missing })
  return destination
}

/** Retries uploads that failed. Uploads in progress have no error. */
async function retryUploads(tx: Tx, { id }: Destination): Promise<void> {
  for (const exported of await lockUnfinished(tx, id))
    if (exported.uploadError !== null) await updateProgress(tx, exported, { uploadAt: tx.now })
}

/** The row is kept for its exports, without its secret. Exports that have not ended are cancelled. */
export function deleteDestination(
  deps: Deps,
  caller: Caller,
  id: string,
  ifMatch: number | null,
): Promise<Destination> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockDestination(tx, id)
    if (before.deletedAt !== null) return before
    if (ifMatch !== null && ifMatch !== before.version) refuse('version_mismatch')
    for (const exported of await lockUnfinished(tx, before.id)) await cancel(tx, exported)
    const after = await store.updateWithEvent(tx, before, { deletedAt: tx.now, dueAt: null }, null)
    tx.emit(destinationDeleted, { before, after })
    await audit(tx, 'export_destination.deleted', after)
    return after
  })
}

const checkName = 'switchyard-check.txt'

/** Writes a small object to the bucket, and records the result. */
export async function checkDestination(deps: Deps, caller: Caller, id: string): Promise<Destination> {
  const { destination, storage } = await read(deps, caller, async (view) => {
    const found = await store.findDestination(view, id)
    return { destination: found, storage: await openStorage(deps, view, found) }
  })
  if (storage === null) refuse('not_found', { detail: store.missing })
  const content = Buffer.from('Switchyard wrote this file to check its access to the bucket.\n')
  const result = await storage.putObject(pathIn(destination, checkName), content, 'text/plain')
  return transact(deps, caller, async (tx) => {
    const before = await lockPresent(tx, id)
    // The settings were changed during the check, so its result does not apply to them.
    if (before.version !== destination.version) refuse('conflict')
    if (result.is === 'failed') return recordFailure(tx, before, result.error)
    const after = await recordSuccess(tx, before)
    await retryUploads(tx, after)
    return after
  })
}
