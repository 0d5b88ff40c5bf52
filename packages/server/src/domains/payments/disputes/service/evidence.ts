/**
 * The text fields of evidence. They may contain personal data, so they are stored encrypted, are not part of events,
 * and are deleted after the dispute has ended.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact, type View } from '../../../../platform/db/unit-of-work.ts'
import type { EvidenceTexts } from '../../../../providers/contract.ts'
import type { Dispute, DisputeWithEvidence } from '../dispute.ts'
import * as store from '../store.ts'

export async function openEvidence(deps: Deps, view: View, dispute: Dispute): Promise<EvidenceTexts> {
  const { sealedEvidence, plainEvidence } = dispute
  if (sealedEvidence === null) return plainEvidence
  return JSON.parse(await deps.sealedBox.open(view.db, locationOf(view, dispute), sealedEvidence))
}

/** The stored form of the text fields. */
export async function sealEvidence(
  deps: Deps,
  tx: Tx,
  dispute: Dispute,
  texts: EvidenceTexts,
): Promise<Pick<Dispute, 'sealedEvidence' | 'plainEvidence'>> {
  if (Object.keys(texts).length === 0) return noEvidence
  const text = JSON.stringify(texts)
  return {
    sealedEvidence: await deps.sealedBox.seal(tx.db, locationOf(tx, dispute), text),
    plainEvidence: {},
  }
}

export const noEvidence = { sealedEvidence: null, plainEvidence: {} } as const

function locationOf({ caller: { workspaceId } }: View, { id: rowId }: Dispute) {
  return { workspaceId, table: 'disputes', column: 'evidence_sealed', rowId }
}

export async function withEvidence(deps: Deps, view: View, dispute: Dispute): Promise<DisputeWithEvidence> {
  return { ...dispute, evidence: await openEvidence(deps, view, dispute) }
}

/** Does nothing if the dispute was opened again. */
export async function deleteEvidence(deps: Deps, ref: Ref<'dispute'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockDispute(tx, ref.id)
    if (before.evidenceDeleteAt === null || before.evidenceDeleteAt > tx.now) return
    await store.updateDispute(tx, before, noEvidence, false)
  })
}
