/** Takes a payment as far as it can go now. It may be stopped after any line. */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { monotonicMs } from '../../../kernel/clock.ts'
import { idFromUuid } from '../../../kernel/id.ts'
import { crashpoint } from '../../../platform/crashpoint.ts'
import { beginRequest, continueRequest, type Hold } from '../../../platform/db/resumable.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { Nap, orAfter } from '../../../platform/engine/nap.ts'
import { forgetSecurityCode } from '../../card-tokens/service.ts'
import type { Operation, Payment } from '../payment.ts'
import { findPayment, lockPayment } from '../store/payments.ts'
import { findRefund, refundWithPayment } from '../store/refunds.ts'
import { follow } from './follow.ts'
import { asksForCard, perform } from './perform.ts'
import { type Progress, record, type Seen, standing } from './record.ts'

/** Writes what is wanted, asks the provider, and writes what became of it. */
export async function carryOut(
  deps: Deps,
  caller: Caller,
  subject: 'payment' | 'refund',
  order: (tx: Tx) => Promise<Progress>,
): Promise<Progress> {
  const startedMs = monotonicMs()
  const begun = await beginRequest(deps, caller, order)
  // What was begun before is finished by the resolver; here it is only awaited.
  if (begun.is === 'resumed') {
    const id = idFromUuid(subject, caller.mode, begun.subjectUuid)
    await untilDecided(deps, caller, id, startedMs + deps.limits.requestMs)
    return answerAsItStands(deps, caller, begun.hold, id)
  }
  return drive(deps, caller, {
    hold: begun.hold,
    progress: begun.result,
    startedMs,
  })
}

const lookAgainMs = 200

/** Or until the time is over: then it is answered as it stands. */
async function untilDecided(
  deps: Deps,
  caller: Caller,
  subject: Progress['id'],
  untilMs: number,
): Promise<void> {
  const nap = new Nap()
  const isDecided = () =>
    read(deps, caller, async (view) =>
      isRefund(subject)
        ? (await findRefund(view, subject)).status !== 'pending'
        : (await findPayment(view, subject)).status !== 'processing',
    )
  while (!(await isDecided()) && monotonicMs() < untilMs) await nap.sleep(lookAgainMs)
}

const isRefund = (subject: Progress['id']) => subject.startsWith('refund_')

type Drive = { readonly hold: Hold; readonly progress: Progress; readonly startedMs: number }

/** Each turn is one operation. What cannot be awaited goes on by itself. */
async function drive(deps: Deps, caller: Caller, { hold, progress, startedMs }: Drive): Promise<Progress> {
  const subject = progress.id
  const untilMs = startedMs + deps.limits.requestMs
  let sinceMs = startedMs
  let reached = progress
  if (reached.next === null) return answerAsItStands(deps, caller, hold, subject)
  while (reached.next !== null) {
    const operation: Operation = reached.next
    crashpoint('payment.intended')
    const performing = perform(deps, caller, operation, sinceMs, reached.payment)
    const seen = await orAfter<Seen | null>(Math.max(0, untilMs - monotonicMs()), performing, null)
    if (seen === null) {
      finishLater(deps, caller, operation, performing)
      return answerAsItStands(deps, caller, hold, subject)
    }
    crashpoint('payment.answered')
    sinceMs = monotonicMs()
    reached = await continueRequest(
      deps,
      caller,
      hold,
      (tx) => record(deps, tx, operation.paymentId, operation.id, seen),
      ({ next }) => next === null,
    )
    crashpoint('payment.recorded')
  }
  if (progress.next !== null && asksForCard(progress.next)) forgetCode(deps, caller, reached.payment)
  return reached
}

/** Nobody may have the security code from the moment on at which nothing is tried with it any more. */
function forgetCode(deps: Deps, { workspaceId }: Caller, payment: Payment): void {
  const { status, vaultCardUuid, tokenId } = payment
  // Of a card that was kept it was forgotten when that was verified.
  if (vaultCardUuid === null || tokenId === null) return
  if (status === 'processing' || status === 'requires_action') return
  deps.later(forgetSecurityCode(deps, workspaceId, vaultCardUuid))
}

/** Nobody waits any more. If this process dies, the operation's lease ends and the resolver asks. */
function finishLater(deps: Deps, caller: Caller, operation: Operation, performing: Promise<Seen>): void {
  const ref = { workspaceId: caller.workspaceId, id: operation.paymentId }
  const recording = performing.then(async (seen) => {
    const sinceMs = monotonicMs()
    const reached = await transact(deps, systemCaller(ref), (tx) =>
      record(deps, tx, ref.id, operation.id, seen),
    )
    await follow(deps, ref, reached, sinceMs)
  })
  deps.later(recording)
}

function answerAsItStands(
  deps: Deps,
  caller: Caller,
  hold: Hold,
  subject: Progress['id'],
): Promise<Progress> {
  const look = async (tx: Tx): Promise<Progress> => {
    if (isRefund(subject)) {
      const { refund, payment } = await refundWithPayment(tx, subject)
      return { id: subject, payment, next: null, refund }
    }
    return standing(tx, await lockPayment(tx, subject))
  }
  return continueRequest(deps, caller, hold, look, () => true)
}
