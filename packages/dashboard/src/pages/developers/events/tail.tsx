/** Events as they happen. Nothing moves under the pointer: who scrolls down or pauses decides when to go on. */
import { useState } from 'react'
import { counted } from '../../../format/words.ts'
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
import { kept, matching, type Tail, type TailRow } from './tail-rows.ts'
import { useTail } from './use-tail.ts'

const filters = [
  { name: 'types', label: 'Types', placeholder: 'payment.*, refund.*' },
  { name: 'text', label: 'Text in type or object', placeholder: 'payment_test_…' },
] as const

export function Page() {
  const { chosen } = useFilters(filters)
  const { tail, error, hold, release, clear, retry } = useTail(chosen.types ?? '')
  const [isPaused, setPaused] = useState(false)
  const [row, setRow] = useState<TailRow | null>(null)
  const shown = matching(tail.rows, chosen.text ?? '')
  const pause = () => {
    setPaused(!isPaused)
    if (isPaused) release()
    else hold()
  }
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Events', to: '/events' }, { text: 'Live tail' }]}
        title="Live tail"
        beside={<Following tail={tail} isPaused={isPaused} hasFailed={error !== null} />}
        actions={
          <>
            <Button onClick={pause} aria-pressed={isPaused}>
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
            chosen={row?.id ?? null}
            choose={setRow}
            onScrolled={(isAway) => {
              if (isAway) hold()
              else if (!isPaused) release()
            }}
            onShow={() => {
              setPaused(false)
              release()
            }}
          />
          <p role="status" className="border-t border-line px-4 py-2 text-compact text-ink2">
            {counted(shown.length, 'event')} shown. The latest {kept.toLocaleString('en')} are kept here; all
            of them are in <PageLink to="/events">Events</PageLink>.
          </p>
        </Panel>
        <Chosen row={row} />
      </div>
    </>
  )
}

function Following({ tail, isPaused, hasFailed }: { tail: Tail; isPaused: boolean; hasFailed: boolean }) {
  if (hasFailed) return <Chip mark="barred" tone="danger" text="Broken off" />
  if (isPaused) return <Chip mark="bars" tone="idle" text={`Paused, ${tail.waiting.length} wait`} />
  return <Chip mark="arrow" tone="clear" text={`Following, ${tail.seen.toLocaleString('en')} seen`} />
}

function Chosen({ row }: { row: TailRow | null }) {
  if (row === null)
    return (
      <Panel title="Event">
        <p className="text-ink2">Choose an event to see what it says.</p>
      </Panel>
    )
  return (
    <Panel
      title={<span className="font-mono text-body">{row.type}</span>}
      beside={<PageLink to={`/events/${row.id}`}>Open</PageLink>}
    >
      <div className="grid gap-3">
        <p>
          Object <ObjectLink id={row.objectId} />
        </p>
        <Json of={contentOf(row.event)} label="data" />
      </div>
    </Panel>
  )
}
