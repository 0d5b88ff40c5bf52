import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { uuidInFilter } from '../../../../kernel/filters.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import type { SettlementImport } from '../settlement-import.ts'
import type { LineStatus } from '../settlement-line.ts'
import { findImport, listImports as findImports } from '../store/imports.ts'
import { listLines as findLines, readCounts } from '../store/lines.ts'
import { listPayouts as findPayouts } from '../store/payouts.ts'

type AccountFilter = { readonly provider_account_id?: string | undefined }

export function listImports(deps: Deps, caller: Caller, range: IdRange, filter: AccountFilter) {
  const accountUuid = uuidInFilter('provider_account', caller.mode, filter.provider_account_id)
  return read(deps, caller, (view) => findImports(view, range, accountUuid))
}

export function getImport(deps: Deps, caller: Caller, id: string): Promise<SettlementImport> {
  return read(deps, caller, (view) => findImport(view, id))
}

export function listLines(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  { status }: { readonly status?: LineStatus | undefined },
) {
  return read(deps, caller, (view) => findLines(view, range, status))
}

export function getReconciliation(deps: Deps, caller: Caller) {
  return read(deps, caller, readCounts)
}

export function listPayouts(deps: Deps, caller: Caller, range: IdRange, filter: AccountFilter) {
  const accountUuid = uuidInFilter('provider_account', caller.mode, filter.provider_account_id)
  return read(deps, caller, (view) => findPayouts(view, range, { accountUuid, now: deps.clock.read() }))
}
