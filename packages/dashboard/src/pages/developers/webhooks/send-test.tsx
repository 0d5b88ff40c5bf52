/** Sends the endpoint an event in one attempt and shows what came of it, while whoever builds it watches. */
import type { DeliveryWithAttempts, TestWebhookEndpoint, WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useHere, useMay } from '../../../api/workspace.tsx'
import { durationText } from '../../../format/time.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/fields.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { Status } from '../../../ui/status.tsx'
import { answerText } from './answers.ts'
import { useEventTypes } from './event-types.ts'

const itsOwn = 'webhook_endpoint.test'

export function SendTest({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [type, setType] = useState(itsOwn)
  const [sent, setSent] = useState<DeliveryWithAttempts | null>(null)
  const body = { type } as TestWebhookEndpoint
  return (
    <Dialog
      title="Send test event"
      onClose={onClose}
      intro="One attempt, also while the endpoint is disabled. It is signed like any other."
    >
      <ActionForm
        submit={sent === null ? 'Send test event' : 'Send another'}
        refused={may('webhook_endpoints.test')}
        call={{
          method: 'POST',
          path: `/webhook-endpoints/${endpoint.id}/test`,
          body,
          sdk: { method: 'webhookEndpoints.test', args: [endpoint.id, body] },
        }}
        // Each click sends one: who tries a receiver out wants to see it answer again.
        run={async () => {
          setSent(await api.webhookEndpoints.test(endpoint.id, body))
          await reread('delivery', 'webhook_endpoint')
        }}
        onDone={() => undefined}
        onCancel={onClose}
      >
        <TypeField type={type} setType={setType} />
        {sent !== null && <Result delivery={sent} />}
      </ActionForm>
    </Dialog>
  )
}

function TypeField({ type, setType }: { type: string; setType: (type: string) => void }) {
  const { workspace } = useHere()
  const types = useEventTypes().data ?? []
  const others = workspace.mode === 'live' ? [] : types.map((one) => one.type).filter((one) => one !== itsOwn)
  return (
    <SelectField
      label="Type"
      hint={
        workspace.mode === 'live' ? 'In production no sample may look like money.' : 'A sample of this type.'
      }
      pointer="/type"
      value={type}
      onChange={setType}
      options={[itsOwn, ...others].map((value) => ({ value, text: value }))}
    />
  )
}

function Result({ delivery }: { delivery: DeliveryWithAttempts }) {
  const attempt = delivery.attempts.at(-1)
  return (
    <div role="status" className="grid gap-1 rounded-control border border-line p-3">
      <p className="flex flex-wrap items-center gap-2">
        <Status of={delivery.state === 'delivered' ? 'delivered' : 'failed'} />
        <strong>{answerText(delivery.last_outcome, delivery.last_status)}</strong>
        {attempt !== undefined && <span>in {durationText(attempt.duration_ms)}</span>}
        <PageLink to={`/deliveries/${delivery.id}`}>Open the delivery</PageLink>
      </p>
      {attempt?.detail != null && <p className="text-ink2">{attempt.detail}</p>}
    </div>
  )
}
