/**
 * The Line: who took part, and what happened where and when, in one drawing. Lanes are parties, time runs to the
 * right, a change of lane is a set of points. The same nodes are there as a list; `?at=` names the chosen one.
 */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { dateTimeText } from '../format/time.ts'
import { Button } from '../ui/button.tsx'
import { Panel } from '../ui/panel.tsx'
import type { AxisKind } from './axis.ts'
import { Drawing } from './drawing.tsx'
import { NodeList } from './list.tsx'
import { inOrder, type LineNode, type Story } from './story.ts'

export type { LineNode, Story } from './story.ts'

export type LineProps = Story & {
  /** What it is a drawing of, for who cannot see it: "What happened to payment …". */
  label: string
  title?: string
  /** A few words at the head: "2 attempts · 15.3 s". */
  note?: ReactNode
  /** More about the chosen node, below the drawing. */
  detail?: (node: LineNode) => ReactNode
  /** Gaps longer than this shrink to a break. */
  quietMs?: number
  /** What stands along the axis: the time since the first node, or dates. */
  axis?: AxisKind
  /** Its name in the address, if a page has two. */
  name?: string
}

/** Narrower than this, the list says more than a drawing. */
const leastWidth = 560

export function Line(props: LineProps) {
  const { lanes, nodes, label, title = 'Line', note, detail, quietMs = 5_000, axis = 'elapsed' } = props
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const [wanted, setWanted] = useState<'drawing' | 'list' | null>(null)
  const [at, choose] = useChosen(props.name ?? 'at')
  const view = wanted ?? (width !== null && width < leastWidth ? 'list' : 'drawing')
  const chosen = nodes.find(({ id }) => id === at)
  const shared = { story: { lanes, nodes: inOrder(nodes) }, label, chosen: chosen?.id ?? null, choose }
  const toggle = (
    <Button compact onClick={() => setWanted(view === 'list' ? 'drawing' : 'list')}>
      {view === 'list' ? 'Drawing' : 'List view'}
    </Button>
  )
  return (
    <Panel
      title={title}
      flush
      beside={
        <>
          <span className="text-compact">{note}</span>
          {toggle}
        </>
      }
    >
      <div ref={box}>
        {width !== null && view === 'drawing' && (
          <Drawing {...shared} width={Math.max(width, leastWidth)} quietMs={quietMs} kind={axis} />
        )}
        {view === 'list' && <NodeList {...shared} kind={axis} />}
      </div>
      {chosen !== undefined && (
        <div className="grid gap-2 border-t border-line px-4 py-3">
          <p>
            <strong>{chosen.text}</strong>
            <span className="text-ink2">
              {' '}
              · {lanes.find(({ id }) => id === chosen.lane)?.text} · {dateTimeText(chosen.atMs)}
            </span>
          </p>
          {detail?.(chosen)}
        </div>
      )}
    </Panel>
  )
}

/** Null until it is known, so that nothing is drawn twice. */
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

/** Choosing what is chosen lets go of it. */
function useChosen(name: string): [at: string | undefined, choose: (id: string) => void] {
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const navigate = useNavigate()
  const at = search[name]
  const choose = (id: string) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, [name]: at === id ? undefined : id })) as never,
      replace: true,
      resetScroll: false,
    })
  return [at, choose]
}
