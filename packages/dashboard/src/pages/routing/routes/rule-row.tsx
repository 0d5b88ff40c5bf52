import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { useAccountNames } from '../../accounts.ts'
import { changeNote } from './change-note.ts'
import { thenParts, whenParts } from './condition-text.ts'
import { conditionOf, type Rule } from './definition.ts'
import { Findings, findingsUnder } from './findings.tsx'
import { RuleEditor } from './rule-editor.tsx'
import { RuleSentence } from './rule-sentence.tsx'
import type { RulesProps } from './rules.tsx'

/** The layout of a row: mark, sentence, note below, buttons on the right. */
export function Row(props: {
  mark: ReactNode
  isSelected: boolean
  select: () => void
  note?: ReactNode
  buttons: ReactNode
  children: ReactNode
  onKeyDown?: (event: React.KeyboardEvent) => void
}) {
  const style = props.isSelected ? 'border-l-info bg-info-soft' : 'border-l-transparent'
  return (
    <li
      onClick={({ target }) => {
        if ((target as Element).closest('button, input, select, label') === null) props.select()
      }}
      onKeyDown={props.onKeyDown}
      className={`grid grid-cols-[24px_minmax(0,1fr)] gap-x-3 gap-y-2 border-b border-l-3 border-b-line px-4 py-3 md:grid-cols-[24px_minmax(0,1fr)_auto] ${style}`}
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
  position: number
  list: RulesProps
  move: (position: number, step: 1 | -1) => void
  onChange: (rule: Rule) => void
  remove: () => void
}

export function RuleRow({ rule, position, list, move, onChange, remove }: RuleRowProps) {
  const { lint, selection, select } = list
  const { nameOf } = useAccountNames()
  const pointer = `/rules/${position}`
  const isSelected = selection?.position === position
  const isOpen = isSelected && selection.isOpen
  const change = changeNote(rule, list.published, nameOf)
  return (
    <Row
      mark={position + 1}
      isSelected={isSelected}
      select={() => select({ position, isOpen })}
      onKeyDown={(event) => {
        const step = event.altKey ? keySteps[event.key] : undefined
        if (step === undefined || list.disabledReason !== null) return
        event.preventDefault()
        move(position, step)
      }}
      note={
        <>
          {rule.name}
          {change !== null && <strong className="text-warning"> · {change}</strong>}
        </>
      }
      buttons={<RuleButtons rule={rule} position={position} list={list} move={move} isOpen={isOpen} />}
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
        <Findings findings={findingsUnder(lint.findings, pointer)} />
      )}
    </Row>
  )
}

const keySteps: { readonly [key: string]: 1 | -1 } = { ArrowUp: -1, ArrowDown: 1 }

type ButtonsProps = Pick<RuleRowProps, 'rule' | 'position' | 'list' | 'move'> & { isOpen: boolean }

function RuleButtons({ rule, position, list, move, isOpen }: ButtonsProps) {
  const { disabledReason, select, definition } = list
  const isLast = position === definition.rules.length - 1
  return (
    <>
      <IconButton
        label={`Move ${rule.name} up`}
        compact
        disabledReason={disabledReason ?? (position === 0 ? 'Already first.' : null)}
        onClick={() => move(position, -1)}
      >
        <ArrowUp size={14} aria-hidden />
      </IconButton>
      <IconButton
        label={`Move ${rule.name} down`}
        compact
        disabledReason={disabledReason ?? (isLast ? 'Already last before the default.' : null)}
        onClick={() => move(position, 1)}
      >
        <ArrowDown size={14} aria-hidden />
      </IconButton>
      <Button
        compact
        disabledReason={disabledReason}
        aria-label={`${isOpen ? 'Close' : 'Edit'} ${rule.name}`}
        onClick={() => select({ position, isOpen: !isOpen })}
      >
        {isOpen ? 'Close' : 'Edit'}
      </Button>
    </>
  )
}
