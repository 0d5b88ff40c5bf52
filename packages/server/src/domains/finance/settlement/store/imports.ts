/** Rows of settlement imports, the settings of their provider accounts, and the lease of the upload. */
import { type Selectable, sql } from 'kysely'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Mode,
  uuidFromText,
  uuidOf,
  uuidOrNull,
} from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { listRows } from '../../../../platform/db/list-rows.ts'
import type { SettlementImports } from '../../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import type { CsvMapping } from '../formats/csv-mapping.ts'
import type { ImportFormat, ImportStatus, MatchingStep, SettlementImport } from '../settlement-import.ts'

const columns = [
  'id',
  'provider_account_id',
  'format',
  'file_name',
  'mapping',
  'status',
  'uploads',
  'content_sha256',
  'duplicate_of_id',
  'lines_read',
  'lines_new',
  'lines_processed',
  'step',
  'step_after',
  'failure',
  'due_at',
  'created_at',
  'updated_at',
  'completed_at',
  'version',
] as const
type ImportRow = Pick<Selectable<SettlementImports>, (typeof columns)[number]>

/** An upload that has stored no batch for this time is considered interrupted. */
const leaseSeconds = 60

export async function insertImport(
  tx: Tx,
  created: Pick<SettlementImport, 'id' | 'providerAccountId' | 'format' | 'fileName' | 'mapping'>,
): Promise<SettlementImport> {
  const row = await tx.db
    .insertInto('settlement_imports')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(created.id),
      provider_account_id: uuidOf(created.providerAccountId),
      format: created.format,
      file_name: created.fileName,
      mapping: created.mapping === null ? null : JSON.stringify(created.mapping),
      status: 'awaiting_content',
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

export type ImportChanges = Partial<
  Omit<SettlementImport, 'id' | 'providerAccountId' | 'format' | 'fileName' | 'mapping' | 'version'> & {
    readonly columns: readonly string[]
  }
>

export async function updateImport(
  tx: Tx,
  before: SettlementImport,
  changes: ImportChanges,
): Promise<SettlementImport> {
  const after = { ...before, ...changes }
  const row = await tx.db
    .updateTable('settlement_imports')
    .set({
      status: after.status,
      uploads: after.uploads,
      content_sha256: after.contentSha256,
      duplicate_of_id: uuidOrNull(after.duplicateOfId),
      lines_read: after.linesRead,
      lines_new: after.linesNew,
      lines_processed: after.linesProcessed,
      step: after.step,
      step_after: after.stepAfter,
      failure: after.failure,
      due_at: after.dueAt,
      completed_at: after.completedAt,
      updated_at: tx.now,
      version: before.version + 1,
      ...(changes.columns === undefined ? {} : { columns: JSON.stringify(changes.columns) }),
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  tx.wake('settlement_import.match', before.id, after.dueAt)
  return fromRow(tx.caller.mode, row)
}

const missing = 'There is no such settlement import.'

const byId = (view: View, text: string) => {
  const uuid =
    uuidFromText('settlement_import', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return view.db
    .selectFrom('settlement_imports')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export async function findImport(view: View, text: string): Promise<SettlementImport> {
  const row = await byId(view, text).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

export async function lockImport(tx: Tx, text: string): Promise<SettlementImport> {
  const row = await byId(tx, text).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

export function listImports(view: View, range: IdRange, accountUuid: string | null) {
  const only = accountUuid === null ? sql`` : sql`and provider_account_id = ${accountUuid}::uuid`
  return listRows(view, range, { table: 'settlement_imports', columns, only, fromRow })
}

/** The first import of the account with the same content. */
export async function findSameContent(
  tx: Tx,
  { id, providerAccountId }: SettlementImport,
  sha256: string,
): Promise<Id<'settlement_import'> | null> {
  const row = await tx.db
    .selectFrom('settlement_imports')
    .select('id')
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('provider_account_id', '=', uuidOf(providerAccountId))
    .where('content_sha256', '=', sha256)
    .where('duplicate_of_id', 'is', null)
    .where('id', '<>', uuidOf(id))
    .executeTakeFirst()
  return idOrNull('settlement_import', tx.caller.mode, row?.id ?? null)
}

/** Takes or extends the lease of the upload. Returns false if another upload has it. */
export async function takeUploadLease(
  db: Db,
  id: Id<'settlement_import'>,
  { now, isNew }: { readonly now: Date; readonly isNew: boolean },
): Promise<boolean> {
  const isFree = isNew ? sql`lease_until <= ${now}` : sql`import_id = ${uuidOf(id)}::uuid`
  const { numAffectedRows } = await sql`
    update control.settlement_upload_lease
    set import_id = ${uuidOf(id)}::uuid, lease_until = ${addSeconds(now, leaseSeconds)}
    where id = 1 and ${isFree}`.execute(db)
  return numAffectedRows === 1n
}

export async function releaseUploadLease(db: Db, id: Id<'settlement_import'>): Promise<void> {
  await sql`
    update control.settlement_upload_lease set import_id = null, lease_until = '-infinity'
    where id = 1 and import_id = ${uuidOf(id)}::uuid`.execute(db)
}

export type AccountSettings = { readonly mapping: CsvMapping | null; readonly settleDays: number }

export async function findAccountSettings(
  view: View,
  providerAccountId: Id<'provider_account'>,
): Promise<AccountSettings | null> {
  const row = await view.db
    .selectFrom('settlement_accounts')
    .select(['mapping', 'settle_days'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('provider_account_id', '=', uuidOf(providerAccountId))
    .executeTakeFirst()
  return row === undefined ? null : { mapping: row.mapping as CsvMapping | null, settleDays: row.settle_days }
}

export async function saveAccountSettings(
  tx: Tx,
  providerAccountId: Id<'provider_account'>,
  { mapping, settleDays }: AccountSettings,
): Promise<void> {
  const values = { mapping: mapping === null ? null : JSON.stringify(mapping), settle_days: settleDays }
  await tx.db
    .insertInto('settlement_accounts')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      provider_account_id: uuidOf(providerAccountId),
      ...values,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'provider_account_id']).doUpdateSet(values))
    .execute()
}

/** Extends the time that the imported lines of an account cover. */
export async function extendCoveredTimes(
  tx: Tx,
  providerAccountId: Id<'provider_account'>,
  { first, last }: { readonly first: Date; readonly last: Date },
): Promise<void> {
  await sql`
    update settlement_accounts
    set first_line_at = least(first_line_at, ${first}::timestamptz),
      last_line_at = greatest(last_line_at, ${last}::timestamptz)
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and provider_account_id = ${uuidOf(providerAccountId)}`.execute(
    tx.db,
  )
}

function fromRow(mode: Mode, row: ImportRow): SettlementImport {
  return {
    id: idFromUuid('settlement_import', mode, row.id),
    providerAccountId: idFromUuid('provider_account', mode, row.provider_account_id),
    format: row.format as ImportFormat,
    fileName: row.file_name,
    mapping: row.mapping as CsvMapping | null,
    status: row.status as ImportStatus,
    uploads: row.uploads,
    contentSha256: row.content_sha256,
    duplicateOfId: idOrNull('settlement_import', mode, row.duplicate_of_id),
    linesRead: row.lines_read,
    linesNew: row.lines_new,
    linesProcessed: row.lines_processed,
    step: row.step as MatchingStep | null,
    stepAfter: row.step_after,
    failure: row.failure,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
    version: row.version,
  }
}
