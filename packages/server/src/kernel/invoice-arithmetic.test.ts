// The amounts of invoices: worked examples to the unit, and properties of generated invoices. `npm run test:invoices`
// generates a million of them.

import { expect, test } from 'vitest'
import {
  type AmountLine,
  additionalTax,
  type CalculatedInvoice,
  calculateInvoice,
  type Discount,
  discountOn,
  explainAmounts,
  prorateDiscounted,
  type TaxRate,
  taxOn,
  withinLimits,
} from './invoice-arithmetic.ts'

const rate = (percentage: string, inclusive = false): TaxRate => ({
  id: `tax_${percentage}`,
  percentage,
  inclusive,
  category: 'S',
})
const line = (amount: bigint, taxRate: TaxRate | null = null): AmountLine => ({ amount, taxRate })
const percentOff = (percentage: string): Discount => ({ id: 'percent', off: { percentage }, lines: null })
const amountOff = (amount: bigint): Discount => ({ id: 'amount', off: { amount }, lines: null })

test('example A: two coupons over two rates', () => {
  const invoice = calculateInvoice(
    'eur',
    [line(4500n, rate('19')), line(999n, rate('7'))],
    [percentOff('10'), amountOff(500n)],
  )

  expect(invoice.lines.map(({ discounts }) => discounts.map(({ amount }) => amount))).toEqual([
    [450n, 409n],
    [100n, 91n],
  ])
  expect(invoice.lines).toMatchObject([
    { net: 3641n, tax: 692n },
    { net: 808n, tax: 57n },
  ])
  expect(invoice).toMatchObject({ subtotal: 5499n, discountTotal: 1050n, taxTotal: 749n, total: 5198n })
  expect(explainAmounts('eur', invoice.lines[0] as never)).toBe(
    '45.00 - 4.50 - 4.09 = 36.41, plus 19% tax 6.92',
  )
})

test('example B: a change in a discounted period, and back at the same instant', () => {
  const seconds = { part: 1_166_400n, whole: 2_419_200n }
  const shareOf = (amount: bigint) =>
    prorateDiscounted(
      { amount, discount: { id: 'c', amount: discountOn(amount, { percentage: '20' }) } },
      seconds,
    )
  const charge = (amount: bigint): AmountLine => {
    const share = shareOf(amount)
    return { amount: share.amount, taxRate: rate('19'), inherited: share.discount ? [share.discount] : [] }
  }
  const credit = (amount: bigint): AmountLine => {
    const { inherited = [], ...charged } = charge(amount)
    return {
      ...charged,
      amount: -charged.amount,
      inherited: inherited.map(({ id, amount: discount }) => ({ id, amount: -discount })),
    }
  }
  const change = (from: bigint, to: bigint) => calculateInvoice('eur', [credit(from), charge(to)], [])
  const [there, back] = [change(2999n, 4999n), change(4999n, 2999n)]

  expect(there.lines).toMatchObject([
    { amount: -1446n, net: -1157n },
    { amount: 2410n, net: 1928n },
  ])
  expect(there).toMatchObject({ totalExcludingTax: 771n, taxTotal: 146n, total: 917n })
  expect(there.total + back.total).toBe(0n)
  expect(there.taxTotal + back.taxTotal).toBe(0n)
})

test('example C: credit notes over all lines add up to the tax of the invoice', () => {
  const amounts = [6833n, 5750n, 8500n, 6833n]
  const invoice = calculateInvoice(
    'eur',
    amounts.map((amount) => line(amount, rate('20'))),
    [],
  )
  let credited = 0n
  const notes = amounts.map((amount) => {
    const tax = additionalTax(rate('20'), credited, amount)
    credited += amount
    return tax
  })

  expect(invoice).toMatchObject({ totalExcludingTax: 27_916n, taxTotal: 5583n, total: 33_499n })
  expect(notes).toEqual([1367n, 1150n, 1700n, 1366n])
})

test('tax is rounded per group, not per line', () => {
  const { taxGroups } = calculateInvoice('eur', Array(3).fill(line(1333n, rate('19'))), [])

  expect(taxGroups).toMatchObject([{ net: 3999n, tax: 760n }])
})

test('inclusive tax is part of the amounts, and fractions of a percent are exact', () => {
  const invoice = calculateInvoice('usd', [line(11_900n, rate('19', true)), line(10_000n, rate('8.875'))], [])

  expect(invoice.lines).toMatchObject([
    { net: 10_000n, tax: 1900n },
    { net: 10_000n, tax: 888n },
  ])
  expect(invoice).toMatchObject({ taxTotal: 2788n, exclusiveTax: 888n, total: 22_788n })
})

test('limits apply to a line, and credit lines are not discounted', () => {
  expect(withinLimits(40n, { minimum: 50n, maximum: null })).toBe(50n)
  expect(withinLimits(400n, { minimum: 50n, maximum: 300n })).toBe(300n)
  const invoice = calculateInvoice('eur', [line(1000n), line(-400n)], [amountOff(5000n)])

  expect(invoice).toMatchObject({ discountTotal: 1000n, total: -400n })
})

// Generated invoices. A seed identifies each, so that a failure can be repeated.
const cases = Number(process.env.INVOICE_CASES ?? 20_000)
const firstSeed = Number(process.env.INVOICE_SEED ?? 1)

/** A generator of pseudorandom numbers below `limit` (mulberry32). */
function randomOf(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const percentages = ['0', '5.5', '7', '8.875', '19', '20', '25', '100']
const sizes = [10, 1000, 100_000, 2_000_000_000]

function generate(seed: number) {
  const random = randomOf(seed)
  const pick = <T>(items: readonly T[]) => items[random(items.length)] as T
  const amount = () => BigInt(random(pick(sizes)))
  const rates = Array.from({ length: 1 + random(3) }, () => rate(pick(percentages), random(3) === 0))
  const lines = Array.from({ length: 1 + random(6) }, () =>
    line(random(4) === 0 ? -amount() : amount(), random(5) === 0 ? null : pick(rates)),
  )
  const discounts = Array.from({ length: random(6) }, (_, index) => ({
    id: `discount_${index}`,
    off: random(2) === 0 ? { percentage: pick(percentages) } : { amount: amount() },
    lines: random(3) === 0 ? [random(lines.length)] : null,
  }))
  return { lines, discounts, random }
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)

/** What is wrong with a calculated invoice; null if nothing is. */
function findFault({ lines, taxGroups, ...invoice }: CalculatedInvoice): string | null {
  const nets = sum(lines.map(({ net }) => net))
  const taxes = sum(taxGroups.map(({ tax }) => tax))
  if (nets + taxes !== invoice.total) return 'line nets and group taxes do not add up to the total'
  if (nets !== invoice.totalExcludingTax) return 'line nets do not add up to the total without tax'
  if (sum(lines.map(({ tax }) => tax)) !== taxes) return 'line taxes do not add up to the group taxes'
  if (invoice.subtotal - invoice.discountTotal + invoice.exclusiveTax !== invoice.total)
    return 'total is wrong'
  return findGroupFault(taxGroups) ?? findDiscountFault(lines)
}

function findGroupFault(taxGroups: CalculatedInvoice['taxGroups']): string | null {
  const hasWrongTax = taxGroups.some(
    ({ rate: groupRate, net, tax }) => taxOn(groupRate, groupRate.inclusive ? net + tax : net) !== tax,
  )
  return hasWrongTax ? 'a group has the wrong tax' : null
}

function findDiscountFault(lines: CalculatedInvoice['lines']): string | null {
  const exceedsLine = lines.some(({ amount, discounts }) => {
    const off = sum(discounts.map((discount) => discount.amount))
    return off < 0n || off > (amount > 0n ? amount : 0n)
  })
  return exceedsLine ? 'a discount exceeds its line' : null
}

/** Credits everything in random parts and in random order, and compares the tax with that of the invoice. */
function findCreditFault(
  { lines, taxGroups }: CalculatedInvoice,
  random: (limit: number) => number,
): string | null {
  for (const { rate: groupRate, tax } of taxGroups) {
    const taxable = lines
      .filter(
        ({ taxRate }) =>
          taxRate?.percentage === groupRate.percentage && taxRate.inclusive === groupRate.inclusive,
      )
      .map(({ net, tax: lineTax }) => (groupRate.inclusive ? net + lineTax : net))
    const parts = taxable.flatMap((amount) => {
      const first = amount / BigInt(1 + random(4))
      return [first, amount - first]
    })
    let [credited, creditedTax] = [0n, 0n]
    for (const part of random(2) === 0 ? parts : parts.toReversed()) {
      creditedTax += additionalTax(groupRate, credited, part)
      credited += part
    }
    if (creditedTax !== tax) return 'credit notes do not add up to the tax of the invoice'
  }
  return null
}

/** The reverse of all lines nets zero: A to B and back to A at one instant. */
function findReverseFault(invoice: CalculatedInvoice): string | null {
  const reversed = invoice.lines.map(({ amount, discounts, taxRate }) => ({
    amount: -amount,
    taxRate,
    inherited: discounts.map(({ id, amount: discount }) => ({ id, amount: -discount })),
  }))
  const back = calculateInvoice('eur', reversed, [])
  return back.total === -invoice.total && back.taxTotal === -invoice.taxTotal
    ? null
    : 'the reverse does not cancel the invoice'
}

test(`${cases} generated invoices add up, credit and reverse exactly`, () => {
  const faults: string[] = []
  for (let seed = firstSeed; seed < firstSeed + cases && faults.length < 5; seed += 1) {
    const { lines, discounts, random } = generate(seed)
    const invoice = calculateInvoice('eur', lines, discounts)
    const fault = findFault(invoice) ?? findCreditFault(invoice, random) ?? findReverseFault(invoice)
    if (fault !== null) faults.push(`seed ${seed}: ${fault}`)
  }

  expect(faults).toEqual([])
})
