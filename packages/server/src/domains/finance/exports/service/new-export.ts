/** The initial state of an export, before any part of its file is written. */
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { Export } from '../export.ts'
import type { FormatName } from '../formats.ts'
import type { JournalSettings } from '../journal-settings.ts'
import { exportMachine } from '../machine.ts'
import type { SourceName } from '../sources.ts'

type NewExport = {
  readonly of: SourceName
  readonly format: FormatName
  readonly from: string
  readonly to: string
  readonly settings: JournalSettings | null
}

/** An export that starts now and was requested. */
export function newExport(tx: Tx, { of: source, format, from, to, settings }: NewExport): Export {
  return {
    id: tx.newId('export'),
    source,
    format,
    fromOn: from,
    toOn: to,
    status: exportMachine.initial,
    failure: null,
    total: null,
    done: 0,
    cursor: null,
    parts: 0,
    rowCount: 0,
    bytes: 0,
    sums: {},
    settings,
    sha256: null,
    destinationId: null,
    uploadPath: null,
    uploadAt: null,
    uploadAttempts: 0,
    uploadError: null,
    uploadId: null,
    dueAt: tx.now,
    deleteAt: null,
    expiresAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    completedAt: null,
    version: 1,
    sequence: 1,
  }
}
