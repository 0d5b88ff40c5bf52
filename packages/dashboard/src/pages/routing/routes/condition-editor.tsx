/** Edits conditions: groups of them within each other, each with what the lint says of it. */
import { X } from 'lucide-react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/fields.tsx'
import { conditionOfGroup, groupOf, isGroup, type Join } from './condition-group.ts'
import { type Condition, type Leaf, replaceAt, without } from './definition.ts'
import { exactly, type Finding, Findings, under } from './findings.tsx'
import { LeafEditor } from './leaf-editor.tsx'

type EditorProps = {
  condition: Condition
  pointer: string
  findings: readonly Finding[]
  onChange: (condition: Condition) => void
  /** How deep it stands, from 1. */
  depth?: number
}

/** The API takes four levels; the deepest holds single conditions. */
const deepest = 3
const newLeaf: Leaf = { field: 'currency', op: 'eq', value: 'eur' }

export function ConditionEditor({ condition, pointer, findings, onChange, depth = 1 }: EditorProps) {
  const { join, parts, pointerOf } = groupOf(condition, pointer)
  const set = (next: readonly Condition[], how: Join = join) => onChange(conditionOfGroup(how, next))
  return (
    <div className={`grid gap-3 ${depth > 1 ? 'border-l-2 border-edge pl-3' : ''}`}>
      <div className="max-w-80">
        <SelectField
          label="Payments that meet"
          value={join}
          onChange={(value) => set(parts, value as Join)}
          options={[
            { value: 'all', text: parts.length === 0 ? 'every payment' : 'all of these' },
            { value: 'any', text: 'any of these', off: parts.length === 0 },
            { value: 'none', text: 'none of these', off: parts.length === 0 },
          ]}
        />
      </div>
      <Findings of={isGroup(condition) ? exactly(findings, pointer, `${pointer}/${join}`) : []} />
      <ul className="grid gap-3">
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition is its place.
          <li key={at} className="grid grid-cols-[1fr_auto] items-start gap-2">
            <Part
              {...{ part, findings, depth }}
              pointer={pointerOf(at)}
              onChange={(next) => set(replaceAt(parts, at, next))}
            />
            <IconButton label="Remove this condition" look="quiet" onClick={() => set(without(parts, at))}>
              <X size={16} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button compact onClick={() => set([...parts, newLeaf])}>
          Add condition
        </Button>
        {depth < deepest && (
          <Button compact onClick={() => set([...parts, { any: [newLeaf] }])}>
            Add group
          </Button>
        )}
      </div>
    </div>
  )
}

function Part(props: {
  part: Condition
  pointer: string
  findings: readonly Finding[]
  depth: number
  onChange: (condition: Condition) => void
}) {
  const { part, pointer, findings, depth, onChange } = props
  if ('field' in part)
    return (
      <div className="grid min-w-0 gap-1">
        <LeafEditor leaf={part} onChange={onChange} />
        <Findings of={under(findings, pointer)} />
      </div>
    )
  return (
    <ConditionEditor
      condition={part}
      pointer={pointer}
      findings={findings}
      onChange={onChange}
      depth={depth + 1}
    />
  )
}
