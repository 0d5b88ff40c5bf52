/** Disabling, enabling and deleting an endpoint. Each says what becomes of the events in between. */
import type { WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import { useGo } from '../../../ui/link.tsx'

type Props = { endpoint: WebhookEndpoint; onClose: () => void }

export function DisableEndpoint({ endpoint, onClose }: Props) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  return (
    <ActionDialog
      title="Disable the endpoint"
      intro="Nothing is sent to it any more. Nothing is lost either: its events are held for 30 days and sent when you enable it."
      submit="Disable"
      danger
      refused={may('webhook_endpoints.disable')}
      done="The endpoint is disabled. Its events are held."
      call={{
        method: 'POST',
        path: `/webhook-endpoints/${endpoint.id}/disable`,
        sdk: { method: 'webhookEndpoints.disable', args: [endpoint.id] },
      }}
      run={async (key) => {
        await api.webhookEndpoints.disable(endpoint.id, key)
        await reread('webhook_endpoint', 'delivery')
      }}
      onDone={onClose}
    />
  )
}

export function EnableEndpoint({ endpoint, onClose }: Props) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [sendsHeld, setSendsHeld] = useState(true)
  const body = { recover: sendsHeld ? 'held' : 'none' } as const
  return (
    <ActionDialog
      title="Enable the endpoint"
      submit="Enable"
      refused={may('webhook_endpoints.enable')}
      done="The endpoint is enabled."
      call={{
        method: 'POST',
        path: `/webhook-endpoints/${endpoint.id}/enable`,
        body,
        sdk: { method: 'webhookEndpoints.enable', args: [endpoint.id, body] },
      }}
      run={async (key) => {
        await api.webhookEndpoints.enable(endpoint.id, body, key)
        await reread('webhook_endpoint', 'delivery')
      }}
      onDone={onClose}
    >
      <CheckField
        label="Send what was held meanwhile"
        hint="Else it stays held, and you can resend it later."
        checked={sendsHeld}
        onChange={setSendsHeld}
      />
    </ActionDialog>
  )
}

export function DeleteEndpoint({ endpoint, onClose }: Props) {
  const api = useApi()
  const may = useMay()
  const go = useGo()
  const reread = useReread()
  return (
    <ActionDialog
      title="Delete the endpoint"
      intro={`What still waits for ${endpoint.url} is not sent any more, and its secret is gone. This cannot be undone.`}
      submit="Delete the endpoint"
      danger
      refused={may('webhook_endpoints.delete')}
      done="The endpoint is deleted."
      call={{
        method: 'DELETE',
        path: `/webhook-endpoints/${endpoint.id}`,
        sdk: { method: 'webhookEndpoints.delete', args: [endpoint.id] },
      }}
      run={async () => {
        await api.webhookEndpoints.delete(endpoint.id)
        go('/webhook-endpoints')
        // The lists alone: the endpoint itself would not be found any more.
        await reread('webhook_endpoint list')
      }}
      onDone={onClose}
    />
  )
}
