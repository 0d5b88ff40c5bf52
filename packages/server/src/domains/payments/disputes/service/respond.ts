/**
 * The requests of a merchant about a dispute: change the evidence, submit it, or accept the dispute. A
 * request with a provider call commits twice: the first commit contains the request, the second its result.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { addSeconds, monotonicMs } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { allowedActions, isChange, nextTransition } from '../../../../kernel/machine.ts'
import { continueRequest, runResumable, withoutKey } from '../../../../platform/db/resumable.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { withTimeout } from '../../../../platform/engine/cancellable-sleep.ts'
import { type EvidenceTexts, evidenceFields } from '../../../../providers/contract.ts'
import { type OpenAccount, openAccount } from '../../../routing/provider-accounts/service/open.ts'
import { attachFiles, listFiles } from '../../files/service.ts'
import { type Dispute, type DisputeWithEvidence, hasTexts } from '../dispute.ts'
import { disputeUpdated } from '../events.ts'
import { disputeMachine, isResponding } from '../machine.ts'
import { leaseSeconds } from '../response.ts'
import type { UpdateDispute } from '../schema.ts'
import * as store from '../store.ts'
import { checkAtProvider } from './check.ts'
import { openEvidence, sealEvidence, withEvidence } from './evidence.ts'
import { sendDueResponse, sendResponse } from './send-response.ts'

export function updateDispute(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateDispute & { readonly ifMatch: number | null },
): Promise<DisputeWithEvidence> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockDispute(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    nextTransition(disputeMachine, { state: before.status, trigger: 'update', facts: factsOf(before) })
    const texts = await openEvidence(deps, tx, before)
    const evidence = withTexts(texts, input.evidence ?? {})
    const fileIds =
      input.file_ids === undefined
        ? before.fileIds
        : await attachFiles(tx, { disputeId: before.id, before: before.fileIds, after: input.file_ids })
    const isSameText = evidenceFields.every((field) => evidence[field] === texts[field])
    if (isSameText && fileIds.join() === before.fileIds.join()) return { ...before, evidence }

    const stored = isSameText ? {} : await sealEvidence(deps, tx, before, evidence)
    const after = await store.updateDispute(tx, before, { ...stored, fileIds }, true)
    tx.emit(disputeUpdated, { before, after })
    return { ...after, evidence }
  })
}

/** Omitted fields are unchanged. Null or an empty string clears a field. */
function withTexts(before: EvidenceTexts, changes: NonNullable<UpdateDispute['evidence']>): EvidenceTexts {
  const texts = evidenceFields.map((field) => [
    field,
    changes[field] === undefined ? before[field] : changes[field],
  ])
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined && text !== null && text !== ''))
}

function factsOf({ stage }: Dispute) {
  return { isEscalated: false, isInquiry: stage === 'inquiry' }
}

export function submitDispute(deps: Deps, caller: Caller, id: string): Promise<DisputeWithEvidence> {
  return respond(deps, caller, id, 'submit')
}

export function acceptDispute(deps: Deps, caller: Caller, id: string): Promise<DisputeWithEvidence> {
  return respond(deps, caller, id, 'accept')
}

async function respond(
  deps: Deps,
  caller: Caller,
  id: string,
  action: 'submit' | 'accept',
): Promise<DisputeWithEvidence> {
  const sinceMs = monotonicMs()
  const account = await openAccountOf(deps, caller, id)
  const begin = (tx: Tx) => beginResponse(deps, tx, id, { action, account })
  return runResumable(deps, caller, begin, async (request) => {
    if (request.status === 'begun' && request.result.isNew) {
      const { dispute } = request.result
      const sending = sendResponse(deps, caller, { dispute, account, sinceMs })
      // A call that exceeds the time limit continues in the background.
      deps.runInBackground(sending)
      await withTimeout(deps.limits.requestMs, sending, undefined)
    }
    return continueRequest(
      deps,
      caller,
      request.keyLease,
      (tx) => findWithEvidence(deps, tx, id),
      () => true,
    )
  })
}

async function findWithEvidence(deps: Deps, tx: Tx, id: string): Promise<DisputeWithEvidence> {
  return withEvidence(deps, tx, await store.findDispute(tx, id))
}

async function openAccountOf(deps: Deps, caller: Caller, id: string): Promise<OpenAccount> {
  const dispute = await read(deps, caller, (view) => store.findDispute(view, id))
  return openAccount(deps, caller.workspaceId, dispute.providerAccountId)
}

type BegunResponse = { readonly id: Dispute['id']; readonly dispute: Dispute; readonly isNew: boolean }

async function beginResponse(
  deps: Deps,
  tx: Tx,
  id: string,
  { action, account }: { readonly action: 'submit' | 'accept'; readonly account: OpenAccount },
): Promise<BegunResponse> {
  const before = await store.lockDispute(tx, id)
  const facts = factsOf(before)
  if (action === 'accept' && facts.isInquiry) refuseInquiry(before)
  const row = nextTransition(disputeMachine, { state: before.status, trigger: action, facts })
  if (!isChange(row)) return { id: before.id, dispute: before, isNew: false }
  requireSupport(account)
  if (action === 'submit') await requireEvidence(deps, tx, before, account)

  const response = {
    status: row.to,
    responseNumber: before.responseNumber + 1,
    responseAttempts: 1,
    responseError: null,
    // The lease of this process.
    respondAt: addSeconds(tx.now, leaseSeconds),
  }
  const after = await store.updateDispute(tx, before, response, true)
  tx.emit(disputeUpdated, { before, after })
  return { id: after.id, dispute: after, isNew: true }
}

function refuseInquiry({ status }: Dispute): never {
  return refuse('invalid_state', {
    detail:
      'An inquiry claims no amount, so it cannot be accepted. Refund the payment instead, or do not respond.',
    current_status: status,
    allowed_actions: allowedActions(disputeMachine, status, { isEscalated: false, isInquiry: true }),
  })
}

function requireSupport({ provider, config }: OpenAccount): void {
  if (provider.disputes === undefined || provider.disputes.isSupported?.(config) === false)
    refuse('disputes_not_supported')
}

async function requireEvidence(
  deps: Deps,
  tx: Tx,
  dispute: Dispute,
  { provider }: OpenAccount,
): Promise<void> {
  if (!hasTexts(dispute) && dispute.fileIds.length === 0) refuse('evidence_invalid')
  const evidence = await openEvidence(deps, tx, dispute)
  const files = await listFiles(tx, dispute.fileIds)
  const detail = provider.disputes?.faultOf?.({ evidence, files }) ?? null
  if (detail !== null) refuse('evidence_invalid', { detail })
}

/**
 * If the result of a response is unknown, resends it now instead of when it is due. Otherwise looks up the
 * dispute at its provider.
 */
export async function checkDispute(deps: Deps, caller: Caller, id: string): Promise<DisputeWithEvidence> {
  const account = await openAccountOf(deps, caller, id)
  const begin = (tx: Tx) => scheduleResponse(tx, id)
  return runResumable(deps, caller, begin, async ({ keyLease }) => {
    const checking = check(deps, withoutKey(caller), id, account)
    deps.runInBackground(checking)
    const isSupported = await withTimeout(deps.limits.requestMs, checking, true)
    return continueRequest(
      deps,
      caller,
      keyLease,
      (tx) => (isSupported ? findWithEvidence(deps, tx, id) : refuse('disputes_not_supported')),
      () => true,
    )
  })
}

async function scheduleResponse(tx: Tx, id: string): Promise<Dispute> {
  const before = await store.lockDispute(tx, id)
  if (!isResponding(before.status)) return before
  return store.updateDispute(tx, before, { respondAt: tx.now }, false)
}

/** Returns false if the provider cannot be queried. */
async function check(deps: Deps, caller: Caller, id: string, account: OpenAccount): Promise<boolean> {
  const dispute = await read(deps, caller, (view) => store.findDispute(view, id))
  if (!isResponding(dispute.status)) return checkAtProvider(deps, caller, dispute, account)
  await sendDueResponse(deps, { workspaceId: caller.workspaceId, id: dispute.id })
  return true
}
