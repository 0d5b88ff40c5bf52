/** All events of the workspace, filtered by type, object and time. */
import type { Event, ListEvents } from '@switchyard/sdk'
import { useNewObjects } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useTestClockFilter } from '../../../api/test-clocks.ts'
import { anyIdCheck } from '../../../format/filter-check.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { type Filter, FilterBar, type FilterValues, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { rangeFilter, sinceOf } from '../../range.ts'
import { useEventTypes } from '../endpoints/event-types.ts'
import { changesText, contentOf, objectIdOf } from './content.ts'

export function Page() {
  const types = useEventTypes().data ?? []
  const filters: readonly Filter[] = [
    {
      name: 'type',
      label: 'Type',
      options: types.map(({ type }) => type),
      optionText: (type) => type,
      isExclusive: true,
    },
    { name: 'object', label: 'Object', placeholder: 'payment_test_…', isExclusive: true, check: anyIdCheck },
    rangeFilter,
  ]
  const { filterValues, clear } = useFilters(filters)
  const clocks = useTestClockFilter(filterValues)
  const rows = useRows(
    ['event', filterValues.type, filterValues.object, filterValues.range, clocks],
    (api, page) => api.events.list({ ...page, ...queryOf(filterValues), ...clocks }),
  )
  return (
    <>
      <PageHead title="Events" actions={<PageLink to="/events/tail">Live tail</PageLink>} />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Events"
          rows={rows}
          newObjects={useNewObjects('event')}
          to={({ id }) => `/events/${id}`}
          columns={columns}
          empty={<NoEvents filterValues={filterValues} clear={clear} />}
        />
      </Panel>
    </>
  )
}

function queryOf({ type, object, range }: FilterValues): ListEvents {
  const since = sinceOf(range)
  return {
    ...(type === undefined ? {} : ({ type } as ListEvents)),
    ...(object === undefined ? {} : { object_id: object }),
    ...(since === null ? {} : { created_at: { gte: since } }),
  }
}

const columns: readonly Column<Event>[] = [
  {
    title: 'Type',
    phone: true,
    cell: ({ id, type }) => (
      <PageLink to={`/events/${id}`} className="font-mono text-compact">
        {type}
      </PageLink>
    ),
  },
  { title: 'Object', width: '260px', cell: (event) => <ObjectLink id={objectIdOf(event)} /> },
  { title: 'Changes', cell: (event) => changesText(contentOf(event)) },
  { title: 'Sequence', width: '105px', align: 'right', cell: (event) => contentOf(event).sequence },
  {
    title: 'Time',
    width: '130px',
    align: 'right',
    phone: true,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
]

const snippet = `for await (const event of switchyard.events.stream()) {
  console.log(event.type, event.id)
}`

function NoEvents({ filterValues, clear }: { filterValues: FilterValues; clear: () => void }) {
  const names = Object.keys(filterValues)
  if (names.length > 0)
    return (
      <Empty title="No matching events." action={<Button onClick={clear}>Clear filters</Button>}>
        Remove the filter on {names.join(', ')}.
      </Empty>
    )
  return (
    <Empty title="No events yet." action={<PageLink to="">View first steps</PageLink>}>
      <p className="mb-3">Every change to an object creates an event. Stream events with the SDK:</p>
      <CodeBlock text={snippet} label="TypeScript" />
    </Empty>
  )
}
