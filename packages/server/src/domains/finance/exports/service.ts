/** Starts, reads, cancels and downloads exports. */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { uuidInFilter } from '../../../kernel/filters.ts'
import type { Mode } from '../../../kernel/id.ts'
import { allowedActions } from '../../../kernel/machine.ts'
import { currentTime } from '../../../platform/db/current-time.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { linkSeconds, signDownload, verifyDownload } from './download-token.ts'
import { exportCreated } from './events.ts'
import { type DownloadLink, type Export, fileNameOf, maxDays, maxRunning } from './export.ts'
import { type FormatName, formats } from './formats.ts'
import type { JournalSettings } from './journal-settings.ts'
import { exportMachine } from './machine.ts'
import { daysOf } from './period.ts'
import { cancel } from './service/cancel.ts'
import { requireJournalSettings } from './service/journal.ts'
import { newExport } from './service/new-export.ts'
import type { SourceName } from './sources.ts'
import * as store from './store/exports.ts'
import { readPart } from './store/parts.ts'

type CreateExport = {
  readonly of: SourceName
  readonly format: FormatName
  readonly from: string
  readonly to: string
}

export function createExport(deps: Deps, caller: Caller, body: CreateExport): Promise<Export> {
  requirePeriod(body)
  return transact(deps, caller, async (tx) => {
    if ((await store.lockRunning(tx, maxRunning)) >= maxRunning)
      refuse('limit_reached', {
        detail: `At most ${maxRunning} exports can run concurrently. Wait for one to end, or cancel one.`,
      })
    const created = newExport(tx, { ...body, settings: await settingsOf(tx, body) })
    await store.insertExport(tx, created)
    tx.emit(exportCreated, { after: created })
    return created
  })
}

/** The settings of the journal are copied, so that a change does not affect a running export. */
async function settingsOf(tx: Tx, { of, format, from, to }: CreateExport): Promise<JournalSettings | null> {
  return of === 'journal' ? requireJournalSettings(tx, { format, fromOn: from, toOn: to }) : null
}

function requirePeriod({ of, format, from, to }: CreateExport): void {
  if (of !== 'journal' && (format === 'xero' || format === 'datev'))
    refuseMember('/format', 'not_together', 'can only be combined with `of: journal`')
  if (to < from) refuseMember('/to', 'too_small', 'must not be before from')
  if (daysOf(from, to) > maxDays)
    refuseMember(
      '/to',
      'too_large',
      `must end a period of at most ${maxDays} days: export each year separately`,
    )
}

export function getExport(deps: Deps, caller: Caller, id: string): Promise<Export> {
  return read(deps, caller, (view) => store.findExport(view, id))
}

export function listExports(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  filter: { readonly export_destination_id?: string | undefined } = {},
) {
  const uuid = uuidInFilter('export_destination', caller.mode, filter.export_destination_id)
  return read(deps, caller, (view) => store.listExports(view, range, uuid))
}

export function cancelExport(deps: Deps, caller: Caller, id: string): Promise<Export> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockExport(tx, id)
    if (before.destinationId !== null)
      refuse('invalid_state', {
        detail:
          'A daily export cannot be cancelled, because its day would be missing. Delete the destination instead.',
        current_status: before.status,
        allowed_actions: [],
      })
    return cancel(tx, before)
  })
}

/** A link to the file that works without an API token, for a short time. */
export async function createDownloadLink(deps: Deps, caller: Caller, id: string): Promise<DownloadLink> {
  const { exported, now } = await readWithTime(deps, caller, id)
  if (exported.status !== 'completed')
    refuse('invalid_state', {
      detail: 'An export can be downloaded once it is completed.',
      current_status: exported.status,
      allowed_actions: allowedActions(exportMachine, exported.status, {}),
    })
  if (!hasFile(exported, now))
    refuse('not_found', { detail: 'The file of this export has expired. Create the export again.' })
  const expiresAt = addSeconds(now, linkSeconds)
  const token = signDownload(deps.linkKeys, {
    workspaceId: caller.workspaceId,
    exportId: exported.id,
    expiresAt,
  })
  return { exportId: exported.id, url: `${deps.addresses[caller.mode]}/downloads/${token}`, expiresAt }
}

function readWithTime(deps: Deps, caller: Caller, id: string) {
  return read(deps, caller, async (view) => {
    const [exported, now] = await Promise.all([
      store.findExport(view, id),
      currentTime(view, deps.clock.read()),
    ])
    return { exported, now }
  })
}

const hasFile = ({ status, deleteAt, expiresAt }: Export, now: Date) =>
  status === 'completed' && deleteAt !== null && expiresAt !== null && expiresAt > now

export type ExportFile = {
  readonly name: string
  readonly contentType: string
  readonly bytes: number
  readonly chunks: AsyncIterable<Uint8Array>
}

/** The file behind a download link, read part by part. */
export async function openDownload(deps: Deps, mode: Mode, token: string): Promise<ExportFile> {
  const download = verifyDownload(deps.linkKeys, mode, token)
  if (download === null) refuse('download_link_invalid')
  const { workspaceId, exportId: id, expiresAt } = download
  const caller = systemCaller({ workspaceId, id })
  const { exported, now } = await readWithTime(deps, caller, id)
  if (expiresAt <= now || !hasFile(exported, now)) refuse('download_link_invalid')
  const { extension, contentType } = formats[exported.format]
  const name = fileNameOf(exported, extension)
  return { name, contentType, bytes: exported.bytes, chunks: partsOf(deps, caller, exported) }
}

async function* partsOf(deps: Deps, caller: Caller, { id, parts }: Export): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < parts; number += 1) {
    const content = await read(deps, caller, (view) => readPart(view, id, number))
    // The client notices that the file is incomplete, because the length was sent before.
    if (content === null) throw new Error('The file was deleted during its download.')
    yield content
  }
}
