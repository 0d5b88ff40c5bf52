/** Edits or deletes a customer. */
import type { Customer } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
import { bodyOf, draftOf } from './draft.ts'
import { CustomerFields } from './fields.tsx'

type Props = { customer: Customer; close: () => void }

export function EditCustomer({ customer, close }: Props) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { id } = customer
  const [before] = useState(() => draftOf(customer))
  const [draft, setDraft] = useState(before)
  const body = bodyOf(draft, before)
  const isUnchanged = Object.keys(body).length === 0
  return (
    <ActionDialog
      title="Edit customer"
      submit="Save customer"
      disabledReason={isUnchanged ? 'No changes yet.' : null}
      call={{
        method: 'PUT',
        path: `/customers/${id}`,
        body,
        sdk: { method: 'customers.update', args: [id, body] },
      }}
      run={(key) => api.customers.update(id, body, key)}
      successMessage="Customer saved"
      onDone={() => {
        close()
        void invalidate('customer')
      }}
      onCancel={close}
    >
      <CustomerFields draft={draft} change={setDraft} />
    </ActionDialog>
  )
}

export function DeleteCustomer({ customer, close }: Props) {
  const api = useApi()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const { id } = customer
  const [cancelsSubscriptions, setCancelsSubscriptions] = useState(false)
  const options = cancelsSubscriptions ? ({ subscriptions: 'cancel' } as const) : undefined
  const run = async () => {
    await api.customers.delete(id, options)
    // Leave the page of the customer first: the customer no longer exists.
    openPage('/customers')
    await invalidate('customer', 'payment_method', 'subscription', 'invoice')
  }
  return (
    <ActionDialog
      title="Delete customer"
      danger
      intro={`This erases the personal data of ${customer.name ?? customer.email ?? id} and detaches every payment method. Payments and invoices are kept. This cannot be undone.`}
      submit="Delete customer"
      call={{
        method: 'DELETE',
        path: `/customers/${id}${cancelsSubscriptions ? '?subscriptions=cancel' : ''}`,
        sdk: { method: 'customers.delete', args: options === undefined ? [id] : [id, options] },
      }}
      run={run}
      successMessage="Customer deleted"
      onDone={close}
    >
      <CheckField
        label="Cancel subscriptions and void open invoices"
        hint="Required to delete a customer with subscriptions or open invoices. A charge in progress is refunded."
        checked={cancelsSubscriptions}
        onChange={setCancelsSubscriptions}
      />
    </ActionDialog>
  )
}
