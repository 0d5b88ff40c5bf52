/**
 * Worker: matches the lines of an uploaded file in steps, each of which is one transaction that also stores the position.
 * A crash repeats at most one step, and repeating a step changes nothing. A lease prevents other workers from
 * matching the same file.
 */
import type { Deps } from '../../../../deps.ts'
import { unreachable } from '../../../../kernel/assert.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { type Ref, uuidOf } from '../../../../kernel/id.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { lockName } from '../../../../platform/db/name-lock.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { postAct } from '../../ledger/service/post.ts'
import { actsOfEntry, unexplainedAct } from '../entry-acts.ts'
import { type MatchingStep, matchingSteps, type SettlementImport } from '../settlement-import.ts'
import * as store from '../store/imports.ts'
import * as matching from '../store/matching.ts'
import * as payouts from '../store/payouts.ts'
import { lockLinesToPost, storeSuspense } from '../store/unexplained.ts'

/** A worker that has not finished a step for this time is considered crashed. */
const leaseSeconds = 120
const postedAtOnce = 2_000
const zeroUuid = '00000000-0000-0000-0000-000000000000'

export async function matchImport(deps: Deps, ref: Ref<'settlement_import'>): Promise<void> {
  const caller = systemCaller(ref)
  let current = await transact(deps, caller, async (tx) => {
    const before = await store.lockImport(tx, ref.id)
    if (before.dueAt === null || before.dueAt > tx.now) return null
    return store.updateImport(tx, before, { dueAt: addSeconds(tx.now, leaseSeconds) })
  })
  while (current !== null && current.status === 'matching') {
    const expected: SettlementImport = current
    current = await transact(deps, caller, async (tx) => {
      const before = await store.lockImport(tx, ref.id)
      // Another worker has taken over.
      if (before.version !== expected.version) return null
      // Run one import of the account at a time: all of them match the same postings, and a posting belongs
      // to only one line.
      await lockName(tx, `settlement of ${uuidOf(before.providerAccountId)}`)
      return store.updateImport(tx, before, await runStep(tx, before))
    })
    crashpoint('settlement.step_stored')
    if (current?.status === 'completed') deps.financeMetrics.settlementImports.inc({ result: 'completed' })
  }
}

/** Runs the next part of the current step, and returns the new position. */
async function runStep(tx: Tx, before: SettlementImport): Promise<store.ImportChanges> {
  const step = before.step as MatchingStep
  const lease = { dueAt: addSeconds(tx.now, leaseSeconds) }
  const after = before.stepAfter ?? zeroUuid
  switch (step) {
    case 'pending_lines': {
      const matched = await matching.matchPendingLines(tx, before, after)
      if (matched === null) return next(tx, step)
      await payouts.addToPayouts(tx, before, withPayouts(before, matched.sums))
      const lines = matched.sums.reduce((total, sum) => total + sum.lines, 0n)
      return { ...lease, stepAfter: matched.last, linesProcessed: before.linesProcessed + lines }
    }
    case 'open_lines': {
      await matching.matchOpenLines(tx, before, after)
      const last = await matching.matchByAmount(tx, before, after)
      return last === null ? next(tx, step) : { ...lease, stepAfter: last }
    }
    case 'payouts':
      return (await postPayouts(tx, before)) ? next(tx, step) : lease
    case 'unexplained':
      return (await postUnexplained(tx, before)) ? next(tx, step) : lease
    case 'missing':
      await matching.deleteFoundLines(tx, before)
      return (await matching.reportMissingLines(tx, before)) ? next(tx, step) : lease
    default:
      return unreachable(step)
  }
}

function next(tx: Tx, step: MatchingStep): store.ImportChanges {
  const following = matchingSteps[matchingSteps.indexOf(step) + 1]
  if (following === undefined)
    return { status: 'completed', step: null, stepAfter: null, dueAt: null, completedAt: tx.now }
  return { step: following, stepAfter: null, dueAt: addSeconds(tx.now, leaseSeconds) }
}

/** Some reports have a line for the payout. In the others the payout is the sum of its lines. */
function withPayouts({ format, mapping }: SettlementImport, sums: readonly matching.LineSums[]) {
  const payoutsAreLines =
    format === 'adyen_settlement_details' || Object.values(mapping?.types ?? {}).includes('payout')
  return sums.map((sum) => ({
    ...sum,
    paidOut: payoutsAreLines || sum.payoutReference === null ? sum.payoutLines : sum.net,
  }))
}

/** Posts fees, rounding, conversions and payouts. Returns true if all are posted. */
async function postPayouts(tx: Tx, before: SettlementImport): Promise<boolean> {
  const entries = await payouts.takeEntriesToPost(tx, before, postedAtOnce)
  for (const entry of entries) for (const act of actsOfEntry(entry)) postAct(tx, act)
  if (entries.length === postedAtOnce) return false
  for (const { id: payoutId, providerAccountId, currency, amount } of await payouts.failReversedPayouts(
    tx,
    before,
  ))
    postAct(tx, { act: 'payout_failed', payoutId, providerAccountId, currency, line: 0, amount })
  return true
}

/**
 * Posts unexplained amounts to suspense, and reverses those that are explained by now. Returns true if all
 * are posted.
 */
async function postUnexplained(tx: Tx, before: SettlementImport): Promise<boolean> {
  const lines = await lockLinesToPost(tx, before, postedAtOnce)
  for (const line of lines) {
    const act = unexplainedAct(line)
    if (act !== null) postAct(tx, act)
  }
  if (lines.length > 0) await storeSuspense(tx, lines)
  return lines.length < postedAtOnce
}
