import { expect, test } from 'vitest'
import { touch } from './labels.ts'
import { layoutOf } from './layout.ts'
import type { LineNode, Story } from './story.ts'

const node = (id: string, lane: string, atMs: number, more: Partial<LineNode> = {}): LineNode => ({
  ...{ id, lane, atMs, text: id, tone: 'ink', mark: 'open' },
  ...more,
})
const lanes = ['payer', 'route', 'stripe', 'adyen', 'bank'].map((id) => ({ id, text: id }))
const options = { width: 1100, quietMs: 5_000, kind: 'elapsed' } as const

const recovered: Story = {
  lanes,
  nodes: [
    node('confirmed', 'payer', 0),
    node('routed', 'route', 60, { text: 'EU cards, rule 2: Stripe, then Adyen' }),
    node('declined', 'stripe', 415, { tone: 'danger', mark: 'failed' }),
    node('at the bank', 'bank', 800, { tone: 'lock', isWaiting: true }),
    node('approved', 'adyen', 15_000, { tone: 'clear', mark: 'done' }),
    node('captured', 'adyen', 15_300, { tone: 'clear', mark: 'done' }),
  ],
}

test('time runs to the right and no two nodes touch, however close in time they are', () => {
  const crowd = Array.from({ length: 40 }, (_, at) => node(`n${at}`, 'stripe', 1_000 + Math.floor(at / 8)))
  const { placed, width } = layoutOf({ lanes, nodes: [node('first', 'payer', 0), ...crowd] }, options)
  for (const [index, { x }] of placed.entries()) {
    const before = placed[index - 1]
    if (before !== undefined) expect(x - before.x).toBeGreaterThanOrEqual(31.99)
  }
  expect(placed.at(-1)?.x).toBeLessThan(width)
})

test('nodes that are given in any order stand in the order of time', () => {
  const shuffled = { ...recovered, nodes: recovered.nodes.toReversed() }
  expect(layoutOf(shuffled, options)).toEqual(layoutOf(recovered, options))
})

test('a quiet gap shrinks to a break that says its length, and leaves the rest to scale', () => {
  const { axis, placed } = layoutOf(recovered, options)
  expect(axis.breaks.map(({ text }) => text)).toEqual(['14 s'])
  const at = (id: string) => placed.find((one) => one.node.id === id)?.x ?? 0
  const [gap] = axis.breaks
  expect(gap?.x).toBeGreaterThan(at('at the bank'))
  expect((gap?.x ?? 0) + (gap?.width ?? 0)).toBeLessThan(at('approved'))
  const perMs = (at('at the bank') - at('declined')) / 385
  expect((at('captured') - at('approved')) / 300).toBeCloseTo(perMs, 5)
})

test('three days of waiting take no more room than six seconds', () => {
  const wait = (ms: number) =>
    layoutOf(
      { lanes, nodes: [node('a', 'payer', 0), node('b', 'stripe', ms), node('c', 'stripe', ms + 400)] },
      options,
    )
  expect(wait(3 * 86_400_000).placed.map(({ x }) => x)).toEqual(wait(6_000).placed.map(({ x }) => x))
})

test('a break takes the room that nothing else needs', () => {
  const { placed, axis } = layoutOf(
    { lanes, nodes: [node('a', 'payer', 0), node('b', 'bank', 60_000)] },
    options,
  )
  const [from, to] = placed.map(({ x }) => x)
  expect((to ?? 0) - (from ?? 0)).toBe(320)
  expect(axis.breaks[0]?.x).toBe((from ?? 0) + 160 - 17)
})

test('ticks are round, in order, apart, and not below a break', () => {
  const { ticks, breaks } = layoutOf(recovered, options).axis
  expect(ticks[0]?.text).toBe('0 ms')
  const twice = layoutOf({ lanes, nodes: [node('a', 'payer', 0), ...recovered.nodes] }, options)
  expect(twice.axis.ticks[0]?.x).toBe(twice.placed[0]?.x)
  for (const [index, tick] of ticks.entries()) {
    const before = ticks[index - 1]
    if (before !== undefined) expect(tick.x - before.x).toBeGreaterThanOrEqual(60)
    for (const gap of breaks) expect(tick.x < gap.x || tick.x > gap.x + gap.width).toBe(true)
  }
})

test('a year in dates says dates', () => {
  const months = Array.from({ length: 12 }, (_, month) =>
    node(`m${month}`, 'stripe', Date.UTC(2026, month, 3)),
  )
  const year = layoutOf({ lanes, nodes: months }, { width: 1100, quietMs: 60 * 86_400_000, kind: 'date' })
  expect(year.axis.breaks).toEqual([])
  expect(year.axis.ticks[0]?.text).toMatch(/Jan 2026/)
})

test('no words cover other words, and none leave the drawing', () => {
  const long = Array.from({ length: 14 }, (_, at) =>
    node(`n${at}`, lanes[at % 3]?.id ?? 'payer', at * 30, {
      text: `Something that needs room, number ${at}`,
    }),
  )
  const { labels, left, right, placed } = layoutOf({ lanes, nodes: long }, options)
  const boxes = labels.map(({ id, x, y, anchor }) => {
    const width = (placed.find((one) => one.node.id === id)?.node.text.length ?? 0) * 6.3
    return { x: anchor === 'start' ? x : x - width, y: y - 11, width, height: 14 }
  })
  expect(boxes.length).toBeGreaterThan(2)
  for (const [index, box] of boxes.entries()) {
    expect(box.x).toBeGreaterThanOrEqual(left)
    expect(box.x + box.width).toBeLessThanOrEqual(right)
    for (const other of boxes.slice(index + 1)) expect(touch(box, other)).toBe(false)
  }
})

test('a change of lane is a set of points at once, and after a wait only when it is over', () => {
  const { rails, placed } = layoutOf(recovered, options)
  const at = (id: string) => placed.find((one) => one.node.id === id)?.x ?? 0
  const dashed = rails.filter(({ isDashed }) => isDashed)
  expect(dashed).toHaveLength(1)
  expect(dashed[0]?.path).toMatch(new RegExp(`^M${Math.round(at('at the bank') * 10) / 10} `))
  expect(dashed[0]?.path).toContain(`H${Math.round((at('approved') - 36) * 10) / 10}`)
  expect(dashed[0]?.tone).toBe('lock')
  const red = rails.filter(({ tone }) => tone === 'danger')
  expect(red.map(({ path }) => path)).toEqual([expect.stringMatching(/^M[\d.]+ [\d.]+H[\d.]+$/)])
})

test('who is still waited for has a dashed rail to the edge', () => {
  const { rails, right } = layoutOf(
    { lanes, nodes: [node('asked', 'stripe', 0, { isWaiting: true, tone: 'caution' })] },
    options,
  )
  expect(rails).toEqual([{ path: expect.stringContaining(`H${right}`), tone: 'caution', isDashed: true }])
})

test('a party that did nothing has no lane', () => {
  const { lanes: shown } = layoutOf({ lanes, nodes: [node('asked', 'stripe', 0)] }, options)
  expect(shown.map(({ id }) => id)).toEqual(['stripe'])
})
