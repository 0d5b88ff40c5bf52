// A refund that a provider first reports as succeeded and later as failed, and that a person confirms.

import type { Deps } from '../../src/deps.ts'
import { insertConflict } from '../../src/domains/payments/payments/store/conflicts.ts'
import { inTransaction } from './invoices.ts'
import type { ApiResponse, Workspace } from './switchyard.ts'

/** Resolves the succeeded refund of the payment as failed, as if the provider had reported its failure. */
export async function failSucceededRefund(
  deps: Deps,
  workspace: Workspace,
  paymentId: string,
): Promise<ApiResponse> {
  const { body } = await workspace.get(`/payments/${paymentId}/operations`)
  const { id } = body.data.find(({ kind }: { kind: string }) => kind === 'refund')
  const operation = { id, paymentId: paymentId as Parameters<typeof insertConflict>[1]['paymentId'] }
  const detail = 'The provider reports that the refund failed.'
  await inTransaction(deps, workspace.workspaceId, (tx) =>
    insertConflict(tx, operation, { kind: 'late_failure', detail }),
  )
  return workspace.post(`/payments/${paymentId}/operations/${id}/resolve`, {
    outcome: 'not_processed',
    note: 'The bank returned the amount.',
  })
}
