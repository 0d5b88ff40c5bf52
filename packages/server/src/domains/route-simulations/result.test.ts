import { expect, test } from 'vitest'
import { resultOf } from './result.ts'
import { Counting, type Segment } from './tally.ts'

const visa: Segment = { currency: 'eur', card_brand: 'visa', card_country: null }
const why = () => 'because'

function counted(fill: (counting: Counting) => void): Counting {
  const counting = new Counting(null)
  fill(counting)
  return counting
}

const pass = (counting: Counting, from: string | null, to: string | null, segment = visa) =>
  counting.pass({ paymentId: () => 'payment', segment, from, to, cause: why })

function observe(counting: Counting, account: string, attempts: number, approved: number, segment = visa) {
  for (let nth = 0; nth < attempts; nth += 1) counting.observe({ account, segment, approved: nth < approved })
}

test('what is laid down and taken up again goes on as if nothing had happened', () => {
  const counting = counted((one) => {
    observe(one, 'a', 60, 30)
    pass(one, 'a', 'b')
  })
  const taken = new Counting(JSON.parse(JSON.stringify(counting.tally())))
  for (const one of [counting, taken]) {
    observe(one, 'b', 60, 60)
    pass(one, 'a', 'b')
  }

  expect(taken.tally()).toEqual(counting.tally())
  expect(resultOf(taken.tally()).approvals).toMatchObject({ rated: 2, expected: { change: 1 } })
})

test('an account with a single observation too few has no rate, and changes nothing', () => {
  const ofB = (attempts: number) =>
    resultOf(
      counted((one) => {
        observe(one, 'a', 50, 25)
        observe(one, 'b', attempts, attempts)
        pass(one, 'a', 'b')
      }).tally(),
    ).approvals

  expect(ofB(49)).toEqual({ rated: 0, expected: null })
  expect(ofB(50)).toMatchObject({ rated: 1, expected: { change: 0.5 } })
})

test('a rate of one is not certain: the interval has a width, and a smaller one with more observations', () => {
  const widthAfter = (attempts: number) => {
    const { expected } = resultOf(
      counted((one) => {
        observe(one, 'a', attempts, attempts)
        for (let nth = 0; nth < 1_000; nth += 1) pass(one, null, 'a')
      }).tally(),
    ).approvals
    return (expected?.high ?? 0) - (expected?.low ?? 0)
  }

  expect(widthAfter(50)).toBeGreaterThan(10)
  expect(widthAfter(5_000)).toBeLessThan(widthAfter(50) / 5)
})

test('payments that change places between two accounts change nothing in sum, for certain', () => {
  const { approvals, moves } = resultOf(
    counted((one) => {
      observe(one, 'a', 100, 40)
      observe(one, 'b', 100, 90)
      pass(one, 'a', 'b')
      pass(one, 'b', 'a')
    }).tally(),
  )

  expect(approvals).toEqual({ rated: 2, expected: { change: 0, low: 0, high: 0 } })
  expect(moves.map((move) => move.approvals.expected?.change)).toEqual([0.5, -0.5])
})

test('what it holds is bounded: beyond the limit segments are counted together, and rated never', () => {
  const counting = counted((one) => {
    for (let nth = 0; nth < 6_000; nth += 1) {
      const segment = { ...visa, card_country: `C${nth}` }
      pass(one, 'a', 'b', segment)
      observe(one, 'a', 1, 1, segment)
    }
    observe(one, 'a', 100, 100, { ...visa, card_country: 'C5999' })
    observe(one, 'b', 100, 100, { ...visa, card_country: 'C5999' })
  })

  const { moves, seen } = counting.tally()
  expect(moves.length).toBeLessThanOrEqual(5_001)
  expect(seen.length).toBeLessThanOrEqual(5_002)
  const result = resultOf(counting.tally())
  expect(result).toMatchObject({ compared: 6_000, moved: 6_000, approvals: { rated: 0, expected: null } })
  expect(result.moves).toMatchObject([{ from: 'a', to: 'b', payments: 6_000 }])
  expect(result.rates.length).toBeLessThanOrEqual(200)
})

test('examples are few, and show different ways before the same one again', () => {
  const { examples } = counted((one) => {
    for (let nth = 0; nth < 50; nth += 1) pass(one, 'a', 'b')
    for (let nth = 0; nth < 50; nth += 1) pass(one, `c${nth}`, 'b')
  }).tally()

  expect(examples).toHaveLength(10)
  expect(examples.filter(({ from }) => from === 'a')).toHaveLength(2)
})
