/**
 * Where the words of nodes go: above or below, right or left of them, wherever they cover least. What would cover
 * other words is left out of the drawing; the list has it. Pure.
 */
import type { Box, Placed } from './rails.ts'

export type Label = {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly anchor: 'start' | 'end'
}

const characterWidth = 6.3
const height = 14
/** From the middle of a node to its words. */
const aside = 14
const covers = { word: 100, node: 40, points: 12 }
/** From here on it is better not to say it. */
const tooMuch = 100

export function labelsOf(
  placed: readonly Placed[],
  points: readonly Box[],
  bounds: { readonly left: number; readonly right: number },
): Label[] {
  const labels: Label[] = []
  const words: Box[] = []
  const nodes = placed.map(({ x, y }) => ({ x: x - 9, y: y - 9, width: 18, height: 18 }))
  for (const { node, x, y } of placed) {
    const choices = placesOf(node.text, x, y).map((place, rank) => ({
      ...place,
      cost: rank + costOf(place.box, { words, nodes, points, bounds }),
    }))
    const best = choices.reduce((a, b) => (b.cost < a.cost ? b : a))
    if (best.cost >= tooMuch) continue
    words.push(best.box)
    labels.push({ id: node.id, x: best.x, y: best.y, anchor: best.anchor })
  }
  return labels
}

type Place = { readonly x: number; readonly y: number; readonly anchor: 'start' | 'end'; readonly box: Box }

function placesOf(text: string, x: number, y: number): Place[] {
  const width = text.length * characterWidth
  return ([-8, 20] as const).flatMap((down) =>
    (['start', 'end'] as const).map((anchor) => ({
      x: anchor === 'start' ? x + aside : x - aside,
      y: y + down,
      anchor,
      box: { x: anchor === 'start' ? x + aside : x - aside - width, y: y + down - 11, width, height },
    })),
  )
}

type Taken = {
  readonly words: readonly Box[]
  readonly nodes: readonly Box[]
  readonly points: readonly Box[]
  readonly bounds: { readonly left: number; readonly right: number }
}

function costOf(box: Box, { words, nodes, points, bounds }: Taken): number {
  const isOut = box.x < bounds.left || box.x + box.width > bounds.right
  const touching = (boxes: readonly Box[]) => boxes.filter((other) => touch(box, other)).length
  return (
    (isOut ? covers.word : 0) +
    touching(words) * covers.word +
    touching(nodes) * covers.node +
    touching(points) * covers.points
  )
}

export function touch(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}
