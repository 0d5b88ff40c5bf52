/** The only writer of a session's `status`: ask the table, write, tell. The caller holds the lock. */
import { isChange, step } from '../../../kernel/machine.ts'
import type { EventDefinition } from '../../../platform/db/events.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { checkoutSessionCompleted, checkoutSessionExpired } from '../events.ts'
import { checkoutSessionMachine, type Facts, type Status, type Trigger } from '../machine.ts'
import { type CheckoutSession, mostDeclines } from '../session.ts'
import { type SessionChanges, updateSession } from '../store/sessions.ts'

/** That somebody is paying, or may try again, is nothing to tell. */
const told: { readonly [S in Status]?: EventDefinition<CheckoutSession> } = {
  completed: checkoutSessionCompleted,
  expired: checkoutSessionExpired,
}

export async function pull(
  tx: Tx,
  before: CheckoutSession,
  trigger: Trigger,
  changes: SessionChanges = {},
): Promise<CheckoutSession> {
  const facts = factsOf(tx, before, changes)
  const row = step(checkoutSessionMachine, { state: before.status, trigger, facts })
  if (!isChange(row)) return before
  const event = told[row.to]
  const dueAt = row.to === 'open' ? before.expiresAt : null
  const after = await updateSession(tx, before, { ...changes, status: row.to, dueAt }, event !== undefined)
  if (event !== undefined) tx.emit(event, { before, after })
  return after
}

function factsOf(
  { now }: Tx,
  before: CheckoutSession,
  { declines = before.declines }: SessionChanges,
): Facts {
  return { hasTriesLeft: declines < mostDeclines, isOver: before.expiresAt <= now }
}
