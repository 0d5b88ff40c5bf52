/** Rows of settlement lines: inserted or taken over in batches while a file is uploaded, listed, and resolved. */
import { type RawBuilder, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { idFromUuid, idOrNull, type Mode, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import { plannedEachTime } from '../../../../platform/db/bound-driver.ts'
import { type IdRange, keysetOf, pageOf } from '../../../../platform/db/keyset.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import type { ReadLine } from '../formats/line-reader.ts'
import type { LineCount } from '../line-count.ts'
import { kindOfMatch } from '../match.ts'
import type { SettlementImport } from '../settlement-import.ts'
import type { LineKind, LineStatus, Resolution, SettlementLine } from '../settlement-line.ts'

/**
 * Characters that separate the values of a batch, and that represent null. Lines that contain these characters are
 * refused.
 */
const [separator, nullText] = ['\u001f', '\u001e']

type BatchColumn = {
  readonly name: string
  readonly type: 'text' | 'uuid' | 'int' | 'int8' | 'timestamptz'
  readonly pick: (line: ReadLine) => string | number | bigint | null
}

/** The columns with values of the file. */
const fileColumns: readonly BatchColumn[] = [
  { name: 'number', type: 'int', pick: ({ number }) => number },
  { name: 'kind', type: 'text', pick: ({ kind }) => kind },
  { name: 'provider_reference', type: 'text', pick: ({ providerReference }) => providerReference },
  { name: 'payment_reference', type: 'text', pick: ({ paymentReference }) => paymentReference },
  { name: 'our_reference', type: 'text', pick: ({ ourReference }) => ourReference },
  { name: 'our_payment_id', type: 'uuid', pick: ({ ourPaymentUuid }) => ourPaymentUuid },
  { name: 'amount', type: 'int8', pick: ({ amount }) => amount },
  { name: 'currency', type: 'text', pick: ({ currency }) => currency },
  { name: 'gross', type: 'int8', pick: ({ gross }) => gross },
  { name: 'fee_processing', type: 'int8', pick: ({ feeProcessing }) => feeProcessing },
  { name: 'fee_scheme', type: 'int8', pick: ({ feeScheme }) => feeScheme },
  { name: 'fee_interchange', type: 'int8', pick: ({ feeInterchange }) => feeInterchange },
  { name: 'net', type: 'int8', pick: ({ net }) => net },
  { name: 'settlement_currency', type: 'text', pick: ({ settlementCurrency }) => settlementCurrency },
  { name: 'payout_reference', type: 'text', pick: ({ payoutReference }) => payoutReference },
  { name: 'payout_at', type: 'timestamptz', pick: ({ payoutAt }) => payoutAt?.toISOString() ?? null },
  { name: 'card_brand', type: 'text', pick: ({ cardBrand }) => cardBrand },
  { name: 'card_country', type: 'text', pick: ({ cardCountry }) => cardCountry },
  { name: 'card_funding', type: 'text', pick: ({ cardFunding }) => cardFunding },
  { name: 'raw', type: 'text', pick: ({ raw }) => raw },
  { name: 'created_at', type: 'timestamptz', pick: ({ createdAt }) => createdAt.toISOString() },
]
const batchColumns: readonly BatchColumn[] = [
  { name: 'id', type: 'uuid', pick: ({ uuid }) => uuid },
  ...fileColumns,
]
const fileValues = sql.join(fileColumns.map(({ name }) => sql.ref(name)))
const replacedValues = sql.join(
  fileColumns.map(({ name }) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`),
)

/**
 * Inserts the lines that are not stored yet, and takes over pending lines of uploads that failed or were interrupted,
 * including earlier uploads of this import. Only the upload that holds the lease stores lines, so no other upload is adding
 * lines concurrently. Returns how many lines of the batch belong to this import.
 */
export async function insertOrTakeOverLines(
  tx: Tx,
  settlementImport: SettlementImport,
  lines: readonly ReadLine[],
): Promise<number> {
  const insert = (await hasLinesBetween(tx, lines)) ? insertOrReplace : insertAll
  const { rows } = await sql<{ readonly lines: number }>`${plannedEachTime}
    with stored as (${insert(tx, settlementImport, batchOf(lines))} returning 1)
    select count(1)::int as lines from stored`.execute(tx.db)
  return rows[0]?.lines ?? 0
}

/** Whether lines are stored between the first and the last id of a batch. Ids start with the time of the line. */
async function hasLinesBetween(tx: Tx, lines: readonly ReadLine[]): Promise<boolean> {
  let [first, last] = [lines[0]?.uuid ?? '', lines[0]?.uuid ?? '']
  for (const { uuid } of lines) {
    if (uuid < first) first = uuid
    if (uuid > last) last = uuid
  }
  const { rows } = await sql<{ readonly exists: boolean }>`${plannedEachTime}
    select exists (
      select from settlement_lines where workspace_id = ${uuidOf(tx.caller.workspaceId)}::uuid
        and id >= ${first}::uuid and id <= ${last}::uuid) as exists`.execute(tx.db)
  return rows[0]?.exists ?? true
}

/**
 * The rows of a batch. The values are sent as joined strings, not as arrays, because the driver would quote each of a
 * hundred thousand values. The arrays are expanded in the select list: in the from clause, PostgreSQL would store the
 * rows of each array before it joins them, which takes 13 instead of 9 µs of CPU time per line.
 */
function batchOf(lines: readonly ReadLine[]): RawBuilder<unknown> {
  const values = (pick: (line: ReadLine) => string | number | bigint | null) =>
    sql`string_to_array(${lines.map((line) => pick(line) ?? nullText).join(separator)}, ${separator}, ${nullText})`
  const columnsOfBatch = batchColumns.map(
    ({ name, type, pick }) => sql`unnest(${values(pick)}::${sql.raw(type)}[]) as ${sql.ref(name)}`,
  )
  return sql`(select ${sql.join(columnsOfBatch)}) as batch`
}

/** Inserts the lines of a batch, each once. */
function insertAll(tx: Tx, { id, providerAccountId }: SettlementImport, from: RawBuilder<unknown>) {
  return sql`
    insert into settlement_lines as line (workspace_id, id, provider_account_id, import_id, status, imported_at,
      ${fileValues})
    select distinct on (id) ${uuidOf(tx.caller.workspaceId)}::uuid, id, ${uuidOf(providerAccountId)}::uuid,
      ${uuidOf(id)}::uuid, 'pending', ${tx.now}::timestamptz, ${fileValues}
    from ${from}
    order by id, number`
}

/**
 * Lines of completely received files are excluded before the insert, because a conflict would lock them while
 * they are matched.
 */
function insertOrReplace(tx: Tx, settlementImport: SettlementImport, batch: RawBuilder<unknown>) {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const from = sql`${batch} left join lateral (
      select existing.status = 'pending' and (
        select owner.status from settlement_imports as owner
        where owner.workspace_id = ${workspace} and owner.id = existing.import_id) in ('uploading', 'failed') as can_be_taken
      from settlement_lines as existing
      where existing.workspace_id = ${workspace} and existing.id = batch.id limit 1) as found on true
    where coalesce(can_be_taken, true)`
  return sql`${insertAll(tx, settlementImport, from)}
    on conflict (workspace_id, id) do update set import_id = excluded.import_id, imported_at = excluded.imported_at,
      ${replacedValues}, version = line.version + 1
    where line.workspace_id = ${workspace} and line.status = 'pending'`
}

const columnNames = [
  'id',
  'provider_account_id',
  'import_id',
  'number',
  'kind',
  'status',
  'provider_reference',
  'our_reference',
  'amount',
  'currency',
  'gross',
  'net',
  'settlement_currency',
  'payout_reference',
  'cause_id',
  'act',
  'posted_amount',
  'suspense',
  'postings',
  'needs_posting',
  'resolution',
  'note',
  'resolved_at',
  'raw',
  'created_at',
  'version',
] as const
const columns = sql.join([
  ...columnNames.map((name) => sql.ref(`line.${name}`)),
  sql`line.fee_processing + line.fee_scheme + line.fee_interchange as fee`,
  sql`(select columns from settlement_imports as file
    where file.workspace_id = line.workspace_id and file.id = line.import_id) as file_columns`,
])

type LineRow = {
  readonly id: string
  readonly provider_account_id: string
  readonly import_id: string | null
  readonly number: number | null
  readonly kind: LineKind
  readonly status: LineStatus
  readonly provider_reference: string | null
  readonly our_reference: string | null
  readonly amount: bigint
  readonly currency: Currency
  readonly gross: bigint
  readonly fee: bigint
  readonly net: bigint
  readonly settlement_currency: Currency
  readonly payout_reference: string | null
  readonly cause_id: string | null
  readonly act: string | null
  readonly posted_amount: bigint | null
  readonly suspense: bigint
  readonly postings: number
  readonly needs_posting: boolean
  readonly resolution: Resolution | null
  readonly note: string | null
  readonly resolved_at: Date | null
  readonly raw: string | null
  readonly file_columns: readonly string[] | null
  readonly created_at: Date
  readonly version: number
}

export async function listLines(view: View, range: IdRange, status: LineStatus | undefined) {
  const only = status === undefined ? sql`` : sql`and status = ${status}`
  const { rows } = await sql<LineRow>`
    select ${columns} from settlement_lines as line
    where workspace_id = ${uuidOf(view.caller.workspaceId)} ${only} ${keysetOf(range)}`.execute(view.db)
  return pageOf(
    rows.map((row) => fromRow(view.caller.mode, row)),
    range,
  )
}

const missing = 'There is no such settlement line.'

export async function lockLine(tx: Tx, text: string): Promise<SettlementLine> {
  const uuid =
    uuidFromText('settlement_line', tx.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const { rows } = await sql<LineRow>`
    select ${columns} from settlement_lines as line
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuid}::uuid for update of line`.execute(
    tx.db,
  )
  const [row] = rows
  return row === undefined ? refuse('not_found', { detail: missing }) : fromRow(tx.caller.mode, row)
}

type LineResolution = Pick<SettlementLine, 'resolution' | 'note' | 'suspense' | 'postings'>

export async function resolveLine(
  tx: Tx,
  before: SettlementLine,
  { resolution, note, suspense, postings }: LineResolution,
): Promise<SettlementLine> {
  const { rows } = await sql<LineRow>`
    update settlement_lines as line
    set status = 'resolved', resolution = ${resolution}, note = ${note}, resolved_at = ${tx.now}::timestamptz,
      suspense = ${suspense}::int8, postings = ${postings}, version = version + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(before.id)}::uuid
      and version = ${before.version}
    returning ${columns}`.execute(tx.db)
  const [row] = rows
  if (row === undefined) throw new ConcurrentChange(before.id)
  return fromRow(tx.caller.mode, row)
}

/** The number of lines per provider account and status. */
export async function readCounts(view: View): Promise<readonly LineCount[]> {
  const rows = await view.db
    .selectFrom('settlement_counts')
    .select(['provider_account_id', 'status', 'lines'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .orderBy('provider_account_id')
    .execute()
  return rows.map(({ provider_account_id, status, lines }) => ({
    providerAccountId: idFromUuid('provider_account', view.caller.mode, provider_account_id),
    status: status as LineStatus,
    lines,
  }))
}

function fromRow(mode: Mode, row: LineRow): SettlementLine {
  const { act, file_columns: names } = row
  const values: readonly string[] | null = row.raw === null ? null : JSON.parse(row.raw)
  return {
    id: idFromUuid('settlement_line', mode, row.id),
    providerAccountId: idFromUuid('provider_account', mode, row.provider_account_id),
    importId: idOrNull('settlement_import', mode, row.import_id),
    number: row.number,
    kind: row.kind,
    status: row.status,
    providerReference: row.provider_reference,
    ourReference: row.our_reference,
    amount: row.amount,
    currency: row.currency,
    gross: row.gross,
    fee: row.fee,
    net: row.net,
    settlementCurrency: row.settlement_currency,
    payoutReference: row.payout_reference,
    matchedId: act === null ? null : idOrNull(kindOfMatch(act), mode, row.cause_id),
    postedAmount: row.posted_amount,
    suspense: row.suspense,
    postings: row.postings,
    needsPosting: row.needs_posting,
    resolution: row.resolution,
    note: row.note,
    resolvedAt: row.resolved_at,
    raw:
      values === null || names === null
        ? null
        : Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])),
    createdAt: row.created_at,
    version: row.version,
  }
}
