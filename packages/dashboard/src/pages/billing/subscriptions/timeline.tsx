/** The events of a subscription, the newest first. */
import type { Event, EventData, Subscription } from '@switchyard/sdk'
import { useRows } from '../../../api/queries.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { contentOf, timeOf } from './event-time.ts'

const columns: readonly Column<Event>[] = [
  { title: 'Time', cell: (event) => <Time at={timeOf(event)} exact />, width: '220px', phone: true },
  {
    title: 'Description',
    cell: ({ type }) => <code className="font-mono text-compact">{type}</code>,
    phone: true,
  },
  { title: 'Changes', cell: (event) => changedText(contentOf(event)) },
  { title: 'Event', cell: ({ id }) => <ObjectLink id={id} />, width: '190px' },
]

export function SubscriptionTimeline({ subscription: { id } }: { subscription: Subscription }) {
  const rows = useRows(['event', { object_id: id }], (api, page) =>
    api.events.list({ object_id: id, ...page }),
  )
  return (
    <DataTable
      label="Subscription events"
      columns={columns}
      rows={rows}
      to={(event) => `/events/${event.id}`}
      empty={<Empty title="No events yet." />}
    />
  )
}

function changedText({ previous }: EventData): string {
  const names = Object.keys(previous ?? {}).filter((name) => name !== 'updated_at')
  return names.join(', ').replaceAll('_', ' ')
}
