import { expect, test } from 'vitest'
import { resultOf } from './result.ts'
import { capturedCellsOf, type Segment, TallyBuilder } from './tally.ts'

const visa: Segment = { currency: 'eur', card_brand: 'visa', card_country: null }
const cause = () => 'because'
/** More than a JavaScript number represents exactly. */
const huge = 2n ** 53n + 1n

function build(fill: (builder: TallyBuilder) => void): TallyBuilder {
  const builder = new TallyBuilder(null)
  fill(builder)
  return builder
}

const compare = (builder: TallyBuilder, from: string | null, to: string | null, segment = visa) =>
  builder.addComparison({ paymentId: () => 'payment', segment, from, to, cause })

function addAttempts(
  builder: TallyBuilder,
  account: string,
  attempts: number,
  approved: number,
  segment = visa,
) {
  for (let nth = 0; nth < attempts; nth += 1)
    builder.addAttempt({ account, segment, approved: nth < approved })
}

test('a tally that was saved and restored continues without a difference', () => {
  const original = build((builder) => {
    addAttempts(builder, 'a', 60, 30)
    compare(builder, 'a', 'b')
    builder.addCost({ currency: 'eur', actual: huge, simulated: huge - 1n })
  })
  const restored = new TallyBuilder(JSON.parse(JSON.stringify(original.tally())))
  for (const builder of [original, restored]) {
    addAttempts(builder, 'b', 60, 60)
    compare(builder, 'a', 'b')
    builder.addCost({ currency: 'eur', actual: 1n, simulated: 2n })
    builder.addCost({ currency: 'eur', actual: null, simulated: 2n })
    builder.addCost({ currency: 'usd', actual: 1n, simulated: null })
  }

  expect(restored.tally()).toEqual(original.tally())
  expect(resultOf(restored.tally()).approvals).toMatchObject({ rated: 2, expected: { change: 1 } })
  expect(resultOf(restored.tally()).costs).toEqual([
    { currency: 'eur', payments: 2, unknown: 1, actual: String(huge + 1n), simulated: String(huge + 1n) },
  ])
})

test('an account with 49 observations has no rate and is not counted, and with 50 it is', () => {
  const approvalsWith = (attempts: number) =>
    resultOf(
      build((builder) => {
        addAttempts(builder, 'a', 50, 25)
        addAttempts(builder, 'b', attempts, attempts)
        compare(builder, 'a', 'b')
      }).tally(),
    ).approvals

  expect(approvalsWith(49)).toEqual({ rated: 0, expected: null })
  expect(approvalsWith(50)).toMatchObject({ rated: 1, expected: { change: 0.5 } })
})

test('a rate of 1 has a confidence interval, which narrows with more observations', () => {
  const widthAfter = (attempts: number) => {
    const { expected } = resultOf(
      build((builder) => {
        addAttempts(builder, 'a', attempts, attempts)
        for (let nth = 0; nth < 1_000; nth += 1) compare(builder, null, 'a')
      }).tally(),
    ).approvals
    return (expected?.high ?? 0) - (expected?.low ?? 0)
  }

  expect(widthAfter(50)).toBeGreaterThan(10)
  expect(widthAfter(5_000)).toBeLessThan(widthAfter(50) / 5)
})

test('if two accounts swap payments, the expected change is exactly 0', () => {
  const { approvals, moves } = resultOf(
    build((builder) => {
      addAttempts(builder, 'a', 100, 40)
      addAttempts(builder, 'b', 100, 90)
      compare(builder, 'a', 'b')
      compare(builder, 'b', 'a')
    }).tally(),
  )

  expect(approvals).toEqual({ rated: 2, expected: { change: 0, low: 0, high: 0 } })
  expect(moves.map((move) => move.approvals.expected?.change)).toEqual([0.5, -0.5])
})

test('beyond the limit, segments are counted together without a rate, so that memory is bounded', () => {
  const filled = build((builder) => {
    for (let nth = 0; nth < 6_000; nth += 1) {
      const segment = { ...visa, card_country: `C${nth}` }
      compare(builder, 'a', 'b', segment)
      addAttempts(builder, 'a', 1, 1, segment)
    }
    addAttempts(builder, 'a', 100, 100, { ...visa, card_country: 'C5999' })
    addAttempts(builder, 'b', 100, 100, { ...visa, card_country: 'C5999' })
  })

  const { moves, seen } = filled.tally()
  expect(moves.length).toBeLessThanOrEqual(5_001)
  expect(seen.length).toBeLessThanOrEqual(5_002)
  const result = resultOf(filled.tally())
  expect(result).toMatchObject({ compared: 6_000, moved: 6_000, approvals: { rated: 0, expected: null } })
  expect(result.moves).toMatchObject([{ from: 'a', to: 'b', payments: 6_000 }])
  expect(result.rates.length).toBeLessThanOrEqual(200)
})

test('captured payments are counted by accounts and segment with their amounts, and a saved tally continues', () => {
  const card = { brand: 'visa', country: null, funding: 'debit' }
  const captured = (to: string | null, amount: bigint) => ({
    from: 'a',
    to,
    segment: { currency: 'eur', card, amountBand: 3 },
    amount,
  })
  const saved = build((builder) => builder.addCaptured(captured('b', 9_007_199_254_740_993n))).tally()

  const continued = new TallyBuilder(JSON.parse(JSON.stringify(saved)))
  continued.addCaptured(captured('b', 1_000n))
  continued.addCaptured(captured(null, 2_000n))

  const { segment } = captured(null, 0n)
  expect(capturedCellsOf(continued.tally())).toEqual([
    { from: 'a', to: 'b', currency: 'eur', segment, payments: 2, amount: 9_007_199_254_741_993n },
    { from: 'a', to: null, currency: 'eur', segment, payments: 1, amount: 2_000n },
  ])
  const { captured: _, ...older } = saved
  expect(capturedCellsOf(older)).toEqual([])
})

test('beyond the limit, captured payments are counted together without a segment', () => {
  const filled = build((builder) => {
    for (let nth = 0; nth < 6_000; nth += 1) {
      const card = { brand: 'visa', country: `C${nth}`, funding: null }
      builder.addCaptured({
        from: 'a',
        to: 'b',
        segment: { currency: 'eur', card, amountBand: 3 },
        amount: 1_000n,
      })
    }
  })

  const cells = capturedCellsOf(filled.tally())
  expect(cells).toHaveLength(5_001)
  expect(cells.at(-1)).toMatchObject({ segment: null, currency: 'eur', payments: 1_000, amount: 1_000_000n })
})

test('there are at most ten examples, and at most two of the same move', () => {
  const { examples } = build((builder) => {
    for (let nth = 0; nth < 50; nth += 1) compare(builder, 'a', 'b')
    for (let nth = 0; nth < 50; nth += 1) compare(builder, `c${nth}`, 'b')
  }).tally()

  expect(examples).toHaveLength(10)
  expect(examples.filter(({ from }) => from === 'a')).toHaveLength(2)
})
