/** One delivery: what was sent where, each attempt with its answer, and a way to send it again. */
import type { DeliveryWithAttempts } from '@switchyard/sdk'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useObject, useReread } from '../../../../api/queries.ts'
import { useApi, useMay } from '../../../../api/workspace.tsx'
import { counted } from '../../../../format/words.ts'
import { Line } from '../../../../line/line.tsx'
import { ObjectLink } from '../../../../shell/object-link.tsx'
import { ActionDialog } from '../../../../ui/action.tsx'
import { Button } from '../../../../ui/button.tsx'
import { PageLoaded } from '../../../../ui/page-loaded.tsx'
import { PageHead, Panel, Sentence } from '../../../../ui/panel.tsx'
import { Empty } from '../../../../ui/states.tsx'
import { Status } from '../../../../ui/status.tsx'
import { Time } from '../../../../ui/values.tsx'
import { stateOf } from '../answers.ts'
import { Attempt } from './attempt.tsx'
import { storyOf } from './attempts-line.ts'
import { deliverySentence } from './delivery-sentence.ts'

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const delivery = useObject(['delivery', id], (api, signal) => api.deliveries.get(id, { signal }), {
    refetchInterval: 5_000,
  })
  return (
    <PageLoaded of={delivery} title="Delivery" crumbs={[{ text: 'Webhooks', to: '/webhook-endpoints' }]}>
      {(found) => <Delivery delivery={found} />}
    </PageLoaded>
  )
}

function Delivery({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { event_id: eventId, webhook_endpoint_id: endpointId, attempts } = delivery
  const event = useObject(['event', eventId], (api, signal) => api.events.get(eventId, { signal }))
  const endpoint = useObject(['webhook_endpoint', endpointId], (api, signal) =>
    api.webhookEndpoints.get(endpointId, { signal }),
  )
  const { at } = useSearch({ strict: false }) as { at?: string }
  const chosen = attempts.find(({ number }) => String(number) === at) ?? attempts.at(-1)
  return (
    <>
      <Head delivery={delivery} url={endpoint.data?.url} />
      <div className="grid gap-4">
        <Line
          {...storyOf(delivery, hostOf(endpoint.data?.url))}
          title="Attempts"
          label={`Attempts of delivery ${delivery.id}`}
          note={counted(delivery.attempts_made, 'attempt')}
        />
        {chosen === undefined && (
          <Panel flush>
            <Empty title="No attempt yet.">It appears here with its request and answer.</Empty>
          </Panel>
        )}
        {chosen !== undefined && <Attempt attempt={chosen} event={event.data} url={endpoint.data?.url} />}
      </div>
    </>
  )
}

function Head({ delivery, url }: { delivery: DeliveryWithAttempts; url: string | undefined }) {
  const may = useMay()
  const [isResending, setResending] = useState(false)
  const endpointPage = `/webhook-endpoints/${delivery.webhook_endpoint_id}`
  return (
    <PageHead
      crumbs={[
        { text: 'Webhooks', to: '/webhook-endpoints' },
        { text: url ?? 'Endpoint', to: endpointPage },
        { text: delivery.id },
      ]}
      title={delivery.event_type}
      beside={<Status of={stateOf(delivery)} />}
      actions={
        <Button look="primary" refused={may('deliveries.resend')} onClick={() => setResending(true)}>
          Resend…
        </Button>
      }
    >
      <div className="mt-2 grid gap-1">
        <Sentence>{deliverySentence(delivery)}</Sentence>
        <p className="text-ink2">
          Event <ObjectLink id={delivery.event_id} />, created <Time at={delivery.created_at} exact />
        </p>
      </div>
      {isResending && <Resend delivery={delivery} onClose={() => setResending(false)} />}
    </PageHead>
  )
}

function Resend({ delivery, onClose }: { delivery: DeliveryWithAttempts; onClose: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  return (
    <ActionDialog
      title="Resend this delivery"
      intro="It goes out at once, before everything that waits for the endpoint. The event keeps its id: a receiver that knows it does nothing twice."
      submit="Resend"
      refused={may('deliveries.resend')}
      done="It is on its way."
      call={{
        method: 'POST',
        path: `/deliveries/${delivery.id}/resend`,
        sdk: { method: 'deliveries.resend', args: [delivery.id] },
      }}
      run={async (key) => {
        await api.deliveries.resend(delivery.id, key)
        await reread('delivery')
      }}
      onDone={onClose}
    />
  )
}

function hostOf(url: string | undefined): string {
  return (url === undefined ? null : URL.parse(url)?.host) ?? 'Receiver'
}
