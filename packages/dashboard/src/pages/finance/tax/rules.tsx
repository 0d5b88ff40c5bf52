/** The tax rules, in the order in which they are tried. */
import type { CreateTaxRule, TaxRate, TaxRule } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { type Column, PlainTable } from '../../../ui/table.tsx'
import { conditionsText } from './tax-text.ts'

const columnsOf = (rates: readonly TaxRate[]): readonly Column<TaxRule>[] => [
  { title: 'Order', cell: ({ position }) => String(position), width: '80px', phone: true },
  { title: 'Applies to', cell: conditionsText, phone: true },
  {
    title: 'Tax rate',
    cell: ({ tax_rate_id: id }) => rates.find((rate) => rate.id === id)?.name ?? id,
    phone: true,
  },
  { title: 'Actions', cell: (rule) => <DeleteButton rule={rule} />, width: '130px', phone: true },
]

export function Rules({ rates }: { rates: readonly TaxRate[] }) {
  const rules = useObject(['tax_rule', 'all'], (api) => api.taxRules.list().all({ max: 500 }))
  const [isCreating, setCreating] = useState(false)
  const disabledReasonFor = useDisabledReason()
  const active = rates.filter((rate) => rate.active)
  const missing = active.length === 0 ? 'Create a tax rate first.' : null
  const create = (
    <Button
      compact
      disabledReason={disabledReasonFor('tax_rules.create') ?? missing}
      onClick={() => setCreating(true)}
    >
      Create tax rule
    </Button>
  )
  return (
    <Panel title="Tax rules" titleExtra={create} flush>
      <Loaded query={rules} rows={3}>
        {(loaded) =>
          loaded.length === 0 ? (
            <Empty title="No tax rules yet.">
              A rule selects the rate by the country of the customer, the type of customer and the tax code of
              the product.
            </Empty>
          ) : (
            <PlainTable label="Tax rules" columns={columnsOf(rates)} rows={loaded} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {isCreating && <RuleForm rates={active} close={() => setCreating(false)} />}
    </Panel>
  )
}

function DeleteButton({ rule }: { rule: TaxRule }) {
  const [isOpen, setOpen] = useState(false)
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const disabledReason = disabledReasonFor('tax_rules.delete')
  const close = () => setOpen(false)
  return (
    <>
      <Button compact disabledReason={disabledReason} onClick={() => setOpen(true)}>
        Delete…
      </Button>
      {isOpen && (
        <ActionDialog
          title="Delete tax rule"
          intro={`New invoices no longer use the rule for: ${conditionsText(rule)}. Existing invoices keep their tax.`}
          submit="Delete tax rule"
          danger
          cancelLabel="Keep rule"
          disabledReason={disabledReason}
          call={{
            method: 'DELETE',
            path: `/tax-rules/${rule.id}`,
            sdk: { method: 'taxRules.delete', args: [rule.id] },
          }}
          run={async () => {
            await api.taxRules.delete(rule.id)
            await invalidate('tax_rule', 'tax_preview')
          }}
          successMessage="Tax rule deleted"
          onDone={close}
          onCancel={close}
        />
      )}
    </>
  )
}

function bodyOf(values: Values): CreateTaxRule {
  const { country, customerType, taxCode, position } = values
  return {
    tax_rate_id: values.rateId,
    ...(country.trim() === '' ? {} : { country: country.trim().toUpperCase() }),
    ...(customerType === '' ? {} : { customer_type: customerType as 'business' | 'consumer' }),
    ...(taxCode.trim() === '' ? {} : { tax_code: taxCode.trim() }),
    ...(position === '' ? {} : { position: Number(position) }),
  }
}

type Values = {
  readonly rateId: string
  readonly country: string
  readonly customerType: string
  readonly taxCode: string
  readonly position: string
}

function RuleForm({ rates, close }: { rates: readonly TaxRate[]; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const disabledReasonFor = useDisabledReason()
  const [values, setValues] = useState<Values>({
    rateId: rates[0]?.id ?? '',
    country: '',
    customerType: '',
    taxCode: '',
    position: '',
  })
  const set = (name: keyof Values) => (value: string) => setValues({ ...values, [name]: value })
  const body = bodyOf(values)
  return (
    <ActionDialog
      title="Create tax rule"
      intro="Rules are tried in order, and the first that matches applies."
      submit="Create tax rule"
      disabledReason={disabledReasonFor('tax_rules.create')}
      call={{ method: 'POST', path: '/tax-rules', body, sdk: { method: 'taxRules.create', args: [body] } }}
      run={async (key) => {
        await api.taxRules.create(body, key)
        await invalidate('tax_rule', 'tax_preview')
      }}
      successMessage="Tax rule created"
      onDone={close}
      onCancel={close}
    >
      <SelectField
        label="Tax rate"
        value={values.rateId}
        onChange={set('rateId')}
        options={rates.map(({ id, name, percentage }) => ({ value: id, text: `${name} (${percentage}%)` }))}
        pointer="/tax_rate_id"
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Country of the customer"
          value={values.country}
          onChange={set('country')}
          hint="Country code such as DE. Empty: any country."
          pointer="/country"
        />
        <SelectField
          label="Type of customer"
          value={values.customerType}
          onChange={set('customerType')}
          options={[
            { value: '', text: 'Businesses and consumers' },
            { value: 'consumer', text: 'Consumers (no tax ID)' },
            { value: 'business', text: 'Businesses (with a tax ID)' },
          ]}
          pointer="/customer_type"
        />
        <TextField
          label="Tax code of the product"
          value={values.taxCode}
          onChange={set('taxCode')}
          hint="Empty: any product."
          pointer="/tax_code"
        />
        <TextField
          label="Position"
          type="number"
          value={values.position}
          onChange={set('position')}
          hint="Empty: after all other rules."
          pointer="/position"
        />
      </div>
    </ActionDialog>
  )
}
