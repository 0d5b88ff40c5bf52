/** Decides whether a payer may try to pay now. A rejected try reaches no provider. */
import { createHmac } from 'node:crypto'
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { read, type Tx } from '../../../../platform/db/unit-of-work.ts'
import { type Decision, decideAttempt, networksOf } from '../limits.ts'
import type { CheckoutSession } from '../session.ts'
import * as tries from '../store/tries.ts'
import { currentTime } from './current-time.ts'

/** Checks the limits before the card is stored. `requireAttemptAllowed` checks them again. */
export async function requireBudget(
  deps: Deps,
  caller: Caller,
  session: CheckoutSession,
  address: string,
): Promise<void> {
  const keys = budgetKeysOf(deps, session, { address, card: null })
  const now = currentTime(deps)
  const budgets = await read(deps, caller, (view) => tries.readBudgets(view, keys, now))
  const decision = decideAttempt(deps.checkoutLimits, budgets, null, now)
  if (!decision.ok) refuseTry(deps, session, decision)
}

type AttemptInput = {
  readonly session: CheckoutSession
  /** The fingerprint of the card; null if unknown. */
  readonly fingerprint: string | null
  /** The IP address of the payer. */
  readonly address: string
}

/**
 * Runs in the transaction that writes the payment: uses a unit of every budget, or refuses and rolls back.
 */
export async function requireAttemptAllowed(
  deps: Deps,
  tx: Tx,
  { session, fingerprint, address }: AttemptInput,
): Promise<Id<'checkout_try'>> {
  // Cards have no budget in test mode, because all payers use the same few cards.
  const card = tx.caller.mode === 'test' ? null : fingerprint
  const keys = budgetKeysOf(deps, session, { address, card })
  const budgets = await tries.lockBudgets(tx, keys)
  const isNewCard = fingerprint === null || !session.cards.includes(fingerprint)
  const sessionTries = { cards: session.cards.length, declines: session.declines, isNewCard }
  const decision = decideAttempt(deps.checkoutLimits, budgets, sessionTries, tx.now)
  if (!decision.ok) return refuseTry(deps, session, decision)
  deps.checkoutMetrics.checkoutTries.inc({ result: 'taken' })
  raiseAlarm(deps, session, decision)
  const { usesReserve, updates } = decision
  const scopeId = session.paymentLinkId ?? tx.caller.workspaceId
  return tries.insertTry(tx, { sessionId: session.id, scopeId, usesReserve, updates })
}

function refuseTry(deps: Deps, session: CheckoutSession, decision: Decision & { readonly ok: false }): never {
  const { by, waitSeconds } = decision
  deps.checkoutMetrics.checkoutTries.inc({ result: by })
  raiseAlarm(deps, session, decision)
  return refuse('too_many_tries', {
    ...(waitSeconds === null ? {} : { retryAfterSeconds: waitSeconds }),
    ...(by === 'card' ? { advice_code: 'other_method' } : {}),
  })
}

function raiseAlarm(deps: Deps, session: CheckoutSession, { raisesAlarm }: Decision): void {
  if (!raisesAlarm) return
  deps.checkoutMetrics.checkoutAlarms.inc()
  const logFields = { workspace_id: session.workspaceId, id: session.paymentLinkId ?? session.id }
  deps.log.warn(
    'An unusually high number of cards was declined on a payment page. This may be card testing.',
    logFields,
  )
}

/** The budgets a try uses. IP addresses are personal data: only a keyed hash of each network is stored. */
export function budgetKeysOf(
  { linkKeys: [key] }: Deps,
  { workspaceId, paymentLinkId }: Pick<CheckoutSession, 'workspaceId' | 'paymentLinkId'>,
  { address, card }: { readonly address: string; readonly card: string | null },
): tries.BudgetKeys {
  const networks = networksOf(address).map((network) => {
    const hash = createHmac('sha256', key as Uint8Array)
    return `network ${hash.update(`checkout network ${workspaceId} ${network}`).digest('base64url')}`
  })
  return [
    ...(card === null ? [] : [{ scope: 'card' as const, key: `card ${card}` }]),
    ...(paymentLinkId === null ? [] : [{ scope: 'link' as const, key: `link ${paymentLinkId}` }]),
    ...networks.map((network) => ({ scope: 'network' as const, key: network })),
    { scope: 'workspace' as const, key: 'workspace' },
  ]
}
