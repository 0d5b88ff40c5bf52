/** Creates a price. */
import type { CreatePrice, Product } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { AmountField, SelectField, TextField } from '../../../ui/fields.tsx'
import { currencyOptions } from '../../currency-options.ts'
import { emptyPrice, hasTiers, missingIn, type PriceDraft, termsOf } from './price-draft.ts'
import { PriceTerms, SchemeField } from './price-terms.tsx'

type Interval = 'once' | 'day' | 'week' | 'month' | 'year'

export function PriceForm({ product, close }: { product: Product; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [currency, setCurrency] = useState('eur')
  const [draft, setDraft] = useState(emptyPrice)
  const set = (changes: Partial<PriceDraft>) => setDraft({ ...draft, ...changes })
  const [interval, setInterval] = useState<Interval>('month')
  const [count, setCount] = useState('1')
  const [lookupKey, setLookupKey] = useState('')
  const body: CreatePrice = {
    product_id: product.id,
    currency: currency as CreatePrice['currency'],
    ...termsOf(draft, currency),
    ...(interval === 'once' ? {} : { recurring: { interval, interval_count: Number(count) } }),
    ...(lookupKey === '' ? {} : { lookup_key: lookupKey }),
  }
  return (
    <ActionDialog
      title="Create price"
      intro="The terms of a price cannot be changed. To charge a different amount, create a new price."
      submit="Create price"
      disabledReason={disabledReasonFor('prices.create') ?? missingIn(draft, currency)}
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
        <SchemeField draft={draft} set={set} />
        {!hasTiers(draft) && (
          <AmountField
            label={draft.scheme === 'package' ? 'Amount per package' : 'Unit amount'}
            currency={currency}
            value={draft.amount}
            onChange={(amount) => set({ amount })}
            pointer="/unit_amount"
          />
        )}
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
      <PriceTerms draft={draft} currency={currency} set={set} />
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
