/** Compares an operation that a provider lists with our records of it. */
import { type Id, parseId, slotOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { ListedOperation } from '../../../../providers/contract.ts'
import { isOpen, type Operation, type Payment, refundableAmount } from '../payment.ts'
import { baseOf, isDerived, paymentInReference } from '../rules/reference.ts'
import { listOpenConflicts } from '../store/conflicts.ts'
import { findPaymentByReference, listOperations } from '../store/operations.ts'
import { paymentExists } from '../store/payments.ts'
import { findPaymentOfReference } from '../store/references.ts'
import { refundsOf } from '../store/refunds.ts'

export type Match = { readonly payment: Payment; readonly operation: Operation }

export type Finding =
  /** `equal`: recorded with this result. `in_progress`: not finished at the provider. `no_money`: a verification. */
  | { readonly is: 'equal' | 'in_progress' | 'no_money' }
  /** Neither its reference nor its payment was created by us. */
  | { readonly is: 'foreign' }
  /** It has one of our references, but acts on an authorization that is neither recorded nor listed. */
  | { readonly is: 'orphan' }
  /** Recorded with a different result. */
  | ({ readonly is: 'differs' } & Match)
  /** Rebuilt earlier, and not reviewed yet. */
  | ({ readonly is: 'rebuilt' } & Match)
  | { readonly is: 'lost_payment' }
  /** The database has the payment, but not this capture, void or refund. The operation is the authorization. */
  | ({ readonly is: 'lost_operation' } & Match)
  /** A refund that was made at the provider. */
  | ({ readonly is: 'external_refund' } & Match)
  /** It contradicts the recorded state of its payment. */
  | ({ readonly is: 'contradiction' } & Match)

/** Reads a payment. Callers that change the payment afterwards also lock it. */
type LoadPayment = (id: Id<'payment'>) => Promise<Payment>

export async function compareListed(
  view: View,
  accountId: Id<'provider_account'>,
  listed: ListedOperation,
  load: LoadPayment,
): Promise<Finding> {
  if (listed.kind === 'verify') return { is: 'no_money' }
  const id = await findPaymentId(view, accountId, listed)
  const found = id === null ? null : await compareWithPayment(view, accountId, listed, await load(id))
  return found ?? compareUnknown(view, accountId, listed, load)
}

/** An operation that is not recorded. */
async function compareUnknown(
  view: View,
  accountId: Id<'provider_account'>,
  listed: ListedOperation,
  load: LoadPayment,
): Promise<Finding> {
  const own = isOwn(view, listed)
  if (listed.status === 'pending') return { is: own ? 'in_progress' : 'foreign' }
  if (listed.kind !== 'authorize') return compareFollowUp(view, accountId, listed, load)
  const other = own ? await findRelated(view, listed) : null
  if (other === null) return { is: own ? 'lost_payment' : 'foreign' }
  const [operation] = await listOperations(view, other)
  return operation === undefined
    ? { is: 'orphan' }
    : { is: 'contradiction', payment: await load(other), operation }
}

/**
 * Whether the reference is one of this workspace. Another workspace or installation may use the same account of the
 * provider. The id of its payment, in the reference or as reported, usually has a different slot.
 */
function isOwn({ caller }: View, { reference, paymentId }: ListedOperation): boolean {
  if (reference === null) return false
  const inReference = paymentInReference(caller.mode, reference)
  if (inReference === null && !isDerived(reference)) return false
  const id = inReference ?? (paymentId === null ? null : parseId('payment', caller.mode, paymentId))
  // The provider reports an id of another kind or mode.
  if (id === null) return paymentId === null
  return slotOf(id) === slotOf(caller.workspaceId)
}

async function findPaymentId(
  view: View,
  accountId: Id<'provider_account'>,
  { reference, providerReference }: ListedOperation,
): Promise<Id<'payment'> | null> {
  const named = reference === null ? null : await findPaymentOfReference(view, reference)
  const id = named ?? (await findPaymentByReference(view, accountId, providerReference))
  return id !== null && (await paymentExists(view, id)) ? id : null
}

/** Null if the payment has no such operation. */
async function compareWithPayment(
  view: View,
  accountId: Id<'provider_account'>,
  listed: ListedOperation,
  payment: Payment,
): Promise<Finding | null> {
  const { providerReference, kind } = listed
  const isListed = isListedBy(view, listed)
  const operation = (await listOperations(view, payment.id)).find(
    (other) => other.providerAccountId === accountId && isListed(other),
  )
  if (operation !== undefined) return compareWithOperation(view, listed, { payment, operation })
  const refunds = kind === 'refund' ? await refundsOf(view, payment.id) : []
  return refunds.some((refund) => refund.providerReference === providerReference) ? { is: 'equal' } : null
}

function isListedBy(view: View, listed: ListedOperation): (operation: Operation) => boolean {
  const { reference, providerReference, kind } = listed
  return isOwn(view, listed)
    ? (operation) => operation.reference === reference
    : (operation) => operation.kind === kind && operation.providerReference === providerReference
}

async function compareWithOperation(
  view: View,
  { kind, status, money }: ListedOperation,
  match: Match,
): Promise<Finding> {
  const { payment, operation } = match
  if (operation.kind !== kind) return { is: 'contradiction', ...match }
  if (status === 'pending') return { is: isOpen(operation) ? 'equal' : 'in_progress' }
  // The amount of a void does not matter: a void always releases the entire remaining authorization.
  const isSameMoney =
    kind === 'void' || (operation.amount === money.amount && operation.currency === money.currency)
  if (operation.status !== 'succeeded' || !isSameMoney) return { is: 'differs', ...match }
  const isFlagged = kind === 'authorize' && payment.review === 'conflict'
  const open = isFlagged ? await listOpenConflicts(view, payment.id) : []
  return open.some((conflict) => conflict.kind === 'rebuilt') ? { is: 'rebuilt', ...match } : { is: 'equal' }
}

/** The payment of an attempt that the database has lost. */
async function findRelated(
  view: View,
  { reference, paymentId }: ListedOperation,
): Promise<Id<'payment'> | null> {
  const first = await findPaymentOfReference(view, `${baseOf(reference ?? '')}-1`)
  const named = paymentId === null ? null : parseId('payment', view.caller.mode, paymentId)
  for (const id of [first, named]) if (id !== null && (await paymentExists(view, id))) return id
  return null
}

/** A capture, void or refund that is not recorded. */
async function compareFollowUp(
  view: View,
  accountId: Id<'provider_account'>,
  listed: ListedOperation,
  load: LoadPayment,
): Promise<Finding> {
  const { kind, money, parent } = listed
  const match = await findParent(view, accountId, parent, load)
  if (match === null) return { is: isOwn(view, listed) ? 'orphan' : 'foreign' }
  const { payment } = match
  if (kind === 'void' && payment.status === 'cancelled') return { is: 'equal' }
  const fits = money.currency === payment.currency && isPossible(payment, listed)
  if (isOwn(view, listed) && fits) return { is: 'lost_operation', ...match }
  return { is: kind === 'refund' ? 'external_refund' : 'contradiction', ...match }
}

function isPossible(payment: Payment, { kind, money }: ListedOperation): boolean {
  if (kind === 'refund') return money.amount <= refundableAmount(payment)
  if (payment.status !== 'requires_capture') return false
  return kind === 'void' || money.amount <= payment.amountCapturable
}

async function findParent(
  view: View,
  accountId: Id<'provider_account'>,
  parent: ListedOperation['parent'],
  load: LoadPayment,
): Promise<Match | null> {
  const { reference = null, providerReference = null } = parent ?? {}
  const named = reference === null ? null : await findPaymentOfReference(view, reference)
  const id =
    named ??
    (providerReference === null ? null : await findPaymentByReference(view, accountId, providerReference))
  if (id === null || !(await paymentExists(view, id))) return null
  const all = await listOperations(view, id)
  const operation = all.find(
    (other) =>
      other.kind === 'authorize' && other.providerAccountId === accountId && other.status === 'succeeded',
  )
  return operation === undefined ? null : { payment: await load(id), operation }
}
