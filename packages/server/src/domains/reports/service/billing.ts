/** What subscriptions bring, what is at risk, and how that came to be. Sums that are kept, and what is new since. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import { read, type View } from '../../../platform/db/unit-of-work.ts'
import { type DayChange, dayChangesOf, sumDays, sumTotals, type Total, totalsOf } from '../billing.ts'
import { balancesOf, type DayBalance, dayOf } from '../history.ts'
import { type Books, readBooks } from '../store/billing.ts'
import { wallTime } from '../store/cursors.ts'
import { billingSteps, newsSince } from './news.ts'

export type BillingReport = {
  readonly totals: readonly Total[]
  /** Of the last 30 days, with today. */
  readonly days: readonly DayChange[]
  readonly countedAt: Date | null
}

const daySeconds = 86_400
/** With today. */
export const recoveredDays = 30

export function reportBilling(deps: Deps, caller: Caller): Promise<BillingReport> {
  return read(deps, caller, async (view) => {
    const since = dayOf(addSeconds(await wallTime(view), -(recoveredDays - 1) * daySeconds))
    return upToDate(view, since)
  })
}

export type BillingHistory = { readonly days: readonly DayBalance[]; readonly countedAt: Date | null }
type Bounds = { readonly from?: string | undefined; readonly to?: string | undefined }
const mostDays = 400

export function reportBillingHistory(deps: Deps, caller: Caller, bounds: Bounds): Promise<BillingHistory> {
  return read(deps, caller, async (view) => {
    const today = dayOf(await wallTime(view))
    const to = bounds.to ?? today
    const from = bounds.from ?? dayOf(addSeconds(new Date(to), -(recoveredDays - 1) * daySeconds))
    if (from > to) refuseMember('/to', 'too_small', 'must not lie before from')
    if (to > today) refuseMember('/to', 'too_large', 'must not lie in the future')
    if (dayOf(addSeconds(new Date(from), mostDays * daySeconds)) < to)
      refuseMember('/from', 'too_small', `must lie at most ${mostDays} days before to`)
    const { totals, days, countedAt } = await upToDate(view, from)
    return { days: balancesOf(totals, days, { from, to }), countedAt }
  })
}

const mostTries = 3

/** If somebody counts meanwhile, what was counted and what is new may be told twice: then it is read again. */
async function upToDate(view: View, sinceDay: string): Promise<BillingReport> {
  let books = await readBooks(view, sinceDay)
  for (let tries = 0; tries < mostTries; tries += 1) {
    const report = await withNews(view, books)
    const again = await readBooks(view, sinceDay)
    if (isSame(books, again)) return report
    books = again
  }
  return { totals: books.totals, days: books.days, countedAt: books.cursor.seen?.at ?? null }
}

async function withNews(view: View, { cursor, totals, days }: Books): Promise<BillingReport> {
  const { look, news } = await newsSince(view, cursor)
  if (look.isFull || cursor.until !== null) return { totals, days, countedAt: cursor.seen?.at ?? null }
  const steps = await billingSteps(view, news)
  return {
    totals: sumTotals([...totals, ...totalsOf(steps)]),
    days: sumDays([...days, ...dayChangesOf(steps)]),
    countedAt: look.now.at,
  }
}

function isSame({ cursor: one }: Books, { cursor: other }: Books): boolean {
  return one.seen?.snapshot === other.seen?.snapshot && one.afterUuid === other.afterUuid
}
