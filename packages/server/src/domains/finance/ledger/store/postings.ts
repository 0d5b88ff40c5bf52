/** Reads postings. Units of work write them. */
import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { idFromUuid, idOrNull, type Mode, uuidOf } from '../../../../kernel/id.ts'
import { type IdRange, keysetOf, pageOf } from '../../../../platform/db/keyset.ts'
import { listRows } from '../../../../platform/db/list-rows.ts'
import type { LedgerPostings } from '../../../../platform/db/tables.generated.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { StoredPosting } from '../posting.ts'
import { type AccountName, type ActName, kindsByAct } from '../postings.ts'

const columnNames = [
  'id',
  'act',
  'cause_id',
  'debit_account',
  'credit_account',
  'debit_object',
  'credit_object',
  'provider_account_id',
  'amount',
  'currency',
  'effective_at',
  'booked_at',
] as const
const columns = sql.join(columnNames.map((name) => sql.ref(name)))
type PostingRow = Pick<Selectable<LedgerPostings>, (typeof columnNames)[number]>

/** The postings of one object, or all postings. */
export function listPostings(view: View, range: IdRange, objectUuid: string | null) {
  if (objectUuid !== null) return listPostingsOf(view, range, objectUuid)
  return listRows(view, range, { table: 'ledger_postings', columns: columnNames, fromRow })
}

/** Reads each side of an object from its index, in the order of ids. */
async function listPostingsOf(view: View, range: IdRange, objectUuid: string) {
  const side = (name: 'debit_object' | 'credit_object') =>
    sql`workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid and ${sql.ref(name)} = ${objectUuid}::uuid`
  const { rows } = await sql<PostingRow>`
    select ${columns} from (
      (select ${columns} from ledger_postings where ${side('debit_object')} ${keysetOf(range)})
      union all
      (select ${columns} from ledger_postings where ${side('credit_object')}
        and credit_object <> debit_object ${keysetOf(range)})
    ) as posting where true ${keysetOf(range)}`.execute(view.db)
  return pageOf(
    rows.map((row) => fromRow(view.caller.mode, row)),
    range,
  )
}

export type PostingRange = {
  /** Exclusive bounds of uuids. */
  readonly after: string
  readonly before: string
  readonly limit: number
  /** The range of `effective_at`; `toAt` is exclusive. */
  readonly fromAt: Date
  readonly toAt: Date
  readonly bookedUntilAt: Date
}
export type PostingPage = {
  readonly postings: readonly StoredPosting[]
  readonly scanned: number
  /** The uuid of the last posting that was read; null if there are no more. */
  readonly last: string | null
}

/** Reads a limited number of postings in the order of their ids, and returns those of the period. */
export async function readPostingPage(view: View, range: PostingRange): Promise<PostingPage> {
  const { rows } = await sql<PostingRow>`
    select ${columns} from ledger_postings
    where workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid and id > ${range.after}::uuid
      and id < ${range.before}::uuid order by id limit ${range.limit}`.execute(view.db)
  const isIncluded = (row: PostingRow) =>
    row.effective_at >= range.fromAt && row.effective_at < range.toAt && row.booked_at <= range.bookedUntilAt
  return {
    postings: rows.filter(isIncluded).map((row) => fromRow(view.caller.mode, row)),
    scanned: rows.length,
    last: rows.at(-1)?.id ?? null,
  }
}

export type BookingRange = {
  /** The uuid of the last posting of the previous page; any other uuid starts at the first posting. */
  readonly after: string
  readonly limit: number
  /** The range of `booked_at`; `toAt` is exclusive. */
  readonly fromAt: Date
  readonly toAt: Date
}

/** Reads the postings that were booked in a period, using the index on `booked_at`. */
export async function readBookedPage(view: View, range: BookingRange): Promise<PostingPage> {
  const workspace = sql`${uuidOf(view.caller.workspaceId)}::uuid`
  const { rows } = await sql<PostingRow>`
    with before as materialized (
      select booked_at from ledger_postings where workspace_id = ${workspace} and id = ${range.after}::uuid)
    select ${columns} from ledger_postings
    where workspace_id = ${workspace} and booked_at < ${range.toAt}::timestamptz
      and booked_at >= coalesce((select booked_at from before), ${range.fromAt}::timestamptz)
      and (booked_at, id) > (coalesce((select booked_at from before), '-infinity'), ${range.after}::uuid)
    order by booked_at, id limit ${range.limit}`.execute(view.db)
  return {
    postings: rows.map((row) => fromRow(view.caller.mode, row)),
    scanned: rows.length,
    last: rows.at(-1)?.id ?? null,
  }
}

function fromRow(mode: Mode, row: PostingRow): StoredPosting {
  const act = row.act as ActName
  const kinds = kindsByAct[act]
  // Credit that belongs to no invoice has the customer on both sides.
  const debitKind = row.debit_object === row.credit_object ? kinds.credit : kinds.debit
  return {
    id: idFromUuid('ledger_posting', mode, row.id),
    act,
    causeId: idFromUuid(kinds.cause, mode, row.cause_id),
    debitAccount: row.debit_account as AccountName,
    creditAccount: row.credit_account as AccountName,
    debitObjectId: idFromUuid(debitKind, mode, row.debit_object),
    creditObjectId: idFromUuid(kinds.credit, mode, row.credit_object),
    providerAccountId: idOrNull('provider_account', mode, row.provider_account_id),
    amount: row.amount,
    currency: row.currency as Currency,
    effectiveAt: row.effective_at,
    bookedAt: row.booked_at,
  }
}
