/** Disables, enables and deletes an endpoint. Each dialog says what happens to pending events. */
import type { WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import { useOpenPage } from '../../../ui/link.tsx'

type Props = { endpoint: WebhookEndpoint; onClose: () => void }

export function DisableEndpoint({ endpoint, onClose }: Props) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  return (
    <ActionDialog
      title="Disable endpoint"
      intro="No more events are sent to this endpoint. They are held for 30 days and sent when you enable it again."
      submit="Disable endpoint"
      danger
      disabledReason={disabledReasonFor('webhook_endpoints.disable')}
      successMessage="Endpoint disabled. Its events are held."
      call={{
        method: 'POST',
        path: `/webhook-endpoints/${endpoint.id}/disable`,
        sdk: { method: 'webhookEndpoints.disable', args: [endpoint.id] },
      }}
      run={async (key) => {
        await api.webhookEndpoints.disable(endpoint.id, key)
        await invalidate('webhook_endpoint', 'delivery')
      }}
      onDone={onClose}
    />
  )
}

export function EnableEndpoint({ endpoint, onClose }: Props) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [sendsHeld, setSendsHeld] = useState(true)
  const body = { recover: sendsHeld ? 'held' : 'none' } as const
  return (
    <ActionDialog
      title="Enable endpoint"
      submit="Enable endpoint"
      disabledReason={disabledReasonFor('webhook_endpoints.enable')}
      successMessage="Endpoint enabled"
      call={{
        method: 'POST',
        path: `/webhook-endpoints/${endpoint.id}/enable`,
        body,
        sdk: { method: 'webhookEndpoints.enable', args: [endpoint.id, body] },
      }}
      run={async (key) => {
        await api.webhookEndpoints.enable(endpoint.id, body, key)
        await invalidate('webhook_endpoint', 'delivery')
      }}
      onDone={onClose}
    >
      <CheckField
        label="Send held events"
        hint="Otherwise they stay held, and you can resend them later."
        checked={sendsHeld}
        onChange={setSendsHeld}
      />
    </ActionDialog>
  )
}

export function DeleteEndpoint({ endpoint, onClose }: Props) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  return (
    <ActionDialog
      title="Delete endpoint"
      intro={`Waiting deliveries to ${endpoint.url} are not sent, and its signing secret is deleted. This cannot be undone.`}
      submit="Delete endpoint"
      danger
      disabledReason={disabledReasonFor('webhook_endpoints.delete')}
      successMessage="Endpoint deleted"
      call={{
        method: 'DELETE',
        path: `/webhook-endpoints/${endpoint.id}`,
        sdk: { method: 'webhookEndpoints.delete', args: [endpoint.id] },
      }}
      run={async () => {
        await api.webhookEndpoints.delete(endpoint.id)
        openPage('/webhook-endpoints')
        // Only refetch lists: the endpoint itself no longer exists.
        await invalidate('webhook_endpoint list')
      }}
      onDone={onClose}
    />
  )
}
