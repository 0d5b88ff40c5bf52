/**
 * Stripe's report `payout_reconciliation.itemized.5`: one line per balance transaction, in the currency of the balance.
 * Column names: https://docs.stripe.com/reports/report-types/payout-reconciliation. No side effects.
 */
import type { LineKind } from '../settlement-line.ts'
import { cardDetails } from './card-details.ts'
import type { LineMapper } from './parsed-line.ts'
import { Row, requireColumns } from './row.ts'

const required = [
  'balance_transaction_id',
  'created_utc',
  'currency',
  'gross',
  'fee',
  'net',
  'reporting_category',
  'source_id',
  'automatic_payout_id',
  'customer_facing_amount',
  'customer_facing_currency',
  'payment_intent_id',
]

/** The other columns of the report. Addresses and metadata are recognized by their prefix. */
const optional = new Set([
  'automatic_payout_effective_at',
  'automatic_payout_effective_at_utc',
  'available_on',
  'available_on_utc',
  'card_brand',
  'card_country',
  'card_funding',
  'charge_created',
  'charge_created_utc',
  'charge_id',
  'connected_account',
  'connected_account_country',
  'connected_account_direct_charge_id',
  'connected_account_id',
  'connected_account_name',
  'created',
  'customer_description',
  'customer_email',
  'customer_id',
  'customer_name',
  'description',
  'destination_payment_id',
  'dispute_reason',
  'invoice_id',
  'invoice_number',
  'is_link',
  'order_id',
  'payment_method_type',
  'regulatory_tag',
  'statement_descriptor',
  'subscription_id',
  'trace_id',
  'trace_id_status',
])
const optionalFamilies =
  /^((payment|refund|transfer)_metadata\[.+\]|(customer_shipping|customer|shipping|card)_address_\w+)$/

const kindsByCategory: { readonly [category: string]: LineKind } = {
  charge: 'payment',
  refund: 'refund',
  refund_failure: 'refund',
  dispute: 'dispute',
  dispute_reversal: 'dispute_reversal',
  fee: 'fee',
  network_cost: 'fee',
  payout: 'payout',
  payout_reversal: 'payout_reversal',
}

export function stripeMapper(header: readonly string[]): LineMapper {
  const isKnown = (name: string) => optional.has(name) || optionalFamilies.test(name)
  const columns = requireColumns(header, { required, isKnown })
  return (values, number) => {
    const row = new Row(columns, values, number)
    const settlementCurrency = row.currency('currency')
    const gross = row.amount('gross', settlementCurrency)
    const kind = kindsByCategory[row.text('reporting_category')] ?? 'adjustment'
    const intent = row.textOrNull('payment_intent_id')
    const { amount, currency } = customerFacing(row) ?? { amount: gross, currency: settlementCurrency }
    return row.checked({
      kind,
      providerReference: kind === 'payment' ? intent : row.textOrNull('source_id'),
      paymentReference: intent,
      ourReference: ourReference(row, kind),
      // In the report, amounts in the currency of the customer have no sign.
      amount: amount < 0n === gross < 0n ? amount : -amount,
      currency,
      gross,
      feeProcessing: row.fee('fee', settlementCurrency),
      feeScheme: 0n,
      feeInterchange: 0n,
      net: row.amount('net', settlementCurrency),
      settlementCurrency,
      payoutReference: row.textOrNull('automatic_payout_id'),
      payoutAt:
        row.timeOrNull('automatic_payout_effective_at_utc') ??
        row.timeOrNull('automatic_payout_effective_at'),
      ...cardDetails({
        brand: row.textOrNull('card_brand'),
        country: row.textOrNull('card_country'),
        funding: row.textOrNull('card_funding'),
      }),
      createdAt: row.time('created_utc'),
      key: [requireId(row)],
      isKeyUnique: true,
    })
  }
}

function customerFacing(row: Row) {
  if (row.text('customer_facing_amount') === '') return null
  const currency = row.currency('customer_facing_currency')
  return { amount: row.amount('customer_facing_amount', currency), currency }
}

/** The report contains metadata only if its columns were requested. */
function ourReference(row: Row, kind: LineKind): string | null {
  const object = kind === 'refund' ? 'refund' : 'payment'
  return row.textOrNull(`${object}_metadata[switchyard_reference]`)
}

function requireId(row: Row): string {
  return row.textOrNull('balance_transaction_id') ?? row.fail('"balance_transaction_id" is empty')
}
