/** Requests for captures, voids and refunds. They are accepted, and the result follows in webhooks and actions. */
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import { performOperation } from '../../operations.ts'
import { isObject } from '../../protocol.ts'
import type { DialectContext } from '../dialect.ts'
import { toLedger } from './amounts.ts'
import { type ActionKind, actionProblems } from './checks.ts'
import { invalid, rejectionOf } from './errors.ts'
import { idOf } from './ids.ts'
import { operationName, type PaymentView, releaseRest, saveAction, unusedReference } from './payments.ts'

export async function requestAction(
  context: DialectContext,
  call: IncomingCall,
  { view, kind }: { readonly view: PaymentView; readonly kind: ActionKind },
): Promise<Reply> {
  const { account } = context
  const body = call.bytes.length === 0 ? {} : call.body
  if (!isObject(body)) return invalid('request_json_invalid')
  const { payment, sums } = view
  const remaining =
    kind === 'refund' ? sums.captured - sums.refunded : sums.authorized - sums.captured - sums.voided
  const { reference = null, metadata = {} } = body
  const problems = actionProblems(kind, body)
  if (problems.length > 0) return invalid(...problems)
  const amount =
    body.amount === undefined ? Math.max(remaining, 1) : toLedger(body.amount as number, view.record.currency)
  if (amount === null) return invalid('amount_invalid')
  // The simulator voids everything that is not captured.
  if (kind === 'void' && remaining > 0 && amount !== remaining) return invalid('void_amount_invalid')

  const operation = unusedReference(account, operationName(call, body))
  saveAction(context, payment, operation, {
    reference: reference as string | null,
    metadata: metadata as object,
    isFinal: kind === 'capture' && body.capture_type !== 'NonFinal',
    requestedAt: context.state.clock.now(),
  })
  const reply = await performOperation(context, {
    reference: operation,
    fingerprint: operation,
    origin: context.origin,
    body: actionOperation(context, operation, { view, kind, amount }),
  })
  const rejection = rejectionOf(reply)
  if (rejection !== null) return rejection
  releaseRestLater(context, view, operation)
  const accepted = {
    action_id: idOf('act', account, operation),
    ...(reference === null ? {} : { reference }),
  }
  return { ...reply, status: 202, body: { ...accepted, _links: { payment: { href: payment.url } } } }
}

function actionOperation(
  { account }: DialectContext,
  operation: string,
  { view, kind, amount }: { readonly view: PaymentView; readonly kind: ActionKind; readonly amount: number },
): object {
  const { payment, record } = view
  return {
    reference: operation,
    kind,
    parent_reference: payment.operation,
    mode: 'test',
    amount,
    currency: record.currency,
    instrument: null,
    payment_id: account.operations.get(payment.operation)?.request?.payment_id,
  }
}

function releaseRestLater(context: DialectContext, { payment }: PaymentView, operation: string): void {
  const { decision = null } = context.account.operations.get(operation) ?? {}
  if (decision === null) releaseRest(context, payment)
  else context.state.clock.schedule(decision.at, () => releaseRest(context, payment))
}
