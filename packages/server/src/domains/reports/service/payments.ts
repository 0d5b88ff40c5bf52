/** What became of payments over a time. Sums that are kept, and what has come since the last look. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import { type Id, idOrNull } from '../../../kernel/id.ts'
import { read, type View } from '../../../platform/db/unit-of-work.ts'
import type { Cursor } from '../cursor.ts'
import {
  type Counters,
  type Figure,
  type Grain,
  type Group,
  grainSeconds,
  inGrain,
  inGroup,
  stretchAt,
} from '../figures.ts'
import type { PaymentsQuery } from '../schema/payments.ts'
import { wallTime } from '../store/cursors.ts'
import { type Asked, readFigures } from '../store/figures.ts'
import { newsSince, paymentFigures } from './news.ts'

export type Row = Counters & {
  readonly start: Date
  readonly group: string | null
  readonly currency: string
}
export type PaymentsReport = {
  readonly asked: Asked
  readonly rows: readonly Row[]
  /** Everything until then is in it. */
  readonly countedAt: Date | null
}

/** So many stretches at most: a report is read by people. */
const mostStretches = 750
/** Figures are kept for so long. */
const mostDays = 400

export function reportPayments(deps: Deps, caller: Caller, query: PaymentsQuery): Promise<PaymentsReport> {
  return read(deps, caller, async (view) => {
    const asked = boundsOf(query, await wallTime(view))
    const { cursor, figures } = await readFigures(view, asked)
    const { fresh, countedAt } = await freshSince(view, cursor)
    const isAsked = ({ at }: Figure) => at >= asked.from && at < asked.to
    const all = [...figures, ...inGrain(asked.grain, fresh).filter(isAsked)]
    return { asked, rows: inOrder(inGroup(asked.group, all)).map(rowFor(view, asked.group)), countedAt }
  })
}

/** What is new since the last look, unless that is more than a portion: then the report says how far it goes. */
async function freshSince(view: View, cursor: Cursor) {
  const { look, news } = await newsSince(view, cursor)
  if (look.isFull || cursor.until !== null) return { fresh: [], countedAt: cursor.seen?.at ?? null }
  return { fresh: await paymentFigures(view, news), countedAt: look.now.at }
}

function boundsOf({ bucket = '1h', group = 'none', ...query }: PaymentsQuery, now: Date): Asked {
  const grain: Grain = bucket
  const to = query.to === undefined ? addSeconds(now, 1) : new Date(query.to)
  const from = query.from === undefined ? addSeconds(to, -86_400) : new Date(query.from)
  if (from >= to) refuseMember('/to', 'too_small', 'must lie after from')
  const seconds = Math.min(mostStretches * grainSeconds[grain], mostDays * 86_400)
  if (addSeconds(from, seconds) < to)
    refuseMember(
      '/from',
      'too_small',
      `must lie at most ${seconds / 3_600} hours before to in steps of ${grain}`,
    )
  return { grain, group, from: stretchAt(grain, from), to }
}

function inOrder(figures: readonly Figure[]): readonly Figure[] {
  const keyOf = (one: Figure) =>
    [one.at.toISOString(), one.currency, one.accountUuid ?? '', one.reason ?? ''].join(' ')
  return figures.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function rowFor({ caller }: View, group: Group) {
  return ({ at: start, accountUuid, reason, ...figure }: Figure): Row => {
    const account: Id<'provider_account'> | null = idOrNull('provider_account', caller.mode, accountUuid)
    const named = { none: null, currency: figure.currency, provider_account: account, reason }[group]
    return { start, group: named, ...figure }
  }
}
