/** A live tail of events. While the user has scrolled down or paused, the rows do not move. */
import { useState } from 'react'
import { countText } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { Json } from '../../../ui/code.tsx'
import { FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { ErrorPanel } from '../../../ui/states.tsx'
import { Chip } from '../../../ui/status.tsx'
import { contentOf } from './content.ts'
import { TailList } from './tail-list.tsx'
import { matching, maxRows, type Tail, type TailRow } from './tail-rows.ts'
import { useTail } from './use-tail.ts'

const filters = [
  { name: 'types', label: 'Types', placeholder: 'payment.*, refund.*' },
  { name: 'text', label: 'Search in type or object', placeholder: 'payment_test_…' },
] as const

export function Page() {
  const { filterValues } = useFilters(filters)
  const { tail, error, pauseTail, resumeTail, clear, retry } = useTail(filterValues.types ?? '')
  const [isPaused, setPaused] = useState(false)
  const [row, setRow] = useState<TailRow | null>(null)
  const shown = matching(tail.rows, filterValues.text ?? '')
  const togglePause = () => {
    setPaused(!isPaused)
    if (isPaused) resumeTail()
    else pauseTail()
  }
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Events', to: '/events' }, { text: 'Live tail' }]}
        title="Live tail"
        titleExtra={<TailStatus tail={tail} isPaused={isPaused} hasFailed={error !== null} />}
        actions={
          <>
            <Button onClick={togglePause} aria-pressed={isPaused}>
              {isPaused ? 'Resume' : 'Pause'}
            </Button>
            <Button onClick={clear}>Clear</Button>
          </>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,420px)]">
        <Panel flush>
          <FilterBar filters={filters} />
          {error !== null && <ErrorPanel error={error} retry={retry} />}
          <TailList
            rows={shown}
            waiting={tail.waiting.length}
            selected={row?.id ?? null}
            select={setRow}
            onScrolled={(isScrolled) => {
              if (isScrolled) pauseTail()
              else if (!isPaused) resumeTail()
            }}
            onShow={() => {
              setPaused(false)
              resumeTail()
            }}
          />
          <p role="status" className="border-t border-line px-4 py-2 text-compact text-ink2">
            {countText(shown.length, 'event')} shown. This page keeps the latest{' '}
            {maxRows.toLocaleString('en')}. See <PageLink to="/events">Events</PageLink> for all of them.
          </p>
        </Panel>
        <SelectedEvent row={row} />
      </div>
    </>
  )
}

function TailStatus({ tail, isPaused, hasFailed }: { tail: Tail; isPaused: boolean; hasFailed: boolean }) {
  if (hasFailed) return <Chip mark="barred" tone="danger" text="Disconnected" />
  if (isPaused) return <Chip mark="bars" tone="neutral" text={`Paused, ${tail.waiting.length} waiting`} />
  return (
    <Chip mark="arrow" tone="success" text={`Live, ${tail.receivedCount.toLocaleString('en')} received`} />
  )
}

function SelectedEvent({ row }: { row: TailRow | null }) {
  if (row === null)
    return (
      <Panel title="Event">
        <p className="text-ink2">Select an event to see its data.</p>
      </Panel>
    )
  return (
    <Panel
      title={<span className="font-mono text-body">{row.type}</span>}
      titleExtra={<PageLink to={`/events/${row.id}`}>Open event</PageLink>}
    >
      <div className="grid gap-3">
        <p>
          Object <ObjectLink id={row.objectId} />
        </p>
        <Json value={contentOf(row.event)} label="data" />
      </div>
    </Panel>
  )
}
