/** What was told of a payment, of its attempts and of its refunds, the newest first. */
import type { Page, TimelineEntry } from '@switchyard/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { clockText, dateText } from '../../../format/time.ts'
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
  { title: 'What happened', cell: ({ sentence }) => sentence },
  {
    title: 'Time',
    align: 'right',
    phone: true,
    cell: ({ at }) => (
      <time dateTime={at} title={dateText(at)} className="font-mono text-compact whitespace-nowrap">
        {clockText(at)}.{at.slice(20, 23)}
      </time>
    ),
  },
]

export function eventsOf(timeline: readonly TimelineEntry[] = []): TimelineEntry[] {
  return timeline.filter(({ type }) => type === 'event')
}

export function Events({ of }: { of: UseQueryResult<Page<TimelineEntry>> }) {
  return (
    <Loaded of={of}>
      {({ data }) => (
        <PlainTable
          label="Events"
          columns={columns}
          rows={eventsOf(data).toReversed()}
          keyOf={({ object_id }) => object_id}
          empty="Nothing was told yet."
        />
      )}
    </Loaded>
  )
}
