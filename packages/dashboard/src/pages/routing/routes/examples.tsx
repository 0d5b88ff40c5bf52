/** The examples of a route: payments with their expected account. A failing example prevents publishing. */
import { useState } from 'react'
import { moneyText } from '../../../format/money.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Chip } from '../../../ui/status.tsx'
import { useAccountNames, withNames } from '../../accounts.ts'
import { type Example, uniqueName, without } from './definition.ts'
import { type Finding, Findings, findingsUnder } from './findings.tsx'
import { emptyDraft, OperandFields, operandsOf } from './operand-fields.tsx'
import type { TabProps } from './route-tabs.tsx'

export function Examples(props: TabProps) {
  const { definition, lint, disabledReason, onChange } = props
  const { examples } = definition
  return (
    <div className="grid gap-4 p-4">
      {examples.length === 0 && (
        <Empty title="No examples yet.">
          An example is a payment and the account it must be routed to. The route cannot be published while an
          example fails.
        </Empty>
      )}
      <ul className="grid gap-2" aria-label="Examples">
        {examples.map((example, position) => (
          <ExampleRow
            key={example.name}
            example={example}
            findings={findingsUnder(lint.findings, `/examples/${position}`)}
            disabledReason={disabledReason}
            remove={() => onChange({ ...definition, examples: without(examples, position) })}
          />
        ))}
      </ul>
      {disabledReason === null && <AddExample {...props} />}
    </div>
  )
}

function ExampleRow(props: {
  example: Example
  findings: readonly Finding[]
  disabledReason: string | null
  remove: () => void
}) {
  const { example, findings } = props
  const { nameOf } = useAccountNames()
  const namedFindings = findings.map((finding) => ({ ...finding, detail: withNames(finding.detail, nameOf) }))
  const expectedAccount = example.expect.provider_account_id
  return (
    <li className="grid gap-1 border-b border-line pb-2">
      <div className="flex flex-wrap items-center gap-2">
        {findings.length === 0 ? (
          <Chip mark="disc" tone="success" text="Passes" />
        ) : (
          <Chip mark="barred" tone="danger" text="Fails" />
        )}
        <strong>{example.name}</strong>
        <span className="text-ink2">
          {paymentText(example.payment)} →{' '}
          {expectedAccount === undefined ? 'declined' : nameOf(expectedAccount)}
        </span>
        <Button compact variant="quiet" disabledReason={props.disabledReason} onClick={props.remove}>
          Remove {example.name}
        </Button>
      </div>
      <Findings findings={namedFindings} />
    </li>
  )
}

export function paymentText({ amount, currency, ...rest }: Example['payment']): string {
  const others = Object.entries(rest).map(([field, value]) => `${field} ${value}`)
  return [moneyText(Number(amount), String(currency)), ...others].join(', ')
}

function AddExample({ definition, onChange }: TabProps) {
  const { accounts } = useAccountNames()
  const [draft, setDraft] = useState(emptyDraft)
  const [expectedAccount, setExpectedAccount] = useState('')
  const [name, setName] = useState('')
  const operands = operandsOf(draft)
  const add = () => {
    if (operands === null || expectedAccount === '') return
    const example: Example = {
      name: name === '' ? uniqueName(definition.examples, 'Example') : name,
      payment: operands,
      expect: expectedAccount === 'decline' ? { decline: true } : { provider_account_id: expectedAccount },
    }
    onChange({ ...definition, examples: [...definition.examples, example] })
    setName('')
  }
  const missingReason =
    operands === null
      ? 'Enter an amount first.'
      : expectedAccount === ''
        ? 'Choose the expected result first.'
        : null
  return (
    <section aria-label="Add example" className="grid gap-3">
      <h3 className="font-bold">Add example</h3>
      <OperandFields draft={draft} set={setDraft} />
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Expected result"
          value={expectedAccount}
          onChange={setExpectedAccount}
          options={[
            { value: '', text: 'Choose an account' },
            ...accounts.map(({ id, display_name }) => ({ value: id, text: display_name })),
            { value: 'decline', text: 'Declined' },
          ]}
        />
        <TextField label="Description" value={name} onChange={setName} hint="Optional" />
      </div>
      <div>
        <Button disabledReason={missingReason} onClick={add}>
          Add example
        </Button>
      </div>
    </section>
  )
}
