/** Resolves a line that differs or is missing: a person decides what its amount was for. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { recordAuditEntry } from '../../../access/audit/service.ts'
import { postAct } from '../../ledger/service/post.ts'
import { accountOf } from '../entry-acts.ts'
import type { ResolveSettlementLine } from '../schema.ts'
import { openStatuses, type Resolution, type SettlementLine } from '../settlement-line.ts'
import * as store from '../store/lines.ts'

export function resolveLine(
  deps: Deps,
  caller: Caller,
  id: string,
  { resolution, note }: ResolveSettlementLine,
): Promise<SettlementLine> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockLine(tx, id)
    requireOpen(before)
    if (before.status === 'missing_there' && resolution !== 'ignored')
      refuseMember(
        '/resolution',
        'not_in_list',
        'must be ignored, because the provider has not settled this line',
      )
    const moved = postResolution(tx, before, resolution)
    const after = await store.resolveLine(tx, before, {
      resolution,
      note,
      suspense: moved ? 0n : before.suspense,
      postings: before.postings + (moved ? 1 : 0),
    })
    await recordAuditEntry(tx, 'settlement_line.resolved', {
      objectId: after.id,
      details: { resolution, note },
    })
    return after
  })
}

function requireOpen({ status, needsPosting }: SettlementLine): void {
  if (needsPosting)
    refuse('invalid_state', {
      detail: 'The import of this line is still being matched. Retry when it is completed.',
      current_status: status,
      allowed_actions: [],
    })
  if (openStatuses.some((open) => open === status)) return
  refuse('invalid_state', {
    detail: `A ${status} line cannot be resolved.`,
    current_status: status,
    allowed_actions: [],
  })
}

/** Moves the amount out of suspense. Returns false if it stays there. */
function postResolution(tx: Tx, line: SettlementLine, resolution: Resolution): boolean {
  const { id: lineId, currency, suspense, postings } = line
  const account = accountOf(resolution, suspense)
  if (account === null || suspense === 0n) return false
  postAct(tx, {
    act: suspense > 0n ? 'unexplained_credited' : 'unexplained_debited',
    lineId,
    account,
    currency,
    line: postings,
    amount: suspense > 0n ? suspense : -suspense,
  })
  return true
}
