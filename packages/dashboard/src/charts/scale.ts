/** Scales shared by the charts. */
import { nice, ticks } from 'd3-array'

/** Maps a value from one interval to another. */
export function linear([from, to]: readonly [number, number], [start, end]: readonly [number, number]) {
  return (value: number): number => start + ((value - from) / (to - from)) * (end - start)
}

/** An axis from 0 to a round number above the largest value, with its tick values. */
export function valueAxis(max: number, height: number) {
  const [, top] = nice(0, Math.max(1, max), 4)
  return { at: linear([0, top], [height, 0]), ticks: ticks(0, top, 3).filter(Number.isInteger) }
}
