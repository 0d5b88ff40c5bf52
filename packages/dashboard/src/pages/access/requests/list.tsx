/** The API log: caller, request, status and duration. A time range is always set. */
import type { LoggedRequest } from '@switchyard/sdk'
import { useState } from 'react'
import { maxLatest, rowsOf, useLatest } from '../../../api/latest.ts'
import { useWorkspace } from '../../../api/workspace.tsx'
import { sentenceCase } from '../../../format/text.ts'
import { durationText, timeText } from '../../../format/time.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { type Filter, FilterBar, type FilterValues, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Chip } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { rangeFilter, sinceOf } from '../../range.ts'
import { apiFiltersOf, errorsOf, matchesFilters, statusClasses } from './matching.ts'

const filters: readonly Filter[] = [
  { name: 'method', label: 'Method', options: ['GET', 'POST', 'PUT', 'DELETE'] },
  { name: 'status', label: 'Status', options: statusClasses, optionText: (text) => text },
  // Reads of the dashboard are logged too and would hide the requests of servers, so they are excluded by default.
  {
    name: 'source',
    label: 'Source',
    options: ['api', 'dashboard', 'any'],
    optionText: sourceText,
    fallback: 'api',
  },
  { name: 'code', label: 'Error code', placeholder: 'card_declined' },
  { name: 'path', label: 'Path contains', placeholder: '/payments' },
  { ...rangeFilter, fallback: '24_hours' },
]

export function Page() {
  const { filterValues, set, clear } = useFilters(filters)
  const [max, setMax] = useState(maxLatest)
  const range = filterValues.range ?? '24_hours'
  const apiFilters = apiFiltersOf(filterValues)
  const query = useLatest(
    ['request', range, max, apiFilters],
    (api, page) =>
      api.requests.list({ ...page, ...apiFilters, created_at: { gte: sinceOf(range) ?? undefined } }),
    { max },
  )
  const rows = rowsOf(query, matchesFilters(filterValues))
  const searchFurther = query.data?.length === max ? () => setMax(max + maxLatest) : null
  return (
    <>
      <PageHead title="API log" />
      <Panel
        flush
        title="Requests"
        titleExtra={
          <>
            <SearchedRange requests={query.data ?? []} searchFurther={searchFurther} />
            <Button compact onClick={rows.refresh} isBusy={query.isFetching}>
              Refresh
            </Button>
          </>
        }
      >
        <FilterBar filters={filters} />
        <ErrorCounts
          requests={query.data?.filter(matchesFilters({ source: filterValues.source })) ?? []}
          select={(code) => set('code', code)}
        />
        <DataTable
          label="Requests"
          rows={rows}
          to={({ id }) => `/requests/${id}`}
          columns={columns}
          empty={<NoRequests filterValues={filterValues} clear={clear} searchFurther={searchFurther} />}
        />
      </Panel>
    </>
  )
}

/** How far back the search went, if there are older requests: an incomplete search must not look empty. */
function SearchedRange({
  requests,
  searchFurther,
}: {
  requests: readonly LoggedRequest[]
  searchFurther: (() => void) | null
}) {
  const oldest = requests.at(-1)
  if (searchFurther === null || oldest === undefined) return null
  return (
    <>
      <span>
        {requests.length.toLocaleString('en')} requests searched, back to {timeText(oldest.created_at)}
      </span>
      <Button compact onClick={searchFurther}>
        Search further back
      </Button>
    </>
  )
}

function ErrorCounts({
  requests,
  select,
}: {
  requests: readonly LoggedRequest[]
  select: (code: string) => void
}) {
  const errors = errorsOf(requests).slice(0, 6)
  if (errors.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2 text-compact">
      <span className="text-ink2">Errors</span>
      {errors.map(({ code, count }) => (
        <Button key={code} compact onClick={() => select(code)}>
          <span className="font-mono">{code}</span> {count}
        </Button>
      ))}
    </div>
  )
}

const columns: readonly Column<LoggedRequest>[] = [
  { title: 'Status', width: '90px', phone: true, cell: ({ status }) => <HttpStatus status={status} /> },
  {
    title: 'Request',
    phone: true,
    cell: ({ id, method, path }) => (
      <PageLink to={`/requests/${id}`} className="font-mono text-compact">
        {method} {path}
      </PageLink>
    ),
  },
  {
    title: 'Error',
    width: '190px',
    cell: ({ error_code }) => <span className="font-mono text-compact">{error_code}</span>,
  },
  { title: 'Source', width: '110px', cell: ({ source }) => sourceText(source) },
  { title: 'Replayed', width: '90px', cell: ({ replayed }) => (replayed ? 'replayed' : '') },
  { title: 'Duration', width: '90px', align: 'right', cell: ({ duration_ms }) => durationText(duration_ms) },
  { title: 'Time', width: '130px', align: 'right', cell: ({ created_at }) => <Time at={created_at} /> },
]

export function HttpStatus({ status }: { status: number }) {
  if (status < 400) return <Chip mark="disc" tone="success" text={String(status)} />
  return <Chip mark={status < 500 ? 'barred' : 'triangle'} tone="danger" text={String(status)} />
}

export function sourceText(source: string): string {
  return source === 'api' ? 'API' : sentenceCase(source)
}

const snippetOf = (address: string) =>
  `curl '${address}/me' \\\n  -H "Authorization: Bearer $SWITCHYARD_TOKEN"`

function NoRequests(props: {
  filterValues: FilterValues
  clear: () => void
  searchFurther: (() => void) | null
}) {
  const { filterValues, clear, searchFurther } = props
  const { workspace } = useWorkspace()
  const names = Object.keys(filterValues)
  if (searchFurther !== null)
    return (
      <Empty
        title="No matches in the requests searched so far."
        action={<Button onClick={searchFurther}>Search further back</Button>}
      >
        There are older requests in this time range.
      </Empty>
    )
  if (names.length > 0)
    return (
      <Empty title="No matching requests." action={<Button onClick={clear}>Clear filters</Button>}>
        Remove the filter on {names.join(', ')}.
      </Empty>
    )
  return (
    <Empty
      title="No API requests in the last 24 hours."
      action={<PageLink to="/api-tokens">Create token</PageLink>}
    >
      <p className="mb-3">Create a token and send this request. It appears here within moments.</p>
      <CodeBlock text={snippetOf(workspace.address)} label="curl" />
    </Empty>
  )
}
