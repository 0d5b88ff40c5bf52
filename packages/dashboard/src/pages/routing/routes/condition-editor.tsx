/** Edits nested groups of conditions, each with its lint findings. */
import { X } from 'lucide-react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/fields.tsx'
import { conditionOfGroup, groupOf, isGroup, type Join } from './condition-group.ts'
import { type Condition, type Leaf, replaceAt, without } from './definition.ts'
import { type Finding, Findings, findingsAt, findingsUnder } from './findings.tsx'
import { LeafEditor } from './leaf-editor.tsx'

type EditorProps = {
  condition: Condition
  pointer: string
  findings: readonly Finding[]
  onChange: (condition: Condition) => void
  /** The nesting depth, from 1. */
  depth?: number
}

/** The API accepts four levels; the deepest holds single conditions. */
const maxGroupDepth = 3
const newLeaf: Leaf = { field: 'currency', op: 'eq', value: 'eur' }

export function ConditionEditor({ condition, pointer, findings, onChange, depth = 1 }: EditorProps) {
  const { join, parts, pointerOf } = groupOf(condition, pointer)
  const set = (next: readonly Condition[], joinBy: Join = join) => onChange(conditionOfGroup(joinBy, next))
  return (
    <div className={`grid gap-3 ${depth > 1 ? 'border-l-2 border-edge pl-3' : ''}`}>
      <div className="max-w-80">
        <SelectField
          label="Payments matching"
          value={join}
          onChange={(value) => set(parts, value as Join)}
          options={[
            { value: 'all', text: parts.length === 0 ? 'all payments' : 'all of these' },
            { value: 'any', text: 'any of these', disabled: parts.length === 0 },
            { value: 'none', text: 'none of these', disabled: parts.length === 0 },
          ]}
        />
      </div>
      <Findings findings={isGroup(condition) ? findingsAt(findings, pointer, `${pointer}/${join}`) : []} />
      <ul className="grid gap-3">
        {parts.map((part, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no id.
          <li key={position} className="grid grid-cols-[1fr_auto] items-start gap-2">
            <Part
              part={part}
              findings={findings}
              depth={depth}
              pointer={pointerOf(position)}
              onChange={(next) => set(replaceAt(parts, position, next))}
            />
            <IconButton
              label="Remove condition"
              variant="quiet"
              onClick={() => set(without(parts, position))}
            >
              <X size={16} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button compact onClick={() => set([...parts, newLeaf])}>
          Add condition
        </Button>
        {depth < maxGroupDepth && (
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
        <Findings findings={findingsUnder(findings, pointer)} />
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
