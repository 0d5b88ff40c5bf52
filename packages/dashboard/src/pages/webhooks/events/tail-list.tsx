/** The rows of a live tail. Only the visible rows are rendered. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { shortId } from '../../../format/text.ts'
import { timeText } from '../../../format/time.ts'
import type { TailRow } from './tail-rows.ts'

const rowHeight = 32

export function TailList(props: {
  rows: readonly TailRow[]
  waiting: number
  selected: string | null
  select: (row: TailRow) => void
  /** Whether the user has scrolled away from the newest event. */
  onScrolled: (isScrolled: boolean) => void
  onShow: () => void
}) {
  const { rows, waiting } = props
  const box = useRef<HTMLDivElement>(null)
  const wasScrolled = useRef(false)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  })
  const handleScroll = () => {
    const isScrolled = (box.current?.scrollTop ?? 0) > 4
    if (isScrolled === wasScrolled.current) return
    wasScrolled.current = isScrolled
    props.onScrolled(isScrolled)
  }
  const show = () => {
    props.onShow()
    box.current?.scrollTo({ top: 0 })
  }
  return (
    <div className="relative">
      {waiting > 0 && <NewEventsButton waiting={waiting} show={show} />}
      <section
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard.
        tabIndex={0}
        aria-label="Live events"
        onScroll={handleScroll}
        className="h-[60dvh] overflow-y-auto"
      >
        {rows.length === 0 && (
          <p className="p-4 text-ink2">No events yet. New events appear here immediately.</p>
        )}
        <ol className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => (
            <li
              key={key}
              className="absolute inset-x-0 top-0 h-8"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row row={rows[index]} selected={props.selected} select={props.select} />
            </li>
          ))}
        </ol>
      </section>
    </div>
  )
}

function NewEventsButton({ waiting, show }: { waiting: number; show: () => void }) {
  return (
    <button
      type="button"
      onClick={show}
      className="absolute top-2 left-1/2 z-10 min-h-6 -translate-x-1/2 rounded-full bg-info px-3 text-compact font-bold text-surface"
    >
      {waiting.toLocaleString('en')} new
    </button>
  )
}

function Row(props: { row: TailRow | undefined; selected: string | null; select: (row: TailRow) => void }) {
  const { row, selected } = props
  if (row === undefined) return null
  const isSelected = row.id === selected
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={() => props.select(row)}
      className={`grid h-8 w-full grid-cols-[76px_minmax(0,1fr)_minmax(0,1fr)] items-center gap-3 border-b border-line px-4 text-left font-mono text-compact max-md:grid-cols-[76px_minmax(0,1fr)] ${isSelected ? 'bg-info-soft' : 'hover:bg-canvas'}`}
    >
      <time dateTime={row.at} className="text-ink2">
        {timeText(row.at)}
      </time>
      <span className="overflow-hidden text-ellipsis whitespace-nowrap">{row.type}</span>
      <span className="overflow-hidden text-ellipsis whitespace-nowrap text-ink2 max-md:hidden">
        {row.objectId === null ? '' : shortId(row.objectId)}
      </span>
    </button>
  )
}
