/** What is known of a customer, changed or erased. */
import type { Customer } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { useGo } from '../../../ui/link.tsx'
import { bodyOf, draftOf } from './draft.ts'
import { CustomerFields } from './fields.tsx'

type Props = { customer: Customer; close: () => void }

export function EditCustomer({ customer, close }: Props) {
  const api = useApi()
  const reread = useReread()
  const { id } = customer
  const [before] = useState(() => draftOf(customer))
  const [draft, setDraft] = useState(before)
  const body = bodyOf(draft, before)
  const isSame = Object.keys(body).length === 0
  return (
    <ActionDialog
      title="Edit customer"
      submit="Save"
      refused={isSame ? 'Nothing is different yet.' : null}
      call={{
        method: 'PUT',
        path: `/customers/${id}`,
        body,
        sdk: { method: 'customers.update', args: [id, body] },
      }}
      run={(key) => api.customers.update(id, body, key)}
      done="Customer saved"
      onDone={() => {
        close()
        void reread('customer')
      }}
      onCancel={close}
    >
      <CustomerFields draft={draft} change={setDraft} />
    </ActionDialog>
  )
}

export function DeleteCustomer({ customer, close }: Props) {
  const api = useApi()
  const go = useGo()
  const reread = useReread()
  const { id } = customer
  const run = async () => {
    await api.customers.delete(id)
    // Away from its page first: there is nothing to read there any more.
    go('/customers')
    await reread('customer', 'payment_method')
  }
  return (
    <ActionDialog
      title="Delete customer"
      danger
      intro={`The personal data of ${customer.name ?? customer.email ?? id} is erased and every payment method detached. Payments and invoices stay. It cannot be undone.`}
      submit="Erase and delete"
      call={{ method: 'DELETE', path: `/customers/${id}`, sdk: { method: 'customers.delete', args: [id] } }}
      run={run}
      done="Customer deleted"
      onDone={close}
    />
  )
}
