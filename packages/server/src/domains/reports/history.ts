/** How the sums of today came to be, by the day. Changes are kept, so each day is today's sum less what came after. Pure. */
import { addSeconds } from '../../kernel/clock.ts'
import type { DayChange, Total } from './billing.ts'

export type DayBalance = {
  readonly dayOn: string
  readonly currency: string
  /** At the end of the day, or now. */
  readonly mrr: bigint
  readonly active: bigint
  readonly recovered: bigint
  readonly recoveredAmount: bigint
}
export type Days = { readonly from: string; readonly to: string }

export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/** Every day of every currency, the oldest first. `changes` are those since `from`, also those after `to`. */
export function balancesOf(
  totals: readonly Total[],
  changes: readonly DayChange[],
  days: Days,
): readonly DayBalance[] {
  const active = totals.filter(({ kind, status }) => kind === 'subscription' && status === 'active')
  const currencies = [...new Set([...active, ...changes].map(({ currency }) => currency))].toSorted()
  return currencies.flatMap((currency) => {
    const now = active.find((total) => total.currency === currency)
    const own = changes.filter((change) => change.currency === currency)
    return backwards({ mrr: now?.amount ?? 0n, active: now?.objects ?? 0n }, own, { currency, ...days })
  })
}

type Level = Pick<DayBalance, 'mrr' | 'active'>

function backwards(
  now: Level,
  changes: readonly DayChange[],
  { currency, from, to }: Days & { readonly currency: string },
): readonly DayBalance[] {
  const onDay = new Map(changes.map((change) => [change.dayOn, change]))
  const without = (level: Level, change: DayChange | undefined): Level => ({
    mrr: level.mrr - (change?.mrrChange ?? 0n),
    active: level.active - (change?.activeChange ?? 0n),
  })
  let level = changes.filter(({ dayOn }) => dayOn > to).reduce(without, now)
  const balances: DayBalance[] = []
  for (let dayOn = to; dayOn >= from; dayOn = dayOf(addSeconds(new Date(dayOn), -86_400))) {
    const change = onDay.get(dayOn)
    const { recovered = 0n, recoveredAmount = 0n } = change ?? {}
    balances.push({ dayOn, currency, ...level, recovered, recoveredAmount })
    level = without(level, change)
  }
  return balances.toReversed()
}
