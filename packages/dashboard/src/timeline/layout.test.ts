import { expect, test } from 'vitest'
import { overlaps } from './labels.ts'
import { layoutOf } from './layout.ts'
import type { Timeline, TimelineNode } from './timeline-model.ts'

const node = (id: string, lane: string, atMs: number, more: Partial<TimelineNode> = {}): TimelineNode => ({
  id,
  lane,
  atMs,
  text: id,
  tone: 'ink',
  mark: 'open',
  ...more,
})
const lanes = ['payer', 'route', 'stripe', 'adyen', 'bank'].map((id) => ({ id, text: id }))
const options = { width: 1100, maxGapMs: 5_000, kind: 'elapsed' } as const

const recovered: Timeline = {
  lanes,
  nodes: [
    node('confirmed', 'payer', 0),
    node('routed', 'route', 60, { text: 'EU cards, rule 2: Stripe, then Adyen' }),
    node('declined', 'stripe', 415, { tone: 'danger', mark: 'failed' }),
    node('at the bank', 'bank', 800, { tone: 'info', isWaiting: true }),
    node('approved', 'adyen', 15_000, { tone: 'success', mark: 'done' }),
    node('captured', 'adyen', 15_300, { tone: 'success', mark: 'done' }),
  ],
}

test('nodes are placed from left to right and never overlap, even if they are close in time', () => {
  const closeNodes = Array.from({ length: 40 }, (_, index) =>
    node(`n${index}`, 'stripe', 1_000 + Math.floor(index / 8)),
  )
  const { placedNodes, width } = layoutOf(
    { lanes, nodes: [node('first', 'payer', 0), ...closeNodes] },
    options,
  )
  for (const [index, { x }] of placedNodes.entries()) {
    const before = placedNodes[index - 1]
    if (before !== undefined) expect(x - before.x).toBeGreaterThanOrEqual(31.99)
  }
  expect(placedNodes.at(-1)?.x).toBeLessThan(width)
})

test('nodes are placed in chronological order, regardless of the input order', () => {
  const shuffled = { ...recovered, nodes: recovered.nodes.toReversed() }
  expect(layoutOf(shuffled, options)).toEqual(layoutOf(recovered, options))
})

test('a long gap is shortened to a break labelled with its duration, and other gaps stay to scale', () => {
  const { axis, placedNodes } = layoutOf(recovered, options)
  expect(axis.breaks.map(({ text }) => text)).toEqual(['14 s'])
  const xOf = (id: string) => placedNodes.find((one) => one.node.id === id)?.x ?? 0
  const [gap] = axis.breaks
  expect(gap?.x).toBeGreaterThan(xOf('at the bank'))
  expect((gap?.x ?? 0) + (gap?.width ?? 0)).toBeLessThan(xOf('approved'))
  const perMs = (xOf('at the bank') - xOf('declined')) / 385
  expect((xOf('captured') - xOf('approved')) / 300).toBeCloseTo(perMs, 5)
})

test('a gap of three days is as wide as a gap of six seconds', () => {
  const layoutWithGap = (ms: number) =>
    layoutOf(
      { lanes, nodes: [node('a', 'payer', 0), node('b', 'stripe', ms), node('c', 'stripe', ms + 400)] },
      options,
    )
  expect(layoutWithGap(3 * 86_400_000).placedNodes.map(({ x }) => x)).toEqual(
    layoutWithGap(6_000).placedNodes.map(({ x }) => x),
  )
})

test('a break uses the remaining width up to its maximum', () => {
  const { placedNodes, axis } = layoutOf(
    { lanes, nodes: [node('a', 'payer', 0), node('b', 'bank', 60_000)] },
    options,
  )
  const [from, to] = placedNodes.map(({ x }) => x)
  expect((to ?? 0) - (from ?? 0)).toBe(320)
  expect(axis.breaks[0]?.x).toBe((from ?? 0) + 160 - 17)
})

test('ticks are at round times, in order, at least 60 pixels apart, and not below a break', () => {
  const { ticks, breaks } = layoutOf(recovered, options).axis
  expect(ticks[0]?.text).toBe('0 ms')
  const twice = layoutOf({ lanes, nodes: [node('a', 'payer', 0), ...recovered.nodes] }, options)
  expect(twice.axis.ticks[0]?.x).toBe(twice.placedNodes[0]?.x)
  for (const [index, tick] of ticks.entries()) {
    const before = ticks[index - 1]
    if (before !== undefined) expect(tick.x - before.x).toBeGreaterThanOrEqual(60)
    for (const gap of breaks) expect(tick.x < gap.x || tick.x > gap.x + gap.width).toBe(true)
  }
})

test('a date axis has dates as labels', () => {
  const months = Array.from({ length: 12 }, (_, month) =>
    node(`m${month}`, 'stripe', Date.UTC(2026, month, 3)),
  )
  const year = layoutOf({ lanes, nodes: months }, { width: 1100, maxGapMs: 60 * 86_400_000, kind: 'date' })
  expect(year.axis.breaks).toEqual([])
  expect(year.axis.ticks[0]?.text).toMatch(/Jan 2026/)
})

test('labels do not overlap and stay inside the chart', () => {
  const long = Array.from({ length: 14 }, (_, index) =>
    node(`n${index}`, lanes[index % 3]?.id ?? 'payer', index * 30, {
      text: `A label with a long text, number ${index}`,
    }),
  )
  const { labels, left, right, placedNodes } = layoutOf({ lanes, nodes: long }, options)
  const boxes = labels.map(({ id, x, y, anchor }) => {
    const width = (placedNodes.find((one) => one.node.id === id)?.node.text.length ?? 0) * 6.3
    return { x: anchor === 'start' ? x : x - width, y: y - 11, width, height: 14 }
  })
  expect(boxes.length).toBeGreaterThan(2)
  for (const [index, box] of boxes.entries()) {
    expect(box.x).toBeGreaterThanOrEqual(left)
    expect(box.x + box.width).toBeLessThanOrEqual(right)
    for (const other of boxes.slice(index + 1)) expect(overlaps(box, other)).toBe(false)
  }
})

test('a connector changes lanes immediately, but after a wait only when the wait ends', () => {
  const { connectors, placedNodes } = layoutOf(recovered, options)
  const xOf = (id: string) => placedNodes.find((one) => one.node.id === id)?.x ?? 0
  const dashed = connectors.filter(({ isDashed }) => isDashed)
  expect(dashed).toHaveLength(1)
  expect(dashed[0]?.path).toMatch(new RegExp(`^M${Math.round(xOf('at the bank') * 10) / 10} `))
  expect(dashed[0]?.path).toContain(`H${Math.round((xOf('approved') - 36) * 10) / 10}`)
  expect(dashed[0]?.tone).toBe('info')
  const danger = connectors.filter(({ tone }) => tone === 'danger')
  expect(danger.map(({ path }) => path)).toEqual([expect.stringMatching(/^M[\d.]+ [\d.]+H[\d.]+$/)])
})

test('a wait that has not ended has a dashed connector to the right edge', () => {
  const { connectors, right } = layoutOf(
    { lanes, nodes: [node('requested', 'stripe', 0, { isWaiting: true, tone: 'warning' })] },
    options,
  )
  expect(connectors).toEqual([
    { path: expect.stringContaining(`H${right}`), tone: 'warning', isDashed: true },
  ])
})

test('a lane without nodes is not shown', () => {
  const { lanes: shown } = layoutOf({ lanes, nodes: [node('requested', 'stripe', 0)] }, options)
  expect(shown.map(({ id }) => id)).toEqual(['stripe'])
})
