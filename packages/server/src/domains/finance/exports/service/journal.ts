/** The settings of the journal, and whether they are complete for a format. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { exponentOf, isCurrency } from '../../../../kernel/currency.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { fiscalYearStartOf } from '../datev.ts'
import type { FormatName } from '../formats.ts'
import {
  accountNumberOf,
  changeSettings,
  type JournalChange,
  type JournalSettings,
} from '../journal-settings.ts'
import type { DailySum } from '../sources.ts'
import * as store from '../store/journal-settings.ts'
import { readDailySums } from './pages.ts'

export function getJournalSettings(deps: Deps, caller: Caller): Promise<JournalSettings> {
  return read(deps, caller, store.findJournalSettings)
}

export function updateJournalSettings(
  deps: Deps,
  caller: Caller,
  change: JournalChange,
): Promise<JournalSettings> {
  return transact(deps, caller, async (tx) => {
    const after = changeSettings(await store.lockJournalSettings(tx), change)
    await store.saveJournalSettings(tx, after)
    return after
  })
}

type JournalPeriod = { readonly format: FormatName; readonly fromOn: string; readonly toOn: string }

/** The settings for an export of the journal. Refuses if accounts that have postings lack a number. */
export async function requireJournalSettings(tx: Tx, period: JournalPeriod): Promise<JournalSettings> {
  const settings = await store.findJournalSettings(tx)
  if (period.format === 'csv' || period.format === 'parquet') return settings
  const sums = await readDailySums(tx, period)
  const missing = accountsWithout(sums, (account) => hasNumber(settings, account, period.format))
  if (missing.length > 0)
    refuse('journal_settings_incomplete', {
      detail: `These accounts have postings in the period but no valid number: ${missing.join(', ')}.`,
    })
  if (period.format === 'datev') requireDatev(settings, period, sums)
  return settings
}

function accountsWithout(sums: readonly DailySum[], has: (account: string) => boolean): readonly string[] {
  return [...new Set(sums.map(({ account }) => account))].filter((account) => !has(account)).toSorted()
}

/** An account of DATEV is a number with at most as many digits as the settings specify. */
function hasNumber(settings: JournalSettings, account: string, format: FormatName): boolean {
  const number = accountNumberOf(settings, account)
  if (number === null) return false
  const length = settings.datev?.account_length ?? 8
  return format !== 'datev' || (/^[1-9]\d*$/.test(number) && number.length <= length)
}

function requireDatev(
  settings: JournalSettings,
  { fromOn, toOn }: JournalPeriod,
  sums: readonly DailySum[],
): void {
  if (settings.datev === null)
    refuse('journal_settings_incomplete', { detail: 'The settings for DATEV are missing: `datev`.' })
  if (fiscalYearStartOf(settings.datev, fromOn) !== fiscalYearStartOf(settings.datev, toOn))
    refuseMember('/to', 'too_large', 'must be in the same fiscal year as from')
  const unsupported = sums.find(({ currency }) => isCurrency(currency) && exponentOf(currency) > 2)
  if (unsupported !== undefined)
    refuseMember('/format', 'not_together', `has two decimal places, too few for ${unsupported.currency}`)
}
