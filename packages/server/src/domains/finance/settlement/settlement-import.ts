import type { Id } from '../../../kernel/id.ts'
import type { CsvMapping } from './formats/csv-mapping.ts'

export const importFormats = ['stripe_payout_reconciliation', 'adyen_settlement_details', 'csv'] as const
export type ImportFormat = (typeof importFormats)[number]

export const importStatuses = ['awaiting_content', 'uploading', 'matching', 'completed', 'failed'] as const
export type ImportStatus = (typeof importStatuses)[number]

/** The steps of matching, in order. */
export const matchingSteps = ['pending_lines', 'open_lines', 'payouts', 'unexplained', 'missing'] as const
export type MatchingStep = (typeof matchingSteps)[number]

export type SettlementImport = {
  readonly id: Id<'settlement_import'>
  readonly providerAccountId: Id<'provider_account'>
  readonly format: ImportFormat
  readonly fileName: string | null
  /** Null unless the format is `csv`. */
  readonly mapping: CsvMapping | null
  readonly status: ImportStatus
  /** The number of uploads that were started. */
  readonly uploads: number
  readonly contentSha256: string | null
  readonly duplicateOfId: Id<'settlement_import'> | null
  readonly linesRead: bigint
  readonly linesNew: bigint
  readonly linesProcessed: bigint
  readonly step: MatchingStep | null
  /** The position within the step. */
  readonly stepAfter: string | null
  readonly failure: string | null
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly completedAt: Date | null
  readonly version: number
}
