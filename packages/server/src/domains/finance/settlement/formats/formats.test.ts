// The mappings of report lines, and the ids of lines.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Id } from '../../../../kernel/id.ts'
import type { SettlementImport } from '../settlement-import.ts'
import { cardDetails } from './card-details.ts'
import { openLineReader } from './line-reader.ts'

const source = {
  workspaceId: 'workspace_test_01M7CYVGQTEAKSNTBFR026MPQ1' as Id<'workspace'>,
  providerAccountId: 'provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ1' as Id<'provider_account'>,
  mapping: null,
}
type Format = Pick<SettlementImport, 'format' | 'mapping'>

const read = (format: Format, columns: readonly string[], values: { readonly [column: string]: string }) =>
  openLineReader({ ...source, ...format }, columns).read(columns.map((column) => values[column] ?? ''))

const adyenColumns = [
  'Company Account',
  'Merchant Account',
  'Psp Reference',
  'Merchant Reference',
  'Payment Method',
  'Creation Date',
  'TimeZone',
  'Type',
  'Modification Reference',
  'Gross Currency',
  'Gross Debit (GC)',
  'Gross Credit (GC)',
  'Exchange Rate',
  'Net Currency',
  'Net Debit (NC)',
  'Net Credit (NC)',
  'Commission (NC)',
  'Markup (NC)',
  'Scheme Fees (NC)',
  'Interchange (NC)',
  'Payment Method Variant',
  'Modification Merchant Reference',
  'Batch Number',
  'Reserved4',
]
const adyenLine = {
  'Merchant Account': 'ShopEU',
  'Psp Reference': 'PSP1',
  'Merchant Reference': '01M7CYVGQTEAKSNTBFR026MPQ1-1',
  'Payment Method': 'visa',
  'Creation Date': '2026-11-14 12:00:00',
  TimeZone: 'CET',
  Type: 'Settled',
  'Modification Reference': 'MOD1',
  'Gross Currency': 'EUR',
  'Gross Credit (GC)': '12.99',
  'Exchange Rate': '1',
  'Net Currency': 'EUR',
  'Net Credit (NC)': '12.70',
  'Markup (NC)': '0.13',
  'Scheme Fees (NC)': '0.0301',
  'Interchange (NC)': '0.13',
  'Batch Number': '214',
}
const readAdyen = (members: { readonly [column: string]: string } = {}) =>
  read({ format: 'adyen_settlement_details', mapping: null }, adyenColumns, { ...adyenLine, ...members })

describe('Adyen', () => {
  test('a settled line is a payment with its fees, rounded to minor units', () => {
    expect(readAdyen()).toMatchObject({
      kind: 'payment',
      providerReference: 'MOD1',
      paymentReference: 'PSP1',
      ourReference: '01M7CYVGQTEAKSNTBFR026MPQ1-1',
      ourPaymentUuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      amount: 1299n,
      gross: 1299n,
      feeProcessing: 13n,
      feeScheme: 3n,
      feeInterchange: 13n,
      net: 1270n,
      payoutReference: '214',
      // 12:00 in Amsterdam.
      createdAt: new Date('2026-11-14T11:00:00.000Z'),
    })
  })

  test('the reference of a refund identifies its operation without the suffix that is sent to Adyen', () => {
    const { ourReference, ourPaymentUuid } = readAdyen()
    const refund = { Type: 'Refunded', 'Modification Merchant Reference': `${ourReference}-refund` }
    expect(readAdyen(refund)).toMatchObject({ ourReference, ourPaymentUuid })
    const other = { Type: 'Refunded', 'Modification Merchant Reference': 'customer-area-refund' }
    expect(readAdyen(other)).toMatchObject({ ourReference: 'customer-area-refund', ourPaymentUuid: null })
  })

  // biome-ignore format: a table.
  test.each([
    ['2026-07-14 12:00:00', 'CEST',             '2026-07-14T10:00:00.000Z', 'summer in Amsterdam'],
    ['2026-11-14 12:00:00', 'CET',              '2026-11-14T11:00:00.000Z', 'winter in Amsterdam'],
    ['2026-07-14 12:00:00', 'CET',              '2026-07-14T10:00:00.000Z', 'CET as the name of the region'],
    ['2026-10-25 02:30:00', 'CEST',             '2026-10-25T00:30:00.000Z', 'the first 02:30 of the night'],
    ['2026-10-25 02:30:00', 'CET',              '2026-10-25T01:30:00.000Z', 'the second 02:30 of the night'],
    ['2026-10-25 03:00:00', 'CET',              '2026-10-25T02:00:00.000Z', 'after the clocks were set back'],
    ['2026-03-29 01:59:59', 'CET',              '2026-03-29T00:59:59.000Z', 'before the clocks are set forward'],
    ['2026-03-29 03:00:00', 'CEST',             '2026-03-29T01:00:00.000Z', 'after the clocks were set forward'],
    ['2026-01-14 12:00:00', 'PST',              '2026-01-14T20:00:00.000Z', 'winter in Los Angeles'],
    ['2026-07-14 12:00:00', 'PDT',              '2026-07-14T19:00:00.000Z', 'summer in Los Angeles'],
    ['2026-11-01 01:15:00', 'PDT',              '2026-11-01T08:15:00.000Z', 'the first 01:15 of the night'],
    ['2026-11-01 01:15:00', 'PST',              '2026-11-01T09:15:00.000Z', 'the second 01:15 of the night'],
    ['2026-07-14 12:00:00', 'Australia/Sydney', '2026-07-14T02:00:00.000Z', 'the name of a region'],
    ['2026-07-14 12:00:00', 'UTC',              '2026-07-14T12:00:00.000Z', 'UTC'],
    ['2026-07-14 12:00:00', '',                 '2026-07-14T12:00:00.000Z', 'UTC without a time zone'],
  ])('%s %s is %s: %s', (date, zone, expected) => {
    const { createdAt } = readAdyen({ 'Creation Date': date, TimeZone: zone })
    expect(createdAt.toISOString()).toBe(expected)
  })

  test('each line has its own time zone, and the error for an unknown or ambiguous one names the line', () => {
    const ids = ['CET', 'CEST'].map(
      (zone) => readAdyen({ 'Creation Date': '2026-10-25 02:30:00', TimeZone: zone }).uuid,
    )
    expect(new Set(ids).size).toBe(2)
    for (const zone of ['CST', 'IST', 'Mars/Base', 'constructor'])
      expect(() => readAdyen({ TimeZone: zone })).toThrow(
        expect.objectContaining({
          members: expect.objectContaining({
            detail: `Line 2: "TimeZone" must be a time zone such as CET, not "${zone}".`,
          }),
        }),
      )
  })

  test('the column, not the type of the line, determines whether an amount is a debit', () => {
    const fees = { 'Markup (NC)': '', 'Scheme Fees (NC)': '', 'Interchange (NC)': '' }
    const debit = {
      'Gross Credit (GC)': '',
      'Gross Debit (GC)': '12.99',
      'Net Credit (NC)': '',
      'Net Debit (NC)': '12.99',
    }

    expect(readAdyen({ ...fees, ...debit })).toMatchObject({ kind: 'payment', amount: -1299n, net: -1299n })
  })

  test('a gross amount in another currency is calculated from net and fees', () => {
    expect(readAdyen({ 'Gross Currency': 'USD', 'Gross Credit (GC)': '15.00' })).toMatchObject({
      amount: 1500n,
      currency: 'usd',
      gross: 1299n,
      settlementCurrency: 'eur',
    })
  })

  test('a line without gross amounts, such as a fee, takes its amount from net', () => {
    const none = { 'Markup (NC)': '', 'Scheme Fees (NC)': '', 'Interchange (NC)': '', 'Psp Reference': '' }
    const fee = { Type: 'Fee', 'Modification Reference': '', 'Gross Currency': '', 'Gross Credit (GC)': '' }

    const line = readAdyen({ ...none, ...fee, 'Net Credit (NC)': '', 'Net Debit (NC)': '4.00' })

    expect(line).toMatchObject({
      kind: 'fee',
      amount: -400n,
      gross: -400n,
      net: -400n,
      providerReference: null,
    })
  })

  test('equal lines without a reference are different lines of one file, and the same in the next file', () => {
    const values = adyenColumns.map(
      (column) =>
        ({ ...adyenLine, Type: 'Fee', 'Psp Reference': '', 'Modification Reference': '' })[
          column as keyof typeof adyenLine
        ] ?? '',
    )
    const open = () => openLineReader({ ...source, format: 'adyen_settlement_details' }, adyenColumns)
    const [first, second] = [open(), open()]
    const ids = [first.read(values).uuid, first.read(values).uuid]

    expect(new Set(ids).size).toBe(2)
    expect([second.read(values).uuid, second.read(values).uuid]).toEqual(ids)
  })
})

const columns = {
  gross: 'Betrag',
  fee: 'Gebühr',
  currency: 'Währung',
  created_at: 'Datum',
  type: 'Art',
  id: 'Nr',
}
const mapping = {
  columns,
  types: { Verkauf: 'payment', Erstattung: 'refund' },
  decimal_separator: ',',
} as const
const csvColumns = ['Nr', 'Datum', 'Art', 'Betrag', 'Gebühr', 'Währung', 'Notiz']
const readCsvLine = (members: { readonly [column: string]: string }) =>
  read({ format: 'csv', mapping }, csvColumns, {
    Nr: '1',
    Datum: '2026-11-14',
    Art: 'Verkauf',
    Betrag: '12,99',
    Gebühr: '0,30',
    Währung: 'EUR',
    ...members,
  })

describe('a CSV file with a mapping', () => {
  test('columns, types and decimal separators follow the mapping', () => {
    expect(readCsvLine({})).toMatchObject({ kind: 'payment', amount: 1299n, feeProcessing: 30n, net: 1269n })
    expect(readCsvLine({ Art: 'Erstattung', Betrag: '-2,50', Gebühr: '' })).toMatchObject({
      kind: 'refund',
      amount: -250n,
      net: -250n,
    })
  })

  test.each([
    [{ Art: 'Storno' }, 'Line 2: "Art" is "Storno", which the mapping does not contain.'],
    [{ Betrag: '1.299,00' }, 'Line 2: "Betrag" must be an amount, not "1.299,00".'],
    [{ Betrag: '12,999' }, 'Line 2: "Betrag" has more decimal places than eur allows.'],
    [{ Währung: 'EURO' }, 'Line 2: "Währung" must be a currency code, not "euro".'],
    [{ Datum: '14.11.2026' }, 'Line 2: "Datum" must be a date or a timestamp, not "14.11.2026".'],
  ])('%j is refused', (members, detail) => {
    expect(() => readCsvLine(members)).toThrow(
      expect.objectContaining({ code: 'invalid_settlement_file', members: { detail } }),
    )
  })

  test('amounts are exact', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), (amount) => {
        const [size, sign] = amount < 0n ? [-amount, '-'] : [amount, '']
        const text = `${sign}${size / 100n},${String(size % 100n).padStart(2, '0')}`
        expect(readCsvLine({ Betrag: text, Gebühr: '' }).amount).toBe(amount)
      }),
    )
  })
})

test('the id of a line depends on the provider account, the time and the identity', () => {
  const reader = (providerAccountId: string) =>
    openLineReader(
      { ...source, providerAccountId: providerAccountId as Id<'provider_account'>, format: 'csv', mapping },
      csvColumns,
    )
  const values = ['1', '2026-11-14', 'Verkauf', '12,99', '0,30', 'EUR', '']
  const other = ['2', ...values.slice(1)]
  const later = ['1', '2026-11-15', ...values.slice(2)]
  const ids = [values, other, later].map((line) => reader('a').read(line).uuid)

  expect(new Set([...ids, reader('b').read(values).uuid]).size).toBe(4)
  expect(reader('a').read([...values.slice(0, 6), 'a note']).uuid).toBe(ids[0])
})

test.each([
  ['Visa', 'de', 'CREDIT', 'visa', 'DE', 'credit'],
  ['mc', 'GB', 'debit', 'mastercard', 'GB', 'debit'],
  ['MasterCard', 'FR', 'Prepaid', 'mastercard', 'FR', 'prepaid'],
  ['American Express', 'US', 'unknown', 'amex', 'US', null],
  ['Diners Club', 'Germany', 'CHARGE', 'diners', null, null],
  ['cup', '', '', 'unionpay', null, null],
  ['Cartes Bancaires', null, null, 'cartesbancaires', null, null],
  ['💳', null, null, null, null, null],
  [null, null, null, null, null, null],
])('a %s card from %s with the funding type %s is stated as %s, %s, %s', (...values) => {
  const [brand, country, funding, cardBrand, cardCountry, cardFunding] = values
  expect(cardDetails({ brand, country, funding })).toEqual({ cardBrand, cardCountry, cardFunding })
})
