/** Edits one condition: field, comparison and value. */
import { SelectField, TextField } from '../../../ui/fields.tsx'
import type { Leaf } from './definition.ts'
import { LeafValue } from './leaf-value.tsx'
import {
  initialValue,
  metadataKindOf,
  metadataKinds,
  operandOf,
  operands,
  operatorLabels,
  operatorsOf,
} from './operands.ts'

type LeafProps = { leaf: Leaf; onChange: (leaf: Leaf) => void }

const fieldOptions = [
  ...operands.map(({ field, text }) => ({ value: field, text })),
  { value: 'metadata.', text: 'payment metadata' },
  { value: 'customer.metadata.', text: 'customer metadata' },
]

export function LeafEditor({ leaf, onChange }: LeafProps) {
  const kind = metadataKindOf(leaf.field)
  const operand = operandOf(leaf.field)
  const selectField = (field: string) => {
    const { shape, options } = operandOf(field)
    const op = operatorsOf(shape).includes(leaf.op) ? leaf.op : 'eq'
    const fieldName = metadataKinds.some((one) => one === field) ? `${field}key` : field
    onChange({ field: fieldName, op, value: initialValue(shape, op, options) })
  }
  return (
    <div className="grid gap-2 sm:grid-cols-[minmax(130px,1fr)_minmax(110px,150px)_minmax(140px,1.3fr)]">
      <div className="grid gap-2">
        <SelectField
          label="Field"
          hideLabel
          value={kind ?? leaf.field}
          onChange={selectField}
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
        onChange={(op) => onChange({ ...leaf, op, value: initialValue(operand.shape, op, operand.options) })}
        options={operatorsOf(operand.shape).map((op) => ({ value: op, text: operatorLabels[op] ?? op }))}
      />
      {/* The key resets the typed text when the field or the comparison changes. */}
      <LeafValue key={`${leaf.field} ${leaf.op}`} leaf={leaf} operand={operand} onChange={onChange} />
    </div>
  )
}
