/** The events of a payment, its attempts and its refunds, the newest first. */
import type { Page, TimelineEntry } from '@switchyard/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { dateText, timeText } from '../../../format/time.ts'
import { PageLink } from '../../../ui/link.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { type Column, PlainTable } from '../../../ui/table.tsx'

const columns: readonly Column<TimelineEntry>[] = [
  {
    title: 'Type',
    phone: true,
    cell: ({ name, object_id }) => (
      <PageLink to={`/events/${object_id}`}>
        <span className="font-mono text-compact">{name}</span>
      </PageLink>
    ),
  },
  { title: 'Description', cell: ({ sentence }) => sentence },
  {
    title: 'Time',
    align: 'right',
    phone: true,
    cell: ({ at }) => (
      <time dateTime={at} title={dateText(at)} className="font-mono text-compact whitespace-nowrap">
        {timeText(at)}.{at.slice(20, 23)}
      </time>
    ),
  },
]

export function eventsOf(timeline: readonly TimelineEntry[] = []): TimelineEntry[] {
  return timeline.filter(({ type }) => type === 'event')
}

export function Events({ query }: { query: UseQueryResult<Page<TimelineEntry>> }) {
  return (
    <Loaded query={query}>
      {({ data }) => (
        <PlainTable
          label="Events"
          columns={columns}
          rows={eventsOf(data).toReversed()}
          keyOf={({ object_id }) => object_id}
          empty="No events yet."
        />
      )}
    </Loaded>
  )
}
