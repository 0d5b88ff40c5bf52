/** Computes the layout of a timeline. Pure: the same timeline and width always give the same layout. */
import { type Axis, type AxisKind, axisOf } from './axis.ts'
import { type Connector, connectorsOf, type PlacedNode } from './connectors.ts'
import { type Label, labelsOf } from './labels.ts'
import { inOrder, type Lane, type Timeline } from './timeline-model.ts'

export type Layout = {
  readonly width: number
  readonly height: number
  readonly lanes: readonly (Lane & { readonly y: number })[]
  readonly placedNodes: readonly PlacedNode[]
  readonly connectors: readonly Connector[]
  readonly labels: readonly Label[]
  readonly axis: Axis
  readonly left: number
  readonly right: number
}

const top = 28
const laneHeight = 41
const axisHeight = 32
const padding = 24
/** The space for the label of the last node, to its right. */
const lastLabelWidth = 110

export function layoutOf(
  timeline: Timeline,
  options: { width: number; maxGapMs: number; kind: AxisKind },
): Layout {
  const used = new Set(timeline.nodes.map(({ lane }) => lane))
  const lanes = timeline.lanes
    .filter(({ id }) => used.has(id))
    .map((lane, index) => ({ ...lane, y: top + index * laneHeight }))
  const left = laneLabelWidth(lanes)
  const nodes = inOrder(timeline.nodes).filter(({ lane }) => used.has(lane))
  const axis = axisOf(
    nodes.map(({ atMs }) => atMs),
    {
      ...options,
      from: left + padding,
      to: Math.max(left + padding, options.width - lastLabelWidth - padding),
    },
  )
  const width = Math.max(options.width, axis.end + lastLabelWidth + padding)
  const right = width - 4
  const byId = new Map(lanes.map(({ id, y }) => [id, y]))
  const placedNodes = nodes.map((node, index) => ({
    node,
    x: axis.xs[index] ?? left,
    y: byId.get(node.lane) ?? top,
  }))
  const { connectors, laneChanges } = connectorsOf(placedNodes, right)
  const height = top + Math.max(0, lanes.length - 1) * laneHeight + axisHeight + 20
  const labels = labelsOf(placedNodes, laneChanges, { left, right })
  return { width, height, lanes, placedNodes, connectors, labels, axis, left, right }
}

function laneLabelWidth(lanes: readonly Lane[]): number {
  const longest = Math.max(0, ...lanes.map(({ text }) => text.length))
  return Math.min(180, Math.max(72, longest * 7.2 + 16))
}
