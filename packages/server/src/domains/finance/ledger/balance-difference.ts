/** Compares the balances with the sums of all postings. No side effects. */
import type { AccountSums } from './balance.ts'
import type { LedgerDifference } from './difference.ts'

export type DailySums = AccountSums & { readonly dayOn: string }
export type SumsByAccount = Map<string, { readonly debits: bigint; readonly credits: bigint }>

/** Adds sums to those of the same account, currency and day. */
export function addSums(totals: SumsByAccount, sums: readonly DailySums[]): void {
  for (const { debits, credits, ...sum } of sums) {
    const name = nameOf(sum)
    const before = totals.get(name) ?? none
    totals.set(name, { debits: before.debits + debits, credits: before.credits + credits })
  }
}

const none = { debits: 0n, credits: 0n }

function nameOf({
  account,
  providerAccountId,
  currency,
  dayOn,
}: Omit<DailySums, 'debits' | 'credits'>): string {
  return [account, ...(providerAccountId === null ? [] : [providerAccountId]), currency, dayOn].join(' ')
}

export function balanceDifferences(balances: SumsByAccount, posted: SumsByAccount): LedgerDifference[] {
  const names = new Set([...balances.keys(), ...posted.keys()])
  return [...names].toSorted().flatMap((name) => {
    const [balance, sums] = [balances.get(name) ?? none, posted.get(name) ?? none]
    return (['debits', 'credits'] as const)
      .filter((side) => balance[side] !== sums[side])
      .map((side) => ({
        subject: name,
        amount: `the sum of ${side}`,
        recorded: balance[side],
        posted: sums[side],
      }))
  })
}
