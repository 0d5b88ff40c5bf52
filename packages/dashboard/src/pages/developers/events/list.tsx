/** Every event of the workspace, by type, by object, by time. */
import type { Event, ListEvents } from '@switchyard/sdk'
import { useFresh } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { type Chosen, type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { rangeFilter, sinceOf } from '../range.ts'
import { useEventTypes } from '../webhooks/event-types.ts'
import { changesText, contentOf, objectIdOf } from './content.ts'

export function Page() {
  const types = useEventTypes().data ?? []
  const filters: readonly Filter[] = [
    {
      name: 'type',
      label: 'Type',
      options: types.map(({ type }) => type),
      textOf: (type) => type,
      isAlone: true,
    },
    { name: 'object', label: 'Object', placeholder: 'payment_test_…', isAlone: true },
    rangeFilter,
  ]
  const { chosen, clear } = useFilters(filters)
  const rows = useRows(['event', chosen.type, chosen.object, chosen.range], (api, page) =>
    api.events.list({ ...page, ...queryOf(chosen) }),
  )
  return (
    <>
      <PageHead title="Events" actions={<PageLink to="/events/tail">Live tail</PageLink>} />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Events"
          rows={rows}
          fresh={useFresh('event')}
          to={({ id }) => `/events/${id}`}
          columns={columns}
          empty={<NoEvents chosen={chosen} clear={clear} />}
        />
      </Panel>
    </>
  )
}

function queryOf({ type, object, range }: Chosen): ListEvents {
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
  { title: 'What changed', cell: (event) => changesText(contentOf(event)) },
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

function NoEvents({ chosen, clear }: { chosen: Chosen; clear: () => void }) {
  const names = Object.keys(chosen)
  if (names.length > 0)
    return (
      <Empty title="No event matches." action={<Button onClick={clear}>Clear filters</Button>}>
        Drop the filter on {names.join(', ')}.
      </Empty>
    )
  return (
    <Empty title="Nothing has happened yet." action={<PageLink to="">See the first steps</PageLink>}>
      <p className="mb-3">Every change of every object is an event. Follow them with the SDK:</p>
      <CodeBlock text={snippet} label="TypeScript" />
    </Empty>
  )
}
