/** The rules of a route as sentences in rows. The first that matches decides; the default stands last, always. */
import { Square } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { useAccountNames } from '../../accounts.ts'
import { ActionEditor } from './action-editor.tsx'
import { thenParts } from './condition-words.ts'
import { type Definition, isSame, moveRule, newName, replaceAt, ruleOf, without } from './definition.ts'
import { FailoverRow } from './failover-row.tsx'
import { exactly, Findings, type Lint, LintSummary, under } from './findings.tsx'
import { Row, RuleRow } from './rule-row.tsx'
import { RuleSentence } from './sentence.tsx'

export type Place = number | 'default' | 'failover'
export type Chosen = { readonly place: Place; readonly isOpen: boolean } | null

export type RulesProps = {
  definition: Definition
  /** What is published, to say what differs from it. */
  published: Definition | null
  lint: Lint
  refused: string | null
  chosen: Chosen
  choose: (chosen: Chosen) => void
  onChange: (definition: Definition) => void
}

export function Rules(props: RulesProps) {
  const { definition, lint, refused, chosen, choose, onChange } = props
  const { rules } = definition
  const add = () => {
    const rule = ruleOf(newName(rules, 'Rule'), { all: [] }, definition.default)
    onChange({ ...definition, rules: [...rules, rule] })
    choose({ place: rules.length, isOpen: true })
  }
  const move = (at: number, step: 1 | -1) => {
    const to = at + step
    if (to < 0 || to >= rules.length) return
    onChange({ ...definition, rules: moveRule(rules, at, step) })
    choose({ place: to, isOpen: chosen?.place === at && chosen.isOpen })
  }
  return (
    <Panel
      title="Rules"
      beside={
        <>
          <LintSummary lint={lint} /> · first match wins
        </>
      }
      flush
    >
      <Findings of={exactly(lint.findings, '', '/name', '/rules')} />
      <ol aria-label="Rules">
        {rules.map((rule, at) => (
          <RuleRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its place; names change while they are typed.
            key={at}
            {...{ rule, at, move }}
            list={props}
            onChange={(next) => onChange({ ...definition, rules: replaceAt(rules, at, next) })}
            remove={() => {
              choose(null)
              onChange({ ...definition, rules: without(rules, at) })
            }}
          />
        ))}
        <DefaultRow {...props} />
        <FailoverRow {...props} />
      </ol>
      <div className="flex flex-wrap items-center gap-3 p-4">
        <Button refused={refused} onClick={add}>
          Add rule
        </Button>
        <span className="text-compact text-ink2">Alt with ↑ or ↓ moves the rule that has the focus.</span>
      </div>
    </Panel>
  )
}

function DefaultRow(props: RulesProps) {
  const { definition, published, lint, refused, chosen, choose, onChange } = props
  const { nameOf } = useAccountNames()
  const isChosen = chosen?.place === 'default'
  const isOpen = isChosen && chosen.isOpen
  const isChanged = published !== null && !isSame(published.default, definition.default)
  return (
    <Row
      mark={<Square size={10} fill="currentColor" aria-hidden />}
      isChosen={isChosen}
      select={() => choose({ place: 'default', isOpen })}
      note={`always last${isChanged ? ' · changed' : ''}`}
      buttons={
        <Button
          compact
          refused={refused}
          aria-label={isOpen ? 'Done with the default' : 'Edit the default'}
          onClick={() => choose({ place: 'default', isOpen: !isOpen })}
        >
          {isOpen ? 'Done' : 'Edit'}
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
        <Findings of={under(lint.findings, '/default')} />
      )}
    </Row>
  )
}
