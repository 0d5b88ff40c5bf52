/** The tax rates. Their percentages are immutable; they can be archived while no rule uses them. */
import type { CreateTaxRate, TaxRate } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, PlainTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { categoryTexts } from './tax-text.ts'

const columns: readonly Column<TaxRate>[] = [
  { title: 'Rate', cell: ({ name }) => name, phone: true },
  {
    title: 'Percentage',
    cell: ({ percentage }) => `${percentage}%`,
    align: 'right',
    width: '110px',
    phone: true,
  },
  { title: 'Country', cell: ({ country }) => country ?? '–', width: '100px' },
  { title: 'Category', cell: ({ category }) => `${category}: ${categoryTexts[category]}` },
  {
    title: 'Status',
    cell: ({ active }) => <Status status={active ? 'active' : 'archived'} />,
    width: '120px',
    phone: true,
  },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, width: '130px' },
  { title: 'Actions', cell: (rate) => <ArchiveButton rate={rate} />, width: '130px', phone: true },
]

export function Rates({ rates }: { rates: readonly TaxRate[] }) {
  const [isCreating, setCreating] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const create = (
    <Button compact disabledReason={disabledReasonFor('tax_rates.create')} onClick={() => setCreating(true)}>
      Create tax rate
    </Button>
  )
  return (
    <Panel title="Tax rates" titleExtra={create} flush>
      {rates.length === 0 ? (
        <Empty title="No tax rates yet." action={create}>
          Enter the rates of the countries that you charge tax in.
        </Empty>
      ) : (
        <PlainTable label="Tax rates" columns={columns} rows={rates} keyOf={({ id }) => id} />
      )}
      {isCreating && <RateForm close={() => setCreating(false)} />}
    </Panel>
  )
}

function ArchiveButton({ rate: { id, active } }: { rate: TaxRate }) {
  const [isOpen, setOpen] = useState(false)
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const disabledReason = disabledReasonFor('tax_rates.update')
  const body = { active: !active }
  const title = active ? 'Archive tax rate' : 'Restore tax rate'
  const close = () => setOpen(false)
  return (
    <>
      <Button compact disabledReason={disabledReason} onClick={() => setOpen(true)}>
        {active ? 'Archive…' : 'Restore…'}
      </Button>
      {isOpen && (
        <ActionDialog
          title={title}
          intro={active ? 'New rules cannot use this rate.' : 'New rules can use this rate again.'}
          submit={title}
          disabledReason={disabledReason}
          call={{
            method: 'PUT',
            path: `/tax-rates/${id}`,
            body,
            sdk: { method: 'taxRates.update', args: [id, body] },
          }}
          run={async (key) => {
            await api.taxRates.update(id, body, key)
            await invalidate('tax_rate')
          }}
          successMessage={active ? 'Tax rate archived' : 'Tax rate restored'}
          onDone={close}
          onCancel={close}
        />
      )}
    </>
  )
}

const categoryOptions = Object.entries(categoryTexts).map(([value, text]) => ({
  value,
  text: `${value}: ${text}`,
}))

const textOrNull = (value: string) => (value.trim() === '' ? null : value.trim())

function RateForm({ close }: { close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const disabledReasonFor = useDisabledReason()
  const [values, setValues] = useState({ name: '', percentage: '', country: '', category: 'S', reason: '' })
  const set = (name: keyof typeof values) => (value: string) => setValues({ ...values, [name]: value })
  const isTaxed = values.category === 'S'
  const body: CreateTaxRate = {
    name: values.name.trim(),
    percentage: isTaxed ? values.percentage.trim() : '0',
    country: textOrNull(values.country.toUpperCase()),
    category: values.category as TaxRate['category'],
    ...(isTaxed ? {} : { exemption_reason: textOrNull(values.reason) }),
  }
  return (
    <ActionDialog
      title="Create tax rate"
      intro="Percentage and category cannot be changed. If the law changes, create another rate."
      submit="Create tax rate"
      disabledReason={disabledReasonFor('tax_rates.create')}
      call={{ method: 'POST', path: '/tax-rates', body, sdk: { method: 'taxRates.create', args: [body] } }}
      run={async (key) => {
        await api.taxRates.create(body, key)
        await invalidate('tax_rate')
      }}
      successMessage="Tax rate created"
      onDone={close}
      onCancel={close}
    >
      <TextField label="Name" value={values.name} onChange={set('name')} pointer="/name" autoFocus />
      <SelectField
        label="Category"
        value={values.category}
        onChange={set('category')}
        options={categoryOptions}
        pointer="/category"
      />
      {isTaxed ? (
        <TextField
          label="Percentage"
          value={values.percentage}
          onChange={set('percentage')}
          hint="For example 19 or 8.875."
          pointer="/percentage"
        />
      ) : (
        <TextField
          label="Reason printed on invoices"
          value={values.reason}
          onChange={set('reason')}
          hint="Optional."
          pointer="/exemption_reason"
        />
      )}
      <TextField
        label="Country code"
        value={values.country}
        onChange={set('country')}
        hint="Optional. Country that levies the tax, such as DE."
        pointer="/country"
      />
    </ActionDialog>
  )
}
