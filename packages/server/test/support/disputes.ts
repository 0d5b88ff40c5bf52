// Reports disputes as providers do, without a webhook.

import type { Deps } from '../../src/deps.ts'
import { handleDisputeEvent } from '../../src/domains/payments/disputes/service/record-report.ts'
import { listDisputes } from '../../src/domains/payments/disputes/store.ts'
import { getPayment } from '../../src/domains/payments/payments/queries.ts'
import { listOperations } from '../../src/domains/payments/payments/store/operations.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import { type Id, uuidOf } from '../../src/kernel/id.ts'
import type { DisputeReport } from '../../src/providers/contract.ts'
import { inTransaction } from './invoices.ts'

let reportCount = 0

/** Returns the id of the newest dispute of the payment. */
export async function reportDispute(
  deps: Deps,
  workspace: string,
  payment: string,
  members: Partial<DisputeReport>,
): Promise<string> {
  const workspaceId = workspace as Id<'workspace'>
  const caller = systemCaller({ workspaceId, id: workspaceId })
  const { id, amountCaptured: amount, currency, providerAccountId } = await getPayment(deps, caller, payment)
  reportCount += 1
  const dispute: DisputeReport = {
    providerReference: `dp_${reportCount}`,
    stage: 'chargeback',
    status: 'needs_response',
    money: { amount, currency },
    reason: 'fraudulent',
    networkReasonCode: '10.4',
    respondByAt: new Date('2036-11-28T12:00:00.000Z'),
    isWithdrawn: true,
    fee: { amount: 1500n, currency },
    reportedAt: new Date(Date.parse('2026-11-14T12:00:00.000Z') + reportCount * 1_000),
    ...members,
  }
  return inTransaction(deps, workspace, async (tx) => {
    const [charge] = await listOperations(tx, id)
    const reference = charge?.reference ?? null
    const event = { dedupeKey: null, reference, providerReference: null, found: null, dispute }
    const accountId = providerAccountId as Id<'provider_account'>
    const received = { providerAccountId: accountId, event, sealedToken: null, isAuthenticated: true }
    const handled = await handleDisputeEvent(tx, received, dispute)
    if (handled === null) throw new Error(`${payment} has no charge that can be disputed.`)
    const range = {
      limit: 1,
      direction: 'older',
      atLeast: null,
      below: null,
      after: null,
      before: null,
    } as const
    const filter = { paymentUuid: uuidOf(id), status: undefined, respondBy: undefined, overdue: undefined }
    const { rows } = await listDisputes(tx, range, filter)
    return rows[0]?.id as string
  })
}
