/** Creates a price. */
import type { CreatePrice, Product } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { amountOf } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { AmountField, SelectField, TextField } from '../../../ui/fields.tsx'
import { currencyOptions } from '../../currency-options.ts'

type Interval = 'once' | 'day' | 'week' | 'month' | 'year'

export function PriceForm({ product, close }: { product: Product; close: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [currency, setCurrency] = useState('eur')
  const [amount, setAmount] = useState('')
  const [interval, setInterval] = useState<Interval>('month')
  const [count, setCount] = useState('1')
  const [lookupKey, setLookupKey] = useState('')
  const sum = amountOf(amount, currency)
  const body: CreatePrice = {
    product_id: product.id,
    currency: currency as CreatePrice['currency'],
    unit_amount: sum ?? 0,
    ...(interval === 'once' ? {} : { recurring: { interval, interval_count: Number(count) } }),
    ...(lookupKey === '' ? {} : { lookup_key: lookupKey }),
  }
  return (
    <ActionDialog
      title="Create price"
      intro="The money of a price never changes: another amount is another price."
      submit="Create price"
      refused={may('prices.create') ?? (sum === null ? 'Enter an amount first.' : null)}
      call={{ method: 'POST', path: '/prices', body, sdk: { method: 'prices.create', args: [body] } }}
      run={async (key) => {
        await api.prices.create(body, key)
        await reread('price', 'product')
      }}
      done="The price is created."
      onDone={close}
      onCancel={close}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <AmountField
          label="Amount of one unit"
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
            { value: 'month', text: 'By the month' },
            { value: 'year', text: 'By the year' },
            { value: 'week', text: 'By the week' },
            { value: 'day', text: 'By the day' },
            { value: 'once', text: 'Once' },
          ]}
        />
        {interval !== 'once' && (
          <TextField
            label="How many of them make a period"
            type="number"
            value={count}
            onChange={setCount}
            hint="3 months are a quarter."
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
      label="Key"
      hint="Optional. Wherever a price is asked for, lookup:key is this one."
      pointer="/lookup_key"
      mono
    />
  )
}
