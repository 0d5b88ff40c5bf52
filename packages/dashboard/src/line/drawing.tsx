/** A Line as a picture. Its nodes are buttons above it: what is inside a picture cannot be reached by keyboard. */
import { useEffect, useId, useRef } from 'react'
import type { AxisKind } from './axis.ts'
import { type Layout, layoutOf } from './layout.ts'
import { type NodesProps, nodeText, storyText } from './list.tsx'
import { MarkShape, solid, words } from './marks.tsx'
import { useWalk } from './walk.ts'

export function Drawing(props: NodesProps & { width: number; quietMs: number; kind: AxisKind }) {
  const { story, label, chosen, choose, width, quietMs, kind } = props
  const layout = layoutOf(story, { width, quietMs, kind })
  const scroller = useRef<HTMLElement>(null)
  const walk = useWalk(story.nodes.length)
  const lastX = layout.placed.at(-1)?.x ?? 0
  const seenX = useRef(lastX)
  // It begins at the beginning and follows what happens then, until somebody looks at one thing.
  useEffect(() => {
    if (chosen === null && lastX > seenX.current) scroller.current?.scrollTo({ left: lastX })
    seenX.current = lastX
  }, [chosen, lastX])
  return (
    <section ref={scroller} aria-label={`${label}, drawn`} className="overflow-x-auto px-4 py-2">
      <div className="relative" style={{ width: layout.width - 32, height: layout.height }}>
        <Picture layout={layout} label={label} text={storyText(story, kind)} chosen={chosen} />
        <div role="toolbar" aria-label={`Nodes: ${label}`} onKeyDown={walk.onKeyDown} ref={walk.list}>
          {layout.placed.map(({ node, x, y }, index) => (
            <button
              key={node.id}
              type="button"
              tabIndex={walk.tabIndexOf(index)}
              aria-pressed={chosen === node.id}
              aria-label={nodeText(story, node, kind)}
              title={node.text}
              onFocus={() => walk.setCurrent(index)}
              onClick={() => choose(node.id)}
              className="absolute size-6 rounded-full"
              style={{ left: x - 12 - 16, top: y - 12 }}
            />
          ))}
        </div>
      </div>
    </section>
  )
}

function Picture(props: { layout: Layout; label: string; text: string; chosen: string | null }) {
  const { layout, label, text, chosen } = props
  const { width, height, axis, left, right, lanes } = layout
  const id = useId()
  const foot = height - 36
  return (
    <svg
      role="img"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      width={width - 32}
      height={height}
      viewBox={`16 0 ${width - 32} ${height}`}
      className="absolute inset-0"
    >
      <title id={`${id}-title`}>{label}</title>
      <desc id={`${id}-text`}>{text}</desc>
      {axis.breaks.map((gap) => (
        <g key={gap.x}>
          <rect x={gap.x} y="8" width={gap.width} height={foot - 8} className="fill-sunken" />
          <text
            x={gap.x + gap.width / 2}
            y={foot + 18}
            textAnchor="middle"
            className="fill-ink text-axis font-bold"
          >
            {gap.text}
          </text>
        </g>
      ))}
      {axis.ticks.map((tick) => (
        <g key={tick.x}>
          <line x1={tick.x} x2={tick.x} y1="8" y2={foot} className="stroke-line" />
          <text x={tick.x} y={foot + 18} textAnchor="middle" className="fill-ink2 text-axis">
            {tick.text}
          </text>
        </g>
      ))}
      {lanes.map((lane) => (
        <g key={lane.id}>
          <text x="16" y={lane.y + 4} className="fill-ink2 text-compact font-bold">
            {lane.text.length > 22 ? `${lane.text.slice(0, 21)}…` : lane.text}
          </text>
          <line x1={left} x2={right} y1={lane.y} y2={lane.y} className="stroke-line" />
        </g>
      ))}
      <Track layout={layout} chosen={chosen} />
    </svg>
  )
}

function Track({ layout, chosen }: { layout: Layout; chosen: string | null }) {
  const byId = new Map(layout.placed.map(({ node }) => [node.id, node]))
  return (
    <>
      {layout.rails.map((rail) => (
        <path
          key={rail.path}
          d={rail.path}
          fill="none"
          strokeWidth="5"
          stroke={solid[rail.tone]}
          strokeDasharray={rail.isDashed ? '10 5' : undefined}
        />
      ))}
      {layout.placed.map(({ node, x, y }) => (
        <MarkShape key={node.id} node={node} x={x} y={y} isChosen={chosen === node.id} />
      ))}
      {layout.labels.map((label) => {
        const node = byId.get(label.id)
        return node === undefined ? null : (
          <text
            key={label.id}
            x={label.x}
            y={label.y}
            textAnchor={label.anchor}
            paintOrder="stroke"
            strokeWidth="4"
            className={`stroke-surface text-axis ${words[node.tone]} ${chosen === node.id ? 'font-bold' : ''}`}
          >
            {node.text}
          </text>
        )
      })}
    </>
  )
}
