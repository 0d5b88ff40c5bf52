/** When another account is asked: one row for the whole route, and the sentence why never after an unknown. */
import { Redo2 } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { CheckField, TextField } from '../../../ui/fields.tsx'
import { StatusMark } from '../../../ui/status.tsx'
import type { Part } from './condition-words.ts'
import type { Definition } from './definition.ts'
import { Findings, under } from './findings.tsx'
import { Row } from './rule-row.tsx'
import type { RulesProps } from './rules.tsx'
import { RuleSentence } from './sentence.tsx'

type Failover = Definition['failover']

const classes = [
  { id: 'technical', text: 'technical', hint: 'The provider failed, or was never reached.' },
  { id: 'configuration', text: 'configuration', hint: 'Our credentials or settings were refused.' },
  { id: 'soft', text: 'soft decline, once', hint: 'The bank declined without a reason of its own.' },
] as const

function failoverParts({ max_attempts: most, budget_ms: budget, on }: Failover): readonly Part[] {
  if (on.length === 0 || most === 1) return [{ text: 'Never move on to another account' }]
  const named = classes.filter(({ id }) => on.includes(id))
  return [
    { text: 'Move on after' },
    ...named.map(({ text }): Part => ({ text, chip: 'condition' })),
    { text: '· at most' },
    { text: `${most} attempts`, chip: 'condition' },
    { text: 'in' },
    { text: `${budget / 1_000} s`, chip: 'condition' },
  ]
}

export function FailoverRow({ definition, lint, refused, chosen, choose, onChange }: RulesProps) {
  const { failover } = definition
  const isChosen = chosen?.place === 'failover'
  const isOpen = isChosen && chosen.isOpen
  const set = (members: Partial<Failover>) =>
    onChange({ ...definition, failover: { ...failover, ...members } })
  return (
    <>
      <Row
        mark={<Redo2 size={14} aria-hidden />}
        isChosen={isChosen}
        select={() => choose({ place: 'failover', isOpen })}
        note="failover, for the whole route"
        buttons={
          <Button
            compact
            refused={refused}
            aria-label={isOpen ? 'Done with the failover' : 'Edit the failover'}
            onClick={() => choose({ place: 'failover', isOpen: !isOpen })}
          >
            {isOpen ? 'Done' : 'Edit'}
          </Button>
        }
      >
        <RuleSentence parts={failoverParts(failover)} />
        <Findings of={under(lint.findings, '/failover')} />
        {isOpen && <FailoverEditor failover={failover} set={set} />}
      </Row>
      <li className="flex items-start gap-2 border-b border-line px-4 py-3 text-ink2">
        <span className="mt-1 text-caution">
          <StatusMark mark="dashed" />
        </span>
        <span>
          After an <strong>unknown</strong> result the route never tries another provider: the first one may
          have charged the payer. It asks the same one again, with the same key, until the result is known.
        </span>
      </li>
    </>
  )
}

function FailoverEditor(props: { failover: Failover; set: (members: Partial<Failover>) => void }) {
  const { failover, set } = props
  return (
    <div className="grid gap-3 rounded-control bg-canvas p-3">
      <fieldset className="grid gap-2">
        <legend className="mb-1 font-bold">Move on after</legend>
        {classes.map(({ id, text, hint }) => (
          <CheckField
            key={id}
            label={text}
            hint={hint}
            checked={failover.on.includes(id)}
            onChange={(isOn) =>
              set({
                on: classes
                  .map((one) => one.id)
                  .filter((one) => (one === id ? isOn : failover.on.includes(one))),
              })
            }
          />
        ))}
      </fieldset>
      <div className="grid max-w-120 gap-3 sm:grid-cols-2">
        <TextField
          label="Accounts asked at most"
          type="number"
          value={String(failover.max_attempts)}
          onChange={(typed) => set({ max_attempts: Number(typed) })}
          hint="1 to 5"
        />
        <TextField
          label="Time in all, in seconds"
          type="number"
          value={String(failover.budget_ms / 1_000)}
          onChange={(typed) => set({ budget_ms: Math.round(Number(typed) * 1_000) })}
          hint="Up to 60"
        />
      </div>
    </div>
  )
}
