import { type Static, Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
import { toSafeNumber } from '../../../kernel/money.ts'
import {
  CreatedAt,
  IdOf,
  nullable,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { accountNames } from '../ledger/schema.ts'
import { type DownloadLink, type Export, failures, fileNameOf } from './export.ts'
import { formatNames, formats } from './formats.ts'
import { accountNameOf, accountNumberOf, type JournalSettings } from './journal-settings.ts'
import { statuses } from './machine.ts'
import { presentError, UploadErrorObject } from './schema/destinations.ts'
import { sourceNames } from './sources.ts'

const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example], loggable: true })
const day = (description: string, example: string) =>
  Type.String({ format: 'date', description, examples: [example], loggable: true })

const of = OneOf(sourceNames, {
  description:
    'What is exported. `ledger_postings` has one row per posting; `journal` has two, one for the debit and one for the credit.',
  examples: ['journal'],
  loggable: true,
})
const format = OneOf(formatNames, {
  description:
    'Format of the file. `xero` and `datev` are for the journal only: ZIP archives with files for the import of Xero (manual journals with the sums of each day) or DATEV (Buchungsstapel).',
  examples: ['csv'],
  loggable: true,
})
const from = day(
  'First day of the period, in UTC. Postings and the journal are dated by `effective_at`, settlement lines by the time of the transaction at the provider, other objects by their creation.',
  '2026-11-01',
)
const to = day('Last day of the period, in UTC. At most 366 days.', '2026-11-30')

export const CreateExport = Type.Object({ of, format, from, to }, { additionalProperties: false })
export type CreateExport = Static<typeof CreateExport>

const FileObject = Type.Object(
  {
    name: Type.String({ description: 'Name of the file.', examples: ['journal-2026-11-01-2026-11-30.csv'] }),
    bytes: count('Size of the file.', 482_133),
    sha256: Type.String({
      description: 'SHA-256 of the file, in hexadecimal.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  },
  { description: 'The file. Null until the export is completed.' },
)

const UploadObject = Type.Object(
  {
    path: Type.String({
      description: 'Folder with the file and `manifest.json` in the bucket.',
      examples: ['switchyard/payments/day=2026-11-14'],
    }),
    attempts: count('Number of attempts that have ended.', 1),
    error: nullableWithNullExample(UploadErrorObject),
    next_attempt_at: nullableWithNullExample({
      ...Time,
      description: 'Time of the next attempt after a failure. Null if none is scheduled.',
    }),
  },
  { description: 'The upload of a daily export. Null for other exports.' },
)

export const ListExports = {
  export_destination_id: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only daily exports of this destination. Without it, daily exports are not listed.',
    }),
  ),
}

export const ExportObject = Type.Object(
  {
    id: IdOf('export'),
    object: Type.Literal('export'),
    of,
    format,
    from,
    to,
    status: OneOf(statuses, {
      description:
        'The file can be downloaded once the status is `completed`. `uploading`: the file of a daily export is being uploaded.',
      examples: ['completed'],
      loggable: true,
    }),
    failure: nullableWithNullExample(
      OneOf(failures, {
        description:
          'Why the export failed. `too_large`: the files of the workspace would occupy more than 1 GB, or the file of a day more than 20 GB. Export a shorter period, or wait until older files expire. Null unless the status is `failed`.',
        loggable: true,
      }),
    ),
    progress: Type.Object(
      {
        done: count('Number of objects that were read, including those of other days.', 2_410),
        total: nullable(count('Number of objects to read. Null until they are counted.', 2_410)),
      },
      { description: 'Progress of the export.' },
    ),
    rows: count('Number of rows in the file, without the header.', 4_820),
    sums: Type.Array(
      Type.Object({
        column: Type.String({ description: 'Name of the column.', examples: ['debit'], loggable: true }),
        currency: OneOf(currencies, {
          description: 'Three-letter ISO 4217 currency code in lowercase.',
          examples: ['eur'],
          loggable: true,
        }),
        amount: Type.Integer({
          description: 'Sum in minor units.',
          examples: [1_248_020],
          loggable: true,
        }),
      }),
      {
        description:
          'Sums of the amounts in the file, by column and currency. Compare them with what you imported.',
      },
    ),
    file: nullableWithExample(FileObject),
    export_destination_id: nullableWithNullExample(
      IdOf('export_destination', 'ID of the destination of a daily export. Null for other exports.'),
    ),
    upload: nullableWithNullExample(UploadObject),
    expires_at: nullableWithExample({
      ...Time,
      description: 'Time the file is deleted. Null until the export is completed.',
      examples: ['2026-11-21T12:00:00.000Z'],
    }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    completed_at: nullableWithExample({
      ...Time,
      description: 'Time the export completed, failed or was cancelled. Null before that.',
    }),
  },
  { $id: 'Export', description: 'A file with the objects of a period.' },
)

const accountNumber = Type.String({
  minLength: 1,
  maxLength: 10,
  pattern: '^[A-Za-z0-9.-]+$',
  description: 'Number of the account in your chart of accounts.',
  examples: ['1360'],
})
const accountName = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Name of the account in your chart of accounts.',
  examples: ['Payments in transit'],
})
const account = OneOf(accountNames, {
  description: 'Account of the ledger.',
  examples: ['clearing'],
  loggable: true,
})

const DatevObject = Type.Object(
  {
    consultant_number: Type.Integer({
      minimum: 1001,
      maximum: 9_999_999,
      description: 'Consultant number (Beraternummer).',
      examples: [1001],
    }),
    client_number: Type.Integer({
      minimum: 1,
      maximum: 99_999,
      description: 'Client number (Mandantennummer).',
      examples: [1],
    }),
    fiscal_year_start: Type.String({
      pattern: '^(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$',
      description: 'First day of the fiscal year, as month and day.',
      examples: ['01-01'],
    }),
    account_length: Type.Integer({
      minimum: 4,
      maximum: 8,
      description: 'Number of digits of general ledger accounts (Sachkontenlänge).',
      examples: [4],
    }),
  },
  {
    additionalProperties: false,
    description: 'Settings for DATEV. Null: no files for DATEV can be exported.',
  },
)
const XeroObject = Type.Object(
  {
    tax_rate: Type.String({
      minLength: 1,
      maxLength: 50,
      description: 'Tax rate of all lines, as it is called in Xero.',
      examples: ['Tax Exempt'],
    }),
  },
  { additionalProperties: false, description: 'Settings for Xero.' },
)

export const JournalSettingsObject = Type.Object(
  {
    object: Type.Literal('journal_settings'),
    accounts: Type.Array(
      Type.Object({
        account,
        number: nullableWithExample(accountNumber),
        name: accountName,
      }),
      { description: 'All accounts of the ledger.' },
    ),
    datev: nullableWithExample(DatevObject),
    xero: XeroObject,
  },
  {
    $id: 'JournalSettings',
    description: 'Numbers and names of the ledger accounts in your accounting software.',
  },
)

export const UpdateJournalSettings = Type.Object(
  {
    accounts: Type.Optional(
      Type.Array(
        Type.Object(
          {
            account,
            number: Type.Optional(nullable(accountNumber)),
            name: Type.Optional(nullable(accountName)),
          },
          { additionalProperties: false },
        ),
        {
          maxItems: 50,
          description: 'Accounts to change. Null removes the number, or restores the default name.',
        },
      ),
    ),
    datev: Type.Optional(nullable(DatevObject)),
    xero: Type.Optional(XeroObject),
  },
  { additionalProperties: false },
)

export function presentJournalSettings(settings: JournalSettings): Static<typeof JournalSettingsObject> {
  return {
    object: 'journal_settings',
    accounts: accountNames.map((name) => ({
      account: name,
      number: accountNumberOf(settings, name),
      name: accountNameOf(settings, name),
    })),
    datev: settings.datev,
    xero: settings.xero,
  }
}

export const ExportPath = Type.Object({ export_id: IdOf('export') })

export const ExportDownload = Type.Object(
  {
    object: Type.Literal('export_download'),
    export_id: IdOf('export'),
    url: Type.String({
      description: 'URL of the file. It needs no API token, so do not share it.',
      examples: ['https://api.example.com/downloads/live.0190'],
    }),
    expires_at: { ...Time, description: 'Time the URL stops working, 15 minutes after this response.' },
  },
  { $id: 'ExportDownload', description: 'A link to the file of an export.' },
)

export function present(exported: Export): Static<typeof ExportObject> {
  const { sha256, bytes } = exported
  return {
    id: exported.id,
    object: 'export',
    of: exported.source,
    format: exported.format,
    from: exported.fromOn,
    to: exported.toOn,
    status: exported.status,
    failure: exported.failure,
    progress: { done: exported.done, total: exported.total },
    rows: exported.rowCount,
    sums: presentSums(exported),
    file: sha256 === null ? null : { name: nameOf(exported), bytes, sha256 },
    export_destination_id: exported.destinationId,
    upload: presentUpload(exported),
    expires_at: exported.expiresAt?.toISOString() ?? null,
    created_at: exported.createdAt.toISOString(),
    updated_at: exported.updatedAt.toISOString(),
    completed_at: exported.completedAt?.toISOString() ?? null,
  }
}

function presentUpload(exported: Export): Static<typeof UploadObject> | null {
  const { uploadPath: path, uploadAttempts: attempts, uploadError: error, uploadAt } = exported
  if (path === null) return null
  // While an attempt is being made, this is the lease of its worker.
  const nextAttemptAt = error === null ? null : uploadAt
  return {
    path,
    attempts,
    error: presentError(error),
    next_attempt_at: nextAttemptAt?.toISOString() ?? null,
  }
}

const nameOf = (exported: Export) => fileNameOf(exported, formats[exported.format].extension)

function presentSums({ sums }: Export): Static<typeof ExportObject>['sums'] {
  return Object.entries(sums).flatMap(([column, byCurrency]) =>
    Object.entries(byCurrency).map(([currency, amount]) => ({
      column,
      currency: currency as (typeof currencies)[number],
      amount: toSafeNumber(BigInt(amount)),
    })),
  )
}

export function presentDownload({ exportId, url, expiresAt }: DownloadLink): Static<typeof ExportDownload> {
  return { object: 'export_download', export_id: exportId, url, expires_at: expiresAt.toISOString() }
}
