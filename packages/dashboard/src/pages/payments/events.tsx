/** The events of an object, the newest first, with links to each event. */
import type { Event } from '@switchyard/sdk'
import { useObject } from '../../api/queries.ts'
import { PageLink } from '../../ui/link.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, PlainTable } from '../../ui/table.tsx'
import { Time } from '../../ui/values.tsx'
import { changesOf, sequenceOf } from './changes.ts'

const maxEvents = 50

const columns: readonly Column<Event>[] = [
  {
    title: 'Type',
    phone: true,
    cell: ({ id, type }) => (
      <PageLink to={`/events/${id}`}>
        <span className="font-mono text-compact">{type}</span>
      </PageLink>
    ),
  },
  { title: 'Changes', cell: ({ data }) => changesOf(data) },
  { title: 'Sequence', align: 'right', cell: ({ data }) => sequenceOf(data) },
  {
    title: 'Time',
    align: 'right',
    phone: true,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
]

export function ObjectEvents({ id, noun }: { id: string; noun: string }) {
  const events = useObject([noun, id, 'events'], (api) =>
    api.events.list({ object_id: id, limit: maxEvents }).page(),
  )
  return (
    <Loaded query={events}>
      {({ data }) => (
        <PlainTable
          label="Events"
          columns={columns}
          rows={data}
          keyOf={(event) => event.id}
          empty="No events yet."
        />
      )}
    </Loaded>
  )
}
