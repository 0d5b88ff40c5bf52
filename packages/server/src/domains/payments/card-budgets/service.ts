/**
 * Keeps attempts within the retry limits of the card networks, across all providers. A slot is reserved in
 * the transaction that writes the attempt, while the card is locked: only payments with the same card wait
 * for each other.
 */
import type { Id } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { Found } from '../../../providers/contract.ts'
import type { NotSent } from '../../../providers/evidence.ts'
import { type BudgetDecision, blockAfter, checkBudget } from './budget.ts'
import { networkRules } from './network-rules.ts'
import * as store from './store.ts'

export type Slot = {
  readonly attemptId: Id<'payment_attempt'>
  readonly paymentId: Id<'payment'>
  /**
   * Attempts with the same key are counted together. Live mode: the fingerprint, or else the id of the payment
   * method. Test mode: the id of the payment method, or else the customer and the fingerprint. Null if the card
   * cannot be recognized.
   */
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
 * Reserves a slot for an attempt. Call it as late in the transaction as possible: the card stays locked until
 * the commit. If the slot is refused, the payment fails with `retry_limit_reached`, and `until` is when the
 * card can be tried again.
 */
export async function reserveSlot(tx: Tx, slot: Slot): Promise<BudgetDecision> {
  const { cardKey } = slot
  if (cardKey === null || isUnlimitedTestAttempt(tx, slot)) return { ok: true }
  const history = await store.reserve(tx, { ...slot, cardKey })
  const decision = checkBudget(networkRules, history, traitsOf(slot), tx.now)
  // `reserve` has already written the attempt, so that an allowed attempt needs no second statement.
  if (!decision.ok) await store.endAttempt(tx, slot.attemptId, { result: 'refused' })
  return decision
}

/** Records the result of an attempt: it releases the slot, resets the count, or blocks the card. */
export async function recordSlotResult(tx: Tx, slot: Slot, result: Found | NotSent): Promise<void> {
  const end = attemptEndOf(result)
  if (end === null || slot.cardKey === null || isUnlimitedTestAttempt(tx, slot)) return
  const wasOpen = await store.endAttempt(tx, slot.attemptId, end)
  if (!wasOpen || end.result !== 'declined') return
  const block = blockAfter(networkRules, traitsOf(slot), end, tx.now)
  if (block !== null) await store.blockCard(tx, slot.cardKey, block)
}

/**
 * All tests use the same few cards, and no card network is involved, so customer-initiated attempts with test
 * cards are unlimited. Merchant-initiated payments are counted, so that dunning can be tested.
 */
function isUnlimitedTestAttempt({ caller }: Tx, { initiator }: Slot): boolean {
  return caller.mode === 'test' && initiator === 'customer'
}

function traitsOf({ card: { brand, country }, initiator }: Slot) {
  return { brand, country, initiator }
}

type AttemptEnd =
  | { readonly result: 'approved' | 'released' }
  | { readonly result: 'declined'; readonly networkCode: string | null; readonly adviceCode: string | null }

/** Null while the attempt is in progress. Attempts that never reached the network are not counted. */
function attemptEndOf(result: Found | NotSent): AttemptEnd | null {
  switch (result.is) {
    case 'succeeded':
      return { result: 'approved' }
    case 'declined': {
      const { networkCode = null, adviceCode = null } = result.decline
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
