/** What is done to money that is held or taken: capture it, let it go, give it back. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { allowedActions, step } from '../../../kernel/machine.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import { isOpen, type Payment, type Refund } from '../payment.ts'
import * as operations from '../store/operations.ts'
import * as store from '../store/payments.ts'
import * as refunds from '../store/refunds.ts'
import { carryOut } from './create.ts'
import { giveBack, letGo, order } from './orders.ts'
import type { Progress } from './record.ts'
import { tell } from './tell.ts'

export function capturePayment(
  deps: Deps,
  caller: Caller,
  id: string,
  input: { readonly amount?: number | undefined; readonly final?: boolean | undefined },
): Promise<Progress> {
  return carryOut(deps, caller, 'payment', async (tx) => {
    const before = await store.lockPayment(tx, id)
    requireStep(before, 'capture')
    const amount = input.amount === undefined ? before.amountCapturable : BigInt(input.amount)
    if (amount > before.amountCapturable)
      refuseMember('/amount', 'too_large', `must be ${before.amountCapturable} or less`)
    const after = await tell(tx, before, { status: 'processing' }, events.paymentUpdated)
    const next = await order(tx, after, { kind: 'capture', amount, final: input.final ?? true })
    return { id: after.id, payment: after, next }
  })
}

export function cancelPayment(deps: Deps, caller: Caller, id: string): Promise<Progress> {
  return carryOut(deps, caller, 'payment', async (tx) => {
    const before = await store.lockPayment(tx, id)
    requireStep(before, 'cancel')
    if (before.status === 'cancelled') return { id: before.id, payment: before, next: null }
    const asked = { cancelRequestedAt: before.cancelRequestedAt ?? tx.now }
    if (before.status !== 'requires_capture') return askToUndo(tx, before, asked)
    return letGo(tx, before, asked)
  })
}

/** It is not known what there is to undo. The resolver makes sure of it, at once. */
async function askToUndo(tx: Tx, before: Payment, asked: { cancelRequestedAt: Date }): Promise<Progress> {
  const payment = await store.updatePayment(tx, before, asked, false)
  const open = (await operations.listOperations(tx, before.id)).filter(
    (one) => isOpen(one) && one.status !== 'sending',
  )
  for (const one of open) await operations.updateOperation(tx, one, { dueAt: tx.now })
  return { id: payment.id, payment, next: null }
}

const mostRefunds = 100

export type RefundInput = {
  readonly payment_id: string
  readonly amount?: number | undefined
  readonly reason?: Refund['reason'] | undefined
  readonly source?: Refund['source']
  readonly metadata?: Readonly<Record<string, string | null>> | undefined
}

export function createRefund(deps: Deps, caller: Caller, input: RefundInput): Promise<Progress> {
  return carryOut(deps, caller, 'refund', (tx) => orderRefund(tx, input))
}

/** In the unit of whoever gives back; what it wants to be sent is sent when that is committed, by `follow`. */
export async function orderRefund(tx: Tx, input: RefundInput): Promise<Progress> {
  const before = await store.lockPayment(tx, input.payment_id)
  const left = before.amountCaptured - before.amountRefunded - before.amountRefunding
  if (before.amountCaptured === 0n) refuseState(before, 'Nothing was taken that could be given back.')
  const amount = input.amount === undefined ? left : BigInt(input.amount)
  if (amount > left || amount === 0n) refuseMember('/amount', 'too_large', `must be ${left} or less`)
  if ((await refunds.refundsOf(tx, before.id)).length >= mostRefunds)
    refuseState(before, `A payment has at most ${mostRefunds} refunds.`)
  const begun = await giveBack(tx, before, {
    amount,
    reason: input.reason ?? 'requested_by_customer',
    source: input.source ?? 'api',
    metadata: mergeMetadata({}, input.metadata ?? {}),
  })
  return { ...begun, id: begun.refund.id }
}

function requireStep(payment: Payment, trigger: 'capture' | 'cancel'): void {
  step(paymentMachine, { state: payment.status, trigger, facts: factsOf(payment) })
}

function refuseState(payment: Payment, detail: string): never {
  return refuse('invalid_state', {
    detail,
    current_status: payment.status,
    allowed_actions: allowedActions(paymentMachine, payment.status, factsOf(payment)),
  })
}
