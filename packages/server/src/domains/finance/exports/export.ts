/** An export, and its limits. */
import type { Id } from '../../../kernel/id.ts'
import type { UploadError } from './destination.ts'
import type { FormatName } from './formats.ts'
import type { JournalSettings } from './journal-settings.ts'
import type { Status } from './machine.ts'
import type { SourceName } from './sources.ts'
import type { Sums } from './sums.ts'

/** The file is stored for this time after the export completed. */
export const storedDays = 7
/**
 * The maximum total size of the files of one workspace is 1 GB. The file of a day is stored only until it is uploaded, and
 * can be up to 20 GB.
 */
export const exportLimits = { storedBytes: 1_073_741_824, dailyBytes: 20 * 1_073_741_824 }
/** The maximum number of exports that run concurrently in one workspace. */
export const maxRunning = 5
/** The longest period of an export. */
export const maxDays = 366

export const failures = ['too_large'] as const
export type Failure = (typeof failures)[number]

export type Export = {
  readonly id: Id<'export'>
  readonly source: SourceName
  readonly format: FormatName
  /** The first and the last day, in UTC: `2026-11-01`. */
  readonly fromOn: string
  readonly toOn: string
  readonly status: Status
  readonly failure: Failure | null
  /** The number of objects to read; null until they are counted. */
  readonly total: number | null
  readonly done: number
  /** The uuid of the last object in the parts. */
  readonly cursor: string | null
  readonly parts: number
  readonly rowCount: number
  readonly bytes: number
  readonly sums: Sums
  /** The settings of the journal when the export was created; null for other objects. */
  readonly settings: JournalSettings | null
  readonly sha256: string | null
  /** The destination of a daily export; null: the export was requested. */
  readonly destinationId: Id<'export_destination'> | null
  /** The folder of its files in the bucket. */
  readonly uploadPath: string | null
  /** The end of the lease of the worker that uploads, or the time of the next attempt. */
  readonly uploadAt: Date | null
  readonly uploadAttempts: number
  /** Why the last attempt failed; null while an attempt is being made. */
  readonly uploadError: UploadError | null
  /** The multipart upload that is not completed. */
  readonly uploadId: string | null
  readonly dueAt: Date | null
  /** When the parts are deleted; null if there are none. */
  readonly deleteAt: Date | null
  /** When the file of a completed export is deleted. */
  readonly expiresAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly completedAt: Date | null
  readonly version: number
  readonly sequence: number
}

/** A link to the file that works without an API token. */
export type DownloadLink = {
  readonly exportId: Id<'export'>
  readonly url: string
  readonly expiresAt: Date
}

export function fileNameOf({ source, fromOn, toOn }: Export, extension: string): string {
  return `${source.replaceAll('_', '-')}-${fromOn}-${toOn}.${extension}`
}
