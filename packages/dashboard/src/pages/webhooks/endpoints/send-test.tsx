/** Sends a test event to the endpoint in one attempt and shows the result. */
import type { DeliveryWithAttempts, TestWebhookEndpoint, WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason, useWorkspace } from '../../../api/workspace.tsx'
import { durationText } from '../../../format/time.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/fields.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { Status } from '../../../ui/status.tsx'
import { useEventTypes } from './event-types.ts'
import { responseText } from './responses.ts'

const testEventType = 'webhook_endpoint.test'

export function SendTest({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [type, setType] = useState(testEventType)
  const [sent, setSent] = useState<DeliveryWithAttempts | null>(null)
  const body = { type } as TestWebhookEndpoint
  return (
    <Dialog
      title="Send test event"
      onClose={onClose}
      intro="Sends one signed attempt, even if the endpoint is disabled."
    >
      <ActionForm
        submit={sent === null ? 'Send test event' : 'Send another test event'}
        disabledReason={disabledReasonFor('webhook_endpoints.test')}
        call={{
          method: 'POST',
          path: `/webhook-endpoints/${endpoint.id}/test`,
          body,
          sdk: { method: 'webhookEndpoints.test', args: [endpoint.id, body] },
        }}
        // No idempotency key: each click sends another test event.
        run={async () => {
          setSent(await api.webhookEndpoints.test(endpoint.id, body))
          await invalidate('delivery', 'webhook_endpoint')
        }}
        onDone={() => undefined}
        onCancel={onClose}
        cancelLabel="Close"
      >
        <TypeField type={type} setType={setType} />
        {sent !== null && <Result delivery={sent} />}
      </ActionForm>
    </Dialog>
  )
}

function TypeField({ type, setType }: { type: string; setType: (type: string) => void }) {
  const { workspace } = useWorkspace()
  const types = useEventTypes().data ?? []
  const others =
    workspace.mode === 'live' ? [] : types.map((one) => one.type).filter((one) => one !== testEventType)
  return (
    <SelectField
      label="Type"
      hint={
        workspace.mode === 'live'
          ? 'Live workspaces can send only this type.'
          : 'Sends a sample event of this type.'
      }
      pointer="/type"
      value={type}
      onChange={setType}
      options={[testEventType, ...others].map((value) => ({ value, text: value }))}
    />
  )
}

function Result({ delivery }: { delivery: DeliveryWithAttempts }) {
  const attempt = delivery.attempts.at(-1)
  return (
    <div role="status" className="grid gap-1 rounded-control border border-line p-3">
      <p className="flex flex-wrap items-center gap-2">
        <Status status={delivery.state === 'delivered' ? 'delivered' : 'failed'} />
        <strong>{responseText(delivery.last_outcome, delivery.last_status)}</strong>
        {attempt !== undefined && <span>in {durationText(attempt.duration_ms)}</span>}
        <PageLink to={`/deliveries/${delivery.id}`}>Open delivery</PageLink>
      </p>
      {attempt?.detail != null && <p className="text-ink2">{attempt.detail}</p>}
    </div>
  )
}
