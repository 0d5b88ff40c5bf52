/** The card stays the same; when it runs out and whose name is on it may change. */
import type { PaymentMethod } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'

export function EditMethod({ method, close }: { method: PaymentMethod; close: () => void }) {
  const api = useApi()
  const reread = useReread()
  const { id, card } = method
  const [month, setMonth] = useState(String(card.exp_month))
  const [year, setYear] = useState(String(card.exp_year))
  const body = { card: { exp_month: Number(month), exp_year: Number(year) } }
  return (
    <ActionDialog
      title="Edit payment method"
      intro="The bank has sent the payer the same card with a later expiry."
      submit="Save"
      call={{
        method: 'PUT',
        path: `/payment-methods/${id}`,
        body,
        sdk: { method: 'paymentMethods.update', args: [id, body] },
      }}
      run={(key) => api.paymentMethods.update(id, body, key)}
      done="Payment method saved"
      onDone={() => {
        close()
        void reread('payment_method')
      }}
      onCancel={close}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Month" type="number" pointer="/card/exp_month" value={month} onChange={setMonth} />
        <TextField
          label="Year"
          type="number"
          pointer="/card/exp_year"
          hint="Four digits."
          value={year}
          onChange={setYear}
        />
      </div>
    </ActionDialog>
  )
}
