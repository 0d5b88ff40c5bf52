/**
 * AvaTax of Avalara: a SalesOrder is an estimate that is not recorded, and a SalesInvoice with the same lines is recorded
 * and committed when the invoice is finalized. Credit notes are recorded as a ReturnInvoice with negative amounts. All calls
 * that record are `createoradjust`, which adjusts the transaction if its code exists, so a repeated call records nothing more.
 */
import { Type } from 'typebox'
import type { Currency } from '../../kernel/currency.ts'
import { formatDecimal, money, parseDecimal } from '../../kernel/money.ts'
import type { PostalAddress } from '../../kernel/parties.ts'
import {
  percentageText,
  type QuotedLine,
  type TaxDocument,
  type TaxInput,
  type TaxInputLine,
  type TaxReversal,
} from '../../kernel/tax-quotes.ts'
import type { HttpCall, HttpReply } from '../../providers/contract.ts'
import { jsonCall } from '../../providers/http-call.ts'
import { readerOf, Unreadable } from '../../providers/read.ts'
import type { QuoteOutcome, RecordOutcome, TaxContext, TaxFailure, TaxProvider } from '../contract.ts'
import { page } from './page.ts'

const Amount = Type.Number({ minimum: -1e15, maximum: 1e15 })
const readTransaction = readerOf(
  Type.Object({
    id: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    code: Type.String(),
    type: Type.String(),
    status: Type.String(),
    totalTax: Amount,
    lines: Type.Array(
      Type.Object({
        lineNumber: Type.String(),
        tax: Amount,
        details: Type.Optional(
          Type.Union([Type.Null(), Type.Array(Type.Object({ rate: Amount, tax: Amount }))]),
        ),
      }),
    ),
  }),
)
const readError = readerOf(
  Type.Object({ error: Type.Object({ code: Type.String(), message: Type.String() }) }),
)
const readPing = readerOf(Type.Object({ authenticated: Type.Boolean() }))

function callTo({ config, mode }: TaxContext, path: string, body?: object): HttpCall {
  const host = mode === 'live' ? 'https://rest.avatax.com' : 'https://sandbox-rest.avatax.com'
  const credentials = Buffer.from(`${config.account_id}:${config.license_key}`).toString('base64')
  return jsonCall({
    method: body === undefined ? 'GET' : 'POST',
    baseUrl: config.emulator_url ?? host,
    path,
    ...(body === undefined ? {} : { body }),
    headers: { authorization: `Basic ${credentials}` },
  })
}

/** A JSON number with the decimal places of the currency. */
const decimal = (amount: bigint, currency: Currency) => Number(formatDecimal(money(amount, currency)))

function fromDecimal(value: number, currency: Currency): bigint {
  const parsed = parseDecimal(value.toFixed(4), currency)
  if (parsed === null) throw new Unreadable('The response contains an amount that is not exact.')
  return parsed.amount
}

function addressOf(address: PostalAddress | null) {
  if (address === null) return undefined
  const { line1, line2, city, state, postal_code, country } = address
  const members = { line1, line2, city, region: state, postalCode: postal_code, country }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))
}

type Header = {
  readonly code: string
  readonly type: string
  readonly date: string
  readonly commit: boolean
}

function transactionOf({ config }: TaxContext, input: TaxInput, header: Header, lines: readonly object[]) {
  const { seller, customer } = input
  const vatId = customer.taxIds[0]?.value
  const shipTo = addressOf(customer.address)
  return {
    ...header,
    companyCode: config.company_code,
    customerCode: customer.id,
    currencyCode: input.currency.toUpperCase(),
    addresses: { shipFrom: addressOf(seller.address) ?? shipTo, shipTo },
    ...(vatId === undefined ? {} : { businessIdentificationNo: vatId }),
    ...(customer.isExempt ? { exemptionNo: 'exempt' } : {}),
    lines,
  }
}

/** Line numbers and codes are limited to 50 characters. Our ids are shorter. */
function lineOf({ currency }: TaxInput, line: TaxInputLine, amount: bigint) {
  return {
    number: line.reference,
    quantity: line.quantity,
    amount: decimal(amount, currency),
    taxIncluded: line.inclusive,
    ...(line.taxCode === null ? {} : { taxCode: line.taxCode }),
    ...(line.description === null ? {} : { description: line.description.slice(0, 255) }),
  }
}

const sold = (input: TaxInput) => input.lines.map((line) => lineOf(input, line, BigInt(line.amount)))

function createOrAdjust(context: TaxContext, createTransactionModel: object): HttpCall {
  return callTo(context, '/api/v2/transactions/createoradjust?$include=Details', { createTransactionModel })
}

function failureOf({ status, body }: HttpReply): TaxFailure {
  if (status === 401 || status === 403)
    return rejected('tax_credentials_invalid', 'AvaTax rejects the account id or the license key.')
  if (status === 408 || status === 429 || status >= 500)
    return {
      is: 'unknown',
      fault: { code: 'unavailable', message: `AvaTax responded with status ${status}.` },
    }
  const { error } = readError(body)
  return rejected(error.code, error.message)
}

function rejected(code: string, message: string): TaxFailure {
  return { is: 'rejected', fault: { code, message } }
}

const isSuccess = ({ status }: HttpReply) => status === 200 || status === 201

function parseQuote(reply: HttpReply, { input }: { readonly input: TaxInput }): QuoteOutcome {
  if (!isSuccess(reply)) return failureOf(reply)
  const { lines } = readTransaction(reply.body)
  const byNumber = new Map(lines.map((line) => [line.lineNumber, line]))
  const quoted = input.lines.flatMap((line) => {
    const found = byNumber.get(line.reference)
    return found === undefined ? [] : [quotedLine(line, found, input)]
  })
  if (quoted.length !== input.lines.length || lines.length !== quoted.length)
    return rejected('lines_differ', 'AvaTax returned different lines from those in the request.')
  return { is: 'quoted', quote: { ref: null, expiresAt: null, lines: quoted } }
}

type FoundLine = {
  readonly tax: number
  readonly details?: readonly { readonly rate: number; readonly tax: number }[] | null
}

/** Several jurisdictions may tax a line, so their rates are added. */
function quotedLine(
  { reference }: TaxInputLine,
  found: FoundLine,
  { customer, currency }: TaxInput,
): QuotedLine {
  const tax = fromDecimal(found.tax, currency)
  if (tax === 0n) return { reference, tax: '0', percentage: '0', category: customer.isExempt ? 'E' : 'O' }
  const rates = (found.details ?? []).filter((detail) => detail.tax !== 0).map(({ rate }) => rate)
  const percentage = percentageText(rates.reduce((sum, rate) => sum + rate, 0) * 100)
  return { reference, tax: String(tax), percentage: percentage ?? '0', category: 'S' }
}

function parseRecord(
  reply: HttpReply,
  { reference, type, currency }: { reference: string; type: string; currency: Currency },
): RecordOutcome {
  if (!isSuccess(reply)) return failureOf(reply)
  const { id, code, type: recordedType, status, totalTax } = readTransaction(reply.body)
  if (code !== reference || recordedType !== type)
    return rejected('reference_differs', 'AvaTax returned a different transaction from the requested one.')
  if (status !== 'Committed')
    return {
      is: 'unknown',
      fault: { code: 'not_committed', message: `The transaction has the status ${status}.` },
    }
  const tax = fromDecimal(Math.abs(totalTax), currency)
  return { is: 'recorded', record: { ref: String(id), lines: {}, tax: String(tax) } }
}

function saleOf(context: TaxContext, { reference, input, quote }: TaxDocument) {
  const header = { code: reference, type: 'SalesInvoice', date: quote.taxDate, commit: true }
  return transactionOf(context, input, header, sold(input))
}

/** The tax of each line is given, so that the return is exactly what the credit note says. */
function returnOf(context: TaxContext, { reference, date, original, lines }: TaxReversal) {
  const { input, quote } = original
  const header = { code: reference, type: 'ReturnInvoice', date, commit: true }
  const returned = lines.map(({ reference: number, amount, tax }) => {
    const line = input.lines.find((candidate) => candidate.reference === number)
    if (line === undefined) throw new Error('A returned line must be a line of the sale.')
    const taxOverride = {
      type: 'TaxAmount',
      taxAmount: decimal(-BigInt(tax), input.currency),
      taxDate: quote.taxDate,
      reason: 'Credit note',
    }
    return { ...lineOf(input, line, -BigInt(amount)), taxOverride }
  })
  return { ...transactionOf(context, input, header, returned), referenceCode: original.reference }
}

export const avatax: TaxProvider = {
  id: 'avatax',
  name: 'AvaTax',
  fields: [
    {
      name: 'account_id',
      label: 'Account id',
      help: 'In the Avalara Portal under Account, License and API keys.',
      required: true,
      isSecret: false,
      pattern: { live: '^[0-9]{6,20}$', test: '^[0-9]{6,20}$' },
    },
    {
      name: 'license_key',
      label: 'License key',
      help: 'In the Avalara Portal under Settings, License and API keys. Sandbox accounts have a different key.',
      required: true,
      isSecret: true,
      pattern: { live: '^[A-Za-z0-9]{8,100}$', test: '^[A-Za-z0-9]{8,100}$' },
    },
    {
      name: 'company_code',
      label: 'Company code',
      help: 'The code of the company in the Avalara Portal under Settings, All settings, Companies.',
      required: true,
      isSecret: false,
      pattern: { live: '^[A-Za-z0-9._-]{1,25}$', test: '^[A-Za-z0-9._-]{1,25}$' },
    },
  ],
  emulated: { account_id: '1234567890', license_key: 'EMULATED00000000', company_code: 'DEFAULT' },
  quote: {
    build({ input }, context) {
      const date = context.now.toISOString().slice(0, 10)
      const header = { code: input.lines[0]?.reference ?? '', type: 'SalesOrder', date, commit: false }
      return createOrAdjust(context, transactionOf(context, input, header, sold(input)))
    },
    parse: parseQuote,
  },
  commit: {
    build: (document, context) => createOrAdjust(context, saleOf(context, document)),
    parse: (reply, { reference, input: { currency } }) =>
      parseRecord(reply, { reference, type: 'SalesInvoice', currency }),
  },
  reverse: {
    build: (reversal, context) => createOrAdjust(context, returnOf(context, reversal)),
    parse: (reply, { reference, original }) =>
      parseRecord(reply, { reference, type: 'ReturnInvoice', currency: original.input.currency }),
  },
  check: {
    build: (_, context) => callTo(context, '/api/v2/utilities/ping'),
    parse({ status, body }) {
      if (status !== 200) return { fault: `responded with status ${status}.` }
      return readPing(body).authenticated
        ? { fault: null }
        : { fault: 'rejected the account id or the license key.' }
    },
  },
  page,
}
