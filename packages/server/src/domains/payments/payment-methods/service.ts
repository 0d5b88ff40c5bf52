/** The commands on payment methods. `deps` opens a transaction; `tx` joins the transaction of the caller. */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { withMandateStatus } from '../../../kernel/debit-details.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { uuidInFilter } from '../../../kernel/filters.ts'
import { type Id, type Ref, uuidOf } from '../../../kernel/id.ts'
import { allowedActions, isChange, nextTransition } from '../../../kernel/machine.ts'
import { type IdRange, newestOf } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact, type View } from '../../../platform/db/unit-of-work.ts'
import { destroyCard, retainCard, retainCardIfPresent } from '../card-tokens/service.ts'
import { type Customer, customerExists, eraseCustomer, requireCustomer } from '../customers/service.ts'
import { eraseMails } from '../mails/service.ts'
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
  type ProviderCredential,
  unattachedSeconds,
  type VerifiedCard,
} from './payment-method.ts'
import type { AttachPaymentMethod, UpdatePaymentMethod } from './schema.ts'
import { mailMandate } from './service/mandate-mail.ts'
import { deleteCredentials, writeCredential } from './store/credentials.ts'
import type { ChargedMethod } from './store.ts'
import * as store from './store.ts'

export { toBillingDetails } from './changes.ts'
export type { PaymentMethod } from './payment-method.ts'
export type { ChargedMethod } from './store.ts'

/**
 * Creates a method for a verified card. `sealedToken` is the provider token, encrypted, of the account that
 * verified it.
 */
export async function authorizePaymentMethod(
  tx: Tx,
  verified: VerifiedCard,
  sealedToken: Buffer | null,
): Promise<PaymentMethod> {
  if (verified.vaultCardUuid !== null) await retainCard(tx, verified.vaultCardUuid)
  return insert(tx, verified, sealedToken)
}

/**
 * Saves the card of a payment as a payment method that is attached to the customer. Returns null if the card
 * or the customer was deleted in the meantime, so that the payment still succeeds.
 */
export async function savePaymentMethod(
  tx: Tx,
  verified: VerifiedCard & { readonly customerId: Id<'customer'> },
  sealedToken: Buffer | null,
): Promise<PaymentMethod | null> {
  const { customerId } = verified
  if (!(await customerExists(tx, customerId))) return null
  const method = await saveUnattachedMethod(tx, verified, sealedToken)
  return method === null ? null : transition(tx, method, 'attach', { requestedCustomerId: customerId })
}

/** Like `savePaymentMethod`, for a customer that does not exist yet. */
export async function saveUnattachedMethod(
  tx: Tx,
  verified: VerifiedCard,
  sealedToken: Buffer | null,
): Promise<PaymentMethod | null> {
  const { vaultCardUuid } = verified
  const isCardPresent = vaultCardUuid !== null && (await retainCardIfPresent(tx, vaultCardUuid))
  if (!isCardPresent && sealedToken === null) return null
  return insert(tx, { ...verified, vaultCardUuid: isCardPresent ? vaultCardUuid : null }, sealedToken)
}

async function insert(tx: Tx, verified: VerifiedCard, sealedToken: Buffer | null): Promise<PaymentMethod> {
  const inserted = await store.insertPaymentMethod(tx, verified, addSeconds(tx.now, unattachedSeconds))
  const credentials = sealedToken === null ? [] : [firstCredential(tx, verified)]
  for (const credential of credentials)
    await writeCredential(tx, inserted.id, { ...credential, sealed: sealedToken })
  const method = { ...inserted, credentials }
  tx.emit(paymentMethodAuthorized, { after: method })
  return method
}

function firstCredential(
  { now }: Tx,
  { providerAccountId, networkTransactionId }: VerifiedCard,
): ProviderCredential {
  return { providerAccountId, networkTransactionId, status: 'active', paymentId: null, createdAt: now }
}

export function getPaymentMethod(deps: Deps, caller: Caller, id: string): Promise<PaymentMethod> {
  return read(deps, caller, (view) => store.findPaymentMethod(view, id))
}

/** A payment method that is charged, with its encrypted tokens. */
export function findChargedMethod(view: View, id: Id<'payment_method'>): Promise<ChargedMethod> {
  return store.findChargedMethod(view, id)
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

/** The newest cards of a customer. */
export async function listAttachedCards(
  view: View,
  customerId: Id<'customer'>,
): Promise<readonly PaymentMethod[]> {
  const { rows } = await store.listPaymentMethods(view, newestOf(20), uuidOf(customerId))
  return rows.filter(({ type }) => type === 'card')
}

export function attachPaymentMethod(
  deps: Deps,
  caller: Caller,
  id: string,
  input: AttachPaymentMethod,
): Promise<PaymentMethod> {
  return transact(deps, caller, async (tx) => {
    // Lock the customer before the payment method, in the same order as `eraseCustomerAndMethods`, to avoid
    // deadlocks.
    const customer = await requireCustomer(tx, input.customer_id)
    return attachTo(tx, customer.id, id)
  })
}

/** Attaches the method. The caller has locked the customer. */
export async function attachTo(tx: Tx, customerId: Id<'customer'>, id: string): Promise<PaymentMethod> {
  const before = await store.lockPaymentMethod(tx, id)
  if (before.status === 'attached' && before.customerId !== customerId) refuseOtherCustomer(before)
  const { debit, verifiedByPaymentId: paymentId } = before
  if (debit !== null) {
    const to = { customerId, recipient: null, locale: null }
    await mailMandate(tx, { paymentId, debit, charge: null }, to)
  }
  return transition(tx, before, 'attach', { requestedCustomerId: customerId })
}

function refuseOtherCustomer(method: PaymentMethod): never {
  return refuse('attached_to_other_customer', {
    current_status: method.status,
    allowed_actions: allowedActions(paymentMethodMachine, method.status, factsOf(method)),
  })
}

/** A detached method can never be attached again. */
export function detachPaymentMethod(deps: Deps, caller: Caller, id: string): Promise<PaymentMethod> {
  return transact(deps, caller, async (tx) =>
    transition(tx, await store.lockPaymentMethod(tx, id), 'detach', { reason: 'requested' }),
  )
}

/** Erases the customer and detaches all payment methods of the customer. */
export async function eraseCustomerAndMethods(tx: Tx, id: string, ifMatch: number | null): Promise<Customer> {
  const customer = await eraseCustomer(tx, id, ifMatch)
  for (const method of await store.lockAttachedMethods(tx, customer.id))
    await transition(tx, method, 'customer_deleted', { reason: 'customer_deleted' })
  await eraseMails(tx, customer.id)
  return customer
}

/** Worker: detaches a method that was not attached within a week. */
export async function expirePaymentMethod(deps: Deps, ref: Ref<'payment_method'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockPaymentMethod(tx, ref.id)
    // The message may be late or a duplicate, so check the due time of the row.
    if (before.dueAt === null || before.dueAt > tx.now) return
    await transition(tx, before, 'week_passed', { reason: 'never_attached' })
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
    nextTransition(paymentMethodMachine, { state: before.status, trigger: 'update', facts: factsOf(before) })
    if (input.card !== undefined && before.type !== 'card')
      refuseMember('/card', 'not_together', 'cannot be changed: this payment method is not a card')
    const details = applyInput(before, input)
    // Nothing changed, so no event is emitted.
    if (isSame(details, before)) return before

    const after = await store.updatePaymentMethod(tx, before, details)
    tx.emit(paymentMethodUpdated, { before, after })
    return after
  })
}

/**
 * The method that a payment refers to. It must be attached to a customer, and cannot be detached until the
 * transaction ends.
 */
export async function requireAttachedMethod(tx: Tx, text: string): Promise<PaymentMethod> {
  return requireAttached(await store.requirePaymentMethod(tx, text))
}

/** Like `requireAttachedMethod`, for a payment that charges the method: with its encrypted tokens. */
export async function requireChargedMethod(tx: Tx, text: string): Promise<ChargedMethod> {
  const charged = await store.requireChargedMethod(tx, text)
  requireAttached(charged.method)
  return charged
}

/**
 * The default payment method of a customer: the most recently attached one. A payer who saved a card on a payment page for
 * later payments has not agreed to payments without the payer, so such a card is never the default.
 */
export function findDefaultMethod(
  view: View,
  customerId: Id<'customer'>,
): Promise<Id<'payment_method'> | null> {
  return store.findDefaultMethod(view, customerId)
}

/** Locks a payment method that is attached to a customer, to add a credential. */
export async function lockAttachedMethod(tx: Tx, text: string): Promise<PaymentMethod> {
  return requireAttached(await store.lockPaymentMethod(tx, text))
}

function requireAttached(method: PaymentMethod): PaymentMethod {
  if (method.status !== 'attached') {
    refuse('invalid_state', {
      detail: 'The payment method cannot be charged: attach it to a customer first.',
      current_status: method.status,
      allowed_actions: allowedActions(paymentMethodMachine, method.status, factsOf(method)),
    })
  }
  return method
}

/** The accounts that can charge the card with a token of their provider. */
export function tokenAccountsOf({ credentials }: PaymentMethod): ReadonlySet<Id<'provider_account'>> {
  const active = credentials.filter(({ status }) => status === 'active')
  return new Set(active.map(({ providerAccountId }) => providerAccountId))
}

function factsOf(
  { customerId }: PaymentMethod,
  requestedCustomerId: Facts['requestedCustomerId'] = null,
): Facts {
  return { requestedCustomerId, owner: customerId }
}

function revokedMandate({ debit }: PaymentMethod) {
  return debit === null ? {} : { debit: withMandateStatus(debit, 'revoked') }
}

type Transition = { readonly requestedCustomerId?: Id<'customer'>; readonly reason?: DetachedReason }

/** The only function that changes `status`. The caller must have locked the payment method. */
async function transition(
  tx: Tx,
  before: PaymentMethod,
  trigger: Trigger,
  { requestedCustomerId, reason = 'requested' }: Transition,
): Promise<PaymentMethod> {
  const facts = factsOf(before, requestedCustomerId)
  const row = nextTransition(paymentMethodMachine, { state: before.status, trigger, facts })
  if (!isChange(row)) return before

  if (row.effects.includes('destroy_card')) {
    if (before.vaultCardUuid !== null) await destroyCard(tx, before.vaultCardUuid)
    await deleteCredentials(tx, before.id)
  }
  const isAttaching = row.effects.includes('join_customer')
  const after = await store.updatePaymentMethod(tx, before, {
    status: row.to,
    dueAt: null,
    ...(isAttaching
      ? { customerId: facts.requestedCustomerId }
      : { vaultCardUuid: null, detachedReason: reason, credentials: [], ...revokedMandate(before) }),
  })
  tx.emit(isAttaching ? paymentMethodAttached : paymentMethodDetached, { before, after })
  return after
}
