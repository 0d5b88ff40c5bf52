/** The deliveries of an endpoint. They are no events, so nothing tells of them: the list is read again by itself. */

import type { Delivery, WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useMay } from '../../../api/workspace.tsx'
import { dayMs } from '../../../format/time.ts'
import { Button } from '../../../ui/button.tsx'
import { FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { rangeFilter, sinceOf } from '../range.ts'
import { answerText, stateOf } from './answers.ts'
import { Recover } from './recover.tsx'
import { ResendMany } from './resend-many.tsx'

/** What the API can filter by: those that wait for a person. */
const filters = [{ name: 'state', label: 'Status', options: ['exhausted', 'held'] }, rangeFilter] as const

/** Deliveries are kept for so long; a minute less, for clocks differ. */
const keptMs = 30 * dayMs - 60_000
const rereadMs = 5_000

export function Deliveries({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { chosen, clear } = useFilters(filters)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [act, setAct] = useState<'selected' | 'all' | null>(null)
  const { state, range } = chosen
  const since = sinceOf(range)
  const rows = useRows(
    ['delivery', endpoint.id, state, range],
    (api, page) =>
      api.deliveries.list(endpoint.id, {
        ...page,
        ...(state === 'held' || state === 'exhausted' ? { state } : {}),
        ...(since === null ? {} : { created_at: { gte: since } }),
      }),
    { refetchInterval: rereadMs },
  )
  const close = () => setAct(null)
  const selected = rows.rows.filter(({ id }) => picked.has(id))
  return (
    <>
      <Toolbar selected={selected.length} act={setAct} />
      <FilterBar filters={filters} />
      <DataTable
        label="Deliveries"
        rows={rows}
        to={({ id }) => `/deliveries/${id}`}
        columns={[selection(picked, setPicked), ...columns]}
        empty={<NoDeliveries isFiltered={Object.keys(chosen).length > 0} clear={clear} />}
      />
      {act === 'selected' && (
        <ResendMany
          deliveries={selected}
          why="They are sent at once, before everything that waits, delivered ones too."
          onClose={() => {
            close()
            setPicked(new Set())
          }}
        />
      )}
      {act === 'all' && (
        <Recover
          endpoint={endpoint}
          match={{
            states: state ?? 'exhausted,held',
            sinceMs: since === null ? Date.now() - keptMs : Date.parse(since),
          }}
          onClose={close}
        />
      )}
    </>
  )
}

function Toolbar({ selected, act }: { selected: number; act: (act: 'selected' | 'all') => void }) {
  const may = useMay()
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 px-4 pt-2 text-ink2">
      {selected > 0 && (
        <>
          <span>{selected} selected</span>
          <Button compact refused={may('deliveries.resend')} onClick={() => act('selected')}>
            Resend {selected}
          </Button>
        </>
      )}
      <Button compact refused={may('webhook_recoveries.create')} onClick={() => act('all')}>
        Resend all that match
      </Button>
    </div>
  )
}

function selection(
  picked: ReadonlySet<string>,
  setPicked: (picked: ReadonlySet<string>) => void,
): Column<Delivery> {
  return {
    title: 'Select',
    width: '72px',
    phone: true,
    cell: ({ id, event_type }) => (
      <label className="-my-2 inline-flex min-h-6 min-w-6 items-center justify-center">
        <span className="sr-only">
          Select {event_type} {id}
        </span>
        <input
          type="checkbox"
          checked={picked.has(id)}
          onChange={({ target }) => {
            const next = new Set(picked)
            if (target.checked) next.add(id)
            else next.delete(id)
            setPicked(next)
          }}
          className="size-4 accent-ink"
        />
      </label>
    ),
  }
}

const columns: readonly Column<Delivery>[] = [
  { title: 'Status', width: '130px', phone: true, cell: (row) => <Status of={stateOf(row)} /> },
  {
    title: 'Event',
    phone: true,
    cell: ({ id, event_type }) => (
      <PageLink to={`/deliveries/${id}`} className="font-mono text-compact">
        {event_type}
      </PageLink>
    ),
  },
  { title: 'Created', width: '150px', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Attempts', width: '100px', align: 'right', cell: ({ attempts_made }) => attempts_made },
  {
    title: 'Last answer',
    width: '200px',
    cell: ({ last_outcome, last_status }) => answerText(last_outcome, last_status),
  },
  {
    title: 'Next try',
    width: '140px',
    align: 'right',
    cell: ({ next_attempt_at }) => (next_attempt_at === null ? '' : <Time at={next_attempt_at} />),
  },
]

function NoDeliveries({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  return isFiltered ? (
    <Empty title="No delivery matches the filter." action={<Button onClick={clear}>Clear filters</Button>}>
      Drop the status or widen the range.
    </Empty>
  ) : (
    <Empty title="Nothing was sent to this endpoint yet.">
      Choose “Send test event” in the menu above, or make an event of a type that it asks for.
    </Empty>
  )
}
