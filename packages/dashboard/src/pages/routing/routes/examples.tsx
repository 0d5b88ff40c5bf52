/** The tests of a route: payments with the account that they have to go to. A red one stops publishing. */
import { useState } from 'react'
import { moneyText } from '../../../format/money.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Chip } from '../../../ui/status.tsx'
import { useAccountNames, withNames } from '../../accounts.ts'
import { type Example, newName, without } from './definition.ts'
import { type Finding, Findings, under } from './findings.tsx'
import { empty, OperandFields, operandsOf } from './operand-fields.tsx'
import type { TabProps } from './route-tabs.tsx'

export function Examples(props: TabProps) {
  const { definition, lint, refused, onChange } = props
  const { examples } = definition
  return (
    <div className="grid gap-4 p-4">
      {examples.length === 0 && (
        <Empty title="This route has no examples yet.">
          An example is a payment and the account that it has to go to. While one of them fails, the route
          cannot be published.
        </Empty>
      )}
      <ul className="grid gap-2" aria-label="Examples">
        {examples.map((example, at) => (
          <ExampleRow
            key={example.name}
            example={example}
            findings={under(lint.findings, `/examples/${at}`)}
            refused={refused}
            remove={() => onChange({ ...definition, examples: without(examples, at) })}
          />
        ))}
      </ul>
      {refused === null && <AddExample {...props} />}
    </div>
  )
}

function ExampleRow(props: {
  example: Example
  findings: readonly Finding[]
  refused: string | null
  remove: () => void
}) {
  const { example, findings } = props
  const { nameOf } = useAccountNames()
  const named = findings.map((finding) => ({ ...finding, detail: withNames(finding.detail, nameOf) }))
  const goal = example.expect.provider_account_id
  return (
    <li className="grid gap-1 border-b border-line pb-2">
      <div className="flex flex-wrap items-center gap-2">
        {findings.length === 0 ? (
          <Chip mark="disc" tone="clear" text="Passes" />
        ) : (
          <Chip mark="barred" tone="danger" text="Fails" />
        )}
        <strong>{example.name}</strong>
        <span className="text-ink2">
          {paymentText(example.payment)} → {goal === undefined ? 'declined' : nameOf(goal)}
        </span>
        <Button compact look="quiet" refused={props.refused} onClick={props.remove}>
          Remove {example.name}
        </Button>
      </div>
      <Findings of={named} />
    </li>
  )
}

export function paymentText({ amount, currency, ...rest }: Example['payment']): string {
  const others = Object.entries(rest).map(([field, value]) => `${field} ${value}`)
  return [moneyText(Number(amount), String(currency)), ...others].join(', ')
}

function AddExample({ definition, onChange }: TabProps) {
  const { accounts } = useAccountNames()
  const [draft, setDraft] = useState(empty)
  const [goal, setGoal] = useState('')
  const [name, setName] = useState('')
  const operands = operandsOf(draft)
  const add = () => {
    if (operands === null || goal === '') return
    const example: Example = {
      name: name === '' ? newName(definition.examples, 'Example') : name,
      payment: operands,
      expect: goal === 'decline' ? { decline: true } : { provider_account_id: goal },
    }
    onChange({ ...definition, examples: [...definition.examples, example] })
    setName('')
  }
  const why =
    operands === null ? 'Enter an amount first.' : goal === '' ? 'Choose what is expected first.' : null
  return (
    <section aria-label="Add an example" className="grid gap-3">
      <h3 className="font-bold">Add an example</h3>
      <OperandFields draft={draft} set={setDraft} />
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Expect"
          value={goal}
          onChange={setGoal}
          options={[
            { value: '', text: 'Choose an account' },
            ...accounts.map(({ id, display_name }) => ({ value: id, text: display_name })),
            { value: 'decline', text: 'It is declined' },
          ]}
        />
        <TextField label="What it shows" value={name} onChange={setName} hint="Optional." />
      </div>
      <div>
        <Button refused={why} onClick={add}>
          Add example
        </Button>
      </div>
    </section>
  )
}
