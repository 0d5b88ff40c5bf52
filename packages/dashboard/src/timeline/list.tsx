/** The list view of a timeline: its nodes as buttons. The default on narrow screens. */
import { dateText, durationText } from '../format/time.ts'
import type { AxisKind } from './axis.ts'
import { MarkShape } from './marks.tsx'
import { useRovingFocus } from './roving-focus.ts'
import type { Timeline, TimelineNode } from './timeline-model.ts'

export type NodesProps = {
  timeline: Timeline
  label: string
  selected: string | null
  select: (id: string) => void
}

export function NodeList({ timeline, label, selected, select, kind }: NodesProps & { kind: AxisKind }) {
  const focus = useRovingFocus(timeline.nodes.length)
  return (
    <div
      role="toolbar"
      aria-label={label}
      aria-orientation="vertical"
      ref={focus.list}
      onKeyDown={focus.onKeyDown}
    >
      {timeline.nodes.map((node, index) => (
        <button
          key={node.id}
          type="button"
          tabIndex={focus.tabIndexOf(index)}
          aria-pressed={selected === node.id}
          onFocus={() => focus.setCurrent(index)}
          onClick={() => select(node.id)}
          className="flex min-h-10 w-full items-center gap-3 border-b border-line px-4 py-1.5 text-left last:border-0 hover:bg-canvas aria-pressed:bg-info-soft max-md:min-h-12"
        >
          <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" className="shrink-0">
            <MarkShape node={node} x={10} y={10} />
          </svg>
          <span className="min-w-0 flex-1">
            <span className="block break-words">{node.text}</span>
            <span className="block text-compact text-ink2">{laneText(timeline, node)}</span>
          </span>
          <span className="text-compact whitespace-nowrap text-ink2">{whenText(timeline, node, kind)}</span>
        </button>
      ))}
    </div>
  )
}

function laneText({ lanes }: Timeline, node: TimelineNode): string {
  return lanes.find(({ id }) => id === node.lane)?.text ?? ''
}

function whenText({ nodes }: Timeline, node: TimelineNode, kind: AxisKind): string {
  return kind === 'date' ? dateText(node.atMs) : durationText(node.atMs - (nodes[0]?.atMs ?? node.atMs))
}

export function nodeText(timeline: Timeline, node: TimelineNode, kind: AxisKind): string {
  return `${node.text}, ${laneText(timeline, node)}, ${whenText(timeline, node, kind)}`
}

/** The chart as text. */
export function timelineText(timeline: Timeline, kind: AxisKind): string {
  return timeline.nodes.map((node) => nodeText(timeline, node, kind)).join('; ')
}
