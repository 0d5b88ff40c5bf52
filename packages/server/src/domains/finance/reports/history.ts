/** The balances at the end of each day: the current totals minus the changes of later days. No side effects. */
import { addSeconds } from '../../../kernel/clock.ts'
import type { DayChange, Total } from './billing.ts'

export type DayBalance = {
  readonly dayOn: string
  readonly currency: string
  /** At the end of the day; for today, the current value. */
  readonly mrr: bigint
  /** The number of active subscriptions at the end of the day; for today, the current number. */
  readonly active: bigint
  /** During the day. */
  readonly recovered: bigint
  readonly recoveredAmount: bigint
}
export type Days = { readonly from: string; readonly to: string }

export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/**
 * One balance per day and currency, oldest first. `changes` must contain all changes since `from`, even after
 * `to`.
 */
export function dailyBalances(
  totals: readonly Total[],
  changes: readonly DayChange[],
  days: Days,
): readonly DayBalance[] {
  const activeTotals = totals.filter(({ kind, status }) => kind === 'subscription' && status === 'active')
  const currencies = [...new Set([...activeTotals, ...changes].map(({ currency }) => currency))].toSorted()
  return currencies.flatMap((currency) => {
    const now = activeTotals.find((total) => total.currency === currency)
    const currencyChanges = changes.filter((change) => change.currency === currency)
    return balancesBackwards({ mrr: now?.amount ?? 0n, active: now?.objects ?? 0n }, currencyChanges, {
      currency,
      ...days,
    })
  })
}

type Balance = Pick<DayBalance, 'mrr' | 'active'>

function balancesBackwards(
  now: Balance,
  changes: readonly DayChange[],
  { currency, from, to }: Days & { readonly currency: string },
): readonly DayBalance[] {
  const onDay = new Map(changes.map((change) => [change.dayOn, change]))
  const subtract = (balance: Balance, change: DayChange | undefined): Balance => ({
    mrr: balance.mrr - (change?.mrrChange ?? 0n),
    active: balance.active - (change?.activeChange ?? 0n),
  })
  let balance = changes.filter(({ dayOn }) => dayOn > to).reduce(subtract, now)
  const balances: DayBalance[] = []
  for (let dayOn = to; dayOn >= from; dayOn = dayOf(addSeconds(new Date(dayOn), -86_400))) {
    const change = onDay.get(dayOn)
    const { recovered = 0n, recoveredAmount = 0n } = change ?? {}
    balances.push({ dayOn, currency, ...balance, recovered, recoveredAmount })
    balance = subtract(balance, change)
  }
  return balances.toReversed()
}
