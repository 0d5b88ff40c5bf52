/** Looks up a dispute at its provider, and records what the provider reports. */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import { transactAfterCall } from '../../../../platform/db/resumable.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { DisputeFound, DisputeReport } from '../../../../providers/contract.ts'
import type { NotSent } from '../../../../providers/evidence.ts'
import type { OpenAccount } from '../../../routing/provider-accounts/service/open.ts'
import { lockCharge } from '../../payments/commands/handle-provider-event.ts'
import type { Dispute } from '../dispute.ts'
import { referenceOf } from '../response.ts'
import * as store from '../store.ts'
import { recordReport } from './record-report.ts'

const lookupTimeoutMs = 10_000

/** Null if the provider has no lookup. */
export async function lookUpDispute(
  deps: Deps,
  { mode }: Caller,
  dispute: Dispute,
  { account, provider, config }: OpenAccount,
): Promise<DisputeFound | NotSent | null> {
  const { disputes } = provider
  if (disputes?.lookup === undefined || disputes.isSupported?.(config) === false) return null
  const { providerReference, stage } = dispute
  return deps.performer.handleDispute({
    provider,
    step: 'lookUpDispute',
    input: { reference: referenceOf(dispute), providerReference, stage, mode },
    account: { id: account.id, mode, config },
    deadlineMs: monotonicMs() + Math.min(lookupTimeoutMs, deps.limits.providerMs),
  })
}

/** Looks up the dispute and records its state. Returns false if the provider has no lookup. */
export async function checkAtProvider(
  deps: Deps,
  caller: Caller,
  dispute: Dispute,
  account: OpenAccount,
): Promise<boolean> {
  const found = await lookUpDispute(deps, caller, dispute, account)
  const { workspaceId } = caller
  if (found?.is === 'found')
    await transactAfterCall(deps, systemCaller({ workspaceId, id: dispute.id }), (tx) =>
      recordLookup(tx, dispute, found.report),
    )
  return found !== null
}

export async function recordLookup(
  tx: Tx,
  { id, paymentId, providerAccountId, providerReference }: Dispute,
  report: DisputeReport,
): Promise<Dispute> {
  const charge = await lockCharge(tx, paymentId, providerAccountId)
  await recordReport(tx, charge, { ...report, providerReference })
  return store.lockDispute(tx, id)
}
