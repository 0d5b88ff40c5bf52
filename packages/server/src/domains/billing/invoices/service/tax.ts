/**
 * Computes the tax of drafts with the tax provider of the workspace. The provider is called between two units of work: the
 * first reads the input of the quote, and the second writes the result, if the draft, the seller and the customer are still the same.
 * Tax is never estimated here: while the provider does not respond, the draft waits.
 */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { largestAmount } from '../../../../kernel/cart.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import { amountsOfDraft } from '../../../../kernel/invoice-lines.ts'
import { hashOfTaxInput, type TaxInput, type TaxQuote } from '../../../../kernel/tax-quotes.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { type Quoted, quoteTax, type TaxAccount } from '../../../../tax-providers/perform.ts'
import { findSellerSettings } from '../../seller/service.ts'
import { holdTaxProvider, openTaxAccount, performDeps } from '../../tax-provider/service.ts'
import { loadTaxedPrices } from '../../tax-rules/service/load-rates.ts'
import { invoiceUpdated } from '../events.ts'
import type { Invoice, Line } from '../invoice.ts'
import * as store from '../store/invoices.ts'
import { updateTaxOfLines } from '../store/lines.ts'
import * as taxStore from '../store/tax.ts'
import { attentionSeconds, quoteMarginSeconds, retrySecondsAfter, taxInputOf, withQuotedTax } from '../tax.ts'
import { withTaxRates } from './line-tax.ts'
import { type FoundParties, findParties } from './parties.ts'

/** If this process crashes during the call, another process repeats the call after this time. */
const leaseSeconds = 60

type Asked = { readonly input: TaxInput; readonly hash: string }

/** Worker: the tax of a draft has to be computed. */
export async function computeTax(deps: Deps, ref: Ref<'invoice'>): Promise<void> {
  const account = await openTaxAccount(deps, ref.workspaceId)
  const asked = await transact(deps, systemCaller(ref), (tx) => beginQuote(tx, ref.id))
  if (asked === null) return
  const quoted = await quoteOf(deps, account, asked.input)
  await transact(deps, systemCaller(ref), (tx) => applyQuote(tx, ref.id, { account, asked, quoted }))
}

/** Reserves the row for the time of the call. Null if there is nothing to compute. */
async function beginQuote(tx: Tx, id: Id<'invoice'>): Promise<Asked | null> {
  const tax = await taxStore.lockTax(tx, id)
  if (tax === null || tax.dueAt === null || tax.dueAt > tx.now) return null
  const draft = await store.findInvoice(tx, id)
  if (draft.status !== 'draft') {
    await taxStore.deleteTax(tx, id)
    return null
  }
  if ((await findSellerSettings(tx)).tax !== 'provider') {
    await applyOwnRates(tx, id)
    return null
  }
  const attempts = tax.attempts + 1
  await taxStore.updateTax(tx, draft, { ...tax, attempts, dueAt: addSeconds(tx.now, leaseSeconds) })
  return (await findAsked(tx, [draft], await findParties(tx, [draft]))).get(id) ?? null
}

/** The input of the quote of each draft, with the current seller, customers and prices. */
async function findAsked(
  tx: Tx,
  drafts: readonly Invoice[],
  { byInvoice }: FoundParties,
): Promise<ReadonlyMap<Id<'invoice'>, Asked>> {
  const { prices, exempt } = await loadTaxedPrices(tx, drafts)
  const provider = (await holdTaxProvider(tx)) ?? ''
  return new Map(
    drafts.flatMap((draft) => {
      const found = byInvoice.get(draft.id)
      if (found === undefined) return []
      const isExempt = exempt.has(draft.customerId)
      const input = taxInputOf(draft, { parties: found.parties, isExempt, prices })
      return [[draft.id, { input, hash: hashOfTaxInput(provider, input) }]]
    }),
  )
}

function quoteOf(deps: Deps, account: TaxAccount | null, input: TaxInput): Promise<Quoted> | Quoted {
  if (input.lines.length === 0)
    return { is: 'quoted', quote: { ref: null, expiresAt: null, taxDate: '', lines: [] } }
  if (account === null) return rejected('no_tax_provider', 'The workspace has no tax provider.')
  if (!input.customer.address?.country)
    return rejected(
      'address_missing',
      'The customer has no address with a country, which the tax depends on.',
    )
  return quoteTax(performDeps(deps), account, input)
}

function rejected(code: string, message: string): Quoted {
  return { is: 'rejected', fault: { code, message } }
}

type Answer = { readonly account: TaxAccount | null; readonly asked: Asked; readonly quoted: Quoted }

async function applyQuote(tx: Tx, id: Id<'invoice'>, { account, asked, quoted }: Answer): Promise<void> {
  const draft = await store.lockInvoice(tx, id)
  const tax = await taxStore.lockTax(tx, id)
  if (tax === null || tax.dueAt === null || draft.status !== 'draft') return
  const now = (await findAsked(tx, [draft], await findParties(tx, [draft]))).get(id)
  // The draft, the seller, the customer or the provider has changed, so the response no longer applies.
  if (now?.hash !== asked.hash) return taxStore.updateTax(tx, draft, { ...tax, dueAt: tx.now, attempts: 0 })
  const outcome = quoted.is === 'quoted' ? await taxedDraft(tx, draft, asked.input, quoted.quote) : quoted
  if (outcome.is !== 'taxed') return postpone(tx, draft, tax, outcome)
  const { quote, changes } = outcome
  const isAwaited = tax.waitingSinceAt !== null && draft.finalizeAt !== null
  await updateTaxOfLines(tx, draft.id, changes.lines)
  const after = await store.updateInvoice(
    tx,
    draft,
    { ...changes, ...(isAwaited ? { finalizeAt: tx.now } : {}) },
    true,
  )
  tx.emit(invoiceUpdated, { before: draft, after: { ...after, taxStatus: 'ready' } })
  await taxStore.updateTax(tx, draft, {
    status: 'ready',
    dueAt: null,
    inputHash: asked.hash,
    input: asked.input,
    quote,
    provider: account?.provider.id ?? null,
    attempts: 0,
    failingSinceAt: null,
    error: null,
    waitingSinceAt: null,
  })
  if (draft.finalizeAt !== null) tx.wake('invoice.finalize', draft.seriesId, after.finalizeAt)
}

async function taxedDraft(tx: Tx, draft: Invoice, input: TaxInput, quote: TaxQuote) {
  const sources = await taxStore.findBilledLines(
    tx,
    draft.lines.flatMap(({ sourceLineId }) => sourceLineId ?? []),
  )
  const rated = withQuotedTax(draft.lines, input, quote, sources)
  const changes = changesOf(draft, rated)
  if (changes.total > BigInt(largestAmount))
    return rejectedQuote('amount_too_large', 'With tax, the total exceeds the maximum amount of a payment.')
  if (draft.pendingPaymentId !== null && changes.total !== draft.total)
    return rejectedQuote(
      'total_differs',
      'The total with this tax differs from the amount that the customer has paid.',
    )
  return { is: 'taxed' as const, quote, changes }
}

/** The amounts that follow from the rates and the quoted tax of the lines. */
function changesOf({ currency }: Invoice, rated: readonly Line[]) {
  const { lines: calculated, ...amounts } = amountsOfDraft({ currency, lines: rated })
  const { subtotal, discountTotal, taxTotal, exclusiveTax, total } = amounts
  const lines = rated.map((line, index) => ({
    ...line,
    net: calculated[index]?.net ?? line.net,
    tax: calculated[index]?.tax ?? 0n,
  }))
  const taxIncluded = taxTotal - exclusiveTax
  return { lines, subtotal, discountTotal, taxTotal, taxIncluded, total, amountDue: total > 0n ? total : 0n }
}

const rejectedQuote = (code: string, message: string) => ({
  is: 'rejected' as const,
  fault: { code, message },
})

type Failure = { readonly is: 'rejected' | 'unknown'; readonly fault: { readonly message: string } }

/** A rejection needs attention immediately, and a missing response after a day. Both are retried. */
async function postpone(
  tx: Tx,
  draft: Invoice,
  tax: taxStore.InvoiceTax,
  { is, fault }: Failure,
): Promise<void> {
  const failingSinceAt = tax.failingSinceAt ?? tx.now
  const needsAttention = is === 'rejected' || addSeconds(failingSinceAt, attentionSeconds) <= tx.now
  await taxStore.updateTax(tx, draft, {
    ...tax,
    status: needsAttention ? 'failed' : 'pending',
    dueAt: addSeconds(tx.now, retrySecondsAfter(tax.attempts)),
    failingSinceAt,
    error: fault.message.slice(0, 500),
  })
}

/** The seller no longer uses a tax provider: the current setting decides the tax of the draft. */
async function applyOwnRates(tx: Tx, id: Id<'invoice'>): Promise<void> {
  const draft = await store.lockInvoice(tx, id)
  const rates = await withTaxRates(tx, draft.lines, { customerId: draft.customerId })
  const rated = draft.lines.map(({ quotedTax: _, ...line }, index) => ({
    ...line,
    taxRate: rates[index]?.taxRate ?? null,
  }))
  const changes = {
    ...changesOf(draft, rated),
    ...(draft.finalizeAt === null ? {} : { finalizeAt: tx.now }),
  }
  await updateTaxOfLines(tx, draft.id, changes.lines)
  const after = await store.updateInvoice(tx, draft, changes, true)
  tx.emit(invoiceUpdated, { before: draft, after: { ...after, taxStatus: null } })
  await taxStore.deleteTax(tx, id)
  if (draft.finalizeAt !== null) tx.wake('invoice.finalize', draft.seriesId, after.finalizeAt)
}

/**
 * Drafts whose tax is not ready for their current content. Drafts whose tax does not come from a provider count as
 * ready. The caller has locked the drafts.
 */
export async function findUntaxed(
  tx: Tx,
  drafts: readonly Invoice[],
  parties: FoundParties,
): Promise<ReadonlyMap<Id<'invoice'>, { readonly isOutdated: boolean }>> {
  const concerned = drafts.filter(({ taxStatus }) => taxStatus !== null)
  if (concerned.length === 0) return new Map()
  const taxes = await taxStore.lockTaxes(
    tx,
    concerned.map(({ id }) => id),
  )
  const asked = await findAsked(tx, concerned, parties)
  return new Map(
    concerned.flatMap(({ id, testClockId }): [Id<'invoice'>, { readonly isOutdated: boolean }][] => {
      const tax = taxes.get(id)
      if (tax === undefined) return []
      if (tax.status !== 'ready') return [[id, { isOutdated: false }]]
      const expiresAt = tax.quote?.expiresAt ?? null
      // A test clock does not change the provider's time.
      const isExpiring =
        testClockId === null &&
        expiresAt !== null &&
        new Date(expiresAt) <= addSeconds(tx.now, quoteMarginSeconds)
      const isCurrent = tax.inputHash === asked.get(id)?.hash && !isExpiring
      return isCurrent ? [] : [[id, { isOutdated: true }]]
    }),
  )
}

/** How long a draft without its tax waits before finalization is tried again. It is tried as soon as the tax is ready. */
const waitSeconds = 15 * 60

/** Drafts that are due and wait for their tax. */
export async function awaitTaxes(
  tx: Tx,
  drafts: readonly Invoice[],
  untaxed: Awaited<ReturnType<typeof findUntaxed>>,
): Promise<void> {
  if (drafts.length === 0) return
  const finalizeAt = addSeconds(tx.now, waitSeconds)
  await store.updateInvoices(
    tx,
    drafts.map((before) => ({ before, changes: { finalizeAt }, emitsEvent: false })),
  )
  await taxStore.markTaxesAwaited(
    tx,
    drafts.map(({ id }) => ({ id, isOutdated: untaxed.get(id)?.isOutdated === true })),
  )
  for (const seriesId of new Set(drafts.map((draft) => draft.seriesId)))
    tx.wake('invoice.finalize', seriesId, finalizeAt)
}

/**
 * Computes the tax of a draft that a request is about to finalize, so that the request need not be repeated later.
 * Must not be called in a unit of work.
 */
export async function prepareTax(deps: Deps, caller: Caller, id: string): Promise<void> {
  const { found, mode } = await read(deps, caller, async (view) => {
    const invoice = await store.findInvoice(view, id)
    return { found: invoice, mode: (await findSellerSettings(view)).tax }
  })
  if (found.status !== 'draft' || (found.taxStatus === null && mode !== 'provider')) return
  const ref = { workspaceId: caller.workspaceId, id: found.id }
  const isRequested = await transact(deps, systemCaller(ref), async (tx) => {
    const draft = await store.lockInvoice(tx, found.id)
    if (draft.status !== 'draft') return false
    const isNew = draft.taxStatus === null
    if (isNew && (draft.subscriptionId !== null || (await findSellerSettings(tx)).tax !== 'provider'))
      return false
    const parties = await findParties(tx, [draft])
    const isReady = !isNew && !(await findUntaxed(tx, [draft], parties)).has(draft.id)
    if (!isReady) await taxStore.requestTaxes(tx, [draft])
    return !isReady
  })
  if (isRequested) await computeTax(deps, ref)
}

/** For a request that finalizes the draft now. */
export async function requireTax(tx: Tx, draft: Invoice, parties: FoundParties): Promise<void> {
  if (!(await findUntaxed(tx, [draft], parties)).has(draft.id)) return
  const tax = await taxStore.findTax(tx, draft.id)
  const reason = tax?.error ?? 'The tax provider has not responded yet.'
  refuse('invalid_state', {
    detail: `The tax of the invoice is not computed yet, so it cannot be finalized. ${reason}`,
    current_status: draft.status,
    allowed_actions: [],
  })
}
