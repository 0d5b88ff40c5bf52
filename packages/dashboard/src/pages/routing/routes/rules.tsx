/** The rules of a route as sentences. The first match applies; the default is always last. */
import { Square } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { useAccountNames } from '../../accounts.ts'
import { ActionEditor } from './action-editor.tsx'
import { thenParts } from './condition-text.ts'
import { type Definition, isSame, moveRule, replaceAt, ruleOf, uniqueName, without } from './definition.ts'
import { FailoverRow } from './failover-row.tsx'
import { Findings, findingsAt, findingsUnder, type Lint, LintSummary } from './findings.tsx'
import { Row, RuleRow } from './rule-row.tsx'
import { RuleSentence } from './rule-sentence.tsx'

export type RulePosition = number | 'default' | 'failover'
export type RuleSelection = { readonly position: RulePosition; readonly isOpen: boolean } | null

export type RulesProps = {
  definition: Definition
  /** The published definition, to show differences. */
  published: Definition | null
  lint: Lint
  disabledReason: string | null
  selection: RuleSelection
  select: (selection: RuleSelection) => void
  onChange: (definition: Definition) => void
}

export function Rules(props: RulesProps) {
  const { definition, lint, disabledReason, selection, select, onChange } = props
  const { rules } = definition
  const add = () => {
    const rule = ruleOf(uniqueName(rules, 'Rule'), { all: [] }, definition.default)
    onChange({ ...definition, rules: [...rules, rule] })
    select({ position: rules.length, isOpen: true })
  }
  const move = (position: number, step: 1 | -1) => {
    const to = position + step
    if (to < 0 || to >= rules.length) return
    onChange({ ...definition, rules: moveRule(rules, position, step) })
    select({ position: to, isOpen: selection?.position === position && selection.isOpen })
  }
  return (
    <Panel
      title="Rules"
      titleExtra={
        <>
          <LintSummary lint={lint} /> · first match wins
        </>
      }
      flush
    >
      <Findings findings={findingsAt(lint.findings, '', '/name', '/rules')} />
      <ol aria-label="Rules">
        {rules.map((rule, position) => (
          <RuleRow
            // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id, and their names change while they are typed.
            key={position}
            rule={rule}
            position={position}
            move={move}
            list={props}
            onChange={(next) => onChange({ ...definition, rules: replaceAt(rules, position, next) })}
            remove={() => {
              select(null)
              onChange({ ...definition, rules: without(rules, position) })
            }}
          />
        ))}
        <DefaultRow {...props} />
        <FailoverRow {...props} />
      </ol>
      <div className="flex flex-wrap items-center gap-3 p-4">
        <Button disabledReason={disabledReason} onClick={add}>
          Add rule
        </Button>
        <span className="text-compact text-ink2">Press Alt+↑ or Alt+↓ to move the focused rule.</span>
      </div>
    </Panel>
  )
}

function DefaultRow(props: RulesProps) {
  const { definition, published, lint, disabledReason, selection, select, onChange } = props
  const { nameOf } = useAccountNames()
  const isSelected = selection?.position === 'default'
  const isOpen = isSelected && selection.isOpen
  const isChanged = published !== null && !isSame(published.default, definition.default)
  return (
    <Row
      mark={<Square size={10} fill="currentColor" aria-hidden />}
      isSelected={isSelected}
      select={() => select({ position: 'default', isOpen })}
      note={`always last${isChanged ? ' · changed' : ''}`}
      buttons={
        <Button
          compact
          disabledReason={disabledReason}
          aria-label={isOpen ? 'Close default editor' : 'Edit default'}
          onClick={() => select({ position: 'default', isOpen: !isOpen })}
        >
          {isOpen ? 'Close' : 'Edit'}
        </Button>
      }
    >
      <RuleSentence parts={[{ text: 'Otherwise' }, ...thenParts(definition.default, nameOf)]} />
      {isOpen ? (
        <div className="rounded-control bg-canvas p-3">
          <ActionEditor
            action={definition.default}
            pointer="/default"
            findings={lint.findings}
            onChange={(next) => onChange({ ...definition, default: next })}
          />
        </div>
      ) : (
        <Findings findings={findingsUnder(lint.findings, '/default')} />
      )}
    </Row>
  )
}
