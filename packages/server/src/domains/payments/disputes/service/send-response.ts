/**
 * Sends the evidence of a dispute to the provider, or the acceptance of the dispute, and records the result. The request
 * is committed before it is sent, and sent again with the same reference until its result is known. If the process
 * crashes at any point, the `dispute.respond` job continues when the lease of the request has expired.
 */
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds, monotonicMs } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { transactAfterCall } from '../../../../platform/db/resumable.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import type { DisputeInput, DisputeOutcome, DisputeResponse } from '../../../../providers/contract.ts'
import { asRepeat, type NotSent } from '../../../../providers/evidence.ts'
import { type OpenAccount, openAccount } from '../../../routing/provider-accounts/service/open.ts'
import { listFiles, readContent, scheduleDeletion } from '../../files/service.ts'
import { lockCharge } from '../../payments/commands/handle-provider-event.ts'
import type { Dispute } from '../dispute.ts'
import { eventsByStatus } from '../events.ts'
import { disputeMachine, isResponding } from '../machine.ts'
import { heldAmount } from '../movements.ts'
import { leaseSeconds, referenceOf, resultOf, retryDelaySeconds } from '../response.ts'
import * as store from '../store.ts'
import { lookUpDispute, recordLookup } from './check.ts'
import { openEvidence } from './evidence.ts'
import { postMovements } from './record-report.ts'

/** Resends a request whose result is unknown. */
export async function sendDueResponse(deps: Deps, ref: Ref<'dispute'>): Promise<void> {
  const caller = systemCaller(ref)
  const sinceMs = monotonicMs()
  const dispute = await transact(deps, caller, (tx) => leaseDue(tx, ref.id))
  if (dispute === null) return
  const account = await openAccount(deps, caller.workspaceId, dispute.providerAccountId)
  // An earlier request may have been processed. Not every provider recognizes a repeated one.
  if (await hasChangedAtProvider(deps, caller, dispute, account)) return
  await sendResponse(deps, caller, { dispute, account, sinceMs })
}

/** Null if the request is not due, because another process has sent it, or its result is known. */
async function leaseDue(tx: Tx, id: Dispute['id']): Promise<Dispute | null> {
  const before = await store.lockDispute(tx, id)
  const { respondAt, responseAttempts } = before
  if (respondAt === null || respondAt > tx.now) return null
  const lease = { responseAttempts: responseAttempts + 1, respondAt: addSeconds(tx.now, leaseSeconds) }
  return store.updateDispute(tx, before, lease, false)
}

async function hasChangedAtProvider(
  deps: Deps,
  caller: Caller,
  dispute: Dispute,
  account: OpenAccount,
): Promise<boolean> {
  const found = await lookUpDispute(deps, caller, dispute, account)
  if (found?.is !== 'found' || found.report.status === 'needs_response') return false
  const { status } = await transactAfterCall(deps, caller, (tx) => recordLookup(tx, dispute, found.report))
  return !isResponding(status)
}

type Sending = {
  /** The dispute with the lease of the request. */
  readonly dispute: Dispute
  readonly account: OpenAccount
  /** A time before the lease was written. Nothing is sent after the lease has expired. */
  readonly sinceMs: number
}

export async function sendResponse(deps: Deps, caller: Caller, sending: Sending): Promise<void> {
  crashpoint('dispute.intended')
  const outcome = await callProvider(deps, caller, sending)
  crashpoint('dispute.answered')
  const { id, responseNumber } = sending.dispute
  await transactAfterCall(deps, systemCaller({ workspaceId: caller.workspaceId, id }), (tx) =>
    recordResult(tx, { dispute: sending.dispute, responseNumber, outcome }),
  )
  crashpoint('dispute.recorded')
}

async function callProvider(
  deps: Deps,
  caller: Caller,
  { dispute, account: { account, provider, config }, sinceMs }: Sending,
): Promise<DisputeOutcome | NotSent> {
  const task = {
    provider,
    account: { id: account.id, mode: caller.mode, config },
    deadlineMs: sinceMs + deps.limits.providerMs,
  }
  const input = inputOf(caller, dispute)
  if (dispute.status === 'accepting')
    return deps.performer.handleDispute({ ...task, step: 'acceptDispute', input })
  assert(dispute.status === 'submitting', 'A dispute with a lease must be `submitting` or `accepting`.')
  const uploaded: DisputeResponse['files'][number][] = []
  const files = await read(deps, caller, (view) => listFiles(view, dispute.fileIds))
  for (const { id, name, purpose, contentType, size, sha256 } of files) {
    const file = { name, purpose, contentType, size, sha256 }
    const content = await read(deps, caller, (view) => readContent(deps, view, id))
    const upload = { ...input, file, content }
    const outcome = await deps.performer.handleDispute({ ...task, step: 'uploadFile', input: upload })
    if (outcome.is !== 'uploaded') return outcome
    uploaded.push({ ...file, providerFileId: outcome.providerFileId })
  }
  const evidence = await read(deps, caller, (view) => openEvidence(deps, view, dispute))
  const response = { ...input, evidence, files: uploaded }
  return deps.performer.handleDispute({ ...task, step: 'submitDispute', input: response })
}

export function inputOf({ mode }: Caller, dispute: Dispute): DisputeInput {
  const { providerReference, stage } = dispute
  return { reference: referenceOf(dispute), providerReference, stage, mode }
}

type RecordedResponse = {
  readonly dispute: Pick<Dispute, 'id' | 'paymentId' | 'providerAccountId'>
  readonly responseNumber: number
  readonly outcome: DisputeOutcome | NotSent
}

/** Changes nothing if the provider has reported the result in the meantime. */
async function recordResult(tx: Tx, { dispute, responseNumber, outcome }: RecordedResponse): Promise<void> {
  await lockCharge(tx, dispute.paymentId, dispute.providerAccountId)
  const before = await store.lockDispute(tx, dispute.id)
  if (before.responseNumber !== responseNumber || !isResponding(before.status)) return
  // A repeated request may be rejected only because an earlier one was processed.
  const result = resultOf(before.responseAttempts === 1 ? outcome : asRepeat(outcome))
  if (result.is === 'unknown') {
    const respondAt = addSeconds(tx.now, retryDelaySeconds(before.responseAttempts))
    await store.updateDispute(tx, before, { respondAt }, false)
    return
  }
  const trigger = result.is === 'accepted' ? 'provider_accepted' : 'provider_refused'
  const facts = { isEscalated: false, isInquiry: before.stage === 'inquiry' }
  const { to: status } = nextTransition(disputeMachine, { state: before.status, trigger, facts })
  const isWithdrawn = before.amountHeld > 0n
  const changes = {
    status,
    amountHeld: heldAmount({ status, amount: before.amount, isWithdrawn }),
    respondAt: null,
    responseError: result.is === 'refused' ? result.error : null,
    // Reports that are older than this result are outdated.
    reportedAt: result.is === 'accepted' ? later(before.reportedAt, result.reportedAt) : before.reportedAt,
  }
  const postings = postMovements(tx, before, { ...before, ...changes })
  const after = await store.updateDispute(tx, before, { ...changes, postings }, true)
  tx.emit(eventsByStatus[status], { before, after })
  await scheduleDeletion(tx, after.fileIds, after.endedAt)
}

function later(first: Date, second: Date): Date {
  return first > second ? first : second
}
