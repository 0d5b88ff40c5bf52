/** Rows of the settings of the journal: one per workspace, none until they are changed. */
import { uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import {
  type DatevSettings,
  defaultSettings,
  type JournalSettings,
  type XeroSettings,
} from '../journal-settings.ts'

export async function findJournalSettings(view: View): Promise<JournalSettings> {
  const row = await select(view).executeTakeFirst()
  return row === undefined ? defaultSettings : fromRow(row)
}

/**
 * A workspace without a row has nothing to lock. In this case the later of two concurrent changes applies.
 */
export async function lockJournalSettings(tx: Tx): Promise<JournalSettings> {
  const row = await select(tx).forUpdate().executeTakeFirst()
  return row === undefined ? defaultSettings : fromRow(row)
}

export async function saveJournalSettings(tx: Tx, settings: JournalSettings): Promise<void> {
  const values = {
    accounts: JSON.stringify(settings.accounts),
    datev: settings.datev === null ? null : JSON.stringify(settings.datev),
    xero: JSON.stringify(settings.xero),
    updated_at: tx.now,
  }
  await tx.db
    .insertInto('journal_settings')
    .values({ workspace_id: uuidOf(tx.caller.workspaceId), ...values })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(values))
    .execute()
}

function select(view: View) {
  return view.db
    .selectFrom('journal_settings')
    .select(['accounts', 'datev', 'xero'])
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
}

type SettingsRow = { readonly accounts: unknown; readonly datev: unknown; readonly xero: unknown }

function fromRow({ accounts, datev, xero }: SettingsRow): JournalSettings {
  return {
    accounts: accounts as JournalSettings['accounts'],
    datev: datev as DatevSettings | null,
    xero: xero as XeroSettings,
  }
}
