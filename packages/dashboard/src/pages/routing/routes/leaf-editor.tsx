/** Edits one condition: field, comparison and value. */
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useAccountNames } from '../../accounts.ts'
import type { Leaf } from './definition.ts'
import { LeafValue } from './leaf-value.tsx'
import {
  costAccountOf,
  costPrefix,
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
  { value: costPrefix, text: 'estimated cost at an account' },
]

export function LeafEditor({ leaf, onChange }: LeafProps) {
  const kind = metadataKindOf(leaf.field)
  const costAccount = costAccountOf(leaf.field)
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
          value={costAccount === null ? (kind ?? leaf.field) : costPrefix}
          onChange={selectField}
          options={fieldOptions}
        />
        {costAccount !== null && (
          <CostAccount
            id={costAccount}
            onChange={(id) => onChange({ ...leaf, field: `${costPrefix}${id}` })}
          />
        )}
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

function CostAccount({ id, onChange }: { id: string; onChange: (id: string) => void }) {
  const { accounts } = useAccountNames()
  return (
    <SelectField
      label="Account"
      hideLabel
      value={id}
      onChange={onChange}
      options={[
        { value: '', text: 'Choose an account' },
        ...accounts.map((account) => ({ value: account.id, text: account.display_name })),
      ]}
    />
  )
}
