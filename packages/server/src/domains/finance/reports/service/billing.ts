/** The billing reports: the stored sums plus the events since they were stored. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import { read, type View } from '../../../../platform/db/unit-of-work.ts'
import { changesByDay, type DayChange, sumByDay, sumTotals, type Total, totalChanges } from '../billing.ts'
import type { TestClockRule } from '../definitions.ts'
import { type DayBalance, dailyBalances, dayOf } from '../history.ts'
import type { BillingQuery } from '../schema/billing.ts'
import { readStoredBilling, type StoredBilling } from '../store/billing.ts'
import { wallTime } from '../store/cursors.ts'
import { billingChanges, readNewEvents, testClockChanges } from './new-events.ts'

export type BillingReport = {
  readonly totals: readonly Total[]
  /** The changes of the last 30 days, including today. */
  readonly days: readonly DayChange[]
  readonly countedAt: Date | null
}
export type CountedBilling = BillingReport & { readonly testClocks: TestClockRule }

const daySeconds = 86_400
/** The number of days, including today, for which recovered amounts are reported. */
export const recoveredDays = 30

export function reportBilling(
  deps: Deps,
  caller: Caller,
  { test_clocks: testClocks = 'exclude' }: BillingQuery,
): Promise<CountedBilling> {
  return read(deps, caller, async (view) => {
    const now = await wallTime(view)
    const report = await readUpToDate(view, dayOf(addSeconds(now, -(recoveredDays - 1) * daySeconds)))
    if (testClocks === 'exclude') return { ...report, testClocks }
    const onTestClocks = await testClockChanges(view, now)
    return {
      totals: sumTotals([...report.totals, ...totalChanges(onTestClocks)]),
      days: sumByDay([...report.days, ...changesByDay(onTestClocks)]),
      countedAt: report.countedAt,
      testClocks,
    }
  })
}

export type BillingHistory = { readonly days: readonly DayBalance[]; readonly countedAt: Date | null }
type Bounds = { readonly from?: string | undefined; readonly to?: string | undefined }
const maxDays = 400

export function reportBillingHistory(deps: Deps, caller: Caller, bounds: Bounds): Promise<BillingHistory> {
  return read(deps, caller, async (view) => {
    const today = dayOf(await wallTime(view))
    const to = bounds.to ?? today
    const from = bounds.from ?? dayOf(addSeconds(new Date(to), -(recoveredDays - 1) * daySeconds))
    if (from > to) refuseMember('/to', 'too_small', 'must not be before "from"')
    if (to > today) refuseMember('/to', 'too_large', 'must not be in the future')
    if (dayOf(addSeconds(new Date(from), maxDays * daySeconds)) < to)
      refuseMember('/from', 'too_small', `must be at most ${maxDays} days before "to"`)
    const { totals, days, countedAt } = await readUpToDate(view, from)
    return { days: dailyBalances(totals, days, { from, to }), countedAt }
  })
}

const maxReads = 3

/**
 * Reads again if the counting work ran in the meantime: otherwise events could be counted twice, in the sums and as
 * new events.
 */
async function readUpToDate(view: View, sinceDay: string): Promise<BillingReport> {
  let stored = await readStoredBilling(view, sinceDay)
  for (let reads = 0; reads < maxReads; reads += 1) {
    const report = await withNewEvents(view, stored)
    const reread = await readStoredBilling(view, sinceDay)
    if (hasSameCursor(stored, reread)) return report
    stored = reread
  }
  return { totals: stored.totals, days: stored.days, countedAt: stored.cursor.countedUntil?.at ?? null }
}

async function withNewEvents(view: View, { cursor, totals, days }: StoredBilling): Promise<BillingReport> {
  const { result, events } = await readNewEvents(view, cursor)
  if (result.isFull || cursor.backlogUntil !== null)
    return { totals, days, countedAt: cursor.countedUntil?.at ?? null }
  const changes = await billingChanges(view, events)
  return {
    totals: sumTotals([...totals, ...totalChanges(changes)]),
    days: sumByDay([...days, ...changesByDay(changes)]),
    countedAt: result.now.at,
  }
}

function hasSameCursor({ cursor: a }: StoredBilling, { cursor: b }: StoredBilling): boolean {
  return a.countedUntil?.snapshot === b.countedUntil?.snapshot && a.afterUuid === b.afterUuid
}
