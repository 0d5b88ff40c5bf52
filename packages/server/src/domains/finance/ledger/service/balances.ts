import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { read, type View } from '../../../../platform/db/unit-of-work.ts'
import type { AccountSums } from '../balance.ts'
import type { DailySums } from '../balance-difference.ts'
import { readBalances, readSumsOfDays } from '../store/balances.ts'

/** The balances of all accounts, at the end of a day in UTC if one is given. */
export function listBalances(
  deps: Deps,
  caller: Caller,
  { as_of: asOf = null }: { readonly as_of?: string | null | undefined },
): Promise<readonly AccountSums[]> {
  return read(deps, caller, (view) => readBalances(view, asOf))
}

/** The debits and credits of each account and day of a period, for exports. */
export function readDailyBalances(view: View, fromOn: string, toOn: string): Promise<readonly DailySums[]> {
  return readSumsOfDays(view, fromOn, toOn)
}
