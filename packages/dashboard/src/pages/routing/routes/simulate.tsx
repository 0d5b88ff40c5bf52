/** Simulates the routing of one payment. Nothing is stored, and no provider is called. */
import type { PaymentRouteSimulation, SimulatePaymentRoute } from '@switchyard/sdk'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionForm } from '../../../ui/action.tsx'
import { CheckField, SelectField, TextField } from '../../../ui/fields.tsx'
import { useAccountNames } from '../../accounts.ts'
import { emptyDraft, OperandFields, operandsOf } from './operand-fields.tsx'
import type { TabProps } from './route-tabs.tsx'
import { Trace } from './trace.tsx'

const outcomes = [
  'approved',
  'do_not_honor',
  'insufficient_funds',
  'lost_card',
  'issuer_unavailable',
  'unknown',
]

export function Simulate({ route, definition }: TabProps) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const { payment_id: paymentId = '' } = useSearch({ strict: false }) as { payment_id?: string }
  const [existingPaymentId, setExistingPaymentId] = useState(paymentId)
  const [draft, setDraft] = useState(emptyDraft)
  const [heldAccounts, setHeldAccounts] = useState<readonly string[]>([])
  const [openCircuits, setOpenCircuits] = useState<readonly string[]>([])
  const [outcome, setOutcome] = useState('approved')
  const [result, setResult] = useState<PaymentRouteSimulation | null>(null)
  const operands = operandsOf(draft)
  const body: SimulatePaymentRoute = {
    definition,
    ...(existingPaymentId === '' ? { operands: operands ?? {} } : { payment_id: existingPaymentId }),
    assume: {
      held: [...heldAccounts],
      open: [...openCircuits],
      outcomes: outcome === 'approved' ? [] : [outcome],
    },
  }
  const missingReason = existingPaymentId === '' && operands === null ? 'Enter an amount first.' : null
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6 p-4 lg:grid-cols-2">
      <ActionForm
        submit="Test payment"
        disabledReason={disabledReasonFor('payment_routes.simulate') ?? missingReason}
        call={{
          method: 'POST',
          path: `/payment-routes/${route.id}/simulate`,
          body,
          sdk: { method: 'paymentRoutes.simulate', args: [route.id, body] },
        }}
        run={async () => setResult(await api.paymentRoutes.simulate(route.id, body))}
        onDone={() => undefined}
      >
        <p className="text-ink2">Uses the rules above, including unsaved changes. No provider is called.</p>
        <TextField
          label="Existing payment"
          value={existingPaymentId}
          onChange={setExistingPaymentId}
          placeholder="payment_…"
          hint="Leave empty to describe a payment below."
          pointer="/payment_id"
          mono
        />
        {existingPaymentId === '' && <OperandFields draft={draft} set={setDraft} />}
        <SelectField
          label="Assume the first attempt is"
          value={outcome}
          onChange={setOutcome}
          options={outcomes.map((value) => ({ value, text: value }))}
        />
        <AccountCheckboxes title="Assume on hold" selected={heldAccounts} set={setHeldAccounts} />
        <AccountCheckboxes
          title="Assume failing (circuit open)"
          selected={openCircuits}
          set={setOpenCircuits}
        />
      </ActionForm>
      <section aria-label="Result" aria-live="polite">
        {result === null ? (
          <p className="text-ink2">The result appears here, condition by condition.</p>
        ) : (
          <Trace simulation={result} definition={definition} />
        )}
      </section>
    </div>
  )
}

function AccountCheckboxes(props: {
  title: string
  selected: readonly string[]
  set: (ids: readonly string[]) => void
}) {
  const { accounts } = useAccountNames()
  const { selected, set } = props
  return (
    <fieldset className="flex flex-wrap gap-x-4 gap-y-2">
      <legend className="mb-1 font-bold">{props.title}</legend>
      {accounts
        .filter(({ status }) => status === 'active')
        .map(({ id, display_name }) => (
          <CheckField
            key={id}
            label={display_name}
            checked={selected.includes(id)}
            onChange={(isOn) => set(isOn ? [...selected, id] : selected.filter((one) => one !== id))}
          />
        ))}
    </fieldset>
  )
}
