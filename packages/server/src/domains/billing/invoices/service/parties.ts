/**
 * Seller and customer of drafts that are being finalized. In live mode a draft that lacks legal fields is not
 * finalized: it is tried again later, and reported as an issue.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import { type CustomerParty, missingOf, type Parties, retainUntil } from '../../../../kernel/parties.ts'
import { type Tx, transact, type View } from '../../../../platform/db/unit-of-work.ts'
import { type Customer, findAnyCustomers } from '../../../payments/customers/service.ts'
import { findSellerSettings, type SellerSettings } from '../../seller/service.ts'
import { invoiceUpdated } from '../events.ts'
import type { Invoice } from '../invoice.ts'
import * as store from '../store/invoices.ts'
import { eraseCustomerOfTax } from '../store/tax.ts'

/** How long a draft that lacks legal fields waits before it is tried again. */
const retrySeconds = 15 * 60

export type PartiesOfDraft = {
  readonly parties: Parties
  readonly missing: readonly string[]
  readonly isBlocked: boolean
}

export type FoundParties = {
  readonly settings: SellerSettings
  readonly byInvoice: ReadonlyMap<Id<'invoice'>, PartiesOfDraft>
}

/** Reads the seller once and all customers in one statement. */
export async function findParties(tx: Tx, drafts: readonly Invoice[]): Promise<FoundParties> {
  const settings = await findSellerSettings(tx)
  const { seller, required } = settings
  const customerIds = [...new Set(drafts.map(({ customerId }) => customerId))]
  const customers = new Map((await findAnyCustomers(tx, customerIds)).map((found) => [found.id, found]))
  const byInvoice = new Map(
    drafts.map(({ id, customerId }) => {
      const parties = { seller, customer: customerPartyOf(customers.get(customerId)) }
      const missing = missingOf(parties)
      return [
        id,
        { parties, missing, isBlocked: missing.length > 0 && required && tx.caller.mode === 'live' },
      ]
    }),
  )
  return { settings, byInvoice }
}

/** The seller and the customer as they are now. */
export async function findCurrentParties(view: View, { customerId }: Invoice): Promise<Parties> {
  const { seller } = await findSellerSettings(view)
  const [customer] = await findAnyCustomers(view, [customerId])
  return { seller, customer: customerPartyOf(customer) }
}

/** Schedules the erasure of a deleted customer from the invoices that must be kept by law. */
export function scheduleErasure(tx: Tx, customerId: Id<'customer'>): Promise<void> {
  return store.scheduleErasure(tx, customerId)
}

/** Worker: the retention period of an invoice of a deleted customer has ended. */
export function eraseCustomerParty(deps: Deps, ref: Ref<'invoice'>): Promise<void> {
  return transact(deps, systemCaller(ref), async (tx) => {
    const { id, parties } = await store.lockInvoice(tx, ref.id)
    if (parties === null) return
    const isErased = await store.eraseParties(tx, id, { ...parties, customer: emptyCustomer })
    if (isErased) await eraseCustomerOfTax(tx, id)
  })
}

const emptyCustomer: CustomerParty = {
  name: null,
  email: null,
  address: null,
  tax_ids: [],
  locale: null,
  electronic_address: null,
  buyer_reference: null,
}

function customerPartyOf(customer: Customer | undefined): CustomerParty {
  if (customer === undefined) return emptyCustomer
  const { name, email, address, taxIds, locale, electronicAddress, buyerReference } = customer
  return {
    name,
    email,
    address,
    tax_ids: taxIds,
    locale,
    electronic_address: electronicAddress,
    buyer_reference: buyerReference,
  }
}

/** The members that finalization writes to the invoice. */
export function partiesChanges(tx: Tx, { parties, missing }: PartiesOfDraft): store.InvoiceChanges {
  return { parties, missing, blockedSinceAt: null, retainUntil: retainUntil(parties.seller, tx.now) }
}

/**
 * Postpones drafts that lack legal fields. Emits an event the first time, and again whenever the set of missing fields has
 * changed.
 */
export async function postponeBlocked(
  tx: Tx,
  blocked: readonly Invoice[],
  { byInvoice }: FoundParties,
): Promise<void> {
  const finalizeAt = addSeconds(tx.now, retrySeconds)
  const updates = blocked.map((before) => {
    const missing = byInvoice.get(before.id)?.missing ?? []
    return {
      before,
      changes: { missing, finalizeAt, blockedSinceAt: before.blockedSinceAt ?? tx.now },
      emitsEvent: missing.join() !== before.missing.join(),
    }
  })
  for (const [index, after] of (await store.updateInvoices(tx, updates)).entries()) {
    const { before, emitsEvent } = updates[index] as (typeof updates)[number]
    if (emitsEvent) tx.emit(invoiceUpdated, { before, after })
  }
  for (const seriesId of new Set(blocked.map((invoice) => invoice.seriesId)))
    tx.wake('invoice.finalize', seriesId, finalizeAt)
}
