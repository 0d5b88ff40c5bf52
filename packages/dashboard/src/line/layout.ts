/** Where everything on a Line goes. Pure: the same story at the same width is always the same drawing. */
import { type Axis, type AxisKind, axisOf } from './axis.ts'
import { type Label, labelsOf } from './labels.ts'
import { type Placed, type Rail, railsOf } from './rails.ts'
import { inOrder, type Lane, type Story } from './story.ts'

export type Layout = {
  readonly width: number
  readonly height: number
  readonly lanes: readonly (Lane & { readonly y: number })[]
  readonly placed: readonly Placed[]
  readonly rails: readonly Rail[]
  readonly labels: readonly Label[]
  readonly axis: Axis
  readonly left: number
  readonly right: number
}

const top = 28
const laneHeight = 41
const axisHeight = 32
const side = 24
/** What the words of the last node need. */
const tail = 110

export function layoutOf(story: Story, options: { width: number; quietMs: number; kind: AxisKind }): Layout {
  const used = new Set(story.nodes.map(({ lane }) => lane))
  const lanes = story.lanes
    .filter(({ id }) => used.has(id))
    .map((lane, index) => ({ ...lane, y: top + index * laneHeight }))
  const left = gutterOf(lanes)
  const nodes = inOrder(story.nodes).filter(({ lane }) => used.has(lane))
  const axis = axisOf(
    nodes.map(({ atMs }) => atMs),
    { ...options, from: left + side, to: Math.max(left + side, options.width - tail - side) },
  )
  const width = Math.max(options.width, axis.end + tail + side)
  const right = width - 4
  const byId = new Map(lanes.map(({ id, y }) => [id, y]))
  const placed = nodes.map((node, index) => ({
    node,
    x: axis.xs[index] ?? left,
    y: byId.get(node.lane) ?? top,
  }))
  const { rails, points } = railsOf(placed, right)
  const height = top + Math.max(0, lanes.length - 1) * laneHeight + axisHeight + 20
  const labels = labelsOf(placed, points, { left, right })
  return { width, height, lanes, placed, rails, labels, axis, left, right }
}

function gutterOf(lanes: readonly Lane[]): number {
  const longest = Math.max(0, ...lanes.map(({ text }) => text.length))
  return Math.min(180, Math.max(72, longest * 7.2 + 16))
}
