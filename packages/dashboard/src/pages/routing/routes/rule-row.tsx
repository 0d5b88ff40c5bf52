import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { useAccountNames } from '../../accounts.ts'
import { changeNote } from './change-note.ts'
import { thenParts, whenParts } from './condition-words.ts'
import { conditionOf, type Rule } from './definition.ts'
import { Findings, under } from './findings.tsx'
import { RuleEditor } from './rule-editor.tsx'
import type { RulesProps } from './rules.tsx'
import { RuleSentence } from './sentence.tsx'

/** What every row has: its mark, its sentence, a note below, buttons at the right. */
export function Row(props: {
  mark: ReactNode
  isChosen: boolean
  select: () => void
  note?: ReactNode
  buttons: ReactNode
  children: ReactNode
  onKeyDown?: (event: React.KeyboardEvent) => void
}) {
  const look = props.isChosen ? 'border-l-lock bg-lock-soft' : 'border-l-transparent'
  return (
    <li
      onClick={({ target }) => {
        if ((target as Element).closest('button, input, select, label') === null) props.select()
      }}
      onKeyDown={props.onKeyDown}
      className={`grid grid-cols-[24px_minmax(0,1fr)] gap-x-3 gap-y-2 border-b border-l-3 border-b-line px-4 py-3 md:grid-cols-[24px_minmax(0,1fr)_auto] ${look}`}
    >
      <span className="grid h-6 place-items-center font-bold text-ink2">{props.mark}</span>
      <div className="grid min-w-0 gap-2">
        {props.children}
        {props.note !== undefined && <p className="text-compact text-ink2">{props.note}</p>}
      </div>
      <div className="flex items-start gap-1 max-md:col-start-2 max-md:[&_button]:min-h-11 max-md:[&_button]:min-w-11">
        {props.buttons}
      </div>
    </li>
  )
}

type RuleRowProps = {
  rule: Rule
  at: number
  list: RulesProps
  move: (at: number, step: 1 | -1) => void
  onChange: (rule: Rule) => void
  remove: () => void
}

export function RuleRow({ rule, at, list, move, onChange, remove }: RuleRowProps) {
  const { lint, chosen, choose } = list
  const { nameOf } = useAccountNames()
  const pointer = `/rules/${at}`
  const isChosen = chosen?.place === at
  const isOpen = isChosen && chosen.isOpen
  const change = changeNote(rule, list.published, nameOf)
  return (
    <Row
      mark={at + 1}
      isChosen={isChosen}
      select={() => choose({ place: at, isOpen })}
      onKeyDown={(event) => {
        const step = event.altKey ? steps[event.key] : undefined
        if (step === undefined || list.refused !== null) return
        event.preventDefault()
        move(at, step)
      }}
      note={
        <>
          {rule.name}
          {change !== null && <strong className="text-caution"> · {change}</strong>}
        </>
      }
      buttons={<RuleButtons {...{ rule, at, list, move, isOpen }} />}
    >
      <RuleSentence
        parts={[...whenParts(conditionOf(rule), `${pointer}/when`, nameOf), ...thenParts(rule.then, nameOf)]}
      />
      {isOpen ? (
        <RuleEditor
          rule={rule}
          pointer={pointer}
          findings={lint.findings}
          onChange={onChange}
          remove={remove}
        />
      ) : (
        <Findings of={under(lint.findings, pointer)} />
      )}
    </Row>
  )
}

const steps: { readonly [key: string]: 1 | -1 } = { ArrowUp: -1, ArrowDown: 1 }

type ButtonsProps = Pick<RuleRowProps, 'rule' | 'at' | 'list' | 'move'> & { isOpen: boolean }

function RuleButtons({ rule, at, list, move, isOpen }: ButtonsProps) {
  const { refused, choose, definition } = list
  const isLast = at === definition.rules.length - 1
  return (
    <>
      <IconButton
        label={`Move ${rule.name} up`}
        compact
        refused={refused ?? (at === 0 ? 'It is the first.' : null)}
        onClick={() => move(at, -1)}
      >
        <ArrowUp size={14} aria-hidden />
      </IconButton>
      <IconButton
        label={`Move ${rule.name} down`}
        compact
        refused={refused ?? (isLast ? 'It is the last before the default.' : null)}
        onClick={() => move(at, 1)}
      >
        <ArrowDown size={14} aria-hidden />
      </IconButton>
      <Button
        compact
        refused={refused}
        aria-label={`${isOpen ? 'Done with' : 'Edit'} ${rule.name}`}
        onClick={() => choose({ place: at, isOpen: !isOpen })}
      >
        {isOpen ? 'Done' : 'Edit'}
      </Button>
    </>
  )
}
