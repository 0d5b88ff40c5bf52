/**
 * The axis of a Line, in pieces: 400 ms and three days both read well on it. Between two nodes time is to scale,
 * but never so narrow that they touch; a quiet gap shrinks to a break that says how long it was. Pure.
 */
import { ticks as roundFigures } from 'd3-array'
import { linear } from '../charts/scale.ts'
import { dateText, durationText } from '../format/time.ts'

export type Break = { readonly x: number; readonly width: number; readonly text: string }
export type Tick = { readonly x: number; readonly text: string }
export type Axis = {
  /** Where each of the times is, in their order. */
  readonly xs: readonly number[]
  readonly breaks: readonly Break[]
  readonly ticks: readonly Tick[]
  /** Where the last of them is: wider than asked for, if there are many. */
  readonly end: number
}
export type AxisKind = 'elapsed' | 'date'

/** So far apart two nodes stand at least. */
const leastGap = 32
const breakWidth = 104
/** A break takes more if nothing else does, up to this. */
const widestBreak = 320
const bandWidth = 34
const tickEvery = 110
const tickRoom = 60
/** A date is longer than a duration. */
const dateRoom = 92

export function axisOf(
  times: readonly number[],
  { from, to, quietMs, kind }: { from: number; to: number; quietMs: number; kind: AxisKind },
): Axis {
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at))
  const widths = widthsOf(gaps, to - from, quietMs)
  const xs = [from]
  for (const width of widths) xs.push((xs.at(-1) ?? from) + width)
  const stops = times.map((at, index) => ({ at, x: xs[index] ?? from }))
  const breaks = gaps.flatMap((gap, index) => {
    if (gap <= quietMs) return []
    const middle = (xs[index] ?? from) + (widths[index] ?? 0) / 2
    return [{ x: middle - bandWidth / 2, width: bandWidth, text: durationText(gap) }]
  })
  const ticks = kind === 'date' ? datesOf(stops) : elapsedOf(stops, quietMs)
  return { xs, breaks, ticks: ticks.filter(isClearOf(breaks)), end: xs.at(-1) ?? from }
}

/** Shares the width among the gaps as each is long, none narrower than the least; breaks are all the same. */
function widthsOf(gaps: readonly number[], width: number, quietMs: number): number[] {
  const isBroken = (gap: number) => gap > quietMs
  const kept = gaps.filter((gap) => !isBroken(gap))
  const free = width - (gaps.length - kept.length) * breakWidth
  const narrow = new Set<number>()
  for (;;) {
    const wide = kept.filter((gap) => !narrow.has(gap))
    const room = free - (kept.length - wide.length) * leastGap
    const total = wide.reduce((sum, gap) => sum + gap, 0)
    const perMs = total === 0 ? 0 : room / total
    const tooNarrow = wide.filter((gap) => gap * perMs < leastGap)
    for (const gap of tooNarrow) narrow.add(gap)
    if (tooNarrow.length > 0) continue
    const spare = wide.length === 0 ? room / Math.max(1, gaps.length - kept.length) : 0
    const broken = Math.min(widestBreak, breakWidth + Math.max(0, spare))
    return gaps.map((gap) => {
      if (isBroken(gap)) return broken
      return narrow.has(gap) ? leastGap : gap * perMs
    })
  }
}

type Stop = { readonly at: number; readonly x: number }

/** Round figures since the first node, in each stretch without a break. */
function elapsedOf(stops: readonly Stop[], quietMs: number): Tick[] {
  const start = stops[0]?.at ?? 0
  const ticks = stretchesOf(stops, quietMs).flatMap((stretch) => {
    const [first, last] = [stretch[0], stretch.at(-1)]
    if (first === undefined || last === undefined) return []
    if (first === last) return [{ x: last.x, text: elapsedText(last.at - start) }]
    const count = Math.max(2, Math.round((last.x - first.x) / tickEvery))
    const round = roundFigures(first.at - start, last.at - start, count)
    const shown = round.length === 0 ? [last.at - start] : round
    return shown.map((ms) => ({ x: placeOf(start + ms, stretch), text: elapsedText(ms) }))
  })
  return spaced(ticks)
}

/** Of several nodes at one instant, the first stands at its mark; between two nodes time is to scale. */
function placeOf(at: number, stretch: readonly Stop[]): number {
  const next = stretch.findIndex((stop) => stop.at >= at)
  const [before, after] = [stretch[next - 1], stretch[next]]
  if (after === undefined) return stretch.at(-1)?.x ?? 0
  if (before === undefined || after.at === at) return after.x
  return linear([before.at, after.at], [before.x, after.x])(at)
}

function stretchesOf(stops: readonly Stop[], quietMs: number): Stop[][] {
  const stretches: Stop[][] = []
  let before: Stop | undefined
  for (const stop of stops) {
    const isNew = before === undefined || stop.at - before.at > quietMs
    if (isNew) stretches.push([])
    stretches.at(-1)?.push(stop)
    before = stop
  }
  return stretches
}

function datesOf(stops: readonly Stop[]): Tick[] {
  const ticks = stops.map(({ at, x }) => ({ x, text: dateText(at) }))
  return spaced(ticks, dateRoom)
}

function spaced(ticks: readonly Tick[], room = tickRoom): Tick[] {
  const kept: Tick[] = []
  for (const tick of ticks) {
    const before = kept.at(-1)
    if (before === undefined || (tick.x - before.x >= room && tick.text !== before.text)) kept.push(tick)
  }
  return kept
}

function isClearOf(breaks: readonly Break[]): (tick: Tick) => boolean {
  return ({ x }) => breaks.every((gap) => Math.abs(gap.x + gap.width / 2 - x) >= tickRoom - 10)
}

/** Finer than a duration in a sentence: 15.2 s and 15.4 s are two marks. */
function elapsedText(ms: number): string {
  if (ms < 1_000 || ms >= 60_000) return durationText(ms)
  return `${(ms / 1_000).toFixed(2).replace(/\.?0+$/, '')} s`
}
