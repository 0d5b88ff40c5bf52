/**
 * What can be exported: one row per source, with the columns of its file. A source that is a table also has the SQL of
 * each column. To export another object, add a row here. No side effects.
 */
import type { Kind } from '../../../kernel/id.ts'
import type { Column, Row } from './columns.ts'
import { accountNameOf, accountNumberOf, type JournalSettings } from './journal-settings.ts'

/**
 * A column of a table: `sql` is an expression over `row`, which is a row of the table, and `export`, which
 * has the time the export was created. If the kind of an id depends on the row, `kindBy` is the expression
 * that determines it.
 */
export type TableColumn = Column & {
  readonly sql: string
  readonly kindBy?: { readonly sql: string; readonly kindOf: (value: string) => Kind }
}

export type TableSource = {
  readonly from: 'table'
  readonly table: string
  /** A join to other tables, if columns need one. */
  readonly join?: string
  /** The day of an object. */
  readonly datedBy: string
  /**
   * A condition for objects that existed when the export was created, if their ids do not contain the time they were
   * written.
   */
  readonly existed?: string
  /**
   * How the objects that changed on a day are found: by their events, or, without events, by the time in their ids, in the
   * column `updated_at`, or by a column with the day of the last change and its index. A source without it cannot be
   * exported daily.
   */
  readonly changedBy?: { readonly events: string } | 'id' | 'updated_at' | ChangeDay
  readonly columns: readonly TableColumn[]
}
/** The column with the day, and the condition of its index. */
export type ChangeDay = { readonly day: string; readonly condition: string }
/** Postings are read through the ledger, which determines the kinds of their objects. */
export type LedgerSource = {
  readonly from: 'ledger'
  readonly columns: readonly Column[]
  readonly rowsOf: (posting: ExportedPosting, settings: JournalSettings) => readonly Row[]
}
/** The sums of each account and day. */
export type DaySource = {
  readonly from: 'days'
  readonly columns: readonly Column[]
  readonly rowsOf: (sums: DailySum, settings: JournalSettings) => readonly Row[]
}
export type DailySum = {
  readonly dayOn: string
  readonly currency: string
  readonly account: string
  /** Debits minus credits. */
  readonly amount: bigint
}
export type ExportedPosting = {
  readonly id: string
  readonly act: string
  readonly causeId: string
  readonly debitAccount: string
  readonly creditAccount: string
  readonly debitObjectId: string
  readonly creditObjectId: string
  readonly providerAccountId: string | null
  readonly amount: bigint
  readonly currency: string
  readonly effectiveAt: Date
  readonly bookedAt: Date
}
export type Source = TableSource | LedgerSource | DaySource

const id = (name: string, kind: Kind, sql = `row.${name}`): TableColumn => ({ name, type: 'id', kind, sql })
const of =
  (type: 'text' | 'integer' | 'time' | 'boolean') =>
  (name: string, sql = `row.${name}`) => ({
    name,
    type,
    sql,
  })
const [text, integer, time] = [of('text'), of('integer'), of('time')]
const amount = (name: string, { currency = 'currency', isSummed = true, sql = `row.${name}` } = {}) => ({
  name,
  type: 'amount' as const,
  currency,
  isSummed,
  sql,
})

const createdBy = (
  table: string,
  changedBy: NonNullable<TableSource['changedBy']>,
  columns: readonly TableColumn[],
): TableSource => ({ from: 'table', table, datedBy: 'created_at', changedBy, columns })

const payments = createdBy('payments', { events: 'payment' }, [
  id('id', 'payment'),
  time('created_at'),
  text('status'),
  text('purpose'),
  text('currency'),
  amount('amount'),
  amount('amount_captured'),
  amount('amount_refunded'),
  id('customer_id', 'customer'),
  id('invoice_id', 'invoice'),
  id('provider_account_id', 'provider_account'),
  text('provider_reference'),
  text('order_reference'),
  text('description'),
  text('card_brand', "row.card ->> 'brand'"),
  text('card_last4'),
  text('failure_code', "row.failure ->> 'code'"),
])

const refunds = createdBy('refunds', { events: 'refund' }, [
  id('id', 'refund'),
  time('created_at'),
  id('payment_id', 'payment'),
  text('status'),
  text('currency'),
  amount('amount'),
  text('reason'),
  text('source'),
  text('provider_reference'),
  text('failure_code', "row.failure ->> 'code'"),
])

const invoices = createdBy('invoices', { events: 'invoice' }, [
  id('id', 'invoice'),
  time('created_at'),
  text('number'),
  text('status'),
  text('reason'),
  id('customer_id', 'customer'),
  id('subscription_id', 'subscription'),
  text('currency'),
  amount('subtotal'),
  amount('discount_total'),
  amount('tax_total'),
  amount('total'),
  amount('credit_applied'),
  amount('amount_due'),
  amount('amount_paid'),
  id('payment_id', 'payment'),
  time('period_start_at'),
  time('period_end_at'),
  time('finalized_at'),
  time('due_at'),
  time('paid_at'),
  time('voided_at'),
])

const disputes = createdBy('disputes', { events: 'dispute' }, [
  id('id', 'dispute'),
  time('created_at'),
  id('payment_id', 'payment'),
  id('provider_account_id', 'provider_account'),
  text('provider_reference'),
  text('stage'),
  text('status'),
  text('currency'),
  amount('amount'),
  amount('amount_held'),
  text('fee_currency'),
  amount('fee_amount', { currency: 'fee_currency' }),
  text('reason'),
  text('network_reason_code'),
  time('respond_by_at'),
  time('ended_at'),
])

const customers = createdBy('customers', { events: 'customer' }, [
  id('id', 'customer'),
  time('created_at'),
  text('name'),
  text('email'),
  text('phone'),
  text('description'),
  text('locale'),
  text('country', "row.address ->> 'country'"),
  time('deleted_at'),
])

const subscriptions = createdBy('subscriptions', { events: 'subscription' }, [
  id('id', 'subscription'),
  time('created_at'),
  text('status'),
  text('collection_status'),
  id('customer_id', 'customer'),
  text('currency'),
  text('interval'),
  integer('interval_count'),
  time('period_start_at'),
  time('period_end_at'),
  time('started_at'),
  time('cancelled_at'),
  time('ended_at'),
])

const creditEntries: TableSource = {
  from: 'table',
  table: 'credit_entries',
  join: `join credit_balances as balance
    on balance.workspace_id = row.workspace_id and balance.id = row.credit_balance_id`,
  datedBy: 'created_at',
  // Entries are never changed.
  changedBy: 'id',
  columns: [
    id('id', 'credit_entry'),
    time('created_at'),
    id('customer_id', 'customer', 'balance.customer_id'),
    text('currency', 'balance.currency'),
    amount('amount'),
    amount('balance_after', { isSummed: false }),
    text('reason'),
    id('invoice_id', 'invoice'),
  ],
}

/** The kind of the object that a settlement line was matched with, if it is not an operation. */
const matchedKinds: { readonly [act: string]: Kind } = {
  refund_succeeded: 'refund',
  dispute_withdrawn: 'dispute',
  dispute_returned: 'dispute',
  payout_paid: 'payout',
}

const settlementLines: TableSource = {
  from: 'table',
  table: 'settlement_lines',
  datedBy: 'created_at',
  existed: 'row.imported_at <= export.created_at',
  // Lines of incomplete uploads are pending. They change when the upload is completed.
  changedBy: { day: 'changed_on', condition: "status <> 'pending'" },
  columns: [
    id('id', 'settlement_line'),
    time('created_at'),
    id('provider_account_id', 'provider_account'),
    id('settlement_import_id', 'settlement_import', 'row.import_id'),
    integer('number'),
    text('kind'),
    text('status'),
    text('provider_reference'),
    text('our_reference'),
    text('currency'),
    amount('amount'),
    amount('recorded_amount', { sql: 'row.posted_amount' }),
    text('settlement_currency'),
    amount('gross', { currency: 'settlement_currency' }),
    amount('fee', {
      currency: 'settlement_currency',
      sql: 'row.fee_processing + row.fee_scheme + row.fee_interchange',
    }),
    amount('net', { currency: 'settlement_currency' }),
    amount('in_suspense', { sql: 'row.suspense' }),
    text('payout_reference'),
    {
      ...id('matched_id', 'operation', 'row.cause_id'),
      kindBy: { sql: 'row.act', kindOf: (act) => matchedKinds[act] ?? 'operation' },
    },
    text('resolution'),
    text('note'),
    time('resolved_at'),
  ],
}

const payouts = createdBy('payouts', 'updated_at', [
  id('id', 'payout'),
  time('created_at'),
  id('provider_account_id', 'provider_account'),
  text('provider_reference'),
  text(
    'status',
    `case when row.failed_at is not null then 'failed'
      when row.arrives_at > export.created_at then 'in_transit' else 'paid' end`,
  ),
  text('currency'),
  amount('amount'),
  amount('gross'),
  amount('fees'),
  integer('lines', 'row.lines::int'),
  time('arrives_at'),
  time('failed_at'),
])

const ledgerPostings: LedgerSource = {
  from: 'ledger',
  columns: [
    id('id', 'ledger_posting'),
    time('effective_at'),
    text('act'),
    id('cause_id', 'operation'),
    text('debit_account'),
    id('debit_object_id', 'payment'),
    text('credit_account'),
    id('credit_object_id', 'payment'),
    id('provider_account_id', 'provider_account'),
    text('currency'),
    amount('amount'),
    time('created_at'),
  ],
  rowsOf: (posting) => [
    [
      posting.id,
      posting.effectiveAt,
      posting.act,
      posting.causeId,
      posting.debitAccount,
      posting.debitObjectId,
      posting.creditAccount,
      posting.creditObjectId,
      posting.providerAccountId,
      posting.currency,
      posting.amount,
      posting.bookedAt,
    ],
  ],
}

/** Two lines per posting, as in a journal: the account that is debited, and the account that is credited. */
const journal: LedgerSource = {
  from: 'ledger',
  columns: [
    text('date'),
    id('posting_id', 'ledger_posting'),
    text('act'),
    text('account'),
    text('account_number'),
    text('account_name'),
    id('object_id', 'payment'),
    id('provider_account_id', 'provider_account'),
    text('currency'),
    amount('debit'),
    amount('credit'),
  ],
  rowsOf: (posting, settings) => {
    const { id: postingId, act, currency, amount: moved, effectiveAt } = posting
    const date = effectiveAt.toISOString().slice(0, 10)
    const lineOf = (account: string, objectId: string) => [
      date,
      postingId,
      act,
      account,
      accountNumberOf(settings, account),
      accountNameOf(settings, account),
      objectId,
      account === 'clearing' ? posting.providerAccountId : null,
      currency,
    ]
    return [
      [...lineOf(posting.debitAccount, posting.debitObjectId), moved, null],
      [...lineOf(posting.creditAccount, posting.creditObjectId), null, moved],
    ]
  },
}

/** One line per posting, with account and contra account. */
const datevJournal: LedgerSource = {
  from: 'ledger',
  columns: [
    text('date'),
    id('posting_id', 'ledger_posting'),
    text('act'),
    text('debit_number'),
    text('credit_number'),
    text('currency'),
    amount('amount'),
  ],
  rowsOf: (posting, settings) => [
    [
      posting.effectiveAt.toISOString().slice(0, 10),
      posting.id,
      posting.act,
      accountNumberOf(settings, posting.debitAccount),
      accountNumberOf(settings, posting.creditAccount),
      posting.currency,
      posting.amount,
    ],
  ],
}

/** The sum of each account and day: a debit or a credit. */
const xeroJournal: DaySource = {
  from: 'days',
  columns: [
    text('date'),
    text('currency'),
    text('account'),
    text('account_number'),
    text('account_name'),
    amount('debit'),
    amount('credit'),
  ],
  rowsOf: ({ dayOn, currency, account, amount: sum }, settings) => {
    if (sum === 0n) return []
    const [debit, credit] = sum > 0n ? [sum, null] : [null, -sum]
    const [number, name] = [accountNumberOf(settings, account), accountNameOf(settings, account)]
    return [[dayOn, currency, account, number, name, debit, credit]]
  },
}

export const sources = {
  payments,
  refunds,
  invoices,
  disputes,
  customers,
  subscriptions,
  credit_entries: creditEntries,
  settlement_lines: settlementLines,
  payouts,
  ledger_postings: ledgerPostings,
  journal,
} as const satisfies { readonly [name: string]: Source }

export type SourceName = keyof typeof sources
export const sourceNames = Object.keys(sources) as readonly SourceName[]

/** The sources that can be exported daily. */
export const dailySourceNames = sourceNames.filter((name) => {
  const source: Source = sources[name]
  return source.from !== 'table' || source.changedBy !== undefined
})

/** Formats of accounting software have their own rows. */
export function sourceOf({
  source,
  format,
}: {
  readonly source: SourceName
  readonly format: string
}): Source {
  if (format === 'datev') return datevJournal
  return format === 'xero' ? xeroJournal : sources[source]
}
