/** Rows of calls to providers: when, how long, and what it proved. Nothing of what was said is in them. */
import { type Id, idFromUuid, uuidOf } from '../../../kernel/id.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import type { Call, NewCall } from '../call.ts'
import type { Operation } from '../payment.ts'

export async function insertCall(tx: Tx, operation: Operation, call: NewCall): Promise<void> {
  await tx.db
    .insertInto('provider_calls')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('operation')),
      payment_id: uuidOf(operation.paymentId),
      operation_id: uuidOf(operation.id),
      provider_account_id: uuidOf(operation.providerAccountId),
      step: call.step,
      status: call.status,
      outcome: call.outcome,
      fault: call.fault,
      may_have_been_sent: call.mayHaveBeenSent,
      request_bytes: call.requestBytes,
      answer_bytes: call.answerBytes,
      duration_ms: Math.round(call.durationMs),
      created_at: tx.now,
    })
    .execute()
}

/** At most so many are shown: the provider is asked daily for a week, and captures and refunds go again. */
const mostCalls = 500

/** Of the last 90 days. Ids begin with a time, so none of a payment is before its own. */
export async function listCalls(view: View, paymentId: Id<'payment'>): Promise<Call[]> {
  const rows = await view.db
    .selectFrom('provider_calls')
    .select(['id', 'operation_id', 'step', 'status', 'outcome', 'fault', 'may_have_been_sent'])
    .select(['request_bytes', 'answer_bytes', 'duration_ms', 'created_at'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('payment_id', '=', uuidOf(paymentId))
    .where('id', '>', uuidOf(paymentId))
    .orderBy('id')
    .limit(mostCalls)
    .execute()
  return rows.map((row) => ({
    place: idFromUuid('operation', view.caller.mode, row.id).slice(-26),
    operationId: idFromUuid('operation', view.caller.mode, row.operation_id),
    step: row.step,
    status: row.status,
    outcome: row.outcome,
    fault: row.fault,
    mayHaveBeenSent: row.may_have_been_sent,
    requestBytes: row.request_bytes,
    answerBytes: row.answer_bytes,
    durationMs: row.duration_ms,
    createdAt: row.created_at,
  }))
}
