/**
 * The only function that changes the session status: it applies the state machine, writes, and emits the
 * event. The caller must have locked the session.
 */
import { isChange, nextTransition } from '../../../../kernel/machine.ts'
import type { EventDefinition } from '../../../../platform/db/events.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { settleReservations } from '../../../billing/promotion-codes/service.ts'
import { checkoutSessionCompleted, checkoutSessionExpired } from '../events.ts'
import { checkoutSessionMachine, type Facts, type Status, type Trigger } from '../machine.ts'
import { type CheckoutSession, maxDeclines } from '../session.ts'
import { type SessionChanges, updateSession } from '../store/sessions.ts'

/** No event is emitted when a payment starts, or when the payer may try again. */
const eventByStatus: { readonly [S in Status]?: EventDefinition<CheckoutSession> } = {
  completed: checkoutSessionCompleted,
  expired: checkoutSessionExpired,
}

export async function transition(
  tx: Tx,
  before: CheckoutSession,
  trigger: Trigger,
  changes: SessionChanges = {},
): Promise<CheckoutSession> {
  const facts = factsOf(tx, before, changes)
  const row = nextTransition(checkoutSessionMachine, { state: before.status, trigger, facts })
  if (!isChange(row)) return before
  const event = eventByStatus[row.to]
  const dueAt = row.to === 'open' ? before.expiresAt : null
  const endsWith = before.discounts.length === 0 ? null : endOfReservations(before, row.to, trigger)
  const withoutCode = row.to === 'open' && endsWith !== null ? { discounts: [], discountTotal: null } : {}
  const written = { ...changes, ...withoutCode, status: row.to, dueAt }
  const after = await updateSession(tx, before, written, event !== undefined)
  if (event !== undefined) tx.emit(event, { before, after })
  if (endsWith !== null) {
    const { id, subscriptionId } = after
    await settleReservations(tx, { checkoutSessionId: id }, { status: endsWith, subscriptionId })
  }
  return after
}

/**
 * How the reserved redemptions end: they are used if a payment succeeds, and released otherwise. A code that
 * the payer entered is reserved for one payment only. A debit keeps its reservation until the bank has
 * confirmed or rejected it.
 */
function endOfReservations(
  { allowPromotionCodes }: CheckoutSession,
  to: Status,
  trigger: Trigger,
): 'used' | 'released' | null {
  if (to === 'completed') return trigger === 'submitted' ? null : 'used'
  if (to === 'expired') return 'released'
  return to === 'open' && allowPromotionCodes ? 'released' : null
}

function factsOf(
  { now }: Tx,
  before: CheckoutSession,
  { declines = before.declines }: SessionChanges,
): Facts {
  return { hasTriesLeft: declines < maxDeclines, hasExpired: before.expiresAt <= now }
}
