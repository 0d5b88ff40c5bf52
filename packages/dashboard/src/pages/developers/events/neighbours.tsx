/** The events of the same object before and after this one: sequence counts them without a gap. */
import type { Event } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { PageLink } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { contentOf } from './content.ts'

export function Neighbours({
  event,
  objectId,
  sequence,
}: {
  event: Event
  objectId: string
  sequence: number
}) {
  const around = useObject(['event', event.id, 'neighbours'], async (api, signal) => {
    const near = { object_id: objectId, limit: 1 }
    const [older, newer] = await Promise.all([
      api.events.list({ ...near, starting_after: event.id }, { signal }).page(),
      api.events.list({ ...near, ending_before: event.id }, { signal }).page(),
    ])
    return { older: older.data[0] ?? null, newer: newer.data[0] ?? null }
  })
  return (
    <Panel
      title="Sequence"
      beside={
        <PageLink to="/events" search={{ object: objectId }}>
          All of the object
        </PageLink>
      }
    >
      <ol className="grid gap-2">
        <Near event={around.data?.older ?? null} none="It is the first." />
        <li className="flex gap-3 font-bold">
          <span className="w-8 text-right">{sequence}</span>
          <span className="font-mono text-compact">{event.type}</span>
        </li>
        <Near event={around.data?.newer ?? null} none="It is the last so far." />
      </ol>
    </Panel>
  )
}

function Near({ event, none }: { event: Event | null; none: string }) {
  if (event === null) return <li className="pl-11 text-compact text-ink2">{none}</li>
  return (
    <li className="flex gap-3">
      <span className="w-8 text-right">{contentOf(event).sequence}</span>
      <PageLink to={`/events/${event.id}`}>
        <span className="font-mono text-compact">{event.type}</span>
      </PageLink>
    </li>
  )
}
