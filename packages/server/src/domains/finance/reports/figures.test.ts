import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Contribution,
  type ContributionChange,
  type CountedSubscription,
  monthlyAmount,
  totalChanges,
} from './billing.ts'
import { dailyBalances } from './history.ts'

const subscriptionOf = (
  interval: CountedSubscription['interval'],
  intervalCount: number,
  ...units: readonly string[]
) => ({
  uuid: 'a',
  status: 'active',
  currency: 'eur',
  interval,
  intervalCount,
  items: units.map((unitAmountDecimal) => ({ quantity: 1, unitAmountDecimal })),
})

// biome-ignore format: a table.
test.each([
  ['a monthly amount is unchanged',                      subscriptionOf('month', 1, '2999'),              2999n],
  ['a yearly amount is divided by 12',                   subscriptionOf('year', 1, '12000'),              1000n],
  ['a fraction of a minor unit is rounded',              subscriptionOf('year', 1, '100'),                8n],
  ['half a minor unit is rounded away from zero',        subscriptionOf('month', 2, '5'),                 3n],
  ['an amount for three months is divided by 3',         subscriptionOf('month', 3, '3000'),              1000n],
  ['a weekly amount counts 52 times in 12 months',       subscriptionOf('week', 1, '300'),                1300n],
  ['an amount for two weeks counts 26 times',            subscriptionOf('week', 2, '600'),                1300n],
  ['a daily amount counts 365 times in 12 months',       subscriptionOf('day', 1, '12'),                  365n],
  ['an amount for three years is divided by 36',         subscriptionOf('year', 3, '36000'),              1000n],
  ['fractions of items are added before rounding',       subscriptionOf('month', 1, '0.4', '0.4', '0.4'), 1n],
])('%s', (_, subscription, amount) => {
  expect(monthlyAmount(subscription)).toBe(amount)
})

test('the amount is multiplied by the quantity', () => {
  const seats = {
    ...subscriptionOf('month', 1),
    items: [{ quantity: 7, unitAmountDecimal: '1000.000000000001' }],
  }

  expect(monthlyAmount(seats)).toBe(7000n)
})

const contributions = fc.record({
  kind: fc.constant('subscription' as const),
  uuid: fc.constantFrom('a', 'b', 'c'),
  status: fc.constantFrom('trialing', 'active', 'paused'),
  currency: fc.constantFrom('eur', 'usd'),
  amount: fc.bigInt({ min: 0n, max: 1_000_000n }),
})

test('after any sequence of changes, the totals are the sums of the current contributions', () => {
  fc.assert(
    fc.property(fc.array(contributions, { maxLength: 30 }), (history: readonly Contribution[]) => {
      const current = new Map<string, Contribution>()
      const changes: ContributionChange[] = history.map((after) => {
        const change = { before: current.get(after.uuid) ?? null, after }
        current.set(after.uuid, after)
        return change
      })
      const fresh = [...current.values()].map((after) => ({ before: null, after }))
      const sorted = (totals: ReturnType<typeof totalChanges>) =>
        totals.map(({ objects, amount, ...key }) => [Object.values(key).join(), objects, amount]).toSorted()

      expect(sorted(totalChanges(changes))).toEqual(sorted(totalChanges(fresh)))
    }),
  )
})

test('the balance of a day is the current balance minus later changes, even for days without changes', () => {
  const active = { kind: 'subscription', status: 'active', currency: 'eur' } as const
  const now = [{ ...active, objects: 3n, amount: 300n }]
  const change = (dayOn: string, mrrChange: bigint, activeChange: bigint) => ({
    dayOn,
    currency: 'eur',
    mrrChange,
    activeChange,
    recovered: 1n,
    recoveredAmount: 7n,
  })
  const changes = [
    change('2026-11-10', 50n, 1n),
    change('2026-11-12', -20n, -1n),
    change('2026-11-14', 200n, 2n),
  ]

  const days = dailyBalances(now, changes, { from: '2026-11-10', to: '2026-11-13' })

  expect(days.map(({ dayOn, mrr, active, recovered }) => [dayOn, mrr, active, recovered])).toEqual([
    ['2026-11-10', 120n, 2n, 1n],
    ['2026-11-11', 120n, 2n, 0n],
    ['2026-11-12', 100n, 1n, 1n],
    ['2026-11-13', 100n, 1n, 0n],
  ])
})
