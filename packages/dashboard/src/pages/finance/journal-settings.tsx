/** The form for the numbers of accounts, and the settings of Xero and DATEV. */
import type { JournalSettings, UpdateJournalSetting } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../api/queries.ts'
import { useApi, useDisabledReason } from '../../api/workspace.tsx'
import { sentenceCase } from '../../format/text.ts'
import { ActionForm } from '../../ui/action.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, TextField } from '../../ui/fields.tsx'
import { Loaded } from '../../ui/states.tsx'

export function JournalSettingsDialog({ close }: { close: () => void }) {
  const settings = useObject(['journal_settings', 'settings'], (api) => api.journalSettings.get())
  return (
    <Dialog
      title="Journal settings"
      intro="Numbers and names of the accounts in your chart of accounts, for exports of the journal."
      onClose={close}
      wide
    >
      <Loaded query={settings} rows={8}>
        {(loaded) => <SettingsForm settings={loaded} close={close} />}
      </Loaded>
    </Dialog>
  )
}

type Account = { readonly account: string; readonly number: string; readonly name: string }
type Datev = { readonly [name in (typeof datevFields)[number]['name']]: string }

const datevFields = [
  { name: 'consultant_number', label: 'Consultant number (Beraternummer)' },
  { name: 'client_number', label: 'Client number (Mandantennummer)' },
  { name: 'fiscal_year_start', label: 'Start of the fiscal year (MM-DD)' },
  { name: 'account_length', label: 'Digits of account numbers (Sachkontenlänge)' },
] as const

const datevOf = ({ datev }: JournalSettings): Datev => ({
  consultant_number: String(datev?.consultant_number ?? ''),
  client_number: String(datev?.client_number ?? ''),
  fiscal_year_start: datev?.fiscal_year_start ?? '01-01',
  account_length: String(datev?.account_length ?? 4),
})

function bodyOf(accounts: readonly Account[], datev: Datev | null, taxRate: string) {
  return {
    accounts: accounts.map(({ account, number, name }) => ({
      account,
      number: number === '' ? null : number,
      name: name === '' ? null : name,
    })),
    datev: datev && {
      consultant_number: Number(datev.consultant_number),
      client_number: Number(datev.client_number),
      fiscal_year_start: datev.fiscal_year_start,
      account_length: Number(datev.account_length),
    },
    xero: { tax_rate: taxRate },
  } as UpdateJournalSetting
}

function SettingsForm({ settings, close }: { settings: JournalSettings; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const disabledReasonFor = useDisabledReason()
  const [accounts, setAccounts] = useState<readonly Account[]>(
    settings.accounts.map(({ account, number, name }) => ({ account, number: number ?? '', name })),
  )
  const [datev, setDatev] = useState(() => datevOf(settings))
  const [usesDatev, setUsesDatev] = useState(settings.datev !== null)
  const [taxRate, setTaxRate] = useState(settings.xero.tax_rate)
  const body = bodyOf(accounts, usesDatev ? datev : null, taxRate)
  const change = (index: number, changes: Partial<Account>) =>
    setAccounts(accounts.map((row, at) => (at === index ? { ...row, ...changes } : row)))
  return (
    <ActionForm
      submit="Save settings"
      disabledReason={disabledReasonFor('journal_settings.update')}
      call={{
        method: 'PUT',
        path: '/journal-settings',
        body,
        sdk: { method: 'journalSettings.update', args: [body] },
      }}
      run={async (key) => {
        await api.journalSettings.update(body, key)
        await invalidate('journal_settings')
      }}
      successMessage="Settings saved"
      onDone={close}
      onCancel={close}
    >
      <AccountFields accounts={accounts} change={change} />
      <TextField
        label="Tax rate in Xero"
        pointer="/xero/tax_rate"
        hint="Name of the tax rate in Xero, used for all lines."
        value={taxRate}
        onChange={setTaxRate}
      />
      <CheckField label="Export files for DATEV" checked={usesDatev} onChange={setUsesDatev} />
      {usesDatev && (
        <div className="grid gap-4 sm:grid-cols-2">
          {datevFields.map(({ name, label }) => (
            <TextField
              key={name}
              label={label}
              pointer={`/datev/${name}`}
              value={datev[name]}
              onChange={(value) => setDatev({ ...datev, [name]: value })}
            />
          ))}
        </div>
      )}
    </ActionForm>
  )
}

function AccountFields(props: {
  accounts: readonly Account[]
  change: (index: number, changes: Partial<Account>) => void
}) {
  const { accounts, change } = props
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-bold">Accounts</legend>
      {accounts.map(({ account, number, name }, index) => (
        <div key={account} className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)] gap-2">
          <TextField
            label={`${sentenceCase(account)}: number`}
            pointer={`/accounts/${index}/number`}
            value={number}
            onChange={(value) => change(index, { number: value })}
          />
          <TextField
            label={`${sentenceCase(account)}: name`}
            pointer={`/accounts/${index}/name`}
            value={name}
            onChange={(value) => change(index, { name: value })}
          />
        </div>
      ))}
    </fieldset>
  )
}
