/** A person says what the books of the provider say. It is audited. */
import type { Operation, ResolveOperationPayment } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { words } from '../../../format/words.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { RadioField, SelectField, TextArea, TextField } from '../../../ui/fields.tsx'
import { useAccountName } from '../../accounts.ts'
import type { ActProps } from './actions.tsx'

type Outcome = ResolveOperationPayment['outcome']

export function ResolvePayment({ payment, operations, close }: ActProps) {
  const api = useApi()
  const reread = useReread()
  const nameOf = useAccountName()
  const choices = choicesOf(operations)
  const [operationId, setOperation] = useState(choices[0]?.id ?? '')
  const [outcome, setOutcome] = useState<Outcome>('succeeded')
  const [reference, setReference] = useState('')
  const [note, setNote] = useState('')
  const operation = choices.find(({ id }) => id === operationId)
  const isEnded = operation !== undefined && operation.status !== 'needs_review'
  const said = isEnded ? 'not_processed' : outcome
  const body = bodyOf(said, reference, note)
  return (
    <ActionDialog
      title="Resolve the review"
      intro="Look into the books of the provider first. What you say here counts as if they had said it, and is kept in the audit log."
      submit={said === 'succeeded' ? `It took ${moneyOf(operation)}` : 'It did not happen'}
      danger
      refused={note.trim() === '' ? 'Say how you know first.' : null}
      call={{
        method: 'POST',
        path: `/payments/${payment.id}/operations/${operationId}/resolve`,
        body,
        sdk: { method: 'payments.resolveOperation', args: [payment.id, operationId, body] },
      }}
      run={(key) => api.payments.resolveOperation(payment.id, operationId, body, key)}
      done="The review is resolved"
      onDone={() => {
        close()
        void reread('payment', 'refund')
      }}
      onCancel={close}
    >
      <SelectField
        label="Operation"
        value={operationId}
        onChange={setOperation}
        options={choices.map((one) => ({
          value: one.id,
          text: `${words(one.kind)} ${moneyOf(one)} at ${nameOf(one.provider_account_id)}, ${words(one.status).toLowerCase()}`,
        }))}
      />
      {isEnded ? (
        <p className="text-ink2">
          This operation has ended and stays as it is. Say that the contradiction was put right at the
          provider.
        </p>
      ) : (
        <Heard outcome={outcome} setOutcome={setOutcome} reference={reference} setReference={setReference} />
      )}
      <TextArea
        label="How you know"
        pointer="/note"
        hint="For the audit log: who told you, under which case number."
        rows={3}
        value={note}
        onChange={setNote}
      />
    </ActionDialog>
  )
}

function Heard(props: {
  outcome: Outcome
  setOutcome: (outcome: Outcome) => void
  reference: string
  setReference: (reference: string) => void
}) {
  const { outcome, setOutcome, reference, setReference } = props
  return (
    <>
      <RadioField
        legend="What the provider’s books say"
        value={outcome}
        onChange={(value) => setOutcome(value as Outcome)}
        options={[
          { value: 'succeeded', text: 'It happened as it was asked for' },
          { value: 'not_processed', text: 'It did not happen, and will not' },
        ]}
      />
      {outcome === 'succeeded' && (
        <TextField
          label="Reference of the provider"
          pointer="/provider_reference"
          hint="What they call it. Required if it is not known yet."
          mono
          value={reference}
          onChange={setReference}
        />
      )}
    </>
  )
}

/** Those that need a person; of a contradiction it is any, so then all. */
function choicesOf(operations: readonly Operation[]): readonly Operation[] {
  const open = operations.filter(({ status }) => status === 'needs_review')
  return open.length > 0 ? open : operations
}

function moneyOf(operation: Operation | undefined): string {
  return operation === undefined ? '' : moneyText(operation.amount, operation.currency)
}

function bodyOf(outcome: Outcome, reference: string, note: string): ResolveOperationPayment {
  const known = outcome === 'succeeded' && reference.trim() !== ''
  return { outcome, ...(known ? { provider_reference: reference.trim() } : {}), note: note.trim() }
}
