/** Creates a price. */
import type { CreatePrice, Product } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { amountOf } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { AmountField, SelectField, TextField } from '../../../ui/fields.tsx'
import { currencyOptions } from '../../currency-options.ts'

type Interval = 'once' | 'day' | 'week' | 'month' | 'year'

export function PriceForm({ product, close }: { product: Product; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [currency, setCurrency] = useState('eur')
  const [amount, setAmount] = useState('')
  const [interval, setInterval] = useState<Interval>('month')
  const [count, setCount] = useState('1')
  const [lookupKey, setLookupKey] = useState('')
  const unitAmount = amountOf(amount, currency)
  const body: CreatePrice = {
    product_id: product.id,
    currency: currency as CreatePrice['currency'],
    unit_amount: unitAmount ?? 0,
    ...(interval === 'once' ? {} : { recurring: { interval, interval_count: Number(count) } }),
    ...(lookupKey === '' ? {} : { lookup_key: lookupKey }),
  }
  return (
    <ActionDialog
      title="Create price"
      intro="The amount of a price cannot be changed. To charge a different amount, create a new price."
      submit="Create price"
      disabledReason={
        disabledReasonFor('prices.create') ?? (unitAmount === null ? 'Enter an amount first.' : null)
      }
      call={{ method: 'POST', path: '/prices', body, sdk: { method: 'prices.create', args: [body] } }}
      run={async (key) => {
        await api.prices.create(body, key)
        await invalidate('price', 'product')
      }}
      successMessage="Price created"
      onDone={close}
      onCancel={close}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <AmountField
          label="Unit amount"
          currency={currency}
          value={amount}
          onChange={setAmount}
          pointer="/unit_amount"
        />
        <SelectField
          label="Currency"
          value={currency}
          onChange={setCurrency}
          options={currencyOptions}
          pointer="/currency"
        />
        <SelectField
          label="Billed"
          value={interval}
          onChange={(value) => setInterval(value as Interval)}
          options={[
            { value: 'month', text: 'Monthly' },
            { value: 'year', text: 'Yearly' },
            { value: 'week', text: 'Weekly' },
            { value: 'day', text: 'Daily' },
            { value: 'once', text: 'Once' },
          ]}
        />
        {interval !== 'once' && (
          <TextField
            label="Interval count"
            type="number"
            value={count}
            onChange={setCount}
            hint="For example, enter 3 with monthly billing to bill every quarter."
            pointer="/recurring/interval_count"
          />
        )}
      </div>
      <LookupKey value={lookupKey} onChange={setLookupKey} />
    </ActionDialog>
  )
}

function LookupKey(props: { value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      {...props}
      label="Lookup key"
      hint="Optional. You can use lookup:key wherever a price ID is accepted."
      pointer="/lookup_key"
      mono
    />
  )
}
