/**
 * A timeline chart: who did what, and when. Each lane is a party, and time runs to the right. The same nodes are
 * available as a list. `?at=` holds the id of the selected node.
 */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { dateTimeText } from '../format/time.ts'
import { Button } from '../ui/button.tsx'
import { Panel } from '../ui/panel.tsx'
import type { AxisKind } from './axis.ts'
import { Drawing } from './drawing.tsx'
import { NodeList } from './list.tsx'
import { inOrder, type Timeline, type TimelineNode } from './timeline-model.ts'

export type { Timeline, TimelineNode } from './timeline-model.ts'

export type TimelineChartProps = Timeline & {
  /** The accessible name of the chart: "What happened to payment …". */
  label: string
  title?: string
  /** A short note in the header: "2 attempts · 15.3 s". */
  note?: ReactNode
  /** Details of the selected node, shown below the chart. */
  detail?: (node: TimelineNode) => ReactNode
  /** Gaps longer than this are shortened to a break. */
  maxGapMs?: number
  /** The labels of the axis: the time since the first node, or dates. */
  axis?: AxisKind
  /** The URL parameter, if a page has two timelines. */
  name?: string
}

/** Below this width, the list is the default view. */
const minChartWidth = 560

export function TimelineChart(props: TimelineChartProps) {
  const { lanes, nodes, label, title = 'Timeline', note, detail, maxGapMs = 5_000, axis = 'elapsed' } = props
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const [preferredView, setPreferredView] = useState<'drawing' | 'list' | null>(null)
  const [selectedId, select] = useSelectedNode(props.name ?? 'at')
  const view = preferredView ?? (width !== null && width < minChartWidth ? 'list' : 'drawing')
  const selected = nodes.find(({ id }) => id === selectedId)
  const shared = { timeline: { lanes, nodes: inOrder(nodes) }, label, selected: selected?.id ?? null, select }
  const toggle = (
    <Button compact onClick={() => setPreferredView(view === 'list' ? 'drawing' : 'list')}>
      {view === 'list' ? 'Chart view' : 'List view'}
    </Button>
  )
  return (
    <Panel
      title={title}
      flush
      titleExtra={
        <>
          <span className="text-compact">{note}</span>
          {toggle}
        </>
      }
    >
      <div ref={box}>
        {width !== null && view === 'drawing' && (
          <Drawing {...shared} width={Math.max(width, minChartWidth)} maxGapMs={maxGapMs} kind={axis} />
        )}
        {view === 'list' && <NodeList {...shared} kind={axis} />}
      </div>
      {selected !== undefined && (
        <div className="grid gap-2 border-t border-line px-4 py-3">
          <p>
            <strong>{selected.text}</strong>
            <span className="text-ink2">
              {' '}
              · {lanes.find(({ id }) => id === selected.lane)?.text} · {dateTimeText(selected.atMs)}
            </span>
          </p>
          {detail?.(selected)}
        </div>
      )}
    </Panel>
  )
}

/** Null until it is measured, so that nothing is rendered twice. */
function useWidth(box: React.RefObject<HTMLDivElement | null>): number | null {
  const [width, setWidth] = useState<number | null>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return width
}

/** Selecting the selected node deselects it. */
function useSelectedNode(name: string): [selectedId: string | undefined, select: (id: string) => void] {
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const navigate = useNavigate()
  const selectedId = search[name]
  const select = (id: string) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, [name]: selectedId === id ? undefined : id })) as never,
      replace: true,
      resetScroll: false,
    })
  return [selectedId, select]
}
