/** The failover settings of the route, and why there is no failover after an unknown outcome. */
import { Redo2 } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { CheckField, TextField } from '../../../ui/fields.tsx'
import { StatusMark } from '../../../ui/status.tsx'
import type { Part } from './condition-text.ts'
import type { Definition } from './definition.ts'
import { Findings, findingsUnder } from './findings.tsx'
import { Row } from './rule-row.tsx'
import { RuleSentence } from './rule-sentence.tsx'
import type { RulesProps } from './rules.tsx'

type Failover = Definition['failover']

const failureClasses = [
  { id: 'technical', text: 'technical', hint: 'The provider returned an error or could not be reached.' },
  {
    id: 'configuration',
    text: 'configuration',
    hint: 'The provider rejected our credentials or configuration.',
  },
  { id: 'soft', text: 'soft decline, once', hint: 'The bank declined without a specific reason.' },
] as const

function failoverParts({ max_attempts: maxAttempts, budget_ms: budget, on }: Failover): readonly Part[] {
  if (on.length === 0 || maxAttempts === 1) return [{ text: 'Never fail over' }]
  const selectedClasses = failureClasses.filter(({ id }) => on.includes(id))
  return [
    { text: 'Fail over after' },
    ...selectedClasses.map(({ text }): Part => ({ text, chip: 'condition' })),
    { text: '· at most' },
    { text: `${maxAttempts} attempts`, chip: 'condition' },
    { text: 'in' },
    { text: `${budget / 1_000} s`, chip: 'condition' },
  ]
}

export function FailoverRow({ definition, lint, disabledReason, selection, select, onChange }: RulesProps) {
  const { failover } = definition
  const isSelected = selection?.position === 'failover'
  const isOpen = isSelected && selection.isOpen
  const set = (members: Partial<Failover>) =>
    onChange({ ...definition, failover: { ...failover, ...members } })
  return (
    <>
      <Row
        mark={<Redo2 size={14} aria-hidden />}
        isSelected={isSelected}
        select={() => select({ position: 'failover', isOpen })}
        note="failover, for the whole route"
        buttons={
          <Button
            compact
            disabledReason={disabledReason}
            aria-label={isOpen ? 'Close failover editor' : 'Edit failover'}
            onClick={() => select({ position: 'failover', isOpen: !isOpen })}
          >
            {isOpen ? 'Close' : 'Edit'}
          </Button>
        }
      >
        <RuleSentence parts={failoverParts(failover)} />
        <Findings findings={findingsUnder(lint.findings, '/failover')} />
        {isOpen && <FailoverEditor failover={failover} set={set} />}
      </Row>
      <li className="flex items-start gap-2 border-b border-line px-4 py-3 text-ink2">
        <span className="mt-1 text-warning">
          <StatusMark mark="dashed" />
        </span>
        <span>
          After an <strong>unknown</strong> outcome, no other provider is tried, because the first one may
          have charged the payer. The same provider is queried again, with the same idempotency key, until the
          outcome is known.
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
        <legend className="mb-1 font-bold">Fail over after</legend>
        {failureClasses.map(({ id, text, hint }) => (
          <CheckField
            key={id}
            label={text}
            hint={hint}
            checked={failover.on.includes(id)}
            onChange={(isOn) =>
              set({
                on: failureClasses
                  .map((one) => one.id)
                  .filter((one) => (one === id ? isOn : failover.on.includes(one))),
              })
            }
          />
        ))}
      </fieldset>
      <div className="grid max-w-120 gap-3 sm:grid-cols-2">
        <TextField
          label="Max attempts"
          type="number"
          value={String(failover.max_attempts)}
          onChange={(typed) => set({ max_attempts: Number(typed) })}
          hint="1 to 5"
        />
        <TextField
          label="Time limit (s)"
          type="number"
          value={String(failover.budget_ms / 1_000)}
          onChange={(typed) => set({ budget_ms: Math.round(Number(typed) * 1_000) })}
          hint="Up to 60"
        />
      </div>
    </div>
  )
}
