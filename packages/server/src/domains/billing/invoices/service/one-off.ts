/**
 * One-off invoices: drafts that are created and edited on request, and finalized or sent when they are complete. Their
 * amounts come from the same function as those of subscriptions.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { largestAmount } from '../../../../kernel/cart.ts'
import type { AttachedDiscount } from '../../../../kernel/discounts.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { type Id, uuidFromText } from '../../../../kernel/id.ts'
import { amountsOfDraft, type InvoiceDraft, type InvoiceTerms } from '../../../../kernel/invoice-lines.ts'
import { canonical } from '../../../../kernel/json.ts'
import { allowedActions } from '../../../../kernel/machine.ts'
import { factorsOf } from '../../../../kernel/price-schemes.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { customerClockId, requireCustomer } from '../../../payments/customers/service.ts'
import { findDefaultMethod, requireAttachedMethod } from '../../../payments/payment-methods/service.ts'
import { requirePublished } from '../../../routing/payment-routes/service/decide.ts'
import { discountsAfter, reserveForInvoice } from '../../discounts/service/attach.ts'
import { lastingDiscountsOf } from '../../discounts/service.ts'
import { requireDunningPolicy } from '../../dunning-policies/service.ts'
import { findProducts, markPricesUsed } from '../../products/service.ts'
import { wakeTestClock, withTestClock } from '../../test-clocks/service.ts'
import { draftOneOffLine, type EditedLine, termsOfLine, withInvoiceDiscounts } from '../draft-lines.ts'
import { invoiceUpdated } from '../events.ts'
import type { Invoice } from '../invoice.ts'
import { invoiceMachine } from '../machine.ts'
import type { CreateInvoice, InvoiceLineInput, PreviewedInvoice, UpdateInvoice } from '../schema/one-off.ts'
import * as store from '../store/invoices.ts'
import { deleteLines, insertEditedLines } from '../store/lines.ts'
import { requireSeriesAndTax } from '../store/series.ts'
import { requestTaxes } from '../store/tax.ts'
import { draftInvoices } from './draft.ts'
import { voidOrDiscard } from './end.ts'
import { lineTermsOf } from './line-input.ts'
import { withTaxRates } from './line-tax.ts'
import { factsOf } from './transition.ts'

/** The maximum number of lines, so that an invoice fits into one request and one PDF. */
const maxLines = 100

export async function createInvoice(deps: Deps, caller: Caller, input: CreateInvoice): Promise<Invoice> {
  const clockDeps = await withTestClock(deps, caller, await clockOf(deps, caller, input.customer_id))
  return transact(clockDeps, caller, async (tx) => {
    const customer = await requireCustomer(tx, input.customer_id)
    const untaxed = await linesFrom(tx, input)
    const discounts = await discountsOfCreation(tx, customer.id, untaxed, input)
    const terms = await termsFrom(tx, input, null, discounts)
    await markPricesUsed(tx, pricesOf(untaxed), '/lines')
    const known = await requireSeriesAndTax(tx)
    const discounted = await withDiscountsOf(tx, { currency: input.currency, discounts }, untaxed)
    const lines = await withTaxRates(tx, discounted, { customerId: customer.id, mode: known.taxMode })
    requireChargeable(amountsOfDraft({ currency: input.currency, lines }))
    const draft: InvoiceDraft = {
      id: tx.newId('invoice'),
      reason: 'one_off',
      customerId: customer.id,
      subscriptionId: null,
      currency: input.currency,
      period: null,
      changeId: null,
      lines,
      paymentMethodId: await methodFrom(tx, customer.id, input.payment_method_id),
      paymentRouteId:
        input.payment_route_id == null ? null : await requirePublished(tx, input.payment_route_id),
      collect: collectOf(terms),
      finalizeAt: null,
      testClockId: customer.testClockId,
      reducesInvoiceId: null,
      terms,
    }
    await reserveForInvoice(tx, [], { id: draft.id, customerId: customer.id, discounts })
    const [invoice] = await draftInvoices(tx, [draft], known)
    await wakeTestClock(tx)
    return invoice as Invoice
  })
}

/** Calculates the amounts. Nothing is stored. */
export function previewInvoice(deps: Deps, caller: Caller, input: CreateInvoice): Promise<PreviewedInvoice> {
  return transact(deps, caller, async (tx) => {
    const { id: customerId } = await requireCustomer(tx, input.customer_id)
    const { currency } = input
    const untaxed = await linesFrom(tx, input)
    const discounts = await discountsOfCreation(tx, customerId, untaxed, input)
    const discounted = await withDiscountsOf(tx, { currency, discounts }, untaxed)
    const lines = await withTaxRates(tx, discounted, { customerId })
    const amounts = amountsOfDraft({ currency, lines })
    requireChargeable(amounts)
    return { currency, lines, amounts }
  })
}

/** Null in live mode, which has no test clocks, and for customers that do not exist. */
async function clockOf(deps: Deps, caller: Caller, customerId: string): Promise<Id<'test_clock'> | null> {
  return caller.mode === 'live' ? null : read(deps, caller, (view) => customerClockId(view, customerId))
}

async function linesFrom(tx: Tx, { currency, lines = [] }: CreateInvoice): Promise<EditedLine[]> {
  const drafted: EditedLine[] = []
  for (const [index, line] of lines.entries()) {
    const terms = await lineTermsOf(tx, { currency, before: null, pointer: `/lines/${index}` }, line)
    drafted.push(draftOneOffLine(currency, terms, null))
  }
  return drafted
}

/** The discounts of the request, or those of the customer that have no limit. */
async function discountsOfCreation(
  tx: Tx,
  customerId: Id<'customer'>,
  lines: readonly EditedLine[],
  { currency, discounts: inputs }: CreateInvoice,
): Promise<AttachedDiscount[]> {
  if (inputs === undefined) return lastingDiscountsOf(tx, customerId, currency)
  return discountsAfter(tx, buyerOf(customerId, currency, lines), [], [{ inputs }])
}

const buyerOf = (
  customerId: Id<'customer'>,
  currency: InvoiceDraft['currency'],
  lines: readonly EditedLine[],
) => ({
  customerId,
  currency,
  items: lines.map(({ explanation, quantity }) => ({ ...factorsOf(explanation), quantity })),
})

type DiscountedDraft = Pick<InvoiceDraft, 'currency'> & Pick<InvoiceTerms, 'discounts'>

/** The lines with the discounts of the draft. */
async function withDiscountsOf(
  tx: Tx,
  { currency, discounts }: DiscountedDraft,
  lines: readonly EditedLine[],
): Promise<EditedLine[]> {
  const isLimited = discounts.some(({ productIds }) => productIds !== null)
  const products = await findProducts(tx, isLimited ? pricesOf(lines) : [])
  return withInvoiceDiscounts(currency, lines, discounts, products)
}

const pricesOf = (lines: readonly EditedLine[]) => lines.flatMap(({ priceId }) => priceId ?? [])

function requireChargeable({ total }: { readonly total: bigint }): void {
  if (total > BigInt(largestAmount))
    refuseMember('/lines', 'too_large', `must have a total of ${largestAmount} or less`)
}

const collectOf = ({ collectionMethod }: Pick<InvoiceTerms, 'collectionMethod'>): InvoiceDraft['collect'] =>
  collectionMethod === 'send_invoice' ? 'never' : 'now'

type TermsInput = Pick<
  CreateInvoice,
  'collection_method' | 'terms' | 'memo' | 'purchase_order' | 'dunning_policy_id'
>

/** The terms of a request. Omitted members are unchanged, or have their defaults. */
async function termsFrom(
  tx: Tx,
  input: TermsInput,
  before: InvoiceTerms | null,
  discounts: InvoiceTerms['discounts'],
): Promise<InvoiceTerms> {
  const collectionMethod = input.collection_method ?? before?.collectionMethod ?? 'charge_automatically'
  const isSent = collectionMethod === 'send_invoice'
  if (!isSent && input.terms !== undefined)
    refuseMember('/terms', 'not_together', 'can only be set with collection_method send_invoice')
  return {
    collectionMethod,
    termsDays: isSent ? (input.terms?.days ?? before?.termsDays ?? 30) : null,
    memo: input.memo === undefined ? (before?.memo ?? null) : input.memo,
    purchaseOrder:
      input.purchase_order === undefined ? (before?.purchaseOrder ?? null) : input.purchase_order,
    dunningPolicyId: await policyFrom(tx, input.dunning_policy_id, before),
    discounts,
  }
}

async function policyFrom(tx: Tx, text: string | null | undefined, before: InvoiceTerms | null) {
  if (text === undefined) return before?.dunningPolicyId ?? null
  return text === null ? null : (await requireDunningPolicy(tx, text)).id
}

/** The payment method of the request, or the default of the customer. */
async function methodFrom(
  tx: Tx,
  customerId: Id<'customer'>,
  text: string | null | undefined,
): Promise<Id<'payment_method'> | null> {
  if (text === null) return null
  if (text === undefined) return findDefaultMethod(tx, customerId)
  const method = await requireAttachedMethod(tx, text)
  if (method.customerId !== customerId)
    refuseMember('/payment_method_id', 'not_found', 'must be attached to this customer')
  return method.id
}

export function updateInvoice(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateInvoice & { readonly ifMatch: number | null },
): Promise<Invoice> {
  return transact(deps, caller, async (tx) => {
    const before = await lockDraft(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const discounts = await discountsOfUpdate(tx, before, input)
    const terms = await termsFrom(tx, input, before, discounts)
    const { payment_method_id: method } = input
    const paymentMethodId =
      method === undefined ? before.paymentMethodId : await methodFrom(tx, before.customerId, method)
    const changes = { ...terms, paymentMethodId, collect: collectOf(terms) }
    if (input.discounts !== undefined) return replaceLines(tx, before, before.lines, changes)
    const after = await store.updateInvoice(tx, before, changes, true)
    tx.emit(invoiceUpdated, { before, after })
    return after
  })
}

async function discountsOfUpdate(
  tx: Tx,
  before: Invoice,
  { discounts: inputs }: UpdateInvoice,
): Promise<InvoiceTerms['discounts']> {
  if (inputs === undefined) return before.discounts
  const { id, customerId, currency, lines } = before
  // The list also replaces the discounts that the invoice inherited from its customer.
  const own = before.discounts.filter(({ isOfCustomer }) => !isOfCustomer)
  const discounts = await discountsAfter(tx, buyerOf(customerId, currency, lines), own, [{ inputs }])
  await reserveForInvoice(tx, own, { id, customerId, discounts })
  return discounts
}

export function addInvoiceLine(deps: Deps, caller: Caller, id: string, input: InvoiceLineInput) {
  return editLines(deps, caller, id, async (tx, before) => {
    const { currency } = before
    if (before.lines.length >= maxLines)
      refuse('limit_reached', { detail: `An invoice can have at most ${maxLines} lines.` })
    const terms = await lineTermsOf(tx, { currency, before: null, pointer: '' }, input)
    return [...before.lines, draftOneOffLine(currency, terms, null)]
  })
}

export function updateInvoiceLine(
  deps: Deps,
  caller: Caller,
  {
    invoice_id: id,
    invoice_line_id: lineId,
  }: { readonly invoice_id: string; readonly invoice_line_id: string },
  input: InvoiceLineInput,
) {
  return editLines(deps, caller, id, async (tx, { lines, currency }) => {
    const edited = lines.map((line): EditedLine => line)
    const index = indexOf(lines, lineId, tx)
    const before = termsOfLine(lines[index] as Invoice['lines'][number])
    const terms = await lineTermsOf(tx, { currency, before, pointer: '' }, input)
    edited[index] = draftOneOffLine(currency, terms, (lines[index] as Invoice['lines'][number]).id)
    return edited
  })
}

export function deleteInvoiceLine(
  deps: Deps,
  caller: Caller,
  {
    invoice_id: id,
    invoice_line_id: lineId,
  }: { readonly invoice_id: string; readonly invoice_line_id: string },
) {
  return editLines(deps, caller, id, async (tx, { lines }) => lines.toSpliced(indexOf(lines, lineId, tx), 1))
}

function indexOf(lines: Invoice['lines'], text: string, { caller }: Tx): number {
  const uuid = uuidFromText('invoice_line', caller.mode, text)
  const index =
    uuid === null ? -1 : lines.findIndex(({ id }) => uuidFromText('invoice_line', caller.mode, id) === uuid)
  return index === -1 ? refuse('not_found', { detail: 'The invoice has no such line.' }) : index
}

function editLines(
  deps: Deps,
  caller: Caller,
  id: string,
  edit: (tx: Tx, before: Invoice) => Promise<readonly EditedLine[]>,
): Promise<Invoice> {
  return transact(deps, caller, async (tx) => {
    const before = await lockDraft(tx, id)
    const edited = await edit(tx, before)
    await markPricesUsed(tx, pricesOf(edited))
    return replaceLines(tx, before, edited, {})
  })
}

/** Replaces the lines of a draft, with its discounts and its tax, together with other changes. */
async function replaceLines(
  tx: Tx,
  before: Invoice,
  lines: readonly EditedLine[],
  changes: store.InvoiceChanges,
): Promise<Invoice> {
  const untaxed = await withDiscountsOf(tx, { ...before, ...changes }, lines)
  const mode = await deleteLines(tx, before.id)
  const edited = await withTaxRates(tx, untaxed, { customerId: before.customerId, mode })
  if (mode === 'provider') await requestTaxes(tx, [before])
  const taxStatus = mode === 'provider' ? 'pending' : before.taxStatus
  return writeLines(tx, before, edited, { ...changes, taxStatus })
}

async function writeLines(
  tx: Tx,
  before: Invoice,
  edited: readonly EditedLine[],
  { taxStatus = before.taxStatus, ...others }: store.InvoiceChanges,
): Promise<Invoice> {
  const amounts = amountsOfDraft({ currency: before.currency, lines: edited })
  requireChargeable(amounts)
  const lines = await insertEditedLines(tx, before, edited, amounts.lines)
  const { subtotal, discountTotal, taxTotal, total } = amounts
  const taxIncluded = taxTotal - amounts.exclusiveTax
  const changes = {
    ...others,
    lines,
    subtotal,
    discountTotal,
    taxTotal,
    taxIncluded,
    total,
    amountDue: total,
  }
  const after = { ...(await store.updateInvoice(tx, before, changes, true)), taxStatus }
  tx.emit(invoiceUpdated, { before, after })
  return after
}

/**
 * Determines the tax of a locked draft again, because the customer, the seller or the rules may have changed
 * since its last edit. Invoices of subscriptions keep the tax of their draft, and tax from a tax provider has
 * already been quoted.
 */
export async function withCurrentTax(tx: Tx, before: Invoice): Promise<Invoice> {
  if (before.subscriptionId !== null || before.taxStatus !== null) return before
  const edited = await withTaxRates(tx, before.lines, { customerId: before.customerId })
  const rateOf = ({ taxRate = null }: EditedLine) => canonical(taxRate)
  if (edited.every((line, index) => rateOf(line) === rateOf(before.lines[index] as EditedLine))) return before
  await deleteLines(tx, before.id)
  return writeLines(tx, before, edited, { taxStatus: null })
}

/** Drafts of subscriptions are calculated, and cannot be edited. */
async function lockDraft(tx: Tx, id: string): Promise<Invoice> {
  const invoice = await store.lockInvoice(tx, id)
  if (invoice.status === 'draft' && invoice.subscriptionId === null) return invoice
  return refuse('invalid_state', {
    detail:
      invoice.subscriptionId === null
        ? 'Only a draft can be edited or deleted. Void the invoice, or issue a credit note.'
        : 'Invoices of subscriptions cannot be edited or deleted.',
    current_status: invoice.status,
    allowed_actions: allowedActions(invoiceMachine, invoice.status, factsOf(invoice)),
  })
}

/** Discards a draft, which has no number and was not sent. Deleting it again returns the same invoice. */
export function deleteInvoice(deps: Deps, caller: Caller, id: string): Promise<Invoice> {
  return transact(deps, caller, async (tx) => {
    const found = await store.lockInvoice(tx, id)
    if (found.status === 'void' && found.number === null && found.subscriptionId === null) return found
    return voidOrDiscard(tx, await lockDraft(tx, id), 'requested')
  })
}
