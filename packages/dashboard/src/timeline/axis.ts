/**
 * The axis of a timeline, which shows both milliseconds and days. Time between two nodes is to scale, with a minimum
 * distance so that nodes do not touch. A long gap is shortened to a break that shows its duration. No side effects.
 */
import { ticks as roundFigures } from 'd3-array'
import { linear } from '../charts/scale.ts'
import { dateText, durationText } from '../format/time.ts'

export type Break = { readonly x: number; readonly width: number; readonly text: string }
export type Tick = { readonly x: number; readonly text: string }
export type Axis = {
  /** The position of each time, in the given order. */
  readonly xs: readonly number[]
  readonly breaks: readonly Break[]
  readonly ticks: readonly Tick[]
  /** The position of the last time. Many nodes need more than the requested width. */
  readonly end: number
}
export type AxisKind = 'elapsed' | 'date'

/** The minimum distance between two nodes. */
const minGap = 32
const breakWidth = 104
/** Breaks use the remaining width up to this maximum. */
const maxBreakWidth = 320
const bandWidth = 34
const tickSpacing = 110
const minTickDistance = 60
/** The minimum distance between date labels, which are longer than durations. */
const minDateDistance = 92

export function axisOf(
  times: readonly number[],
  { from, to, maxGapMs, kind }: { from: number; to: number; maxGapMs: number; kind: AxisKind },
): Axis {
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at))
  const widths = widthsOf(gaps, to - from, maxGapMs)
  const xs = [from]
  for (const width of widths) xs.push((xs.at(-1) ?? from) + width)
  const stops = times.map((at, index) => ({ at, x: xs[index] ?? from }))
  const breaks = gaps.flatMap((gap, index) => {
    if (gap <= maxGapMs) return []
    const middle = (xs[index] ?? from) + (widths[index] ?? 0) / 2
    return [{ x: middle - bandWidth / 2, width: bandWidth, text: durationText(gap) }]
  })
  const ticks = kind === 'date' ? dateTicks(stops) : elapsedTicks(stops, maxGapMs)
  return { xs, breaks, ticks: ticks.filter(isClearOfBreaks(breaks)), end: xs.at(-1) ?? from }
}

/** Divides the width between the gaps in proportion to their duration, with a minimum; breaks have equal width. */
function widthsOf(gaps: readonly number[], width: number, maxGapMs: number): number[] {
  const isBroken = (gap: number) => gap > maxGapMs
  const scaled = gaps.filter((gap) => !isBroken(gap))
  const freeWidth = width - (gaps.length - scaled.length) * breakWidth
  const narrow = new Set<number>()
  for (;;) {
    const wide = scaled.filter((gap) => !narrow.has(gap))
    const room = freeWidth - (scaled.length - wide.length) * minGap
    const total = wide.reduce((sum, gap) => sum + gap, 0)
    const perMs = total === 0 ? 0 : room / total
    const tooNarrow = wide.filter((gap) => gap * perMs < minGap)
    for (const gap of tooNarrow) narrow.add(gap)
    if (tooNarrow.length > 0) continue
    const spare = wide.length === 0 ? room / Math.max(1, gaps.length - scaled.length) : 0
    const brokenWidth = Math.min(maxBreakWidth, breakWidth + Math.max(0, spare))
    return gaps.map((gap) => {
      if (isBroken(gap)) return brokenWidth
      return narrow.has(gap) ? minGap : gap * perMs
    })
  }
}

type Stop = { readonly at: number; readonly x: number }

/** Ticks at round durations since the first node, in each section without a break. */
function elapsedTicks(stops: readonly Stop[], maxGapMs: number): Tick[] {
  const start = stops[0]?.at ?? 0
  const ticks = sectionsOf(stops, maxGapMs).flatMap((section) => {
    const [first, last] = [section[0], section.at(-1)]
    if (first === undefined || last === undefined) return []
    if (first === last) return [{ x: last.x, text: elapsedText(last.at - start) }]
    const count = Math.max(2, Math.round((last.x - first.x) / tickSpacing))
    const round = roundFigures(first.at - start, last.at - start, count)
    const shown = round.length === 0 ? [last.at - start] : round
    return shown.map((ms) => ({ x: positionOf(start + ms, section), text: elapsedText(ms) }))
  })
  return spaced(ticks)
}

/** Interpolates between nodes. If several nodes have the same time, the first one is used. */
function positionOf(at: number, section: readonly Stop[]): number {
  const next = section.findIndex((stop) => stop.at >= at)
  const [before, after] = [section[next - 1], section[next]]
  if (after === undefined) return section.at(-1)?.x ?? 0
  if (before === undefined || after.at === at) return after.x
  return linear([before.at, after.at], [before.x, after.x])(at)
}

function sectionsOf(stops: readonly Stop[], maxGapMs: number): Stop[][] {
  const sections: Stop[][] = []
  let before: Stop | undefined
  for (const stop of stops) {
    const isNew = before === undefined || stop.at - before.at > maxGapMs
    if (isNew) sections.push([])
    sections.at(-1)?.push(stop)
    before = stop
  }
  return sections
}

function dateTicks(stops: readonly Stop[]): Tick[] {
  const ticks = stops.map(({ at, x }) => ({ x, text: dateText(at) }))
  return spaced(ticks, minDateDistance)
}

function spaced(ticks: readonly Tick[], room = minTickDistance): Tick[] {
  const spacedTicks: Tick[] = []
  for (const tick of ticks) {
    const before = spacedTicks.at(-1)
    if (before === undefined || (tick.x - before.x >= room && tick.text !== before.text))
      spacedTicks.push(tick)
  }
  return spacedTicks
}

function isClearOfBreaks(breaks: readonly Break[]): (tick: Tick) => boolean {
  return ({ x }) => breaks.every((gap) => Math.abs(gap.x + gap.width / 2 - x) >= minTickDistance - 10)
}

/** More precise than `durationText`, so that 15.2 s and 15.4 s have different labels. */
function elapsedText(ms: number): string {
  if (ms < 1_000 || ms >= 60_000) return durationText(ms)
  return `${(ms / 1_000).toFixed(2).replace(/\.?0+$/, '')} s`
}
