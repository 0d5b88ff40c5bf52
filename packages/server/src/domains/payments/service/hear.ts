/** What a provider says by itself about an operation. It can end what is open; what has ended it cannot change. */
import type { Deps } from '../../../deps.ts'
import { type Id, parseId } from '../../../kernel/id.ts'
import { money } from '../../../kernel/money.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { Found, ProviderEvent } from '../../../providers/contract.ts'
import { asRepeat, differsFrom } from '../../../providers/evidence.ts'
import { isOpen, keepsCard, type Operation, type Payment } from '../payment.ts'
import * as operations from '../store/operations.ts'
import { lockPayment } from '../store/payments.ts'
import { recordForeignRefund } from './foreign-refund.ts'
import { type Progress, record } from './record.ts'

export type Word = {
  readonly providerAccountId: Id<'provider_account'>
  readonly event: ProviderEvent
  /** Whether it is proven who says it. Without that it is only a reason to look. */
  readonly isProven: boolean
}

export type Heard = {
  readonly paymentId: Id<'payment'>
  readonly outcome: 'recorded' | 'looked_up'
  readonly next: Progress['next']
}

/** Null: there is no such operation, or none yet. */
export async function hear(deps: Deps, tx: Tx, word: Word): Promise<Heard | null> {
  const named = await lockOperation(tx, word)
  if (named === null) return null
  const { payment, operation } = named
  const { paymentId } = operation
  if (word.event.refund !== undefined) {
    // There is no way to look it up, so it has to be theirs for sure.
    if (!word.isProven) return null
    await recordForeignRefund(tx, named, word.event.refund)
    return { paymentId, outcome: 'recorded', next: null }
  }
  const found = proofIn(word, operation, payment)
  if (found === null) {
    await lookSoon(tx, operation, word.event.found)
    return { paymentId, outcome: 'looked_up', next: null }
  }
  const asked = money(operation.amount, operation.currency)
  const seen = { learned: found, differs: differsFrom(asked, found) }
  const { next } = await record(deps, tx, paymentId, operation.id, seen)
  return { paymentId, outcome: 'recorded', next }
}

/** Of that account alone: nobody can speak about what was asked of another. The payment is locked by it. */
async function lockOperation(tx: Tx, { event, providerAccountId }: Word): Promise<Named | null> {
  const paymentId = await paymentNamed(tx, event, providerAccountId)
  if (paymentId === null) return null
  const payment = await lockPayment(tx, paymentId)
  const { reference, providerReference } = event
  const all = await operations.listOperations(tx, paymentId)
  const named = all.find((one) =>
    reference === null ? one.providerReference === providerReference : one.reference === reference,
  )
  return named?.providerAccountId === providerAccountId ? { payment, operation: named } : null
}

type Named = { readonly payment: Payment; readonly operation: Operation }

/** Our references begin with the payment. Null if no operation of ours is called so. */
async function paymentNamed(
  tx: Tx,
  { reference, providerReference }: ProviderEvent,
  accountId: Id<'provider_account'>,
): Promise<Id<'payment'> | null> {
  if (reference === null)
    return providerReference === null ? null : operations.paymentCalled(tx, accountId, providerReference)
  const prefix = tx.caller.mode === 'test' ? 'payment_test_' : 'payment_'
  const paymentId = parseId('payment', tx.caller.mode, `${prefix}${reference.slice(0, 26)}`)
  return paymentId !== null && (await operations.hasOperation(tx, paymentId, reference)) ? paymentId : null
}

/** What the word proves; null if a look has to tell. What is not final may be older than what we know. */
function proofIn({ event, isProven }: Word, operation: Operation, payment: Payment): Found | null {
  const { found, kind = operation.kind } = event
  if (!isProven || found === null || kind !== operation.kind) return null
  const said = asRepeat(found)
  // A card's name is sealed before it is written, so it is looked up.
  if (said.is === 'succeeded') return said.extra?.token === undefined && !needsName(payment) ? said : null
  return said.is === 'declined' || said.is === 'rejected' || said.is === 'closed' ? said : null
}

/** Whether the card is kept and nobody but the provider holds its number. */
function needsName(payment: Payment): boolean {
  return keepsCard(payment) && payment.vaultCardUuid === null
}

/** Not while its sender may still send: then its own answer is about to come. */
async function lookSoon(tx: Tx, operation: Operation, found: Found | null): Promise<void> {
  const { status } = operation
  if (found?.is === 'action' && status === 'awaiting_customer') return
  if (!isOpen(operation) || status === 'sending' || status === 'needs_review') return
  await operations.updateOperation(tx, operation, { dueAt: tx.now })
}
