/** A timeline as an image. Its nodes are buttons on top: elements inside an image cannot get keyboard focus. */
import { useEffect, useId, useRef } from 'react'
import type { AxisKind } from './axis.ts'
import { type Layout, layoutOf } from './layout.ts'
import { type NodesProps, nodeText, timelineText } from './list.tsx'
import { MarkShape, textClasses, toneColors } from './marks.tsx'
import { useRovingFocus } from './roving-focus.ts'

export function Drawing(props: NodesProps & { width: number; maxGapMs: number; kind: AxisKind }) {
  const { timeline, label, selected, select, width, maxGapMs, kind } = props
  const layout = layoutOf(timeline, { width, maxGapMs, kind })
  const scroller = useRef<HTMLElement>(null)
  const focus = useRovingFocus(timeline.nodes.length)
  const lastX = layout.placedNodes.at(-1)?.x ?? 0
  const previousX = useRef(lastX)
  // Start at the first node and scroll to new ones, until the user selects a node.
  useEffect(() => {
    if (selected === null && lastX > previousX.current) scroller.current?.scrollTo({ left: lastX })
    previousX.current = lastX
  }, [selected, lastX])
  return (
    <section ref={scroller} aria-label={`${label}, chart`} className="overflow-x-auto px-4 py-2">
      <div className="relative" style={{ width: layout.width - 32, height: layout.height }}>
        <Chart layout={layout} label={label} text={timelineText(timeline, kind)} selected={selected} />
        <div role="toolbar" aria-label={`Steps: ${label}`} onKeyDown={focus.onKeyDown} ref={focus.list}>
          {layout.placedNodes.map(({ node, x, y }, index) => (
            <button
              key={node.id}
              type="button"
              tabIndex={focus.tabIndexOf(index)}
              aria-pressed={selected === node.id}
              aria-label={nodeText(timeline, node, kind)}
              title={node.text}
              onFocus={() => focus.setCurrent(index)}
              onClick={() => select(node.id)}
              className="absolute size-6 rounded-full"
              style={{ left: x - 12 - 16, top: y - 12 }}
            />
          ))}
        </div>
      </div>
    </section>
  )
}

function Chart(props: { layout: Layout; label: string; text: string; selected: string | null }) {
  const { layout, label, text, selected } = props
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
      <NodesAndConnectors layout={layout} selected={selected} />
    </svg>
  )
}

function NodesAndConnectors({ layout, selected }: { layout: Layout; selected: string | null }) {
  const byId = new Map(layout.placedNodes.map(({ node }) => [node.id, node]))
  return (
    <>
      {layout.connectors.map((connector) => (
        <path
          key={connector.path}
          d={connector.path}
          fill="none"
          strokeWidth="5"
          stroke={toneColors[connector.tone]}
          strokeDasharray={connector.isDashed ? '10 5' : undefined}
        />
      ))}
      {layout.placedNodes.map(({ node, x, y }) => (
        <MarkShape key={node.id} node={node} x={x} y={y} isSelected={selected === node.id} />
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
            className={`stroke-surface text-axis ${textClasses[node.tone]} ${selected === node.id ? 'font-bold' : ''}`}
          >
            {node.text}
          </text>
        )
      })}
    </>
  )
}
