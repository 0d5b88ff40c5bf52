/** Resolves a review: an admin enters the outcome at the provider. This is recorded in the audit log. */
import type { Operation, ResolveOperationPayment } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { sentenceCase } from '../../../format/text.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { AmountField, RadioField, SelectField, TextArea, TextField } from '../../../ui/fields.tsx'
import { useAccountName } from '../../accounts.ts'
import type { ActionProps } from './actions.tsx'

type Outcome = ResolveOperationPayment['outcome']

export function ResolvePayment({ payment, operations, close }: ActionProps) {
  const api = useApi()
  const invalidate = useInvalidate()
  const nameOf = useAccountName()
  const candidates = candidatesOf(operations)
  const { operation, select } = useSelection(candidates)
  const [outcome, setOutcome] = useState<Outcome>('succeeded')
  const [reference, setReference] = useState('')
  const [amount, setAmount] = useState<Amount>({ text: '', value: null })
  const [note, setNote] = useState('')
  const operationId = operation?.id ?? ''
  const hasEnded = operation !== undefined && operation.status !== 'needs_review'
  const resolved = hasEnded ? 'not_processed' : outcome
  const body = bodyOf(resolved, { reference, note, amount: takesAmount(operation) ? amount.value : null })
  return (
    <ActionDialog
      title="Resolve review"
      intro="Check the provider's dashboard first. Your answer is treated as the provider’s and recorded in the audit log."
      submit={resolved === 'succeeded' ? 'Confirm it succeeded' : 'Confirm it was not processed'}
      danger
      disabledReason={note.trim() === '' ? 'First explain how you know.' : null}
      call={{
        method: 'POST',
        path: `/payments/${payment.id}/operations/${operationId}/resolve`,
        body,
        sdk: { method: 'payments.resolveOperation', args: [payment.id, operationId, body] },
      }}
      run={(key) => api.payments.resolveOperation(payment.id, operationId, body, key)}
      successMessage="Review resolved"
      onDone={() => {
        close()
        void invalidate('payment', 'refund')
      }}
      onCancel={close}
    >
      <SelectField
        label="Operation"
        value={operationId}
        onChange={select}
        options={candidates.map((one) => ({
          value: one.id,
          text: `${sentenceCase(one.kind)} ${moneyOf(one)} at ${nameOf(one.provider_account_id)}, ${sentenceCase(one.status).toLowerCase()}`,
        }))}
      />
      {operation !== undefined && <p>{factsOf(operation)}</p>}
      {hasEnded ? (
        <p className="text-ink2">
          This operation has already ended and does not change. Confirm that the discrepancy was corrected at
          the provider.
        </p>
      ) : (
        <Fields outcome={outcome} setOutcome={setOutcome} reference={reference} setReference={setReference} />
      )}
      {resolved === 'succeeded' && takesAmount(operation) && (
        <AmountField
          label="Amount charged"
          pointer="/amount"
          hint={`Leave empty if it was ${moneyOf(operation)}, as requested.`}
          currency={operation?.currency ?? 'eur'}
          value={amount.text}
          onChange={(text, value) => setAmount({ text, value })}
        />
      )}
      <TextArea
        label="How you know"
        pointer="/note"
        hint="For the audit log: who confirmed it, and the case number."
        rows={3}
        value={note}
        onChange={setNote}
      />
    </ActionDialog>
  )
}

function Fields(props: {
  outcome: Outcome
  setOutcome: (outcome: Outcome) => void
  reference: string
  setReference: (reference: string) => void
}) {
  const { outcome, setOutcome, reference, setReference } = props
  return (
    <>
      <RadioField
        legend="Status at the provider"
        value={outcome}
        onChange={(value) => setOutcome(value as Outcome)}
        options={[
          { value: 'succeeded', text: 'It succeeded' },
          { value: 'not_processed', text: 'It was not processed, and will not be' },
        ]}
      />
      {outcome === 'succeeded' && (
        <TextField
          label="Provider reference"
          pointer="/provider_reference"
          hint="The provider’s ID for this operation. Required if Switchyard does not have it yet."
          mono
          value={reference}
          onChange={setReference}
        />
      )}
    </>
  )
}

/** The operations that need review; all operations for a conflict, which can concern any of them. */
function candidatesOf(operations: readonly Operation[]): readonly Operation[] {
  const open = operations.filter(({ status }) => status === 'needs_review')
  return open.length > 0 ? open : operations
}

/** The first operation, until another is selected. The dialog may be opened before they are loaded. */
function useSelection(candidates: readonly Operation[]) {
  const [selectedId, select] = useState('')
  return { operation: candidates.find(({ id }) => id === selectedId) ?? candidates[0], select }
}

function moneyOf(operation: Operation | undefined): string {
  return operation === undefined ? '' : moneyText(operation.amount, operation.currency)
}

type Amount = { readonly text: string; readonly value: number | null }
type ResolutionInput = { readonly reference: string; readonly note: string; readonly amount: number | null }

function takesAmount(operation: Operation | undefined): boolean {
  return operation?.kind === 'authorize' || operation?.kind === 'capture'
}

/** The requested amount and the outcome or amount that the provider reports. */
function factsOf(operation: Operation): string {
  const { reported } = operation
  const requested = `Requested ${moneyOf(operation)}`
  if (reported === null) return `${requested}. The provider has not reported an outcome.`
  if (reported.amount === null || reported.currency === null)
    return `${requested}. The provider reports: ${sentenceCase(reported.status).toLowerCase()}.`
  return `${requested}. The provider reports ${moneyText(reported.amount, reported.currency)}.`
}

function bodyOf(outcome: Outcome, { reference, note, amount }: ResolutionInput): ResolveOperationPayment {
  const hasSucceeded = outcome === 'succeeded'
  return {
    outcome,
    ...(hasSucceeded && reference.trim() !== '' ? { provider_reference: reference.trim() } : {}),
    ...(hasSucceeded && amount !== null ? { amount } : {}),
    note: note.trim(),
  }
}
