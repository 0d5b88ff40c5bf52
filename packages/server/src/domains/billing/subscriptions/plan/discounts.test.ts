// Properties of discounts when a period is changed: changes cancel out exactly, and no discount is applied twice.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pureRuns } from '../../../../../test/support/property-runs.ts'
import { anItem } from '../../../../../test/support/subscription-simulation.ts'
import { type AttachedDiscount, discountLines } from '../../../../kernel/discounts.ts'
import type { Id } from '../../../../kernel/id.ts'
import { amountsOfDraft, discountOfLine, type LineDraft, totalOf } from '../../../../kernel/invoice-lines.ts'
import { amountFor } from '../../../../kernel/price-schemes.ts'
import type { Item } from '../subscription.ts'
import { changeLines, type RemainingTime } from './proration.ts'
import { noTax, type TaxFacts } from './tax.ts'

const aDiscount = (index: number, terms: Partial<AttachedDiscount>): AttachedDiscount => ({
  id: `discount_${index}` as Id<'discount'>,
  couponId: `coupon_${index}` as Id<'coupon'>,
  promotionCodeId: null,
  name: `Coupon ${index}`,
  percentOff: null,
  amountOff: null,
  productIds: null,
  duration: 'once',
  periods: 1,
  usedPeriods: 1,
  isInPeriod: true,
  isRemoved: false,
  ...terms,
})

const pool = [anItem('2999'), anItem('333.3'), anItem('1'), anItem('120000'), anItem('0')]
const products = pool.map(({ productId }) => productId)
const items = fc
  .subarray(pool, { minLength: 1 })
  .chain((chosen) =>
    fc
      .array(fc.integer({ min: 1, max: 9 }), { minLength: chosen.length, maxLength: chosen.length })
      .map((quantities) =>
        chosen.map((item, index): Item => ({ ...item, quantity: quantities[index] ?? 1 })),
      ),
  )
const discounts = fc
  .array(
    fc.record({
      off: fc.oneof(
        fc.constantFrom('10', '33.3333', '100', '0.01').map((percentOff) => ({ percentOff })),
        fc.constantFrom('1', '500', '99999', '9999999').map((amountOff) => ({ amountOff })),
      ),
      productIds: fc.option(fc.subarray(products, { minLength: 1 })),
    }),
    { maxLength: 5 },
  )
  .map((terms) => terms.map(({ off, productIds }, index) => aDiscount(index, { ...off, productIds })))
const remainingTime = fc
  .tuple(fc.integer({ min: 1, max: 2_678_400 }), fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean())
  .map(([billedSeconds, part, isStub]): RemainingTime => {
    const startAt = new Date('2026-11-01T00:00:00Z')
    return {
      billedSeconds,
      seconds: Math.floor(billedSeconds * part),
      periodSeconds: isStub ? 2_678_400 : billedSeconds,
      service: { startAt, endAt: new Date(startAt.getTime() + billedSeconds * 1000) },
    }
  })

const contextOf = (attached: readonly AttachedDiscount[], tax: TaxFacts = noTax) => ({
  currency: 'eur' as const,
  discounts: attached,
  tax,
  changeId: 'subscription_change_1' as Id<'subscription_change'>,
})

function expectWithinAmount(line: LineDraft): void {
  for (const { amount } of line.discounts ?? [])
    expect(line.amount < 0n ? amount <= 0n : amount >= 0n).toBe(true)
  const discount = discountOfLine(line)
  expect(line.amount < 0n ? discount >= line.amount : discount <= line.amount).toBe(true)
}

test('changes at the same instant that end with the original items net to zero, including each discount', () => {
  fc.assert(
    fc.property(
      fc.array(items, { minLength: 2, maxLength: 5 }),
      discounts,
      remainingTime,
      (sets, attached, time) => {
        const path = [...sets, sets[0] as Item[]]
        const lines = path
          .slice(1)
          .flatMap((to, index) =>
            changeLines(contextOf(attached), { from: path[index] as Item[], to }, time, true),
          )

        for (const line of lines) expectWithinAmount(line)
        expect(totalOf(lines)).toBe(0n)
        for (const { id } of attached) {
          const applied = lines
            .flatMap((line) => line.discounts ?? [])
            .filter((discount) => discount.id === id)
          expect(applied.reduce((sum, { amount }) => sum + amount, 0n)).toBe(0n)
        }
      },
    ),
    pureRuns,
  )
})

test.each([true, false])(
  'with tax (included: %s), a change and its reversal at the same instant net to zero',
  (inclusive) => {
    const taxRate = { id: 'tax_rate_1', percentage: '19', inclusive, category: 'S' }
    fc.assert(
      fc.property(items, items, discounts, remainingTime, (from, to, attached, time) => {
        const both = [...from, ...to]
        const charged = both.map(({ id, priceId, quantity }) => ({
          id: null,
          subscriptionItemId: id,
          priceId,
          quantity,
          taxRate,
        }))
        const tax = { rates: new Map(both.map(({ priceId }) => [priceId, taxRate])), charged }
        const totalWithTax = (change: { from: Item[]; to: Item[] }) =>
          amountsOfDraft({
            currency: 'eur',
            lines: changeLines(contextOf(attached, tax), change, time, true),
          }).total

        expect(totalWithTax({ from, to }) + totalWithTax({ from: to, to: from })).toBe(0n)
      }),
      pureRuns,
    )
  },
)

test('after a change at the start of a period, the period costs what it would have cost with the new items', () => {
  fc.assert(
    fc.property(items, items, discounts, (from, to, attached) => {
      const seconds = 2_678_400
      const service = { startAt: new Date(0), endAt: new Date(seconds * 1000) }
      const time = { seconds, billedSeconds: seconds, periodSeconds: seconds, service }
      const change = changeLines(contextOf(attached), { from, to }, time, true)

      expect(costOf(from, attached) + totalOf(change)).toBe(costOf(to, attached))
    }),
    pureRuns,
  )
})

function costOf(billed: readonly Item[], attached: readonly AttachedDiscount[]): bigint {
  const lines = billed.map((item) => ({
    amount: amountFor(item, item.quantity),
    productId: item.productId,
  }))
  const applied = discountLines('eur', lines, attached)
  return totalOf(lines.map(({ amount }, index) => ({ amount, discounts: applied[index] ?? [] })))
}

test('crediting unused time reverses exactly the discounts of the credited lines', () => {
  fc.assert(
    fc.property(items, discounts, (billed, attached) => {
      const seconds = 86_400
      const service = { startAt: new Date(0), endAt: new Date(seconds * 1000) }
      const time = { seconds, billedSeconds: seconds, periodSeconds: seconds, service }
      const credit = changeLines(contextOf(attached), { from: billed, to: [] }, time, true)

      expect(-totalOf(credit)).toBe(costOf(billed, attached))
    }),
    pureRuns,
  )
})
