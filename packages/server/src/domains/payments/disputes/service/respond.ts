/**
 * What a merchant can do about a dispute: change the evidence, submit it, or accept the dispute. A request with a
 * provider call commits twice: the first commit contains the request, the second its result.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { addSeconds, monotonicMs } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { allowedActions, isChange, nextTransition } from '../../../../kernel/machine.ts'
import { beginRequest, continueRequest, withoutKey } from '../../../../platform/db/resumable.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { withTimeout } from '../../../../platform/engine/cancellable-sleep.ts'
import { type EvidenceTexts, evidenceFields } from '../../../../providers/contract.ts'
import { type OpenAccount, openAccount } from '../../../routing/provider-accounts/service/open.ts'
import { attachFiles, listFiles } from '../../files/service.ts'
import { leaseSeconds } from '../../payments/operations/begin-attempt.ts'
import type { Dispute } from '../dispute.ts'
import { disputeUpdated } from '../events.ts'
import { disputeMachine, isResponding } from '../machine.ts'
import type { UpdateDispute } from '../schema.ts'
import * as store from '../store.ts'
import { checkAtProvider } from './check.ts'
import { sendDueResponse, sendResponse } from './send-response.ts'

export function updateDispute(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateDispute & { readonly ifMatch: number | null },
): Promise<Dispute> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockDispute(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    nextTransition(disputeMachine, { state: before.status, trigger: 'update', facts: factsOf(before) })
    const evidence = withTexts(before.evidence, input.evidence ?? {})
    const fileIds =
      input.file_ids === undefined
        ? before.fileIds
        : await attachFiles(tx, { disputeId: before.id, before: before.fileIds, after: input.file_ids })
    const isSame =
      evidenceFields.every((field) => evidence[field] === before.evidence[field]) &&
      fileIds.join() === before.fileIds.join()
    if (isSame) return before

    const after = await store.updateDispute(tx, before, { evidence, fileIds }, true)
    tx.emit(disputeUpdated, { before, after })
    return after
  })
}

/** Omitted texts stay as they are. An empty text, or null, removes one. */
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

export function submitDispute(deps: Deps, caller: Caller, id: string): Promise<Dispute> {
  return respond(deps, caller, id, 'submit')
}

export function acceptDispute(deps: Deps, caller: Caller, id: string): Promise<Dispute> {
  return respond(deps, caller, id, 'accept')
}

async function respond(
  deps: Deps,
  caller: Caller,
  id: string,
  action: 'submit' | 'accept',
): Promise<Dispute> {
  const sinceMs = monotonicMs()
  const account = await openAccountOf(deps, caller, id)
  const request = await beginRequest(deps, caller, (tx) => beginResponse(tx, id, { action, account }))
  if (request.status === 'begun' && request.result.isNew) {
    const { dispute } = request.result
    const sending = sendResponse(deps, caller, { dispute, account, sinceMs })
    // A call that exceeds the time limit continues in the background.
    deps.runInBackground(sending)
    await withTimeout(deps.limits.requestMs, sending, undefined)
  }
  const current = (tx: Tx) => store.findDispute(tx, id)
  return continueRequest(deps, caller, request.keyLease, current, () => true)
}

async function openAccountOf(deps: Deps, caller: Caller, id: string): Promise<OpenAccount> {
  const dispute = await read(deps, caller, (view) => store.findDispute(view, id))
  return openAccount(deps, caller.workspaceId, dispute.providerAccountId)
}

type BegunResponse = { readonly id: Dispute['id']; readonly dispute: Dispute; readonly isNew: boolean }

async function beginResponse(
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
  if (action === 'submit') await requireEvidence(tx, before, account)

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
  tx: Tx,
  { evidence, fileIds }: Dispute,
  { provider }: OpenAccount,
): Promise<void> {
  if (Object.keys(evidence).length === 0 && fileIds.length === 0) refuse('evidence_invalid')
  const files = await listFiles(tx, fileIds)
  const detail = provider.disputes?.faultOf?.({ evidence, files }) ?? null
  if (detail !== null) refuse('evidence_invalid', { detail })
}

/**
 * Sends a response whose result is unknown again, rather than when it is due. Otherwise it looks up the dispute at its
 * provider.
 */
export async function checkDispute(deps: Deps, caller: Caller, id: string): Promise<Dispute> {
  const account = await openAccountOf(deps, caller, id)
  const { keyLease } = await beginRequest(deps, caller, (tx) => scheduleResponse(tx, id))
  const checking = check(deps, withoutKey(caller), id, account)
  deps.runInBackground(checking)
  const isSupported = await withTimeout(deps.limits.requestMs, checking, true)
  return continueRequest(
    deps,
    caller,
    keyLease,
    (tx) => (isSupported ? store.findDispute(tx, id) : refuse('disputes_not_supported')),
    () => true,
  )
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
