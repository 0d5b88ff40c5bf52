/** Edits the description of a payment. */
import type { Payment } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { TextArea } from '../../../ui/fields.tsx'

export function EditPayment({ payment, close }: { payment: Payment; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { id } = payment
  const [description, setDescription] = useState(payment.description ?? '')
  const body = { description: description.trim() === '' ? null : description.trim() }
  return (
    <ActionDialog
      title="Edit description"
      intro="Internal note. Providers and payers do not see it."
      submit="Save description"
      call={{
        method: 'PUT',
        path: `/payments/${id}`,
        body,
        sdk: { method: 'payments.update', args: [id, body] },
      }}
      run={(key) => api.payments.update(id, body, key)}
      successMessage="Description saved"
      onDone={() => {
        close()
        void invalidate('payment')
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
