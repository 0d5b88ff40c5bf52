/** The payments report: the stored sums plus the events since they were stored. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import { type Id, idOrNull } from '../../../../kernel/id.ts'
import { read, type View } from '../../../../platform/db/unit-of-work.ts'
import type { Cursor } from '../cursor.ts'
import {
  bucketStart,
  type Counters,
  type Figure,
  type Grain,
  type Group,
  grainSeconds,
  sumByGrain,
  sumByGroup,
} from '../figures.ts'
import type { PaymentsQuery } from '../schema/payments.ts'
import { wallTime } from '../store/cursors.ts'
import { type ReportQuery, readFigures } from '../store/figures.ts'
import { paymentFigures, readNewEvents, testClockFigures } from './new-events.ts'

export type Row = Counters & {
  readonly start: Date
  readonly group: string | null
  readonly currency: string
}
export type PaymentsReport = {
  readonly query: ReportQuery
  readonly rows: readonly Row[]
  /** All events until this time are included. */
  readonly countedAt: Date | null
}

/** The maximum number of buckets in a report. */
const maxBuckets = 750
/** The retention of figures. */
const maxDays = 400

export function reportPayments(deps: Deps, caller: Caller, input: PaymentsQuery): Promise<PaymentsReport> {
  return read(deps, caller, async (view) => {
    const query = parseQuery(input, await wallTime(view))
    const { cursor, figures } = await readFigures(view, query)
    const { newFigures, countedAt } = await figuresSince(view, cursor)
    const isInRange = ({ at }: Figure) => at >= query.from && at < query.to
    const onTestClocks = query.testClocks === 'include' ? await testClockFigures(view, query) : []
    const all = [...figures, ...sumByGrain(query.grain, [...newFigures, ...onTestClocks]).filter(isInRange)]
    const rows = sortFigures(sumByGroup(query.group, all)).map(toRow(view, query.group))
    return { query, rows, countedAt }
  })
}

/** The figures of events since the cursor. If there is more than a batch, the report ends at the cursor. */
async function figuresSince(view: View, cursor: Cursor) {
  const { result, events } = await readNewEvents(view, cursor)
  if (result.isFull || cursor.backlogUntil !== null)
    return { newFigures: [], countedAt: cursor.countedUntil?.at ?? null }
  return { newFigures: await paymentFigures(view, events), countedAt: result.now.at }
}

function parseQuery(
  { bucket = '1h', group = 'none', test_clocks: testClocks = 'exclude', ...query }: PaymentsQuery,
  now: Date,
): ReportQuery {
  const grain: Grain = bucket
  const to = query.to === undefined ? addSeconds(now, 1) : new Date(query.to)
  const from = query.from === undefined ? addSeconds(to, -86_400) : new Date(query.from)
  if (from >= to) refuseMember('/to', 'too_small', 'must be after "from"')
  const seconds = Math.min(maxBuckets * grainSeconds[grain], maxDays * 86_400)
  if (addSeconds(from, seconds) < to)
    refuseMember(
      '/from',
      'too_small',
      `must be at most ${seconds / 3_600} hours before "to" if the bucket is ${grain}`,
    )
  return { grain, group, from: bucketStart(grain, from), to, testClocks }
}

function sortFigures(figures: readonly Figure[]): readonly Figure[] {
  const keyOf = (figure: Figure) =>
    [figure.at.toISOString(), figure.currency, figure.accountUuid ?? '', figure.reason ?? ''].join(' ')
  return figures.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function toRow({ caller }: View, group: Group) {
  return ({ at: start, accountUuid, reason, ...figure }: Figure): Row => {
    const account: Id<'provider_account'> | null = idOrNull('provider_account', caller.mode, accountUuid)
    const groupValue = { none: null, currency: figure.currency, provider_account: account, reason }[group]
    return { start, group: groupValue, ...figure }
  }
}
