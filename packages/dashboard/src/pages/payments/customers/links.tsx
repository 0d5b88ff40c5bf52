/** Links for a customer: to replace their card, and to the customer portal. */
import type { Customer } from '@switchyard/sdk'
import { useState } from 'react'
import { useApi } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { ShownOnce } from '../../../ui/shown-once.tsx'

type Props = { customer: Customer; close: () => void }

export function CardUpdateLink({ customer: { id }, close }: Props) {
  const api = useApi()
  const [url, setUrl] = useState<string | null>(null)
  if (url !== null)
    return (
      <ShownOnce
        title="Card update link"
        intro="Send this link to the customer. It is valid for 7 days, and is not shown again."
        text={url}
        copy="Copy link"
        onClose={close}
      />
    )
  return (
    <ActionDialog
      title="Create card update link"
      intro="The customer enters a new card, which becomes the card of all their subscriptions. The oldest overdue invoice is then charged to it."
      submit="Create link"
      call={{
        method: 'POST',
        path: `/customers/${id}/update-payment-method-link`,
        sdk: { method: 'customers.updatePaymentMethodLink', args: [id] },
      }}
      run={async (key) => {
        const session = await api.customers.updatePaymentMethodLink(id, {}, key)
        setUrl(session.url ?? '')
      }}
      onDone={() => {}}
      onCancel={close}
    />
  )
}

export function PortalLink({ customer: { id }, close }: Props) {
  const api = useApi()
  const [url, setUrl] = useState<string | null>(null)
  if (url !== null)
    return (
      <ShownOnce
        title="Customer portal"
        intro="This link opens the portal of the customer for 30 minutes, and is not shown again. Anyone who has it can act on behalf of the customer."
        text={url}
        copy="Copy link"
        onClose={close}
      />
    )
  const body = { customer_id: id }
  return (
    <ActionDialog
      title="Open portal"
      intro="Creates a session of the customer portal, in which you see and change what the customer can see and change. It is recorded in the audit log."
      submit="Create session"
      call={{
        method: 'POST',
        path: '/portal-sessions',
        body,
        sdk: { method: 'portalSessions.create', args: [body] },
      }}
      run={async (key) => {
        const session = await api.portalSessions.create(body, key)
        setUrl(session.url)
      }}
      onDone={() => {}}
      onCancel={close}
    />
  )
}
