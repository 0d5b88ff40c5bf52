/** The stored postings of payments and invoices, for the comparison with their history. */
import { sql } from 'kysely'
import { idFromUuid, type Mode, uuidOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { PostedLine } from '../missing-postings.ts'
import { type AccountName, type ActName, kindsByAct } from '../postings.ts'

type PostedRow = {
  readonly object_uuid: string
  readonly cause_id: string
  readonly line: number
  readonly act: string
  readonly debit_account: string
  readonly credit_account: string
  readonly amount: bigint
}

/**
 * The postings of these payments or invoices, by object. Only postings that debit an account of the object
 * are included, so those with which payments and credit notes credit an invoice are not.
 */
export async function findPostedLines(
  view: View,
  objectUuids: readonly string[],
): Promise<(objectUuid: string) => readonly PostedLine[]> {
  if (objectUuids.length === 0) return () => []
  const { rows } = await sql<PostedRow>`
    select debit_object as object_uuid, cause_id, line, act, debit_account, credit_account, amount
    from ledger_postings
    where workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid and debit_object = any(${objectUuids}::uuid[])`.execute(
    view.db,
  )
  const byObject = Map.groupBy(rows, ({ object_uuid }) => object_uuid)
  return (uuid) => (byObject.get(uuid) ?? []).map((row) => fromRow(view.caller.mode, row))
}

function fromRow(mode: Mode, row: PostedRow): PostedLine {
  const act = row.act as ActName
  return {
    causeId: idFromUuid(kindsByAct[act].cause, mode, row.cause_id),
    line: row.line,
    act,
    debitAccount: row.debit_account as AccountName,
    creditAccount: row.credit_account as AccountName,
    amount: row.amount,
  }
}
