/** The previous and next event of the same object, by `sequence`, which has no gaps. */
import type { Event } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { PageLink } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { contentOf } from './content.ts'

export function AdjacentEvents({
  event,
  objectId,
  sequence,
}: {
  event: Event
  objectId: string
  sequence: number
}) {
  const adjacent = useObject(['event', event.id, 'neighbours'], async (api, signal) => {
    const filter = { object_id: objectId, limit: 1 }
    const [older, newer] = await Promise.all([
      api.events.list({ ...filter, starting_after: event.id }, { signal }).page(),
      api.events.list({ ...filter, ending_before: event.id }, { signal }).page(),
    ])
    return { older: older.data[0] ?? null, newer: newer.data[0] ?? null }
  })
  return (
    <Panel
      title="Sequence"
      titleExtra={
        <PageLink to="/events" search={{ object: objectId }}>
          All events of this object
        </PageLink>
      }
    >
      <ol className="grid gap-2">
        <AdjacentEvent event={adjacent.data?.older ?? null} emptyText="This is the first event." />
        <li className="flex gap-3 font-bold">
          <span className="w-8 text-right">{sequence}</span>
          <span className="font-mono text-compact">{event.type}</span>
        </li>
        <AdjacentEvent event={adjacent.data?.newer ?? null} emptyText="This is the latest event." />
      </ol>
    </Panel>
  )
}

function AdjacentEvent({ event, emptyText }: { event: Event | null; emptyText: string }) {
  if (event === null) return <li className="pl-11 text-compact text-ink2">{emptyText}</li>
  return (
    <li className="flex gap-3">
      <span className="w-8 text-right">{contentOf(event).sequence}</span>
      <PageLink to={`/events/${event.id}`}>
        <span className="font-mono text-compact">{event.type}</span>
      </PageLink>
    </li>
  )
}
