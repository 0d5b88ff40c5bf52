/** What would become of one payment. Nothing is written, and no provider is called. */
import type { PaymentRouteSimulation, SimulatePaymentRoute } from '@switchyard/sdk'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { ActionForm } from '../../../ui/action.tsx'
import { CheckField, SelectField, TextField } from '../../../ui/fields.tsx'
import { useAccountNames } from '../../accounts.ts'
import { empty, OperandFields, operandsOf } from './operand-fields.tsx'
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
  const may = useMay()
  const { payment_id: paymentId = '' } = useSearch({ strict: false }) as { payment_id?: string }
  const [replayed, setReplayed] = useState(paymentId)
  const [draft, setDraft] = useState(empty)
  const [held, setHeld] = useState<readonly string[]>([])
  const [open, setOpen] = useState<readonly string[]>([])
  const [outcome, setOutcome] = useState('approved')
  const [result, setResult] = useState<PaymentRouteSimulation | null>(null)
  const operands = operandsOf(draft)
  const body: SimulatePaymentRoute = {
    definition,
    ...(replayed === '' ? { operands: operands ?? {} } : { payment_id: replayed }),
    assume: { held: [...held], open: [...open], outcomes: outcome === 'approved' ? [] : [outcome] },
  }
  const why = replayed === '' && operands === null ? 'Enter an amount first.' : null
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6 p-4 lg:grid-cols-2">
      <ActionForm
        submit="Try it"
        refused={may('payment_routes.simulate') ?? why}
        call={{
          method: 'POST',
          path: `/payment-routes/${route.id}/simulate`,
          body,
          sdk: { method: 'paymentRoutes.simulate', args: [route.id, body] },
        }}
        run={async () => setResult(await api.paymentRoutes.simulate(route.id, body))}
        onDone={() => undefined}
      >
        <p className="text-ink2">The rules as they stand above, saved or not. No provider is called.</p>
        <TextField
          label="A payment that there was"
          value={replayed}
          onChange={setReplayed}
          placeholder="payment_…"
          hint="Empty: describe one below."
          pointer="/payment_id"
          mono
        />
        {replayed === '' && <OperandFields draft={draft} set={setDraft} />}
        <SelectField
          label="Assume that the first attempt is"
          value={outcome}
          onChange={setOutcome}
          options={outcomes.map((value) => ({ value, text: value }))}
        />
        <Assume title="Assume on hold" chosen={held} set={setHeld} />
        <Assume title="Assume failing (breaker open)" chosen={open} set={setOpen} />
      </ActionForm>
      <section aria-label="Result" aria-live="polite">
        {result === null ? (
          <p className="text-ink2">What would happen shows here, condition by condition.</p>
        ) : (
          <Trace simulation={result} definition={definition} />
        )}
      </section>
    </div>
  )
}

function Assume(props: { title: string; chosen: readonly string[]; set: (ids: readonly string[]) => void }) {
  const { accounts } = useAccountNames()
  const { chosen, set } = props
  return (
    <fieldset className="flex flex-wrap gap-x-4 gap-y-2">
      <legend className="mb-1 font-bold">{props.title}</legend>
      {accounts
        .filter(({ status }) => status === 'active')
        .map(({ id, display_name }) => (
          <CheckField
            key={id}
            label={display_name}
            checked={chosen.includes(id)}
            onChange={(isOn) => set(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
          />
        ))}
    </fieldset>
  )
}
