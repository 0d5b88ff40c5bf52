/** Looking into a payment: what was asked of whom, what came of it, and the whole story in order. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import type { Call } from '../call.ts'
import type { Operation, Payment } from '../payment.ts'
import { listCalls } from '../store/calls.ts'
import { listAttempts, listOperations } from '../store/operations.ts'
import { findPayment } from '../store/payments.ts'
import { refundsOf } from '../store/refunds.ts'
import { listTold } from '../store/told.ts'
import { type Entry, timelineOf } from '../timeline.ts'

type PaymentOperations = {
  readonly payment: Payment
  readonly operations: readonly Operation[]
  readonly calls: readonly Call[]
}

export function listPaymentOperations(deps: Deps, caller: Caller, id: string): Promise<PaymentOperations> {
  return read(deps, caller, async (view) => {
    const payment = await findPayment(view, id)
    const [operations, calls] = [await listOperations(view, payment.id), await listCalls(view, payment.id)]
    return { payment, operations, calls }
  })
}

type PaymentTimeline = { readonly payment: Payment; readonly entries: readonly Entry[] }

export function getPaymentTimeline(deps: Deps, caller: Caller, id: string): Promise<PaymentTimeline> {
  return read(deps, caller, async (view) => {
    const payment = await findPayment(view, id)
    const attempts = await listAttempts(view, payment.id)
    const refunds = await refundsOf(view, payment.id)
    const entries = timelineOf({
      attempts,
      operations: await listOperations(view, payment.id),
      calls: await listCalls(view, payment.id),
      events: await listTold(view, [payment.id, ...[...attempts, ...refunds].map((one) => one.id)]),
    })
    return { payment, entries }
  })
}
