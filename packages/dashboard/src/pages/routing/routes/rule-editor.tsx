import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { ActionEditor } from './action-editor.tsx'
import { ConditionEditor } from './condition-editor.tsx'
import { conditionOf, type Rule, withCondition } from './definition.ts'
import { type Finding, Findings, findingsAt } from './findings.tsx'

export function RuleEditor(props: {
  rule: Rule
  pointer: string
  findings: readonly Finding[]
  onChange: (rule: Rule) => void
  remove: () => void
}) {
  const { rule, pointer, findings, onChange } = props
  return (
    <div className="grid gap-4 rounded-control bg-canvas p-3">
      <div className="max-w-80">
        <TextField label="Name" value={rule.name} onChange={(name) => onChange({ ...rule, name })} />
      </div>
      <Findings findings={findingsAt(findings, pointer, `${pointer}/name`)} />
      <ConditionEditor
        condition={conditionOf(rule)}
        pointer={`${pointer}/when`}
        findings={findings}
        onChange={(condition) => onChange(withCondition(rule, condition))}
      />
      <ActionEditor
        action={rule.then}
        pointer={`${pointer}/then`}
        findings={findings}
        onChange={(then) => onChange({ ...rule, then })}
      />
      <div>
        <Button variant="danger" compact onClick={props.remove}>
          Remove rule
        </Button>
      </div>
    </div>
  )
}
