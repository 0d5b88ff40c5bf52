// Positions boxes, arrows and labels with dagre, which reserves space for the label of an arrow as it does for a box,
// so that nothing overlaps.

import dagre from '@dagrejs/dagre'
import type { Arrow, Box, Graph } from './graph.ts'

export type Point = { readonly x: number; readonly y: number }
export type Area = Point & { readonly width: number; readonly height: number }
export type PlacedBox = Box & Area
export type PlacedArrow = Arrow & { readonly points: readonly Point[]; readonly label: Area | null }
export type Layout = {
  readonly width: number
  readonly height: number
  readonly boxes: readonly PlacedBox[]
  readonly arrows: readonly PlacedArrow[]
}

export const lineHeight = 17
const dotSize = 14
/** Wider than usual, because fonts differ. */
const widthOf = (text: string, perCharacter: number) => Math.ceil(text.length * perCharacter)

export function layoutOf({ direction, boxes, arrows }: Graph): Layout {
  const graph = new dagre.graphlib.Graph({ multigraph: true })
  graph.setGraph({
    rankdir: direction === 'down' ? 'TB' : 'LR',
    // A page is 760 pixels wide. A much wider diagram would be scaled down until it is unreadable.
    nodesep: 12,
    edgesep: 8,
    ranksep: 44,
    marginx: 12,
    marginy: 12,
  })
  for (const box of boxes) graph.setNode(box.id, sizeOf(box))
  for (const [index, arrow] of arrows.entries())
    graph.setEdge(arrow.from, arrow.to, { ...labelSize(arrow), labelpos: 'c' }, String(index))
  dagre.layout(graph)
  return {
    width: Math.ceil(graph.graph().width ?? 0),
    height: Math.ceil(graph.graph().height ?? 0),
    boxes: boxes.map((box) => ({ ...box, ...areaOf(graph.node(box.id)) })),
    arrows: arrows.map((arrow, index) => {
      const edge = graph.edge(arrow.from, arrow.to, String(index))
      const points = ((edge.points ?? []) as Point[]).map(({ x, y }) => ({
        x: roundTenths(x),
        y: roundTenths(y),
      }))
      return { ...arrow, points, label: arrow.lines === undefined ? null : areaOf(edge) }
    }),
  }
}

type DagreArea = {
  readonly x?: number | undefined
  readonly y?: number | undefined
  readonly width?: number | undefined
  readonly height?: number | undefined
}

function areaOf({ x = 0, y = 0, width = 0, height = 0 }: DagreArea): Area {
  return { x: roundTenths(x), y: roundTenths(y), width: roundTenths(width), height: roundTenths(height) }
}

/** Rounds, so that the SVG text is the same on every machine. */
const roundTenths = (value: number) => Math.round(value * 10) / 10

function sizeOf({ kind, lines }: Box): { width: number; height: number } {
  if (kind === 'start') return { width: dotSize, height: dotSize }
  const [name = '', ...details] = lines
  const widest = Math.max(widthOf(name, 8.4), ...details.map((line) => widthOf(line, 6.6)))
  return { width: Math.max(80, widest + 20), height: lines.length * lineHeight + 20 }
}

function labelSize({ lines = [] }: Arrow): { width: number; height: number } {
  if (lines.length === 0) return { width: 0, height: 0 }
  return { width: Math.max(...lines.map((line) => widthOf(line, 6.6))) + 6, height: lines.length * 16 + 6 }
}
