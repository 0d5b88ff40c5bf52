/** The value of a condition: an option, a number, a string, a list, or a range. */
import { useState } from 'react'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useAccountNames } from '../../accounts.ts'
import { currencyOptions } from '../../currency-options.ts'
import type { Leaf } from './definition.ts'
import { costAccountOf, type Operand } from './operands.ts'

type ValueProps = { leaf: Leaf; operand: Operand; onChange: (leaf: Leaf) => void }

export function LeafValue({ leaf, operand, onChange }: ValueProps) {
  const set = (value: Leaf['value']) => onChange({ ...leaf, value })
  const fieldOptions = useOptions(operand)
  if (leaf.op === 'exists')
    return (
      <SelectField
        label="Value"
        hideLabel
        value={String(leaf.value)}
        onChange={(value) => set(value === 'true')}
        options={[
          { value: 'true', text: 'yes' },
          { value: 'false', text: 'no' },
        ]}
      />
    )
  if (leaf.op === 'between') return <RangeValue leaf={leaf} set={set} />
  if (leaf.op === 'in' || leaf.op === 'not_in') return <ListValue leaf={leaf} operand={operand} set={set} />
  if (fieldOptions !== null)
    return (
      <SelectField label="Value" hideLabel value={String(leaf.value)} onChange={set} options={fieldOptions} />
    )
  return <SingleValue leaf={leaf} operand={operand} set={set} />
}

function useOptions({ shape, options }: Operand) {
  const { accounts } = useAccountNames()
  if (shape === 'currency') return currencyOptions
  if (shape === 'option') return (options ?? []).map((value) => ({ value, text: value }))
  if (shape !== 'account') return null
  return [
    { value: '', text: 'Choose an account' },
    ...accounts.map(({ id, display_name }) => ({ value: id, text: display_name })),
  ]
}

type PartProps = { leaf: Leaf; set: (value: Leaf['value']) => void }

const hints: { readonly [shape: string]: string } = {
  country: 'Two-letter code, for example DE.',
  digits: 'The first digits, as text.',
}

function hintOf({ field, shape }: Operand): string | undefined {
  return field === 'amount' || costAccountOf(field) !== null
    ? 'In minor units: 1299 for 12.99.'
    : hints[shape]
}

function SingleValue({ leaf, operand, set }: PartProps & { operand: Operand }) {
  const [text, setText] = useState(String(leaf.value))
  const isNumber = operand.shape === 'number'
  return (
    <TextField
      label="Value"
      hideLabel
      type={isNumber ? 'number' : 'text'}
      value={text}
      hint={hintOf(operand)}
      onChange={(typed) => {
        setText(typed)
        set(asValue(typed, operand))
      }}
    />
  )
}

function ListValue({ leaf, operand, set }: PartProps & { operand: Operand }) {
  const [text, setText] = useState(() => (Array.isArray(leaf.value) ? leaf.value.join(', ') : ''))
  return (
    <TextField
      label="Values"
      hideLabel
      value={text}
      hint={`Separated by commas. ${hintOf(operand) ?? ''}`}
      onChange={(typed) => {
        setText(typed)
        const entries = typed.split(',').map((entry) => entry.trim())
        set(entries.filter((entry) => entry !== '').map((entry) => asValue(entry, operand)))
      }}
    />
  )
}

function RangeValue({ leaf, set }: PartProps) {
  const [min = 0, max = 0] = Array.isArray(leaf.value) ? leaf.value : []
  return (
    <div className="grid grid-cols-2 gap-2">
      <TextField
        label="From"
        hideLabel
        type="number"
        value={String(min)}
        onChange={(typed) => set([Number(typed), max])}
      />
      <TextField
        label="To"
        hideLabel
        type="number"
        value={String(max)}
        onChange={(typed) => set([min, Number(typed)])}
      />
    </div>
  )
}

/** In the format of the API: countries in upper case, currencies in lower case. */
function asValue(typed: string, { shape }: Operand): string | number {
  if (shape === 'number') return typed === '' ? '' : Number(typed)
  if (shape === 'country') return typed.toUpperCase()
  return shape === 'currency' ? typed.toLowerCase() : typed
}
