/** What a payment is for, in your words. */
import type { Payment } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { TextArea } from '../../../ui/fields.tsx'

export function EditPayment({ payment, close }: { payment: Payment; close: () => void }) {
  const api = useApi()
  const reread = useReread()
  const { id } = payment
  const [description, setDescription] = useState(payment.description ?? '')
  const body = { description: description.trim() === '' ? null : description.trim() }
  return (
    <ActionDialog
      title="Edit description"
      intro="For your people. Providers and payers do not see it."
      submit="Save"
      call={{
        method: 'PUT',
        path: `/payments/${id}`,
        body,
        sdk: { method: 'payments.update', args: [id, body] },
      }}
      run={(key) => api.payments.update(id, body, key)}
      done="Description saved"
      onDone={() => {
        close()
        void reread('payment')
      }}
      onCancel={close}
    >
      <TextArea
        label="Description"
        pointer="/description"
        rows={3}
        value={description}
        onChange={setDescription}
      />
    </ActionDialog>
  )
}
