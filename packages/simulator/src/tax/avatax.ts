/** A simulated AvaTax: estimates, and transactions that are created or adjusted by their code, below `/tax/avatax/<account>`. */
import type { IncomingCall } from '../incoming.ts'
import { isObject } from '../protocol.ts'
import type { TaxReply } from './stripe-tax.ts'
import { type Buyer, keyOf, newId, rateFor, type TaxedLine, type TaxState, taxOn } from './tax-state.ts'

type Members = { readonly [name: string]: unknown }

const memberOf = (value: unknown, name: string): Members => {
  const member = isObject(value) ? value[name] : undefined
  return isObject(member) ? member : {}
}

export function handleAvaTax(state: TaxState, account: string, call: IncomingCall): TaxReply {
  const { method, segments, headers, body } = call
  const isAuthenticated = headers.authorization?.startsWith('Basic ') === true
  const path = segments.slice(4).join('/')
  if (path === 'v2/utilities/ping' && method === 'GET')
    return { status: 200, body: { version: 'simulated', authenticated: isAuthenticated } }
  if (!isAuthenticated) return error(401, 'AuthenticationException', 'Authentication failed.')
  if (path !== 'v2/transactions/createoradjust') return error(404, 'EntityNotFoundError', 'Not found.')
  return createOrAdjust(state, account, memberOf(body, 'createTransactionModel'))
}

function createOrAdjust(state: TaxState, account: string, model: Members): TaxReply {
  const { code, type, commit, currencyCode, lines: requested } = model
  if (typeof code !== 'string' || code.length > 50 || !Array.isArray(requested) || requested.length === 0)
    return error(400, 'ValueRequiredError', 'The transaction has no code or no lines.')
  const shipTo = memberOf(memberOf(model, 'addresses'), 'shipTo')
  if (typeof shipTo.country !== 'string')
    return error(400, 'InvalidAddress', 'The address is not deliverable.')
  const currency = String(currencyCode).toLowerCase()
  const lines = requested.map((line: Members) => taxedLine(line, buyerOf(model, shipTo), currency))
  const id = Math.floor(Math.random() * 2 ** 40)
  const isReturn = type === 'ReturnInvoice'
  if (commit === true) {
    const key = keyOf(account, code)
    const known = state.documents.get(key)
    if (known !== undefined) state.repeated += 1
    state.documents.set(key, {
      id: known?.id ?? newId('ava'),
      account,
      reference: code,
      kind: isReturn ? 'reversal' : 'sale',
      currency,
      original: typeof model.referenceCode === 'string' ? model.referenceCode : null,
      lines,
    })
  }
  const decimal = (amount: number) => amount / 10 ** placesOf(currency)
  return {
    status: 201,
    body: {
      id,
      code,
      type,
      status: commit === true ? 'Committed' : 'Temporary',
      totalTax: decimal(lines.reduce((sum, { tax }) => sum + tax, 0)),
      lines: lines.map(({ reference, amount, tax, inclusive, percentage }) => ({
        lineNumber: reference,
        lineAmount: decimal(amount),
        taxableAmount: decimal(inclusive ? amount - tax : amount),
        tax: decimal(tax),
        details: [{ rate: percentage / 100, tax: decimal(tax) }],
      })),
    },
  }
}

function buyerOf(model: Members, shipTo: Members): Buyer {
  const { country: sellerCountry } = memberOf(memberOf(model, 'addresses'), 'shipFrom')
  return {
    country: String(shipTo.country),
    state: typeof shipTo.region === 'string' ? shipTo.region : null,
    isExempt: typeof model.exemptionNo === 'string' && model.exemptionNo !== '',
    hasVatId: typeof model.businessIdentificationNo === 'string',
    sellerCountry: typeof sellerCountry === 'string' ? sellerCountry : null,
  }
}

const placesOf = (currency: string) => (currency === 'jpy' ? 0 : 2)

function taxedLine(line: Members, buyer: Buyer, currency: string): TaxedLine {
  const minor = (value: unknown) => Math.round(Number(value) * 10 ** placesOf(currency))
  const { percentage, reason } = rateFor(buyer)
  const amount = minor(line.amount)
  const inclusive = line.taxIncluded === true
  const override = memberOf(line, 'taxOverride')
  const tax = override.type === 'TaxAmount' ? minor(override.taxAmount) : taxOn(amount, percentage, inclusive)
  return { id: newId('line'), reference: String(line.number), amount, tax, inclusive, percentage, reason }
}

function error(status: number, code: string, message: string): TaxReply {
  return { status, body: { error: { code, message } } }
}
