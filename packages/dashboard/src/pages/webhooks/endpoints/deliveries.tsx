/** The deliveries of an endpoint. Changes to deliveries emit no events, so the list polls. */

import type { Delivery, WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { dayMs } from '../../../format/time.ts'
import { Button } from '../../../ui/button.tsx'
import { FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { DueTime, Time } from '../../../ui/values.tsx'
import { rangeFilter, sinceOf } from '../../range.ts'
import { notDelivered, Recover } from './recover.tsx'
import { ResendMany } from './resend-many.tsx'
import { displayedState, responseText } from './responses.ts'

/** The states that the API can filter by. */
const filters = [{ name: 'state', label: 'Status', options: ['exhausted', 'held'] }, rangeFilter] as const

/** The retention of deliveries, minus a minute for clock skew. */
const retentionMs = 30 * dayMs - 60_000
const refetchMs = 5_000

export function Deliveries({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { filterValues, clear } = useFilters(filters)
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set())
  const [dialog, setDialog] = useState<'selected' | 'all' | null>(null)
  const { state, range } = filterValues
  const since = sinceOf(range)
  const rows = useRows(
    ['delivery', endpoint.id, state, range],
    (api, page) =>
      api.deliveries.list(endpoint.id, {
        ...page,
        ...(state === 'held' || state === 'exhausted' ? { state } : {}),
        ...(since === null ? {} : { created_at: { gte: since } }),
      }),
    { refetchInterval: refetchMs },
  )
  const close = () => setDialog(null)
  const selected = rows.rows.filter(({ id }) => selectedIds.has(id))
  return (
    <>
      <Toolbar selected={selected.length} resend={setDialog} />
      <FilterBar filters={filters} />
      <DataTable
        label="Deliveries"
        rows={rows}
        to={({ id }) => `/deliveries/${id}`}
        columns={[selectionColumn(selectedIds, setSelectedIds), ...columns]}
        empty={<NoDeliveries isFiltered={Object.keys(filterValues).length > 0} clear={clear} />}
      />
      {dialog === 'selected' && (
        <ResendMany
          deliveries={selected}
          intro="The selected deliveries are sent immediately, ahead of all pending ones. This includes deliveries that were already delivered."
          onClose={() => {
            close()
            setSelectedIds(new Set())
          }}
        />
      )}
      {dialog === 'all' && (
        <Recover
          endpoint={endpoint}
          match={{
            states: state ?? notDelivered,
            sinceMs: since === null ? Date.now() - retentionMs : Date.parse(since),
          }}
          onClose={close}
        />
      )}
    </>
  )
}

function Toolbar({
  selected,
  resend,
}: {
  selected: number
  resend: (deliveries: 'selected' | 'all') => void
}) {
  const disabledReasonFor = useDisabledReason()
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 px-4 pt-2 text-ink2">
      {selected > 0 && (
        <>
          <span>{selected} selected</span>
          <Button
            compact
            disabledReason={disabledReasonFor('deliveries.resend')}
            onClick={() => resend('selected')}
          >
            Resend {selected} selected
          </Button>
        </>
      )}
      <Button
        compact
        disabledReason={disabledReasonFor('webhook_recoveries.create')}
        onClick={() => resend('all')}
      >
        Resend all matching…
      </Button>
    </div>
  )
}

function selectionColumn(
  selectedIds: ReadonlySet<string>,
  setSelectedIds: (selectedIds: ReadonlySet<string>) => void,
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
          checked={selectedIds.has(id)}
          onChange={({ target }) => {
            const next = new Set(selectedIds)
            if (target.checked) next.add(id)
            else next.delete(id)
            setSelectedIds(next)
          }}
          className="size-4 accent-ink"
        />
      </label>
    ),
  }
}

const columns: readonly Column<Delivery>[] = [
  { title: 'Status', width: '130px', phone: true, cell: (row) => <Status status={displayedState(row)} /> },
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
    title: 'Last response',
    width: '200px',
    cell: ({ last_outcome, last_status }) => responseText(last_outcome, last_status),
  },
  {
    title: 'Next attempt',
    width: '140px',
    align: 'right',
    cell: ({ next_attempt_at }) => (next_attempt_at === null ? '' : <DueTime at={next_attempt_at} />),
  },
]

function NoDeliveries({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  return isFiltered ? (
    <Empty title="No matching deliveries." action={<Button onClick={clear}>Clear filters</Button>}>
      Remove the status filter or choose a longer time range.
    </Empty>
  ) : (
    <Empty title="No deliveries yet.">
      Choose “Send test event” in the menu above, or trigger an event type that the endpoint is subscribed to.
    </Empty>
  )
}
