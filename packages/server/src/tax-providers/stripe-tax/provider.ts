/**
 * Stripe Tax: a calculation is created for a quote, a transaction is created from the calculation when the invoice is
 * finalized, and a reversal credits amounts of it. Stripe refuses a second transaction with the same reference, and an
 * idempotency key makes a repeated call return the first response. Payments need not be made with Stripe.
 */
import { type Static, Type } from 'typebox'
import type { Currency } from '../../kernel/currency.ts'
import {
  percentageText,
  type QuotedLine,
  type TaxDocument,
  type TaxInput,
  type TaxRecord,
  type TaxReversal,
} from '../../kernel/tax-quotes.ts'
import type { HttpCall, HttpReply } from '../../providers/contract.ts'
import { type FormValue, formCall } from '../../providers/http-call.ts'
import { fromProviderAmount, toProviderAmount } from '../../providers/provider-amounts.ts'
import { readerOf } from '../../providers/read.ts'
import type {
  Incomplete,
  LinesInput,
  QuoteOutcome,
  RecordOutcome,
  TaxContext,
  TaxFailure,
  TaxProvider,
} from '../contract.ts'
import { page } from './page.ts'

/** The version of npm package `stripe` 23.1, whose types the tests compare calls with. */
export const apiVersion = '2026-10-28.endive'

/** The same difference from ISO 4217 as for payments: Stripe writes 5 ISK as 500. */
const exponents = { isk: 2 }

const Integer = Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
const Line = Type.Object({
  id: Type.String(),
  reference: Type.String(),
  amount: Integer,
  amount_tax: Integer,
  tax_breakdown: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.Array(
        Type.Object({
          amount: Integer,
          taxability_reason: Type.String(),
          tax_rate_details: Type.Union([
            Type.Null(),
            Type.Object({ percentage_decimal: Type.String({ pattern: '^[0-9]{1,3}(\\.[0-9]+)?$' }) }),
          ]),
        }),
      ),
    ]),
  ),
})
type Line = Static<typeof Line>
const LineList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Line),
  has_more: Type.Boolean(),
})
const readLines = readerOf(LineList)
const readCalculation = readerOf(
  Type.Object({
    object: Type.Literal('tax.calculation'),
    id: Type.String({ pattern: '^taxcalc_[A-Za-z0-9_]+$' }),
    currency: Type.String(),
    expires_at: Type.Union([Type.Integer({ minimum: 0, maximum: 99_999_999_999 }), Type.Null()]),
    line_items: LineList,
  }),
)
const readTransaction = readerOf(
  Type.Object({
    object: Type.Literal('tax.transaction'),
    id: Type.String({ pattern: '^tax_[A-Za-z0-9_]+$' }),
    type: Type.Union([Type.Literal('transaction'), Type.Literal('reversal')]),
    reference: Type.String(),
    line_items: LineList,
  }),
)
const readError = readerOf(
  Type.Object({
    error: Type.Object({
      type: Type.String(),
      code: Type.Optional(Type.String()),
      message: Type.Optional(Type.String()),
    }),
  }),
)

/** The types of tax ids that Switchyard and Stripe both support. Stripe would reject a calculation with any other. */
const taxIdTypes = [
  'eu_vat',
  'gb_vat',
  'ch_vat',
  'no_vat',
  'us_ein',
  'au_abn',
  'ca_gst_hst',
  'nz_gst',
  'in_gst',
]

type Form = { readonly [name: string]: FormValue }

function callTo({ config }: TaxContext, path: string, body?: Form, idempotencyKey?: string): HttpCall {
  return formCall({
    method: body === undefined ? 'GET' : 'POST',
    baseUrl: config.emulator_url ?? 'https://api.stripe.com',
    path,
    ...(body === undefined ? {} : { form: body }),
    headers: {
      authorization: `Bearer ${config.secret_key}`,
      'stripe-version': apiVersion,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
  })
}

const amountOf = (amount: string, currency: Currency) =>
  Number(toProviderAmount({ amount: BigInt(amount), currency }, exponents))

const taxOf = (amount: number, currency: Currency) =>
  String(fromProviderAmount(BigInt(amount), currency, exponents).amount)

function calculationForm({ currency, seller, customer, lines }: TaxInput): Form {
  return {
    currency,
    customer_details: {
      address: customer.address,
      address_source: 'billing',
      taxability_override: customer.isExempt ? 'customer_exempt' : 'none',
      tax_ids: customer.taxIds
        .filter(({ type }) => taxIdTypes.includes(type))
        .map(({ type, value }) => ({ type, value })),
    },
    ship_from_details: seller.address === null ? null : { address: seller.address },
    line_items: lines.map((line) => ({
      reference: line.reference,
      amount: amountOf(line.amount, currency),
      quantity: line.quantity,
      tax_behavior: line.inclusive ? 'inclusive' : 'exclusive',
      tax_code: line.taxCode,
    })),
    expand: ['line_items'],
  }
}

/**
 * A call that Stripe rejects must be corrected. After any other response without an object, the call may have
 * been processed.
 */
function failureOf({ status, body }: HttpReply): TaxFailure {
  if (status === 401 || status === 403)
    return rejected('tax_credentials_invalid', 'Stripe rejects the secret key, or it lacks a permission.')
  if (status === 409 || status === 429 || status >= 500)
    return {
      is: 'unknown',
      fault: { code: 'unavailable', message: `Stripe responded with status ${status}.` },
    }
  const { error } = readError(body)
  return rejected(error.code ?? error.type, error.message ?? `Stripe responded with status ${status}.`)
}

function rejected(code: string, message: string): TaxFailure {
  return { is: 'rejected', fault: { code, message } }
}

function parseQuote(reply: HttpReply, { input }: { readonly input: TaxInput }): QuoteOutcome {
  if (reply.status !== 200) return failureOf(reply)
  const { id, expires_at: expires, line_items: lines } = readCalculation(reply.body)
  if (lines.has_more) return { is: 'incomplete', of: 'calculations', ref: `${id}/${expires ?? ''}` }
  return quoted(id, expires, lines.data, input)
}

function quoted(id: string, expires: number | null, lines: readonly Line[], input: TaxInput): QuoteOutcome {
  const byReference = new Map(lines.map((line) => [line.reference, line]))
  const found = input.lines.flatMap(({ reference }) => byReference.get(reference) ?? [])
  if (found.length !== input.lines.length || lines.length !== found.length)
    return rejected('lines_differ', 'Stripe returned different lines from those in the request.')
  return {
    is: 'quoted',
    quote: {
      ref: id,
      expiresAt: expires === null ? null : new Date(expires * 1000).toISOString(),
      lines: found.map((line) => quotedLine(line, input.currency)),
    },
  }
}

const categories: Readonly<Record<string, QuotedLine['category']>> = {
  reverse_charge: 'AE',
  customer_exempt: 'E',
  product_exempt: 'E',
  product_exempt_holiday: 'E',
  portion_product_exempt: 'E',
  zero_rated: 'Z',
  not_collecting: 'O',
  not_subject_to_tax: 'O',
  not_supported: 'O',
}

/** Several jurisdictions may tax a line, so their rates are added. */
function quotedLine({ reference, amount_tax, tax_breakdown }: Line, currency: Currency): QuotedLine {
  const parts = tax_breakdown ?? []
  const percentages = parts.map(({ amount, tax_rate_details: rate }) =>
    amount === 0 && amount_tax !== 0 ? 0 : Number(rate?.percentage_decimal ?? 0),
  )
  const percentage = percentageText(percentages.reduce((sum, part) => sum + part, 0))
  const untaxed = parts.flatMap(({ taxability_reason }) => categories[taxability_reason] ?? [])[0]
  const isTaxed = amount_tax !== 0 || (untaxed === undefined && percentage !== null && percentage !== '0')
  return {
    reference,
    tax: taxOf(amount_tax, currency),
    percentage: isTaxed ? (percentage ?? '0') : '0',
    category: isTaxed ? 'S' : (untaxed ?? 'Z'),
  }
}

function parseRecord(reply: HttpReply, { reference, input }: TaxDocument): RecordOutcome {
  if (reply.status !== 200) return failureOf(reply)
  const transaction = readTransaction(reply.body)
  if (transaction.reference !== reference || transaction.type !== 'transaction')
    return rejected('reference_differs', 'Stripe returned a different transaction from the requested one.')
  const { id, line_items: lines } = transaction
  if (lines.has_more) return { is: 'incomplete', of: 'transactions', ref: id }
  return { is: 'recorded', record: recordOf(id, lines.data, input.currency) }
}

function recordOf(ref: string, lines: readonly Line[], currency: Currency): TaxRecord {
  const tax = lines.reduce((sum, line) => sum + BigInt(taxOf(line.amount_tax, currency)), 0n)
  return {
    ref,
    lines: Object.fromEntries(lines.map(({ reference, id }) => [reference, id])),
    tax: String(tax),
  }
}

function reversalForm({ reference, original, lines }: TaxReversal): Form {
  const { currency } = original.input
  return {
    mode: 'partial',
    original_transaction: original.record.ref,
    reference,
    line_items: lines.map((line) => ({
      amount: -amountOf(line.amount, currency),
      amount_tax: -amountOf(line.tax, currency),
      original_line_item: original.record.lines[line.reference] ?? '',
      reference: `${reference} ${line.reference}`,
    })),
    expand: ['line_items'],
  }
}

/** At most 100 lines are returned per page. An invoice with more is rejected. */
const buildLines = ({ incomplete: { of, ref } }: LinesInput, context: TaxContext) =>
  callTo(context, `/v1/tax/${of}/${encodeURIComponent(ref.split('/')[0] ?? '')}/line_items?limit=100`)

const incompleteAgain = (of: Incomplete['of'], ref: string): Incomplete => ({ is: 'incomplete', of, ref })

export const stripeTax: TaxProvider = {
  id: 'stripe_tax',
  name: 'Stripe Tax',
  fields: [
    {
      name: 'secret_key',
      label: 'Secret key',
      help: 'In the Stripe Dashboard under Developers, API keys. A restricted key needs write access to tax calculations and transactions, and read access to tax settings.',
      required: true,
      isSecret: true,
      pattern: { live: '^(sk|rk)_live_[A-Za-z0-9_]{8,500}$', test: '^(sk|rk)_test_[A-Za-z0-9_]{8,500}$' },
    },
  ],
  emulated: { secret_key: 'sk_test_emulated_tax' },
  quote: {
    build: ({ input }, context) => callTo(context, '/v1/tax/calculations', calculationForm(input)),
    parse: parseQuote,
  },
  commit: {
    build: ({ reference, quote }, context) =>
      callTo(
        context,
        '/v1/tax/transactions/create_from_calculation',
        { calculation: quote.ref, reference, expand: ['line_items'] },
        `${reference} commit`,
      ),
    parse: parseRecord,
  },
  reverse: {
    build: (reversal, context) =>
      callTo(
        context,
        '/v1/tax/transactions/create_reversal',
        reversalForm(reversal),
        `${reversal.reference} reverse`,
      ),
    parse(reply, { reference, original, lines }) {
      if (reply.status !== 200) return failureOf(reply)
      const transaction = readTransaction(reply.body)
      if (transaction.reference !== reference || transaction.type !== 'reversal')
        return rejected(
          'reference_differs',
          'Stripe returned a different transaction from the requested one.',
        )
      const { tax } = recordOf(transaction.id, transaction.line_items.data, original.input.currency)
      // The line ids of a reversal are not needed again. If some lines are missing, so is part of the tax.
      const requested = lines.reduce((sum, line) => sum + BigInt(line.tax), 0n)
      const recordedTax = transaction.line_items.has_more ? -requested : BigInt(tax)
      return { is: 'recorded', record: { ref: transaction.id, lines: {}, tax: String(-recordedTax) } }
    },
  },
  lines: {
    quote: {
      build: buildLines,
      parse(reply, { incomplete: { of, ref }, document: { input } }) {
        if (reply.status !== 200) return failureOf(reply)
        const lines = readLines(reply.body)
        const [id = '', expires = ''] = ref.split('/')
        return lines.has_more
          ? incompleteAgain(of, ref)
          : quoted(id, expires === '' ? null : Number(expires), lines.data, input)
      },
    },
    record: {
      build: buildLines,
      parse(reply, { incomplete: { of, ref }, document: { input } }) {
        if (reply.status !== 200) return failureOf(reply)
        const lines = readLines(reply.body)
        return lines.has_more
          ? incompleteAgain(of, ref)
          : { is: 'recorded', record: recordOf(ref, lines.data, input.currency) }
      },
    },
  },
  check: {
    build: (_, context) => callTo(context, '/v1/tax/settings'),
    parse({ status, body }) {
      if (status === 401 || status === 403)
        return { fault: 'rejected the secret key, or it lacks a permission.' }
      if (status !== 200) return { fault: `responded with status ${status}.` }
      return readSettings(body).status === 'active'
        ? { fault: null }
        : { fault: 'is not set up completely: finish the tax settings in the Stripe Dashboard.' }
    },
  },
  page,
}

const readSettings = readerOf(Type.Object({ object: Type.Literal('tax.settings'), status: Type.String() }))
