import { type Static, Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
import { toSafeNumber } from '../../../kernel/money.ts'
import {
  CreatedAt,
  IdOf,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import type { LineCount } from './line-count.ts'
import { type Payout, payoutStatuses } from './payout.ts'
import { importFormats, importStatuses, type SettlementImport } from './settlement-import.ts'
import { lineKinds, lineStatuses, resolutions, type SettlementLine } from './settlement-line.ts'

const column = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 100, description, examples: [example] })
const optionalColumn = (description: string, example: string) => Type.Optional(column(description, example))

const CsvMappingObject = Type.Object(
  {
    columns: Type.Object(
      {
        id: optionalColumn(
          'Column that identifies a line. Without it, all values of a line identify it.',
          'ID',
        ),
        type: optionalColumn(
          'Column with the type of a line; `types` says what its values mean. Without it, positive amounts are payments and negative amounts are refunds.',
          'Type',
        ),
        provider_reference: optionalColumn(
          'Reference of the capture or refund at the provider.',
          'Transaction',
        ),
        payment_reference: optionalColumn(
          'Reference of the payment at the provider, for refunds.',
          'Original',
        ),
        our_reference: optionalColumn('Reference that Switchyard sent to the provider.', 'Order'),
        gross: column('Amount before fees. Negative for refunds.', 'Gross'),
        fee: optionalColumn('Fee, positive if it was charged.', 'Fee'),
        net: optionalColumn('Amount after fees. Default: gross minus fee.', 'Net'),
        currency: column('Three-letter ISO 4217 currency code.', 'Currency'),
        created_at: column(
          'Date or timestamp, such as 2026-11-14 or 2026-11-14T12:00:00Z. UTC by default.',
          'Date',
        ),
        payout_reference: optionalColumn('Reference of the payout.', 'Payout'),
        card_brand: optionalColumn('Card brand, such as Visa or mc.', 'Brand'),
        card_country: optionalColumn('Two-letter country code of the card issuer.', 'Issuer country'),
        card_funding: optionalColumn('`credit`, `debit` or `prepaid`.', 'Card type'),
      },
      { additionalProperties: false, description: 'Names of the columns in the file.' },
    ),
    types: Type.Optional(
      Type.Unsafe<Record<string, (typeof lineKinds)[number]>>({
        type: 'object',
        maxProperties: 100,
        additionalProperties: { type: 'string', enum: [...lineKinds] },
        description:
          'Kind of a line for each value of the `type` column. A file with any other value is rejected.',
        examples: [{ SALE: 'payment', REFUND: 'refund' }],
      }),
    ),
    amounts: Type.Optional(
      OneOf(['major', 'minor'], { default: 'major', description: 'Unit of the amounts: 12.99 or 1299.' }),
    ),
    decimal_separator: Type.Optional(OneOf(['.', ','], { default: '.', description: 'Decimal separator.' })),
    delimiter: Type.Optional(
      OneOf([',', ';', '\t'], { default: ',', description: 'Separator of the columns.' }),
    ),
  },
  { additionalProperties: false, description: 'How the columns of a CSV file are read.' },
)

const format = OneOf(importFormats, {
  description:
    "`stripe_payout_reconciliation`: Stripe's `payout_reconciliation.itemized.5` report. `adyen_settlement_details`: Adyen's Settlement details report. `csv`: any CSV file, read with `mapping`.",
  examples: ['stripe_payout_reconciliation'],
  loggable: true,
})

export const CreateSettlementImport = Type.Object(
  {
    provider_account_id: IdOf('provider_account', 'ID of the provider account that the report is about.'),
    format,
    file_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Name of the file.',
        examples: ['november.csv'],
      }),
    ),
    mapping: Type.Optional(CsvMappingObject),
    settle_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 90,
        description:
          'After this many days without a line, a capture or refund is `missing_there`. Saved for the provider account. Default: the saved value, initially 7.',
        examples: [7],
      }),
    ),
  },
  { additionalProperties: false },
)
export type CreateSettlementImport = Static<typeof CreateSettlementImport>

export const SettlementImportObject = Type.Object(
  {
    id: IdOf('settlement_import'),
    object: Type.Literal('settlement_import'),
    provider_account_id: IdOf('provider_account'),
    format,
    file_name: nullableWithExample(
      Type.String({ description: 'Name of the file.', examples: ['november.csv'] }),
    ),
    status: OneOf(importStatuses, {
      description:
        '`awaiting_content`: upload the file. `uploading`: the file is being received; after an interruption, upload it again. `matching`: the lines are stored and are being compared. `completed` and `failed` are final.',
      examples: ['completed'],
      loggable: true,
    }),
    content_sha256: nullableWithExample(
      Type.String({
        description: 'SHA-256 of the file in hexadecimal. Null until the whole file has been received.',
        examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
        loggable: true,
      }),
    ),
    duplicate_of: nullableWithNullExample(
      IdOf(
        'settlement_import',
        'ID of an earlier import with the same content. Its lines were not added again.',
      ),
    ),
    lines_read: Type.Integer({
      description: 'Number of lines of the file that have been processed so far.',
      examples: [4711],
      loggable: true,
    }),
    lines_new: Type.Integer({
      description: 'Number of lines that no other import has added. 0 if the import has failed.',
      examples: [4711],
      loggable: true,
    }),
    lines_matched: Type.Integer({
      description: 'Number of new lines that have been compared so far.',
      examples: [4711],
      loggable: true,
    }),
    failure: nullableWithNullExample(Type.String({ description: 'Why the file could not be imported.' })),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    completed_at: nullableWithExample({ ...Time, description: 'Time the matching was completed.' }),
  },
  { $id: 'SettlementImport', description: 'The import of one settlement report of a provider account.' },
)

export const ImportPath = Type.Object({ settlement_import_id: IdOf('settlement_import') })
export const LinePath = Type.Object({ settlement_line_id: IdOf('settlement_line') })

const accountFilter = (objects: string) =>
  Type.Optional(Type.String({ maxLength: 100, description: `Only ${objects} of this provider account.` }))

export const ListSettlementImports = { provider_account_id: accountFilter('imports') }
export const ListPayouts = { provider_account_id: accountFilter('payouts') }

export function presentImport(settlementImport: SettlementImport): Static<typeof SettlementImportObject> {
  return {
    id: settlementImport.id,
    object: 'settlement_import',
    provider_account_id: settlementImport.providerAccountId,
    format: settlementImport.format,
    file_name: settlementImport.fileName,
    status: settlementImport.status,
    content_sha256: settlementImport.contentSha256,
    duplicate_of: settlementImport.duplicateOfId,
    lines_read: toSafeNumber(settlementImport.linesRead),
    lines_new: toSafeNumber(settlementImport.linesNew),
    lines_matched: toSafeNumber(settlementImport.linesProcessed),
    failure: settlementImport.failure,
    created_at: settlementImport.createdAt.toISOString(),
    updated_at: settlementImport.updatedAt.toISOString(),
    completed_at: settlementImport.completedAt?.toISOString() ?? null,
  }
}

const currency = (description: string) =>
  OneOf(currencies, { description, examples: ['eur'], loggable: true })
const signedAmount = (description: string, example = 1299) =>
  Type.Integer({ description, examples: [example], loggable: true })

export const SettlementLineObject = Type.Object(
  {
    id: IdOf('settlement_line'),
    object: Type.Literal('settlement_line'),
    provider_account_id: IdOf('provider_account'),
    settlement_import_id: nullableWithExample(
      IdOf('settlement_import', 'ID of the import. Null for a capture or refund without a line.'),
    ),
    number: nullableWithExample(
      Type.Integer({
        description: 'Number of the line in the file; 1 is the header.',
        examples: [2],
        loggable: true,
      }),
    ),
    kind: OneOf(lineKinds, { description: 'What the line is about.', examples: ['payment'], loggable: true }),
    status: OneOf(lineStatuses, {
      description:
        '`pending`: not compared yet. `matched`: Switchyard has recorded the same amount. `amount_differs`: it has recorded a different amount. `missing_here`: it has no such payment or refund. `missing_there`: the provider has not settled a capture or refund in time. `resolved`: a person has decided what the line is.',
      examples: ['missing_here'],
      loggable: true,
    }),
    provider_reference: nullableWithExample(
      Type.String({ description: 'Reference at the provider.', examples: ['pi_3SuJ0K2eZvKYlo2C'] }),
    ),
    our_reference: nullableWithNullExample(
      Type.String({ description: 'Reference that Switchyard sent to the provider.' }),
    ),
    amount: signedAmount('Amount of the payment or refund in minor units. Negative for refunds.'),
    currency: currency('Currency of the payment or refund.'),
    recorded_amount: nullableWithNullExample(
      signedAmount('Amount that Switchyard has recorded. Null if it has no such payment or refund.'),
    ),
    gross: signedAmount('Amount before fees, in the currency of the payout.'),
    fee: signedAmount('Fees in the currency of the payout.', 30),
    net: signedAmount('Amount after fees, in the currency of the payout.', 1269),
    settlement_currency: currency('Currency of the payout.'),
    payout_reference: nullableWithExample(
      Type.String({
        description: 'Reference of the payout at the provider.',
        examples: ['po_1SuJ0K2eZvKYlo2C'],
      }),
    ),
    matched_id: nullableWithNullExample(
      IdOf('operation', 'ID of the operation, refund, dispute or payout that the line was compared with.'),
    ),
    in_suspense: signedAmount('Amount in the `suspense` account of the ledger because of this line.', 0),
    resolution: nullableWithNullExample(
      OneOf(resolutions, {
        description: 'What a person has decided. Null until the line is resolved.',
        loggable: true,
      }),
    ),
    note: nullableWithNullExample(Type.String({ description: 'Note of the person who resolved the line.' })),
    resolved_at: nullableWithNullExample({ ...Time, description: 'Time the line was resolved.' }),
    raw: nullableWithExample(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description:
          'The values of the line in the file, by column. Null for a capture or refund without a line.',
        examples: [{ balance_transaction_id: 'txn_1SuJ0K2eZvKYlo2C', gross: '12.99' }],
      }),
    ),
    created_at: { ...CreatedAt, description: 'Time of the transaction at the provider.' },
  },
  { $id: 'SettlementLine', description: 'A line of a settlement report, compared with the ledger.' },
)

export const ListSettlementLines = {
  status: Type.Optional(OneOf(lineStatuses, { description: 'Only lines with this status.' })),
}

export const ResolveSettlementLine = Type.Object(
  {
    resolution: OneOf(resolutions, {
      description:
        '`payment`: income, or a refund if negative, that Switchyard has not recorded. `fee`: a fee. `adjustment`: money that you paid to the provider, or received from it, outside of payouts. `ignored`: the amount stays in `suspense`.',
      examples: ['fee'],
      loggable: true,
    }),
    note: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'Reason for the resolution. Recorded in the audit log.',
    }),
  },
  { additionalProperties: false },
)
export type ResolveSettlementLine = Static<typeof ResolveSettlementLine>

const numberOrNull = (amount: bigint | null) => (amount === null ? null : toSafeNumber(amount))

export function presentLine(line: SettlementLine): Static<typeof SettlementLineObject> {
  return {
    id: line.id,
    object: 'settlement_line',
    provider_account_id: line.providerAccountId,
    settlement_import_id: line.importId,
    number: line.number,
    kind: line.kind,
    status: line.status,
    provider_reference: line.providerReference,
    our_reference: line.ourReference,
    amount: toSafeNumber(line.amount),
    currency: line.currency,
    recorded_amount: numberOrNull(line.postedAmount),
    gross: toSafeNumber(line.gross),
    fee: toSafeNumber(line.fee),
    net: toSafeNumber(line.net),
    settlement_currency: line.settlementCurrency,
    payout_reference: line.payoutReference,
    matched_id: line.matchedId,
    in_suspense: toSafeNumber(line.suspense),
    resolution: line.resolution,
    note: line.note,
    resolved_at: line.resolvedAt?.toISOString() ?? null,
    raw: line.raw === null ? null : { ...line.raw },
    created_at: line.createdAt.toISOString(),
  }
}

const lineCount = (description: string) =>
  Type.Integer({ minimum: 0, description, examples: [12], loggable: true })

const counts = {
  matched: lineCount('Lines that Switchyard has recorded with the same amount.'),
  amount_differs: lineCount('Lines that Switchyard has recorded with a different amount.'),
  missing_here: lineCount('Lines for which Switchyard has no payment or refund.'),
  missing_there: lineCount('Captures and refunds that the provider has not settled in time.'),
  resolved: lineCount('Lines that a person has resolved.'),
}

export const ReconciliationObject = Type.Object(
  {
    object: Type.Literal('reconciliation'),
    ...counts,
    provider_accounts: Type.Array(Type.Object({ provider_account_id: IdOf('provider_account'), ...counts }), {
      description: 'The same numbers per provider account.',
    }),
  },
  { $id: 'Reconciliation', description: 'The number of settlement lines per status.' },
)

const statuses = ['matched', 'amount_differs', 'missing_here', 'missing_there', 'resolved'] as const

function countsOf(lineCounts: readonly LineCount[]) {
  const sums = statuses.map((status) => {
    const ofStatus = lineCounts.filter((count) => count.status === status)
    return [status, toSafeNumber(ofStatus.reduce((sum, { lines }) => sum + lines, 0n))] as const
  })
  return Object.fromEntries(sums) as { readonly [S in (typeof statuses)[number]]: number }
}

export function presentReconciliation(lineCounts: readonly LineCount[]): Static<typeof ReconciliationObject> {
  const byAccount = Map.groupBy(lineCounts, ({ providerAccountId }) => providerAccountId)
  return {
    object: 'reconciliation',
    ...countsOf(lineCounts),
    provider_accounts: [...byAccount].map(([provider_account_id, ofAccount]) => ({
      provider_account_id,
      ...countsOf(ofAccount),
    })),
  }
}

export const PayoutObject = Type.Object(
  {
    id: IdOf('payout'),
    object: Type.Literal('payout'),
    provider_account_id: IdOf('provider_account'),
    provider_reference: Type.String({
      description: 'Reference of the payout at the provider, or the number of the settlement batch.',
      examples: ['po_1SuJ0K2eZvKYlo2C'],
    }),
    status: OneOf(payoutStatuses, {
      description:
        '`in_transit`: expected in your bank account at `arrives_at`. `paid`: that time has passed. `failed`: the provider reversed it.',
      examples: ['paid'],
      loggable: true,
    }),
    currency: currency('Currency of the payout.'),
    amount: signedAmount('Amount of the payout in minor units.', 1_248_020),
    gross: signedAmount('Sum of its lines before fees.', 1_287_300),
    fees: signedAmount('Sum of the fees.', 39_280),
    lines: Type.Integer({ description: 'Number of lines.', examples: [812], loggable: true }),
    arrives_at: nullableWithExample({
      ...Time,
      description: 'Time the provider expects the payout to arrive. Null if the report does not state it.',
    }),
    failed_at: nullableWithNullExample({ ...Time, description: 'Time the failure was imported.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'Payout',
    description: 'A payout of a provider to your bank account, from imported settlement reports.',
  },
)

export function presentPayout(payout: Payout): Static<typeof PayoutObject> {
  return {
    id: payout.id,
    object: 'payout',
    provider_account_id: payout.providerAccountId,
    provider_reference: payout.providerReference,
    status: payout.status,
    currency: payout.currency,
    amount: toSafeNumber(payout.amount),
    gross: toSafeNumber(payout.gross),
    fees: toSafeNumber(payout.fees),
    lines: toSafeNumber(payout.lines),
    arrives_at: payout.arrivesAt?.toISOString() ?? null,
    failed_at: payout.failedAt?.toISOString() ?? null,
    created_at: payout.createdAt.toISOString(),
    updated_at: payout.updatedAt.toISOString(),
  }
}
