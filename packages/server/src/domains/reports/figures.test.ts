import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CountedSubscription, monthlyAmount, type Share, type Step, totalsOf } from './billing.ts'
import { balancesOf } from './history.ts'

const of = (
  interval: CountedSubscription['interval'],
  intervalCount: number,
  ...units: readonly string[]
) => ({
  ...{ uuid: 'a', status: 'active', currency: 'eur', interval, intervalCount },
  items: units.map((unitAmountDecimal) => ({ quantity: 1, unitAmountDecimal })),
})

// biome-ignore format: a table.
test.each([
  ['a monthly one is what it is',                         of('month', 1, '2999'),              2999n],
  ['a yearly one is a twelfth',                           of('year', 1, '12000'),              1000n],
  ['a twelfth that is no whole one is rounded',           of('year', 1, '100'),                8n],
  ['half of one goes away from zero',                     of('month', 2, '5'),                 3n],
  ['every three months',                                  of('month', 3, '3000'),              1000n],
  ['a week is 52 of them in 12 months',                   of('week', 1, '300'),                1300n],
  ['two weeks',                                           of('week', 2, '600'),                1300n],
  ['a day is 365 of them in 12 months',                   of('day', 1, '12'),                  365n],
  ['three years',                                         of('year', 3, '36000'),              1000n],
  ['parts of a minor unit are added before it is rounded', of('month', 1, '0.4', '0.4', '0.4'), 1n],
])('%s', (_, subscription, amount) => {
  expect(monthlyAmount(subscription)).toBe(amount)
})

test('a quantity counts each unit', () => {
  const seats = { ...of('month', 1), items: [{ quantity: 7, unitAmountDecimal: '1000.000000000001' }] }

  expect(monthlyAmount(seats)).toBe(7000n)
})

const shares = fc.record({
  kind: fc.constant('subscription' as const),
  uuid: fc.constantFrom('a', 'b', 'c'),
  status: fc.constantFrom('trialing', 'active', 'paused'),
  currency: fc.constantFrom('eur', 'usd'),
  amount: fc.bigInt({ min: 0n, max: 1_000_000n }),
})

test('whatever the steps, the totals are those of what everything is in the end', () => {
  fc.assert(
    fc.property(fc.array(shares, { maxLength: 30 }), (story: readonly Share[]) => {
      const now = new Map<string, Share>()
      const steps: Step[] = story.map((after) => {
        const step = { before: now.get(after.uuid) ?? null, after }
        now.set(after.uuid, after)
        return step
      })
      const fresh = [...now.values()].map((after) => ({ before: null, after }))
      const inOrder = (totals: ReturnType<typeof totalsOf>) =>
        totals.map(({ objects, amount, ...key }) => [Object.values(key).join(), objects, amount]).toSorted()

      expect(inOrder(totalsOf(steps))).toEqual(inOrder(totalsOf(fresh)))
    }),
  )
})

test('a day is today without what came after it, also where nothing changed', () => {
  const active = { kind: 'subscription', status: 'active', currency: 'eur' } as const
  const now = [{ ...active, objects: 3n, amount: 300n }]
  const change = (dayOn: string, mrrChange: bigint, activeChange: bigint) => ({
    ...{ dayOn, currency: 'eur', mrrChange, activeChange, recovered: 1n, recoveredAmount: 7n },
  })
  const changes = [
    change('2026-11-10', 50n, 1n),
    change('2026-11-12', -20n, -1n),
    change('2026-11-14', 200n, 2n),
  ]

  const days = balancesOf(now, changes, { from: '2026-11-10', to: '2026-11-13' })

  expect(days.map(({ dayOn, mrr, active, recovered }) => [dayOn, mrr, active, recovered])).toEqual([
    ['2026-11-10', 120n, 2n, 1n],
    ['2026-11-11', 120n, 2n, 0n],
    ['2026-11-12', 100n, 1n, 1n],
    ['2026-11-13', 100n, 1n, 0n],
  ])
})
