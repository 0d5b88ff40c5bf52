/** The calls of the API: who called what, what came of it, and how long it took. A time range is always set. */
import type { LoggedRequest } from '@switchyard/sdk'
import { useState } from 'react'
import { lookAtMost, rowsOf, useLatest } from '../../../api/latest.ts'
import { useHere } from '../../../api/workspace.tsx'
import { clockText, durationText } from '../../../format/time.ts'
import { words } from '../../../format/words.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { type Chosen, type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Chip } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { rangeFilter, sinceOf } from '../range.ts'
import { askedFor, errorsOf, keeps, statusClasses } from './matching.ts'

const filters: readonly Filter[] = [
  { name: 'method', label: 'Method', options: ['GET', 'POST', 'PUT', 'DELETE'] },
  { name: 'status', label: 'Status', options: statusClasses, textOf: (text) => text },
  // What the dashboard reads is in the log as well, far more often than what anybody looks for.
  {
    name: 'source',
    label: 'Source',
    options: ['api', 'dashboard', 'any'],
    textOf: sourceText,
    fallback: 'api',
  },
  { name: 'code', label: 'Error code', placeholder: 'card_declined' },
  { name: 'path', label: 'Path has', placeholder: '/payments' },
  { ...rangeFilter, fallback: '24_hours' },
]

export function Page() {
  const { chosen, set, clear } = useFilters(filters)
  const [max, setMax] = useState(lookAtMost)
  const range = chosen.range ?? '24_hours'
  const asked = askedFor(chosen)
  const look = useLatest(
    ['request', range, max, asked],
    (api, page) => api.requests.list({ ...page, ...asked, created_at: { gte: sinceOf(range) ?? undefined } }),
    { max },
  )
  const rows = rowsOf(look, keeps(chosen))
  const further = look.data?.length === max ? () => setMax(max + lookAtMost) : null
  return (
    <>
      <PageHead title="API log" />
      <Panel
        flush
        title="Calls"
        beside={
          <>
            <Reach calls={look.data ?? []} further={further} />
            <Button compact onClick={rows.refresh} isBusy={look.isFetching}>
              Read again
            </Button>
          </>
        }
      >
        <FilterBar filters={filters} />
        <Errors
          requests={look.data?.filter(keeps({ source: chosen.source })) ?? []}
          choose={(code) => set('code', code)}
        />
        <DataTable
          label="Calls"
          rows={rows}
          to={({ id }) => `/requests/${id}`}
          columns={columns}
          empty={<NoCalls chosen={chosen} clear={clear} further={further} />}
        />
      </Panel>
    </>
  )
}

/** How far the look went, if there is more: a list that ends early must not read as if nothing were there. */
function Reach({ calls, further }: { calls: readonly LoggedRequest[]; further: (() => void) | null }) {
  const oldest = calls.at(-1)
  if (further === null || oldest === undefined) return null
  return (
    <>
      <span>
        {calls.length.toLocaleString('en')} calls looked at, back to {clockText(oldest.created_at)}
      </span>
      <Button compact onClick={further}>
        Look further back
      </Button>
    </>
  )
}

function Errors({
  requests,
  choose,
}: {
  requests: readonly LoggedRequest[]
  choose: (code: string) => void
}) {
  const errors = errorsOf(requests).slice(0, 6)
  if (errors.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2 text-compact">
      <span className="text-ink2">Errors</span>
      {errors.map(({ code, count }) => (
        <Button key={code} compact onClick={() => choose(code)}>
          <span className="font-mono">{code}</span> {count}
        </Button>
      ))}
    </div>
  )
}

const columns: readonly Column<LoggedRequest>[] = [
  { title: 'Status', width: '90px', phone: true, cell: ({ status }) => <HttpStatus status={status} /> },
  {
    title: 'Call',
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
  { title: 'Repeat', width: '90px', cell: ({ replayed }) => (replayed ? 'replayed' : '') },
  { title: 'Took', width: '90px', align: 'right', cell: ({ duration_ms }) => durationText(duration_ms) },
  { title: 'Time', width: '130px', align: 'right', cell: ({ created_at }) => <Time at={created_at} /> },
]

export function HttpStatus({ status }: { status: number }) {
  if (status < 400) return <Chip mark="disc" tone="clear" text={String(status)} />
  return <Chip mark={status < 500 ? 'barred' : 'triangle'} tone="danger" text={String(status)} />
}

export function sourceText(source: string): string {
  return source === 'api' ? 'API' : words(source)
}

const snippetOf = (address: string) =>
  `curl '${address}/me' \\\n  -H "Authorization: Bearer $SWITCHYARD_TOKEN"`

function NoCalls(props: { chosen: Chosen; clear: () => void; further: (() => void) | null }) {
  const { chosen, clear, further } = props
  const { workspace } = useHere()
  const names = Object.keys(chosen)
  if (further !== null)
    return (
      <Empty
        title="None of the calls looked at matches."
        action={<Button onClick={further}>Look further back</Button>}
      >
        There are older ones in this range.
      </Empty>
    )
  if (names.length > 0)
    return (
      <Empty title="No call matches." action={<Button onClick={clear}>Clear filters</Button>}>
        Drop the filter on {names.join(', ')}.
      </Empty>
    )
  return (
    <Empty
      title="No server has called in the last 24 hours."
      action={<PageLink to="/api-tokens">Make a token</PageLink>}
    >
      <p className="mb-3">With a token, this call would be here a moment after its answer.</p>
      <CodeBlock text={snippetOf(workspace.address)} label="curl" />
    </Empty>
  )
}
