/** The lines between nodes: along a lane, and from one lane to another. No side effects. */
import type { TimelineNode, TimelineTone } from './timeline-model.ts'

export type PlacedNode = { readonly node: TimelineNode; readonly x: number; readonly y: number }
export type Connector = {
  readonly path: string
  readonly tone: TimelineTone
  readonly isDashed: boolean
}
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

/** The preferred width of a lane change. */
const laneChangeWidth = 36

export function connectorsOf(
  placedNodes: readonly PlacedNode[],
  end: number,
): { connectors: Connector[]; laneChanges: Box[] } {
  const segments = placedNodes.map((from, index) => {
    const to = placedNodes[index + 1]
    return to === undefined ? lastConnector(from, end) : connectorsBetween(from, to)
  })
  return {
    connectors: segments.flatMap(({ connectors }) => connectors),
    laneChanges: segments.flatMap(({ laneChanges }) => laneChanges),
  }
}

type Segment = { readonly connectors: readonly Connector[]; readonly laneChanges: readonly Box[] }

/** A wait that has not ended is drawn to the right edge. */
function lastConnector({ node, x, y }: PlacedNode, end: number): Segment {
  return { connectors: node.isWaiting ? [straight(x, end, y, node.tone, true)] : [], laneChanges: [] }
}

function connectorsBetween(from: PlacedNode, to: PlacedNode): Segment {
  const { isWaiting = false, tone } = from.node
  if (from.y === to.y)
    return {
      connectors: [straight(from.x, to.x, from.y, isWaiting ? tone : to.node.tone, isWaiting)],
      laneChanges: [],
    }
  const width = Math.min(laneChangeWidth, to.x - from.x)
  // A wait stays in its lane until it ends; all other lines change the lane immediately.
  const changeStart = isWaiting ? to.x - width : from.x
  const laneChanges = [{ x: changeStart, y: Math.min(from.y, to.y), width, height: Math.abs(to.y - from.y) }]
  const room = to.x - from.x - width
  if (isWaiting) {
    const wait = room > 0 ? [straight(from.x, changeStart, from.y, tone, true)] : []
    return { connectors: [...wait, curve(changeStart, to.x, from.y, to.y, to.node.tone)], laneChanges }
  }
  if (room <= 0) return { connectors: [curve(changeStart, to.x, from.y, to.y, to.node.tone)], laneChanges }
  const connectors = [
    curve(changeStart, changeStart + width, from.y, to.y, 'ink'),
    straight(changeStart + width, to.x, to.y, to.node.tone, false),
  ]
  return { connectors, laneChanges }
}

function straight(x1: number, x2: number, y: number, tone: TimelineTone, isDashed: boolean): Connector {
  return { path: `M${round(x1)} ${round(y)}H${round(x2)}`, tone, isDashed }
}

function curve(x1: number, x2: number, y1: number, y2: number, tone: TimelineTone): Connector {
  const middle = (x1 + x2) / 2
  const path = `M${round(x1)} ${round(y1)}C${round(middle)} ${round(y1)} ${round(middle)} ${round(y2)} ${round(x2)} ${round(y2)}`
  return { path, tone, isDashed: false }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
