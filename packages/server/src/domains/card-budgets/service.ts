/**
 * Keeps cards within what their networks allow, over all providers. A slot is taken in the transaction that writes
 * the attempt, under the lock of the card: two payments with one card take turns, others never meet.
 */
import type { Id } from '../../kernel/id.ts'
import type { Tx } from '../../platform/db/unit-of-work.ts'
import type { Found } from '../../providers/contract.ts'
import type { NotSent } from '../../providers/evidence.ts'
import { barAfter, budgetFor, type Verdict } from './budget.ts'
import { networkRules } from './network-rules.ts'
import * as store from './store.ts'

export type Slot = {
  readonly attemptId: Id<'payment_attempt'>
  readonly paymentId: Id<'payment'>
  /** The fingerprint, else the id of the payment method; null: nothing by which the card could be known again. */
  readonly cardKey: string | null
  readonly card: {
    readonly brand: string
    readonly country: string | null
    readonly bin: string | null
    readonly last4: string
  }
  readonly amount: bigint
  readonly currency: string
  readonly initiator: 'customer' | 'merchant'
}

/**
 * One statement. Take it as late in the unit as possible: the card stays locked until the commit. If it is refused,
 * the payment fails with `retry_limit_reached`, and `until` says when it is worth another try.
 */
export async function reserveSlot(tx: Tx, slot: Slot): Promise<Verdict> {
  const { cardKey } = slot
  if (cardKey === null || isPlay(tx, slot)) return { ok: true }
  const history = await store.reserve(tx, { ...slot, cardKey })
  const verdict = budgetFor(networkRules, history, triedBy(slot), tx.now)
  // It was written with the question, so that the usual answer costs nothing more.
  if (!verdict.ok) await store.endAttempt(tx, slot.attemptId, { result: 'refused' })
  return verdict
}

/** What is known of an attempt now: gives the slot back, ends the count, or bars the card. One statement, seldom two. */
export async function settleSlot(tx: Tx, slot: Slot, learned: Found | NotSent): Promise<void> {
  const end = endOf(learned)
  if (end === null || slot.cardKey === null || isPlay(tx, slot)) return
  const isNew = await store.endAttempt(tx, slot.attemptId, end)
  if (!isNew || end.result !== 'declined') return
  const bar = barAfter(networkRules, triedBy(slot), end, tx.now)
  if (bar !== null) await store.barCard(tx, slot.cardKey, bar)
}

/**
 * Everybody's tests use the same few cards, and no network hears of them: whoever tries a declined card twice shall
 * see it declined twice. What a merchant asks for by itself is counted, so that dunning can be tried out.
 */
function isPlay({ caller }: Tx, { initiator }: Slot): boolean {
  return caller.mode === 'test' && initiator === 'customer'
}

function triedBy({ card: { brand, country }, initiator }: Slot) {
  return { brand, country, initiator }
}

type End =
  | { readonly result: 'approved' | 'released' }
  | { readonly result: 'declined'; readonly networkCode: string | null; readonly adviceCode: string | null }

/** Null while it is not over. What never reached the network is not counted by it. */
function endOf(learned: Found | NotSent): End | null {
  switch (learned.is) {
    case 'succeeded':
      return { result: 'approved' }
    case 'declined': {
      const { networkCode = null, adviceCode = null } = learned.decline
      return { result: 'declined', networkCode, adviceCode }
    }
    case 'rejected':
    case 'not_sent':
    case 'closed':
      return { result: 'released' }
    default:
      return null
  }
}
