/** Imports a settlement report: creates the import, then uploads the file. */
import type { CreateSettlementImport } from '@switchyard/sdk'
import { useId, useState } from 'react'
import { useInvalidate, useRows } from '../../api/queries.ts'
import { useApi } from '../../api/workspace.tsx'
import { ActionDialog } from '../../ui/action.tsx'
import { SelectField } from '../../ui/fields.tsx'

const formats = [
  { value: 'stripe_payout_reconciliation', text: 'Stripe: itemized payout reconciliation' },
  { value: 'adyen_settlement_details', text: 'Adyen: Settlement details' },
  { value: 'csv', text: 'CSV, with the mapping saved for the account' },
]

export function ImportReport({ close }: { close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const accounts = useRows(['provider_account', 'settlement'], (client, page) =>
    client.providerAccounts.list(page),
  )
  const [chosen, setChosen] = useState<string | null>(null)
  const [format, setFormat] = useState(formats[0]?.value ?? '')
  const [file, setFile] = useState<File | null>(null)
  const accountId = chosen ?? accounts.rows[0]?.id ?? ''
  const body = { provider_account_id: accountId, format, file_name: file?.name } as CreateSettlementImport
  return (
    <ActionDialog
      title="Import report"
      intro="The lines are compared with your payments and refunds. A line that was imported before is not imported again."
      submit="Import report"
      disabledReason={file === null ? 'Choose a file first.' : null}
      call={{
        method: 'POST',
        path: '/settlement-imports',
        body,
        sdk: { method: 'settlementImports.create', args: [body] },
      }}
      run={async (key) => {
        const created = await api.settlementImports.create(body, key)
        return api.settlementImports.upload(created.id, file ?? '')
      }}
      successMessage="Report uploaded. Its lines are being compared."
      onDone={() => {
        close()
        void invalidate('settlement_line', 'reconciliation', 'payout')
      }}
      onCancel={close}
    >
      <SelectField
        label="Provider account"
        pointer="/provider_account_id"
        value={accountId}
        onChange={setChosen}
        options={accounts.rows.map(({ id, display_name }) => ({ value: id, text: display_name }))}
      />
      <SelectField label="Format" pointer="/format" value={format} onChange={setFormat} options={formats} />
      <FileField onChange={setFile} />
    </ActionDialog>
  )
}

function FileField({ onChange }: { onChange: (file: File | null) => void }) {
  const id = useId()
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-bold">
        File
      </label>
      <input
        id={id}
        type="file"
        accept=".csv,text/csv"
        onChange={(event) => onChange(event.target.files?.[0] ?? null)}
      />
    </div>
  )
}
