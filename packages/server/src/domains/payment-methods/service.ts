/** What can be done with a payment method. `deps` opens a unit of work; `tx` runs in the caller's. */
import type { Deps } from '../../deps.ts'
import { type Caller, systemCaller } from '../../kernel/caller.ts'
import { addSeconds } from '../../kernel/clock.ts'
import { refuse } from '../../kernel/errors.ts'
import { uuidInFilter } from '../../kernel/filters.ts'
import type { Id, Ref } from '../../kernel/id.ts'
import { allowedActions, isChange, step } from '../../kernel/machine.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, type Tx, transact, type View } from '../../platform/db/unit-of-work.ts'
import { destroyCard, keepCard, keepCardIfThere } from '../card-tokens/service.ts'
import { type Customer, eraseCustomer, isCustomerThere, requireCustomer } from '../customers/service.ts'
import { applyInput, isSame } from './changes.ts'
import {
  paymentMethodAttached,
  paymentMethodAuthorized,
  paymentMethodDetached,
  paymentMethodUpdated,
} from './events.ts'
import { type Facts, paymentMethodMachine, type Trigger } from './machine.ts'
import {
  type DetachedReason,
  type PaymentMethod,
  unattachedSeconds,
  type Verified,
} from './payment-method.ts'
import type { AttachPaymentMethod, UpdatePaymentMethod } from './schema.ts'
import * as store from './store.ts'

export { billingOf } from './changes.ts'
export type { PaymentMethod } from './payment-method.ts'

/** The birth of a method: its card was verified. `sealedToken` is what the account that did so calls the card. */
export async function authorizePaymentMethod(
  tx: Tx,
  verified: Verified,
  sealedToken: Buffer | null,
): Promise<PaymentMethod> {
  if (verified.vaultCardUuid !== null) await keepCard(tx, verified.vaultCardUuid)
  return insert(tx, verified, sealedToken)
}

/**
 * A customer paid with a card and wants to keep it: verified by that payment, and theirs at once. Null if there is
 * nothing left to keep, or nobody to keep it for: that is no reason not to have been paid.
 */
export async function savePaymentMethod(
  tx: Tx,
  verified: Verified & { readonly customerId: Id<'customer'> },
  sealedToken: Buffer | null,
): Promise<PaymentMethod | null> {
  const { customerId, vaultCardUuid } = verified
  if (!(await isCustomerThere(tx, customerId))) return null
  const isThere = vaultCardUuid !== null && (await keepCardIfThere(tx, vaultCardUuid))
  if (!isThere && sealedToken === null) return null
  const method = await insert(tx, { ...verified, vaultCardUuid: isThere ? vaultCardUuid : null }, sealedToken)
  return pull(tx, method, 'attach', { asked: customerId })
}

async function insert(tx: Tx, verified: Verified, sealedToken: Buffer | null): Promise<PaymentMethod> {
  const { providerAccountId: accountId } = verified
  const method = await store.insertPaymentMethod(tx, verified, addSeconds(tx.now, unattachedSeconds))
  if (sealedToken !== null) await store.insertProviderToken(tx, method.id, { accountId, sealed: sealedToken })
  tx.emit(paymentMethodAuthorized, { after: method })
  return method
}

export function getPaymentMethod(deps: Deps, caller: Caller, id: string): Promise<PaymentMethod> {
  return read(deps, caller, (view) => store.findPaymentMethod(view, id))
}

export function findPaymentMethod(view: View, id: Id<'payment_method'>): Promise<PaymentMethod> {
  return store.findPaymentMethod(view, id)
}

export function listPaymentMethods(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  { customer_id: text }: { readonly customer_id?: string | undefined },
) {
  const customer = uuidInFilter('customer', caller.mode, text)
  return read(deps, caller, (view) => store.listPaymentMethods(view, range, customer))
}

export function attachPaymentMethod(
  deps: Deps,
  caller: Caller,
  id: string,
  input: AttachPaymentMethod,
): Promise<PaymentMethod> {
  return transact(deps, caller, async (tx) => {
    // The customer first, as whoever deletes one does: then neither waits for the other for ever.
    const customer = await requireCustomer(tx, input.customer_id)
    const before = await store.lockPaymentMethod(tx, id)
    if (before.status === 'attached' && before.customerId !== customer.id) refuseOther(before)
    return pull(tx, before, 'attach', { asked: customer.id })
  })
}

function refuseOther(method: PaymentMethod): never {
  return refuse('attached_to_other_customer', {
    current_status: method.status,
    allowed_actions: allowedActions(paymentMethodMachine, method.status, factsOf(method)),
  })
}

/** For good: what was attached once is never anybody else's. */
export function detachPaymentMethod(deps: Deps, caller: Caller, id: string): Promise<PaymentMethod> {
  return transact(deps, caller, async (tx) =>
    pull(tx, await store.lockPaymentMethod(tx, id), 'detach', { reason: 'requested' }),
  )
}

/** With its cards: nobody is left who could pay with them. */
export function deleteCustomer(
  deps: Deps,
  caller: Caller,
  id: string,
  ifMatch: number | null,
): Promise<Customer> {
  return transact(deps, caller, async (tx) => {
    const customer = await eraseCustomer(tx, id, ifMatch)
    for (const method of await store.lockAttached(tx, customer.id))
      await pull(tx, method, 'customer_deleted', { reason: 'customer_deleted' })
    return customer
  })
}

/** Work: a method that nobody attached within a week is forgotten. */
export async function expirePaymentMethod(deps: Deps, ref: Ref<'payment_method'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockPaymentMethod(tx, ref.id)
    // A message may come late or twice. The row knows whether there is anything to do.
    if (before.dueAt === null || before.dueAt > tx.now) return
    await pull(tx, before, 'week_passed', { reason: 'never_attached' })
  })
}

export function updatePaymentMethod(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdatePaymentMethod & { readonly ifMatch: number | null },
): Promise<PaymentMethod> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockPaymentMethod(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    step(paymentMethodMachine, { state: before.status, trigger: 'update', facts: factsOf(before) })
    const details = applyInput(before, input)
    // Nothing changed, so there is nothing to tell.
    if (isSame(details, before)) return before

    const after = await store.updatePaymentMethod(tx, before, details)
    tx.emit(paymentMethodUpdated, { before, after })
    return after
  })
}

/** The method that a payment names, which no one detaches until the payment is written. Paying needs a customer. */
export async function requireAttached(
  tx: Tx,
  text: string,
): Promise<{ readonly method: PaymentMethod; readonly onlyAt: Id<'provider_account'> | null }> {
  const method = await store.requirePaymentMethod(tx, text)
  if (method.status !== 'attached') {
    refuse('invalid_state', {
      detail: 'Only a payment method that is attached to a customer can pay.',
      current_status: method.status,
      allowed_actions: allowedActions(paymentMethodMachine, method.status, factsOf(method)),
    })
  }
  if (method.vaultCardUuid !== null) return { method, onlyAt: null }
  const [token] = await store.listProviderTokens(tx, method.id)
  return { method, onlyAt: token?.accountId ?? null }
}

function factsOf({ customerId }: PaymentMethod, asked: Facts['asked'] = null): Facts {
  return { asked, owner: customerId }
}

type Pulled = { readonly asked?: Id<'customer'>; readonly reason?: DetachedReason }

/** The only writer of `status`: ask the table, write, tell. The caller holds the lock. */
async function pull(
  tx: Tx,
  before: PaymentMethod,
  trigger: Trigger,
  { asked, reason = 'requested' }: Pulled,
): Promise<PaymentMethod> {
  const facts = factsOf(before, asked)
  const row = step(paymentMethodMachine, { state: before.status, trigger, facts })
  if (!isChange(row)) return before

  if (row.effects.includes('destroy_card')) {
    if (before.vaultCardUuid !== null) await destroyCard(tx, before.vaultCardUuid)
    await store.deleteProviderTokens(tx, before.id)
  }
  const joined = row.effects.includes('join_customer')
  const after = await store.updatePaymentMethod(tx, before, {
    status: row.to,
    dueAt: null,
    ...(joined ? { customerId: facts.asked } : { vaultCardUuid: null, detachedReason: reason }),
  })
  tx.emit(joined ? paymentMethodAttached : paymentMethodDetached, { before, after })
  return after
}
