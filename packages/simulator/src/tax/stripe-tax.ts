/** A simulated Stripe Tax: calculations, transactions from them, reversals and settings, below `/tax/stripe_tax/<account>`. */
import type { IncomingCall } from '../incoming.ts'
import {
  type Buyer,
  type Calculation,
  keyOf,
  newId,
  type RecordedDocument,
  rateFor,
  type TaxedLine,
  type TaxState,
  taxOn,
} from './tax-state.ts'

export type TaxReply = { readonly status: number; readonly body: object }

type Form = ReturnType<typeof formOf>

export function handleStripeTax(state: TaxState, account: string, call: IncomingCall): TaxReply {
  const { method, segments, headers, bytes } = call
  if (
    !/^Bearer (sk|rk)_(live|test)_/.test(headers.authorization ?? '') ||
    headers.authorization?.includes('invalid')
  )
    return error(401, 'invalid_request_error', undefined, 'Invalid API Key provided')
  const path = segments.slice(5).join('/')
  if (method === 'GET') return readObject(state, account, path)
  const form = formOf(bytes.toString())
  const key = headers['idempotency-key']
  return typeof key === 'string'
    ? replayed(state, keyOf(account, key), bytes.toString(), () => change(state, account, path, form))
    : change(state, account, path, form)
}

function change(state: TaxState, account: string, path: string, form: Form): TaxReply {
  if (path === 'calculations') return calculate(state, account, form)
  if (path === 'transactions/create_from_calculation') return recordSale(state, account, form)
  if (path === 'transactions/create_reversal') return recordReversal(state, account, form)
  return error(404, 'invalid_request_error', 'resource_missing', 'Unrecognized request URL.')
}

/** A repeated key returns the first response, and is refused with other parameters. */
function replayed(state: TaxState, key: string, sent: string, run: () => TaxReply): TaxReply {
  const known = state.replays.get(key)
  if (known !== undefined) {
    state.repeated += 1
    return known.sent === sent
      ? { status: 200, body: known.body }
      : error(400, 'idempotency_error', undefined, 'Keys can only be used with the same parameters.')
  }
  const reply = run()
  if (reply.status === 200) state.replays.set(key, { sent, body: reply.body })
  return reply
}

function readObject(state: TaxState, account: string, path: string): TaxReply {
  if (path === 'settings') return { status: 200, body: { object: 'tax.settings', status: 'active' } }
  const [kind, id = '', list] = path.split('/')
  const lines =
    kind === 'calculations'
      ? state.calculations.get(id)?.lines
      : [...state.documents.values()].find((one) => one.id === id && one.account === account)?.lines
  if (list !== 'line_items' || lines === undefined)
    return error(404, 'invalid_request_error', 'resource_missing', 'No such object.')
  return { status: 200, body: listOf(lines, lines.length) }
}

/** An expanded list has at most ten lines. */
const expandedLines = 10

function listOf(lines: readonly TaxedLine[], limit = expandedLines): object {
  return { object: 'list', data: lines.slice(0, limit).map(presentLine), has_more: lines.length > limit }
}

function presentLine({ id, reference, amount, tax, inclusive, percentage, reason }: TaxedLine): object {
  return {
    id,
    object: 'tax.calculation_line_item',
    amount,
    amount_tax: tax,
    reference,
    tax_behavior: inclusive ? 'inclusive' : 'exclusive',
    tax_breakdown: [
      {
        amount: tax,
        taxability_reason: reason,
        tax_rate_details:
          percentage === 0 ? null : { percentage_decimal: String(percentage), tax_type: 'vat' },
      },
    ],
  }
}

function calculate(state: TaxState, account: string, form: Form): TaxReply {
  const country = form.text('customer_details[address][country]')
  if (country === null)
    return error(
      400,
      'invalid_request_error',
      'customer_tax_location_invalid',
      'The address of the customer is invalid.',
    )
  const buyer: Buyer = {
    country,
    state: form.text('customer_details[address][state]'),
    isExempt: form.text('customer_details[taxability_override]') === 'customer_exempt',
    hasVatId: form.text('customer_details[tax_ids][0][type]') === 'eu_vat',
    sellerCountry: form.text('ship_from_details[address][country]'),
  }
  const { percentage, reason } = rateFor(buyer)
  const lines: TaxedLine[] = []
  for (let index = 0; form.text(`line_items[${index}][amount]`) !== null; index += 1) {
    const member = (name: string) => form.text(`line_items[${index}][${name}]`)
    const amount = Number(member('amount'))
    if (!(amount > 0))
      return error(400, 'invalid_request_error', 'parameter_invalid_integer', 'Amounts must be positive.')
    if (member('tax_code') === 'invalid')
      return error(400, 'invalid_request_error', 'resource_missing', 'No such tax code: invalid')
    const inclusive = member('tax_behavior') === 'inclusive'
    const tax = taxOn(amount, percentage, inclusive)
    lines.push({
      id: newId('tax_li'),
      reference: member('reference') ?? '',
      amount,
      tax,
      inclusive,
      percentage,
      reason,
    })
  }
  const calculation: Calculation = {
    id: newId('taxcalc'),
    account,
    currency: form.text('currency') ?? '',
    lines,
  }
  state.calculations.set(calculation.id, calculation)
  return {
    status: 200,
    body: {
      id: calculation.id,
      object: 'tax.calculation',
      currency: calculation.currency,
      expires_at: Math.floor(Date.now() / 1000) + 90 * 86_400,
      line_items: listOf(lines),
    },
  }
}

function recordSale(state: TaxState, account: string, form: Form): TaxReply {
  const reference = form.text('reference') ?? ''
  const calculation = state.calculations.get(form.text('calculation') ?? '')
  if (calculation === undefined)
    return error(404, 'invalid_request_error', 'resource_missing', 'No such calculation.')
  const { currency, lines } = calculation
  return record(state, {
    id: newId('tax'),
    account,
    reference,
    kind: 'sale',
    currency,
    original: null,
    lines: lines.map((line) => ({ ...line, id: newId('tax_li') })),
  })
}

function recordReversal(state: TaxState, account: string, form: Form): TaxReply {
  const original = form.text('original_transaction')
  const sale = [...state.documents.values()].find(({ id }) => id === original)
  if (sale === undefined)
    return error(404, 'invalid_request_error', 'resource_missing', 'No such transaction.')
  const lines: TaxedLine[] = []
  for (let index = 0; form.text(`line_items[${index}][amount]`) !== null; index += 1) {
    const member = (name: string) => form.text(`line_items[${index}][${name}]`)
    const line = sale.lines.find(({ id }) => id === member('original_line_item'))
    if (line === undefined)
      return error(400, 'invalid_request_error', 'resource_missing', 'No such line item.')
    const [amount, tax] = [Number(member('amount')), Number(member('amount_tax'))]
    if (amount > 0 || tax > 0)
      return error(400, 'invalid_request_error', undefined, 'Amounts must be negative.')
    lines.push({ ...line, id: newId('tax_li'), reference: line.reference, amount, tax })
  }
  return record(state, {
    id: newId('tax'),
    account,
    reference: form.text('reference') ?? '',
    kind: 'reversal',
    currency: sale.currency,
    original: sale.reference,
    lines,
  })
}

function record(state: TaxState, document: RecordedDocument): TaxReply {
  const key = keyOf(document.account, document.reference)
  if (state.documents.has(key)) {
    state.repeated += 1
    return error(400, 'invalid_request_error', 'resource_already_exists', 'The reference was used before.')
  }
  state.documents.set(key, document)
  return {
    status: 200,
    body: {
      id: document.id,
      object: 'tax.transaction',
      type: document.kind === 'sale' ? 'transaction' : 'reversal',
      reference: document.reference,
      line_items: listOf(document.lines),
    },
  }
}

function formOf(text: string) {
  const values = new URLSearchParams(text)
  return { text: (name: string) => values.get(name) }
}

function error(status: number, type: string, code: string | undefined, message: string): TaxReply {
  return { status, body: { error: { type, ...(code === undefined ? {} : { code }), message } } }
}
