/**
 * Who was told of an event. Deliveries are made with their event, so those of each endpoint around that moment are
 * looked at, a bounded number of them.
 */
import type { Delivery, Event, Switchyard, WebhookEndpoint } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { answerText, stateOf } from '../webhooks/answers.ts'

type Told = { readonly endpoint: WebhookEndpoint; readonly delivery: Delivery }

export function EventDeliveries({ event }: { event: Event }) {
  const told = useObject(['delivery', event.id, 'of event'], (api) => toldOf(api, event), {
    refetchInterval: 5_000,
  })
  return (
    <Panel
      title="Deliveries"
      flush
      beside={event.pending_deliveries > 0 && <>{event.pending_deliveries} waiting</>}
    >
      <Loaded of={told}>
        {(found) => (
          <PlainTable
            label="Deliveries"
            rows={found}
            keyOf={({ delivery }) => delivery.id}
            empty="No endpoint asked for this type when it happened."
            columns={[
              { title: 'Status', phone: true, cell: ({ delivery }) => <Status of={stateOf(delivery)} /> },
              {
                title: 'Endpoint',
                phone: true,
                cell: ({ endpoint }) => (
                  <ObjectLink id={endpoint.id}>
                    <span className="break-all">{endpoint.url}</span>
                  </ObjectLink>
                ),
              },
              { title: 'Attempts', align: 'right', cell: ({ delivery }) => delivery.attempts_made },
              {
                title: 'Last answer',
                phone: true,
                cell: ({ delivery }) => (
                  <PageLink to={`/deliveries/${delivery.id}`}>
                    {answerText(delivery.last_outcome, delivery.last_status)}
                  </PageLink>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const [beforeMs, afterMs, atMost] = [2_000, 60_000, 200]

async function toldOf(api: Switchyard, event: Event): Promise<readonly Told[]> {
  const atMs = Date.parse(event.created_at)
  const created_at = {
    gte: new Date(atMs - beforeMs).toISOString(),
    lte: new Date(atMs + afterMs).toISOString(),
  }
  const { data: endpoints } = await api.webhookEndpoints.list({ limit: 100 }).page()
  const found = await Promise.all(
    endpoints.map(async (endpoint) => {
      const near = await api.deliveries.list(endpoint.id, { created_at, limit: 100 }).all({ max: atMost })
      return near.filter(({ event_id }) => event_id === event.id).map((delivery) => ({ endpoint, delivery }))
    }),
  )
  return found.flat()
}
