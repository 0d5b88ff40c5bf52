/** The form that describes a payment for a simulation or an example. Omitted fields get defaults. */
import { X } from 'lucide-react'
import { amountOf } from '../../../format/money.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { AmountField, SelectField, TextField } from '../../../ui/fields.tsx'
import { currencyOptions } from '../../currency-options.ts'
import { replaceAt, without } from './definition.ts'
import { operands as knownOperands, operandOf } from './operands.ts'

export type ExtraField = { readonly field: string; readonly value: string }
export type Draft = {
  readonly amount: string
  readonly currency: string
  readonly brand: string
  readonly country: string
  readonly extraFields: readonly ExtraField[]
}

export const emptyDraft: Draft = {
  amount: '12.99',
  currency: 'eur',
  brand: 'visa',
  country: '',
  extraFields: [],
}

/** Null while there is no amount. Has no side effects. */
export function operandsOf({
  amount,
  currency,
  brand,
  country,
  extraFields,
}: Draft): Record<string, string | number> | null {
  const minorAmount = amountOf(amount, currency)
  if (minorAmount === null) return null
  const filled = extraFields.filter(({ field, value }) => field !== '' && value !== '')
  return {
    amount: minorAmount,
    currency,
    ...(brand === '' ? {} : { 'card.brand': brand }),
    ...(country === '' ? {} : { 'card.country': country.toUpperCase() }),
    ...Object.fromEntries(
      filled.map(({ field, value }) => [field, operandOf(field).shape === 'number' ? Number(value) : value]),
    ),
  }
}

const brands = ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay']
const fieldsWithInput = new Set(['amount', 'currency', 'card.brand', 'card.country'])
const fields = [
  ...knownOperands.map(({ field }) => field).filter((field) => !fieldsWithInput.has(field)),
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
          hint="Two-letter code. Leave empty if unknown."
          pointer="/operands/card.country"
        />
      </div>
      {draft.extraFields.map((extraField, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: extra fields have no id, and their names change while they are typed.
        <div key={position} className="grid grid-cols-[1fr_1fr_auto] items-end gap-2">
          <TextField
            label="Field"
            value={extraField.field}
            list={fields}
            mono
            onChange={(field) =>
              set({ ...draft, extraFields: replaceAt(draft.extraFields, position, { ...extraField, field }) })
            }
          />
          <TextField
            label="Value"
            value={extraField.value}
            onChange={(value) =>
              set({ ...draft, extraFields: replaceAt(draft.extraFields, position, { ...extraField, value }) })
            }
            pointer={`/operands/${extraField.field}`}
          />
          <IconButton
            label="Remove field"
            variant="quiet"
            onClick={() => set({ ...draft, extraFields: without(draft.extraFields, position) })}
          >
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      ))}
      <div>
        <Button
          compact
          onClick={() => set({ ...draft, extraFields: [...draft.extraFields, { field: '', value: '' }] })}
        >
          Add field
        </Button>
      </div>
    </div>
  )
}
