/**
 * The postings of a unit of work: movements of money between accounts of the ledger, each with one debit and
 * one credit. The id of a posting is derived from its cause and line, so posting the same cause again
 * violates the primary key.
 */
import { type CompiledQuery, sql } from 'kysely'
import { type Id, type Kind, uuidOf, uuidOrNull } from '../../kernel/id.ts'
import type { Db } from './databases.ts'

export type Posting = {
  /** The object whose change is posted. It determines the id, together with `line`. */
  readonly causeId: Id<Kind>
  readonly line: number
  readonly act: string
  readonly debitAccount: string
  readonly creditAccount: string
  readonly debitObjectId: Id<Kind>
  readonly creditObjectId: Id<Kind>
  /** The provider account that has the money; null if neither account is `clearing`. */
  readonly providerAccountId: Id<'provider_account'> | null
  readonly currency: string
  readonly amount: bigint
}

type PostingScope = { readonly db: Db; readonly workspaceId: Id<'workspace'>; readonly effectiveAt: Date }

/** Inserts all postings of a unit in one statement, which the unit sends before its commit. */
export function insertPostings(scope: PostingScope, postings: readonly Posting[]): CompiledQuery {
  return sql`
    insert into ledger_postings (workspace_id, id, cause_id, line, act, debit_account, credit_account, debit_object,
      credit_object, provider_account_id, currency, amount, effective_at)
    select ${uuidOf(scope.workspaceId)}::uuid, ledger_posting_id(cause_id, line), cause_id, line, act, debit_account,
      credit_account, debit_object, credit_object, provider_account_id, currency, amount,
      ${scope.effectiveAt}::timestamptz
    from (${postingRows(postings)}) as posting (cause_id, line, act, debit_account, credit_account, debit_object,
      credit_object, provider_account_id, currency, amount)`.compile(scope.db)
}

/**
 * Inserts those postings that do not exist yet, each with its effective time, and returns how many. The
 * caller has locked the objects, so that no other unit posts the same changes concurrently.
 */
export async function insertMissingPostings(
  { db, workspaceId }: Pick<PostingScope, 'db' | 'workspaceId'>,
  postings: readonly (Posting & { readonly effectiveAt: Date })[],
): Promise<number> {
  if (postings.length === 0) return 0
  const { numAffectedRows = 0n } = await sql`
    insert into ledger_postings (workspace_id, id, cause_id, line, act, debit_account, credit_account, debit_object,
      credit_object, provider_account_id, currency, amount, effective_at)
    select ${uuidOf(workspaceId)}::uuid, ledger_posting_id(cause_id, line), cause_id, line, act, debit_account,
      credit_account, debit_object, credit_object, provider_account_id, currency, amount, effective_at
    from unnest(${postingColumns(postings)}, ${postings.map(({ effectiveAt }) => effectiveAt)}::timestamptz[])
      as posting (cause_id, line, act, debit_account, credit_account, debit_object, credit_object, provider_account_id,
        currency, amount, effective_at)
    on conflict do nothing`.execute(db)
  return Number(numAffectedRows)
}

/** Most units post one movement, and plain values cost Postgres less than arrays. */
function postingRows(postings: readonly Posting[]) {
  const [only] = postings
  if (only !== undefined && postings.length === 1)
    return sql`values (${uuidOf(only.causeId)}::uuid, ${only.line}::int, ${only.act}, ${only.debitAccount},
      ${only.creditAccount}, ${uuidOf(only.debitObjectId)}::uuid, ${uuidOf(only.creditObjectId)}::uuid,
      ${uuidOrNull(only.providerAccountId)}::uuid, ${only.currency}, ${only.amount}::int8)`
  return sql`select * from unnest(${postingColumns(postings)})`
}

function postingColumns(postings: readonly Posting[]) {
  const column = <T>(pick: (posting: Posting) => T) => postings.map(pick)
  return sql`
    ${column(({ causeId }) => uuidOf(causeId))}::uuid[], ${column(({ line }) => line)}::int[],
    ${column(({ act }) => act)}::text[], ${column(({ debitAccount }) => debitAccount)}::text[],
    ${column(({ creditAccount }) => creditAccount)}::text[],
    ${column(({ debitObjectId }) => uuidOf(debitObjectId))}::uuid[],
    ${column(({ creditObjectId }) => uuidOf(creditObjectId))}::uuid[],
    ${column(({ providerAccountId }) => uuidOrNull(providerAccountId))}::uuid[],
    ${column(({ currency }) => currency)}::text[], ${column(({ amount }) => amount)}::int8[]`
}
