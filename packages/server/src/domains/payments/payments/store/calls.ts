/** Rows of provider calls: time, duration and result, without request or response bodies. */
import { type Id, idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import { insertRow } from '../../../../platform/db/row-statements.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Operation } from '../payment.ts'
import type { NewProviderCall, ProviderCall } from '../provider-call.ts'

export function insertCall(tx: Tx, operation: Operation, call: NewProviderCall): void {
  tx.write(
    insertRow('provider_calls', {
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
    }),
  )
}

/** The maximum number of calls that are read. Checks and resends are limited, so a payment has far fewer. */
const maxCalls = 500

/**
 * The calls of the last 90 days. Ids start with a timestamp, so no call of a payment sorts before the payment
 * id.
 */
export async function listCalls(view: View, paymentId: Id<'payment'>): Promise<ProviderCall[]> {
  const rows = await view.db
    .selectFrom('provider_calls')
    .select(['id', 'operation_id', 'step', 'status', 'outcome', 'fault', 'may_have_been_sent'])
    .select(['request_bytes', 'answer_bytes', 'duration_ms', 'created_at'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('payment_id', '=', uuidOf(paymentId))
    .where('id', '>', uuidOf(paymentId))
    .orderBy('id')
    .limit(maxCalls)
    .execute()
  return rows.map((row) => ({
    sortKey: idFromUuid('operation', view.caller.mode, row.id).slice(-26),
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
