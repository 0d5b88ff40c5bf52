/** Who was told of an event, and what they said. */
import type { Delivery, Event, Switchyard } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { answerText, stateOf } from '../webhooks/answers.ts'

type Told = { readonly delivery: Delivery; readonly url: string }

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
                cell: ({ delivery, url }) => (
                  <ObjectLink id={delivery.webhook_endpoint_id}>
                    <span className="break-all">{url}</span>
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

const mostEndpoints = 100

async function toldOf(api: Switchyard, event: Event): Promise<readonly Told[]> {
  const [{ data: endpoints }, deliveries] = await Promise.all([
    api.webhookEndpoints.list({ limit: mostEndpoints }).page(),
    api.deliveries.listAll({ event_id: event.id }).all({ max: mostEndpoints }),
  ])
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]))
  // One that was deleted is known by its id alone.
  return deliveries.map((delivery) => {
    const { webhook_endpoint_id: id } = delivery
    return { delivery, url: urls.get(id) ?? id }
  })
}
