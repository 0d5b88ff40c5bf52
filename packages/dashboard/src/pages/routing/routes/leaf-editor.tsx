/** Edits one condition: what is asked, how it is compared, and with what. */
import { SelectField, TextField } from '../../../ui/fields.tsx'
import type { Leaf } from './definition.ts'
import { LeafValue } from './leaf-value.tsx'
import {
  firstValue,
  metadataKindOf,
  metadataKinds,
  operandOf,
  operands,
  operatorsOf,
  operatorWords,
} from './operands.ts'

type LeafProps = { leaf: Leaf; onChange: (leaf: Leaf) => void }

const fieldOptions = [
  ...operands.map(({ field, text }) => ({ value: field, text })),
  { value: 'metadata.', text: 'metadata of the payment' },
  { value: 'customer.metadata.', text: 'metadata of the customer' },
]

export function LeafEditor({ leaf, onChange }: LeafProps) {
  const kind = metadataKindOf(leaf.field)
  const operand = operandOf(leaf.field)
  const choose = (field: string) => {
    const { shape, words } = operandOf(field)
    const op = operatorsOf(shape).includes(leaf.op) ? leaf.op : 'eq'
    const named = metadataKinds.some((one) => one === field) ? `${field}key` : field
    onChange({ field: named, op, value: firstValue(shape, op, words) })
  }
  return (
    <div className="grid gap-2 sm:grid-cols-[minmax(130px,1fr)_minmax(110px,150px)_minmax(140px,1.3fr)]">
      <div className="grid gap-2">
        <SelectField
          label="Field"
          hideLabel
          value={kind ?? leaf.field}
          onChange={choose}
          options={fieldOptions}
        />
        {kind !== null && (
          <TextField
            label="Key"
            hideLabel
            mono
            value={leaf.field.slice(kind.length)}
            onChange={(key) => onChange({ ...leaf, field: `${kind}${key}` })}
          />
        )}
      </div>
      <SelectField
        label="Comparison"
        hideLabel
        value={leaf.op}
        onChange={(op) => onChange({ ...leaf, op, value: firstValue(operand.shape, op, operand.words) })}
        options={operatorsOf(operand.shape).map((op) => ({ value: op, text: operatorWords[op] ?? op }))}
      />
      {/* What is typed into it is kept as text until the question is another one. */}
      <LeafValue key={`${leaf.field} ${leaf.op}`} leaf={leaf} operand={operand} onChange={onChange} />
    </div>
  )
}
