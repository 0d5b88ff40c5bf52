/** The fees of an account, which are used to estimate costs, and the form that edits them. */
import type { ProviderAccount } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { currencyOptions } from '../../currency-options.ts'
import { replaceAt, without } from '../routes/definition.ts'
import { basisPointsOf, type CostRow, costOf, emptyRow, feeText, rowOf, segmentText } from './cost-text.ts'

const aboutCosts =
  'Your fees at this provider, as you entered them. Routes and dry runs use them to estimate costs. They are not what the provider billed.'

export function Costs({ account }: { account: ProviderAccount }) {
  const [isOpen, setOpen] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const { costs, status } = account
  return (
    <Panel
      title="Costs"
      titleExtra={
        status !== 'archived' && (
          <Button
            disabledReason={disabledReasonFor('provider_accounts.update')}
            onClick={() => setOpen(true)}
          >
            Edit costs…
          </Button>
        )
      }
    >
      <div className="grid gap-3">
        <PlainTable
          label="Costs"
          rows={costs}
          keyOf={segmentText}
          columns={[
            { title: 'Payments', cell: segmentText, phone: true },
            { title: 'Fee', cell: feeText, align: 'right', phone: true },
          ]}
          empty="No costs entered."
        />
        <p className="text-compact text-ink2">{aboutCosts}</p>
      </div>
      {isOpen && <EditCosts account={account} close={() => setOpen(false)} />}
    </Panel>
  )
}

function EditCosts({ account, close }: { account: ProviderAccount; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [rows, setRows] = useState<readonly CostRow[]>(() => account.costs.map(rowOf))
  const costs = rows.flatMap((row) => costOf(row) ?? [])
  const body = { costs }
  const invalidReason = costs.length < rows.length ? 'Correct the fees that are not valid.' : null
  return (
    <ActionDialog
      title={`Edit costs of ${account.display_name}`}
      intro={`${aboutCosts} The first entry that matches a payment applies; if none matches, its cost is unknown.`}
      submit="Save costs"
      disabledReason={disabledReasonFor('provider_accounts.update') ?? invalidReason}
      call={{
        method: 'PUT',
        path: `/provider-accounts/${account.id}`,
        body,
        sdk: { method: 'providerAccounts.update', args: [account.id, body] },
      }}
      run={async (key) => {
        await api.providerAccounts.update(account.id, body, key)
        await invalidate('provider_account', 'payment_route')
      }}
      successMessage="Costs saved"
      onDone={close}
      onCancel={close}
    >
      {rows.map((row, position) => (
        <CostFields
          // biome-ignore lint/suspicious/noArrayIndexKey: the entries of the form have no id.
          key={position}
          row={row}
          position={position}
          onChange={(changed) => setRows(replaceAt(rows, position, changed))}
          remove={() => setRows(without(rows, position))}
        />
      ))}
      <div>
        <Button onClick={() => setRows([...rows, emptyRow])}>Add entry</Button>
      </div>
    </ActionDialog>
  )
}

type CostFieldsProps = {
  row: CostRow
  position: number
  onChange: (row: CostRow) => void
  remove: () => void
}

function CostFields({ row, position, onChange, remove }: CostFieldsProps) {
  const pointer = `/costs/${position}`
  const text = (
    label: string,
    name: keyof CostRow,
    member: string,
    hint: string,
    error: string | null = null,
  ) => (
    <TextField
      label={label}
      value={row[name]}
      onChange={(value) => onChange({ ...row, [name]: value })}
      hint={hint}
      error={error}
      pointer={`${pointer}/${member}`}
    />
  )
  const hasPercent = row.percent === '' || basisPointsOf(row.percent) !== null
  const isFixedValid = row.fixed === '' || costOf({ ...row, percent: '0' }) !== null
  const fixedHint = row.currency === '' ? 'Choose a currency first.' : 'Per payment.'
  return (
    <fieldset className="grid gap-3 border-t border-line pt-3">
      <legend className="font-bold">Entry {position + 1}</legend>
      <div className="grid gap-3 sm:grid-cols-3">
        <SelectField
          label="Currency"
          value={row.currency}
          onChange={(currency) => onChange({ ...row, currency })}
          options={[{ value: '', text: 'Any' }, ...currencyOptions]}
          pointer={`${pointer}/currency`}
        />
        {text(
          'Percentage',
          'percent',
          'basis_points',
          'Of the amount: 1.4 for 1.4%.',
          hasPercent ? null : 'Enter 0 to 100, with at most two decimals.',
        )}
        {text('Fixed fee', 'fixed', 'fixed_amount', fixedHint, isFixedValid ? null : 'Enter a valid amount.')}
        {text('Card brands', 'brands', 'card_brands', 'Such as visa, amex. Empty: any.')}
        {text('Card countries', 'countries', 'card_countries', 'Such as DE, AT. Empty: any.')}
        {text('Card funding', 'fundings', 'card_fundings', 'credit, debit, prepaid. Empty: any.')}
      </div>
      <div>
        <Button variant="quiet" onClick={remove}>
          Remove entry {position + 1}
        </Button>
      </div>
    </fieldset>
  )
}
