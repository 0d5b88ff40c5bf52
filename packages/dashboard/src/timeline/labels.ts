/**
 * Places the labels of nodes above or below, right or left of the node, where they overlap least. A label that would
 * cover another one is left out of the chart; the list view shows it. No side effects.
 */
import type { Box, PlacedNode } from './connectors.ts'

export type Label = {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly anchor: 'start' | 'end'
}

const characterWidth = 6.3
const height = 14
/** The distance from the center of a node to its label. */
const labelOffset = 14
/** The cost of covering another label, a node, or a line that changes lanes. */
const overlapCosts = { label: 100, node: 40, laneChange: 12 }
/** Labels with this cost or more are left out. */
const maxCost = 100

export function labelsOf(
  placedNodes: readonly PlacedNode[],
  laneChanges: readonly Box[],
  bounds: { readonly left: number; readonly right: number },
): Label[] {
  const labels: Label[] = []
  const labelBoxes: Box[] = []
  const nodes = placedNodes.map(({ x, y }) => ({ x: x - 9, y: y - 9, width: 18, height: 18 }))
  for (const { node, x, y } of placedNodes) {
    const choices = positionsOf(node.text, x, y).map((position, rank) => ({
      ...position,
      cost: rank + costOf(position.box, { labelBoxes, nodes, laneChanges, bounds }),
    }))
    const best = choices.reduce((a, b) => (b.cost < a.cost ? b : a))
    if (best.cost >= maxCost) continue
    labelBoxes.push(best.box)
    labels.push({ id: node.id, x: best.x, y: best.y, anchor: best.anchor })
  }
  return labels
}

type Position = {
  readonly x: number
  readonly y: number
  readonly anchor: 'start' | 'end'
  readonly box: Box
}

function positionsOf(text: string, x: number, y: number): Position[] {
  const width = text.length * characterWidth
  return ([-8, 20] as const).flatMap((down) =>
    (['start', 'end'] as const).map((anchor) => ({
      x: anchor === 'start' ? x + labelOffset : x - labelOffset,
      y: y + down,
      anchor,
      box: {
        x: anchor === 'start' ? x + labelOffset : x - labelOffset - width,
        y: y + down - 11,
        width,
        height,
      },
    })),
  )
}

type Obstacles = {
  readonly labelBoxes: readonly Box[]
  readonly nodes: readonly Box[]
  readonly laneChanges: readonly Box[]
  readonly bounds: { readonly left: number; readonly right: number }
}

function costOf(box: Box, { labelBoxes, nodes, laneChanges, bounds }: Obstacles): number {
  const isOutOfBounds = box.x < bounds.left || box.x + box.width > bounds.right
  const countOverlaps = (boxes: readonly Box[]) => boxes.filter((other) => overlaps(box, other)).length
  return (
    (isOutOfBounds ? overlapCosts.label : 0) +
    countOverlaps(labelBoxes) * overlapCosts.label +
    countOverlaps(nodes) * overlapCosts.node +
    countOverlaps(laneChanges) * overlapCosts.laneChange
  )
}

export function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}
