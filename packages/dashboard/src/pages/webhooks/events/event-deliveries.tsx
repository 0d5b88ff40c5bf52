/** The deliveries of an event, and the last response of each endpoint. */
import type { Delivery, Event, Switchyard } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { displayedState, responseText } from '../endpoints/responses.ts'

type DeliveryWithUrl = { readonly delivery: Delivery; readonly url: string }

export function EventDeliveries({ event }: { event: Event }) {
  const deliveries = useObject(['delivery', event.id, 'of event'], (api) => deliveriesOf(api, event), {
    refetchInterval: 5_000,
  })
  return (
    <Panel
      title="Deliveries"
      flush
      titleExtra={event.pending_deliveries > 0 && <>{event.pending_deliveries} waiting</>}
    >
      <Loaded query={deliveries}>
        {(data) => (
          <PlainTable
            label="Deliveries"
            rows={data}
            keyOf={({ delivery }) => delivery.id}
            empty="No endpoint was subscribed to this event type when it was created."
            columns={[
              {
                title: 'Status',
                phone: true,
                cell: ({ delivery }) => <Status status={displayedState(delivery)} />,
              },
              {
                title: 'Endpoint',
                phone: true,
                cell: ({ delivery, url }) => (
                  <ObjectLink id={delivery.webhook_endpoint_id}>
                    <span className="break-all">{url}</span>
                  </ObjectLink>
                ),
              },
              { title: 'Attempts', align: 'right', cell: ({ delivery }) => delivery.attempts_made },
              {
                title: 'Last response',
                phone: true,
                cell: ({ delivery }) => (
                  <PageLink to={`/deliveries/${delivery.id}`}>
                    {responseText(delivery.last_outcome, delivery.last_status)}
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

const maxEndpoints = 100

async function deliveriesOf(api: Switchyard, event: Event): Promise<readonly DeliveryWithUrl[]> {
  const [{ data: endpoints }, deliveries] = await Promise.all([
    api.webhookEndpoints.list({ limit: maxEndpoints }).page(),
    api.deliveries.listAll({ event_id: event.id }).all({ max: maxEndpoints }),
  ])
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]))
  // Only the id of a deleted endpoint is known.
  return deliveries.map((delivery) => {
    const { webhook_endpoint_id: id } = delivery
    return { delivery, url: urls.get(id) ?? id }
  })
}
