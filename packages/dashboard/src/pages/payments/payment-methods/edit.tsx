/** Edits the expiry date of a card. */
import type { PaymentMethod } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'

type Card = NonNullable<PaymentMethod['card']>

export function EditMethod({ id, card, close }: { id: string; card: Card; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const [month, setMonth] = useState(String(card.exp_month))
  const [year, setYear] = useState(String(card.exp_year))
  const body = { card: { exp_month: Number(month), exp_year: Number(year) } }
  return (
    <ActionDialog
      title="Edit payment method"
      intro="Use this when the bank reissued the same card with a later expiry date."
      submit="Save payment method"
      call={{
        method: 'PUT',
        path: `/payment-methods/${id}`,
        body,
        sdk: { method: 'paymentMethods.update', args: [id, body] },
      }}
      run={(key) => api.paymentMethods.update(id, body, key)}
      successMessage="Payment method saved"
      onDone={() => {
        close()
        void invalidate('payment_method')
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
