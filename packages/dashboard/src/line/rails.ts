/** The rails between nodes: along a lane, and by points from one lane to another. Pure. */
import type { LineNode, LineTone } from './story.ts'

export type Placed = { readonly node: LineNode; readonly x: number; readonly y: number }
export type Rail = {
  readonly path: string
  readonly tone: LineTone
  readonly isDashed: boolean
}
export type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

/** How much room a set of points takes, if there is as much. */
const pointsWidth = 36

export function railsOf(placed: readonly Placed[], end: number): { rails: Rail[]; points: Box[] } {
  const parts = placed.map((from, index) => {
    const to = placed[index + 1]
    return to === undefined ? lastRail(from, end) : between(from, to)
  })
  return { rails: parts.flatMap(({ rails }) => rails), points: parts.flatMap(({ points }) => points) }
}

type Parts = { readonly rails: readonly Rail[]; readonly points: readonly Box[] }

/** Who is still waited for is waited for until now. */
function lastRail({ node, x, y }: Placed, end: number): Parts {
  return { rails: node.isWaiting ? [run(x, end, y, node.tone, true)] : [], points: [] }
}

function between(from: Placed, to: Placed): Parts {
  const { isWaiting = false, tone } = from.node
  if (from.y === to.y)
    return { rails: [run(from.x, to.x, from.y, isWaiting ? tone : to.node.tone, isWaiting)], points: [] }
  const width = Math.min(pointsWidth, to.x - from.x)
  // Who waits stays in the lane until the wait is over; everything else changes the lane at once.
  const at = isWaiting ? to.x - width : from.x
  const points = [{ x: at, y: Math.min(from.y, to.y), width, height: Math.abs(to.y - from.y) }]
  const room = to.x - from.x - width
  if (isWaiting) {
    const wait = room > 0 ? [run(from.x, at, from.y, tone, true)] : []
    return { rails: [...wait, curve(at, to.x, from.y, to.y, to.node.tone)], points }
  }
  if (room <= 0) return { rails: [curve(at, to.x, from.y, to.y, to.node.tone)], points }
  const rails = [curve(at, at + width, from.y, to.y, 'ink'), run(at + width, to.x, to.y, to.node.tone, false)]
  return { rails, points }
}

function run(x1: number, x2: number, y: number, tone: LineTone, isDashed: boolean): Rail {
  return { path: `M${round(x1)} ${round(y)}H${round(x2)}`, tone, isDashed }
}

function curve(x1: number, x2: number, y1: number, y2: number, tone: LineTone): Rail {
  const middle = (x1 + x2) / 2
  const path = `M${round(x1)} ${round(y1)}C${round(middle)} ${round(y1)} ${round(middle)} ${round(y2)} ${round(x2)} ${round(y2)}`
  return { path, tone, isDashed: false }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
