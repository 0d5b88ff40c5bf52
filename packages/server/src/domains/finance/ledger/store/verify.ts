/**
 * Recomputes amounts from postings and compares them with the objects. Each page is one statement, so objects and postings
 * are read in the same state.
 */
import { type RawBuilder, sql } from 'kysely'
import { idFromUuid, type Kind, uuidOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { LedgerDifference } from '../difference.ts'

export type VerifiedPage = {
  readonly differences: readonly LedgerDifference[]
  /** The last object of the page; null if there are no more. */
  readonly lastUuid: string | null
}

type Comparison = { readonly amount: string; readonly recorded: string; readonly posted: RawBuilder<unknown> }
type Query = {
  readonly kind: Kind
  readonly table: string
  /** The object that postings refer to. */
  readonly object: string
  /** Only these rows are compared. */
  readonly only?: string
  readonly comparisons: readonly Comparison[]
}

/** The sum of an account for the object: credits minus debits, or the opposite. */
const creditsOf = (account: string) =>
  sql`sum(case when credit_account = ${account} and credit_object = object.object_id then amount else 0 end
    - case when debit_account = ${account} and debit_object = object.object_id then amount else 0 end)`
const debitsOf = (account: string) => sql`-${creditsOf(account)}`
const sumOf = (act: string) => sql`sum(case when act = ${act} then amount else 0 end)`

export const verifiedPayments: Query = {
  kind: 'payment',
  table: 'payments',
  object: 'id',
  comparisons: [
    { amount: 'amount_captured', recorded: 'amount_captured', posted: sumOf('payment_captured') },
    { amount: 'amount_refunding', recorded: 'amount_refunding', posted: creditsOf('refunds_payable') },
    {
      amount: 'amount_refunded',
      recorded: 'amount_refunded',
      posted: sql`${sumOf('refund_succeeded')} - ${sumOf('refund_returned')}`,
    },
    {
      amount: 'amount_reversed',
      recorded: 'amount_reversed',
      posted: sql`${sumOf('payment_reversed')} + ${sumOf('applied_payment_reversed')}`,
    },
    { amount: 'the unapplied amount', recorded: 'amount_unapplied', posted: creditsOf('unapplied') },
    {
      amount: 'the amount at the provider',
      recorded: `amount_captured - amount_refunded - amount_reversed - (
        select coalesce(sum(amount_held + case when status = 'lost' then amount else 0 end
          + case when fee_currency = row.currency then fee_amount else 0 end), 0) from disputes
        where workspace_id = row.workspace_id and payment_id = row.id)::int8`,
      posted: debitsOf('clearing'),
    },
  ],
}

export const verifiedDisputes: Query = {
  kind: 'dispute',
  table: 'disputes',
  object: 'id',
  comparisons: [
    { amount: 'amount_held', recorded: 'amount_held', posted: debitsOf('disputes_held') },
    {
      amount: 'the lost amount',
      recorded: `case when status = 'lost' then amount else 0 end`,
      posted: debitsOf('dispute_losses'),
    },
    {
      amount: 'the fee',
      recorded: 'case when fee_currency = currency then fee_amount else 0 end',
      posted: debitsOf('fees'),
    },
  ],
}

export const verifiedInvoices: Query = {
  kind: 'invoice',
  table: 'invoices',
  object: 'id',
  comparisons: [
    {
      amount: 'the amount owed',
      // The bank may have returned the payment of a paid invoice, which is opened again moments later.
      recorded: `case when status = 'open' then amount_due - amount_paid when status = 'paid' then coalesce((
        select amount_reversed from payments where workspace_id = row.workspace_id and id = row.payment_id), 0)
        else 0 end`,
      posted: debitsOf('receivable'),
    },
    {
      amount: 'the unearned amount',
      recorded: `case when status in ('open', 'paid', 'uncollectible') and period_index is not null
        and earned_at is null and total > 0
        then total - case when total >= tax_total then tax_total else 0 end - unearned_credited else 0 end`,
      posted: creditsOf('unearned'),
    },
    {
      amount: 'the tax',
      recorded: `case when status in ('open', 'paid', 'uncollectible') then tax_total - tax_credited else 0 end`,
      posted: creditsOf('tax_payable'),
    },
    {
      amount: 'the amount written off',
      recorded: `case when status = 'uncollectible' then amount_due - amount_paid else 0 end`,
      posted: debitsOf('bad_debt'),
    },
  ],
}

export const verifiedCredit: Query = {
  kind: 'credit_balance',
  table: 'credit_balances',
  object: 'customer_id',
  comparisons: [
    { amount: 'balance', recorded: 'balance', posted: creditsOf('credit') },
    {
      amount: 'the sum of the entries',
      recorded: `(select coalesce(sum(amount), 0) from credit_entries
        where workspace_id = row.workspace_id and credit_balance_id = row.id)::int8`,
      posted: creditsOf('credit'),
    },
  ],
}

/**
 * The sum of postings that take an amount from the balance at the provider, minus the postings that return
 * it.
 */
const takenBy = (taken: readonly string[], returned: readonly string[]) =>
  sql`sum(case when act = any(${taken}::text[]) then amount when act = any(${returned}::text[]) then -amount else 0 end)`

const feeKinds = ['processing', 'scheme', 'interchange', 'account'] as const

export const verifiedPayoutEntries: Query = {
  kind: 'payout_entry',
  table: 'payout_entries',
  object: 'id',
  only: 'posted_at is not null',
  comparisons: [
    ...feeKinds.map((kind) => ({
      amount: `the ${kind} fees`,
      recorded: `fee_${kind}`,
      posted: takenBy([`${kind}_fee_charged`], [`${kind}_fee_returned`]),
    })),
    { amount: 'rounding', recorded: 'rounding', posted: takenBy(['rounding_lost'], ['rounding_gained']) },
    { amount: 'paid_out', recorded: 'paid_out', posted: takenBy(['payout_paid'], ['payout_returned']) },
    {
      amount: 'the converted amount',
      recorded: 'case when currency = line_currency then 0 else converted end',
      posted: takenBy(['currency_bought'], ['currency_sold']),
    },
  ],
}

export const verifiedPayouts: Query = {
  kind: 'payout',
  table: 'payouts',
  object: 'id',
  comparisons: [
    {
      amount: 'the amount paid out',
      recorded: 'case when failed_at is null then amount else 0 end',
      posted: takenBy(['payout_paid'], ['payout_returned', 'payout_failed']),
    },
  ],
}

export const verifiedSettlementLines: Query = {
  kind: 'settlement_line',
  table: 'settlement_lines',
  object: 'id',
  only: 'postings > 0',
  comparisons: [{ amount: 'suspense', recorded: 'suspense', posted: creditsOf('suspense') }],
}

const postingColumns = sql.raw(
  'act, debit_account, credit_account, debit_object, credit_object, currency, amount',
)

/** Compares a page of objects, in the order of their ids. */
export async function verifyPage(
  view: View,
  { kind, table, object, only, comparisons }: Query,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<VerifiedPage> {
  const workspace = sql`${uuidOf(view.caller.workspaceId)}::uuid`
  const recorded = comparisons.map(
    ({ recorded }, index) => sql`${sql.raw(recorded)} as ${sql.ref(`r${index}`)}`,
  )
  const posted = comparisons.map(
    ({ posted }, index) => sql`coalesce(${posted}, 0)::int8 as ${sql.ref(`p${index}`)}`,
  )
  const selected = ['id', ...comparisons.flatMap((_, index) => [`r${index}`, `p${index}`])].map((name) =>
    sql.ref(name),
  )
  const { rows } = await sql<{ readonly id: string } & { readonly [column: string]: bigint }>`
    with object as materialized (
      select id, ${sql.ref(object)} as object_id, currency, ${sql.join(recorded)} from ${sql.table(table)} as row
      where workspace_id = ${workspace} and id > ${after}::uuid ${sql.raw(only === undefined ? '' : `and ${only}`)}
      order by id limit ${limit})
    select ${sql.join(selected)} from object cross join lateral (
      select ${sql.join(posted)} from (
        select ${postingColumns} from ledger_postings
        where workspace_id = ${workspace} and debit_object = object.object_id
        union all
        select ${postingColumns} from ledger_postings where workspace_id = ${workspace} and credit_object = object.object_id
          and credit_object <> debit_object
      ) as posting where currency = object.currency) as posted
    order by object.id`.execute(view.db)
  const differences = rows.flatMap((row) =>
    comparisons.flatMap(({ amount }, index) => {
      const [recorded, posted] = [row[`r${index}`] as bigint, row[`p${index}`] as bigint]
      const subject = idFromUuid(kind, view.caller.mode, row.id)
      return recorded === posted ? [] : [{ subject, amount, recorded, posted }]
    }),
  )
  return { differences, lastUuid: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
}
