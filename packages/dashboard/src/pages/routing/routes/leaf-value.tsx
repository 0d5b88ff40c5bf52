/** What a condition compares with: a word of a list, a number, a text, several of them, or from one to another. */
import { useState } from 'react'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useAccountNames } from '../../accounts.ts'
import { currencyOptions } from '../../currency-options.ts'
import type { Leaf } from './definition.ts'
import type { Operand } from './operands.ts'

type ValueProps = { leaf: Leaf; operand: Operand; onChange: (leaf: Leaf) => void }

export function LeafValue({ leaf, operand, onChange }: ValueProps) {
  const set = (value: Leaf['value']) => onChange({ ...leaf, value })
  const choices = useChoices(operand)
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
  if (leaf.op === 'between') return <FromTo leaf={leaf} set={set} />
  if (leaf.op === 'in' || leaf.op === 'not_in') return <Several leaf={leaf} operand={operand} set={set} />
  if (choices !== null)
    return <SelectField label="Value" hideLabel value={String(leaf.value)} onChange={set} options={choices} />
  return <One leaf={leaf} operand={operand} set={set} />
}

function useChoices({ shape, words }: Operand) {
  const { accounts } = useAccountNames()
  if (shape === 'currency') return currencyOptions
  if (shape === 'word') return (words ?? []).map((value) => ({ value, text: value }))
  if (shape !== 'account') return null
  return [
    { value: '', text: 'Choose an account' },
    ...accounts.map(({ id, display_name }) => ({ value: id, text: display_name })),
  ]
}

type PartProps = { leaf: Leaf; set: (value: Leaf['value']) => void }

const hints: { readonly [shape: string]: string } = {
  country: 'Two letters, such as DE.',
  digits: 'The first digits, as text.',
}

function hintOf({ field, shape }: Operand): string | undefined {
  return field === 'amount' ? 'In the smallest unit: 1299 is 12.99.' : hints[shape]
}

function One({ leaf, operand, set }: PartProps & { operand: Operand }) {
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

function Several({ leaf, operand, set }: PartProps & { operand: Operand }) {
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

function FromTo({ leaf, set }: PartProps) {
  const [least = 0, most = 0] = Array.isArray(leaf.value) ? leaf.value : []
  return (
    <div className="grid grid-cols-2 gap-2">
      <TextField
        label="From"
        hideLabel
        type="number"
        value={String(least)}
        onChange={(typed) => set([Number(typed), most])}
      />
      <TextField
        label="To"
        hideLabel
        type="number"
        value={String(most)}
        onChange={(typed) => set([least, Number(typed)])}
      />
    </div>
  )
}

/** As the API wants it: countries in capitals, currencies in small letters. */
function asValue(typed: string, { shape }: Operand): string | number {
  if (shape === 'number') return typed === '' ? '' : Number(typed)
  if (shape === 'country') return typed.toUpperCase()
  return shape === 'currency' ? typed.toLowerCase() : typed
}
