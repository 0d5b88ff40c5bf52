/**
 * Adyen's Settlement details report: one line per booking of a settlement batch. Gross amounts are in the currency of
 * the payment, net amounts and fees in the currency of the batch. Column names:
 * https://docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report. No side
 * effects.
 */
import type { Currency } from '../../../../kernel/currency.ts'
import type { LineKind } from '../settlement-line.ts'
import { cardDetails } from './card-details.ts'
import type { LineMapper } from './parsed-line.ts'
import { Row, requireColumns } from './row.ts'

const required = [
  'Merchant Account',
  'Psp Reference',
  'Merchant Reference',
  'Creation Date',
  'Type',
  'Modification Reference',
  'Gross Currency',
  'Gross Debit (GC)',
  'Gross Credit (GC)',
  'Net Currency',
  'Net Debit (NC)',
  'Net Credit (NC)',
  'Commission (NC)',
  'Markup (NC)',
  'Scheme Fees (NC)',
  'Interchange (NC)',
  'Batch Number',
]
const optional = new Set([
  'Company Account',
  'Payment Method',
  'Payment Method Variant',
  'TimeZone',
  'Exchange Rate',
  'Modification Merchant Reference',
  'Merchant Order Reference',
  'Creation Date (AMS)',
  'Booking Date',
  'Booking Date TimeZone',
  'Booking Date (AMS)',
  'Issuer Country',
  'Global Card Brand',
  'Funding Source',
  'Store',
  'Terminal Id',
  'Unique Terminal ID',
  'Shopper Reference',
  'Acquirer Reference',
  'Advancement Code',
  'Advancement Batch',
  'Payout Id',
])
const reserved = /^Reserved\d{1,2}$/

const kindsByType: { readonly [type: string]: LineKind } = {
  Settled: 'payment',
  SettledBulk: 'payment',
  Refunded: 'refund',
  RefundedBulk: 'refund',
  RefundedReversed: 'refund',
  Chargeback: 'dispute',
  SecondChargeback: 'dispute',
  ChargebackReversed: 'dispute_reversal',
  Fee: 'fee',
  MiscCosts: 'fee',
  PaymentCost: 'fee',
  InvoiceDeduction: 'fee',
  MerchantPayout: 'payout',
}

export function adyenMapper(header: readonly string[]): LineMapper {
  const isKnown = (name: string) => optional.has(name) || reserved.test(name)
  const columns = requireColumns(header, { required, isKnown })
  return (values, number) => {
    const row = new Row(columns, values, number)
    const settlementCurrency = row.currency('Net Currency')
    const net = signedAmount(row, 'Net', 'NC', settlementCurrency)
    const fees = feesOf(row, settlementCurrency)
    const sum = net + fees.feeProcessing + fees.feeScheme + fees.feeInterchange
    const { amount, currency } = grossOf(row) ?? { amount: sum, currency: settlementCurrency }
    const kind = kindsByType[row.text('Type')] ?? 'adjustment'
    const createdAt = row.zonedTime('Creation Date', 'TimeZone')
    return row.checked({
      kind,
      ...referencesOf(row),
      amount,
      currency,
      // A converted amount is not in the report: it is calculated from net and fees.
      gross: currency === settlementCurrency ? amount : sum,
      ...fees,
      net,
      settlementCurrency,
      payoutReference: row.textOrNull('Batch Number'),
      payoutAt: kind === 'payout' ? createdAt : null,
      ...cardDetails({
        brand: row.textOrNull('Payment Method'),
        country: row.textOrNull('Issuer Country'),
        funding: row.textOrNull('Funding Source'),
      }),
      createdAt,
    })
  }
}

/**
 * The column determines whether an amount is a debit or a credit. The type of the line does not: some
 * `Settled` lines are debits.
 */
function signedAmount(row: Row, name: string, unit: string, currency: Currency): bigint {
  return row.amount(`${name} Credit (${unit})`, currency) - row.amount(`${name} Debit (${unit})`, currency)
}

/** Null for lines without a gross amount, such as account fees. */
function grossOf(row: Row) {
  if (row.text('Gross Debit (GC)') === '' && row.text('Gross Credit (GC)') === '') return null
  const currency = row.currency('Gross Currency')
  return { amount: signedAmount(row, 'Gross', 'GC', currency), currency }
}

function feesOf(row: Row, currency: Currency) {
  return {
    feeProcessing: row.fee('Commission (NC)', currency) + row.fee('Markup (NC)', currency),
    feeScheme: row.fee('Scheme Fees (NC)', currency),
    feeInterchange: row.fee('Interchange (NC)', currency),
  }
}

function referencesOf(row: Row) {
  const payment = row.textOrNull('Psp Reference')
  const modification = row.textOrNull('Modification Reference')
  const key = [
    'Merchant Account',
    'Batch Number',
    'Type',
    'Psp Reference',
    'Modification Reference',
    'Gross Debit (GC)',
    'Gross Credit (GC)',
    'Net Debit (NC)',
    'Net Credit (NC)',
  ].map((column) => row.text(column))
  return {
    providerReference: modification ?? payment,
    paymentReference: payment,
    ourReference: row.textOrNull('Modification Merchant Reference') ?? row.textOrNull('Merchant Reference'),
    key,
    isKeyUnique: payment !== null || modification !== null,
  }
}
