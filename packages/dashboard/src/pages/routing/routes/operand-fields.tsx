/** Describes a payment by the fields that rules ask for. What is left out is as usual. */
import { X } from 'lucide-react'
import { amountOf } from '../../../format/money.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { AmountField, SelectField, TextField } from '../../../ui/fields.tsx'
import { currencyOptions } from '../../currency-options.ts'
import { replaceAt, without } from './definition.ts'
import { operands as known, operandOf } from './operands.ts'

export type Other = { readonly field: string; readonly value: string }
export type Draft = {
  readonly amount: string
  readonly currency: string
  readonly brand: string
  readonly country: string
  readonly others: readonly Other[]
}

export const empty: Draft = { amount: '12.99', currency: 'eur', brand: 'visa', country: '', others: [] }

/** Pure. Null while there is no amount. */
export function operandsOf({
  amount,
  currency,
  brand,
  country,
  others,
}: Draft): Record<string, string | number> | null {
  const sum = amountOf(amount, currency)
  if (sum === null) return null
  const named = others.filter(({ field, value }) => field !== '' && value !== '')
  return {
    amount: sum,
    currency,
    ...(brand === '' ? {} : { 'card.brand': brand }),
    ...(country === '' ? {} : { 'card.country': country.toUpperCase() }),
    ...Object.fromEntries(
      named.map(({ field, value }) => [field, operandOf(field).shape === 'number' ? Number(value) : value]),
    ),
  }
}

const brands = ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay']
const asked = new Set(['amount', 'currency', 'card.brand', 'card.country'])
const fields = [
  ...known.map(({ field }) => field).filter((field) => !asked.has(field)),
  'metadata.key',
  'customer.metadata.key',
]

export function OperandFields({ draft, set }: { draft: Draft; set: (draft: Draft) => void }) {
  return (
    <div className="grid gap-3">
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <AmountField
          label="Amount"
          currency={draft.currency}
          value={draft.amount}
          onChange={(amount) => set({ ...draft, amount })}
          pointer="/operands/amount"
        />
        <SelectField
          label="Currency"
          value={draft.currency}
          onChange={(currency) => set({ ...draft, currency })}
          options={currencyOptions}
        />
        <SelectField
          label="Card brand"
          value={draft.brand}
          onChange={(brand) => set({ ...draft, brand })}
          options={brands.map((value) => ({ value, text: value }))}
        />
        <TextField
          label="Card country"
          value={draft.country}
          onChange={(country) => set({ ...draft, country })}
          hint="Two letters. Empty: not known."
          pointer="/operands/card.country"
        />
      </div>
      {draft.others.map((other, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a field is its place; its name is typed.
        <div key={at} className="grid grid-cols-[1fr_1fr_auto] items-end gap-2">
          <TextField
            label="Field"
            value={other.field}
            list={fields}
            mono
            onChange={(field) => set({ ...draft, others: replaceAt(draft.others, at, { ...other, field }) })}
          />
          <TextField
            label="Value"
            value={other.value}
            onChange={(value) => set({ ...draft, others: replaceAt(draft.others, at, { ...other, value }) })}
            pointer={`/operands/${other.field}`}
          />
          <IconButton
            label="Remove this field"
            look="quiet"
            onClick={() => set({ ...draft, others: without(draft.others, at) })}
          >
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      ))}
      <div>
        <Button
          compact
          onClick={() => set({ ...draft, others: [...draft.others, { field: '', value: '' }] })}
        >
          Add a field
        </Button>
      </div>
    </div>
  )
}
