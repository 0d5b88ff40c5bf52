/** One delivery: its endpoint, each attempt with its response, and the resend action. */
import type { DeliveryWithAttempts } from '@switchyard/sdk'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../../api/workspace.tsx'
import { countText } from '../../../../format/text.ts'
import { ObjectLink } from '../../../../shell/object-link.tsx'
import { TimelineChart } from '../../../../timeline/timeline-chart.tsx'
import { ActionDialog } from '../../../../ui/action.tsx'
import { Button } from '../../../../ui/button.tsx'
import { PageLoaded } from '../../../../ui/page-loaded.tsx'
import { PageHead, Panel, Sentence } from '../../../../ui/panel.tsx'
import { Empty } from '../../../../ui/states.tsx'
import { Status } from '../../../../ui/status.tsx'
import { Time } from '../../../../ui/values.tsx'
import { displayedState } from '../responses.ts'
import { Attempt } from './attempt.tsx'
import { attemptsTimeline } from './attempts-timeline.ts'
import { deliverySentence } from './delivery-sentence.ts'

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const delivery = useObject(['delivery', id], (api, signal) => api.deliveries.get(id, { signal }), {
    refetchInterval: 5_000,
  })
  return (
    <PageLoaded query={delivery} title="Delivery" crumbs={[{ text: 'Webhooks', to: '/webhook-endpoints' }]}>
      {(data) => <Delivery delivery={data} />}
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
  const selected = attempts.find(({ number }) => String(number) === at) ?? attempts.at(-1)
  return (
    <>
      <Head delivery={delivery} url={endpoint.data?.url} />
      <div className="grid gap-4">
        <TimelineChart
          {...attemptsTimeline(delivery, hostOf(endpoint.data?.url))}
          title="Attempts"
          label={`Attempts of delivery ${delivery.id}`}
          note={countText(delivery.attempts_made, 'attempt')}
        />
        {selected === undefined && (
          <Panel flush>
            <Empty title="No attempts yet.">Each attempt appears here with its request and response.</Empty>
          </Panel>
        )}
        {selected !== undefined && <Attempt attempt={selected} event={event.data} url={endpoint.data?.url} />}
      </div>
    </>
  )
}

function Head({ delivery, url }: { delivery: DeliveryWithAttempts; url: string | undefined }) {
  const disabledReasonFor = useDisabledReason()
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
      titleExtra={<Status status={displayedState(delivery)} />}
      actions={
        <Button
          variant="primary"
          disabledReason={disabledReasonFor('deliveries.resend')}
          onClick={() => setResending(true)}
        >
          Resend delivery…
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
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  return (
    <ActionDialog
      title="Resend delivery"
      intro="The delivery is sent immediately, ahead of all pending deliveries to this endpoint. The event keeps its ID, so a receiver that has already processed it can ignore it."
      submit="Resend delivery"
      disabledReason={disabledReasonFor('deliveries.resend')}
      successMessage="Delivery resent"
      call={{
        method: 'POST',
        path: `/deliveries/${delivery.id}/resend`,
        sdk: { method: 'deliveries.resend', args: [delivery.id] },
      }}
      run={async (key) => {
        await api.deliveries.resend(delivery.id, key)
        await invalidate('delivery')
      }}
      onDone={onClose}
    />
  )
}

function hostOf(url: string | undefined): string {
  return (url === undefined ? null : URL.parse(url)?.host) ?? 'Receiver'
}
