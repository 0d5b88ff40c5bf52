import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
import { bodyOf, emptyDraft } from './draft.ts'
import { CustomerFields } from './fields.tsx'

export function NewCustomer({ close }: { close: () => void }) {
  const api = useApi()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const [draft, setDraft] = useState(emptyDraft)
  const body = bodyOf(draft)
  const run = async (key: { idempotencyKey: string }) => {
    const { id } = await api.customers.create(body, key)
    await invalidate('customer')
    openPage(`/customers/${id}`)
  }
  return (
    <ActionDialog
      title="Create customer"
      submit="Create customer"
      call={{ method: 'POST', path: '/customers', body, sdk: { method: 'customers.create', args: [body] } }}
      run={run}
      successMessage="Customer created"
      onDone={close}
    >
      <CustomerFields draft={draft} change={setDraft} />
    </ActionDialog>
  )
}
