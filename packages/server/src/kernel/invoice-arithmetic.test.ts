// The amounts of invoices: worked examples to the unit, and properties of generated invoices. `npm run test:invoices`
// generates a million of them.

import { expect, test } from 'vitest'
import { type CreditNoteAmounts, creditableOf, creditNoteAmounts } from './credit-note-arithmetic.ts'
import { type AttachedDiscount, discountLines, prorateDiscounts } from './discounts.ts'
import type { Id } from './id.ts'
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
  withinLimits,
} from './invoice-arithmetic.ts'
import { mulDiv } from './money.ts'
import { amountFor, type PriceFactors, perUnit, type Tier } from './price-schemes.ts'

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

test('example B: a change in a discounted period that is reversed at the same instant', () => {
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

type Random = (limit: number) => number

/** Tenths of a minor unit, as the decimal of a price. */
const decimalOf = (tenths: number) => `${Math.floor(tenths / 10)}.${tenths % 10}`

/** What a quantity costs, unit by unit, to compare with the calculation of the price. In tenths of a minor unit. */
type Priced = { readonly factors: PriceFactors; readonly quantity: number; readonly costTenths: number }

function aTieredPrice(random: Random): Priced {
  const quantity = random(40)
  const isVolume = random(2) === 0
  const bounds = [1 + random(5), 10 + random(10), null]
  const tenths = bounds.map(() => random(5000))
  const flats = bounds.map(() => (random(3) === 0 ? random(500) : 0))
  const tiers: Tier[] = bounds.map((up_to, index) => ({
    up_to,
    unit_amount_decimal: decimalOf(tenths[index] ?? 0),
    flat_amount: flats[index] ?? 0,
  }))
  const tierOf = (unit: number) => bounds.findIndex((bound) => bound === null || unit <= bound)
  const last = tierOf(Math.max(1, quantity))
  let costTenths = isVolume ? (tenths[last] ?? 0) * quantity + (flats[last] ?? 0) * 10 : 0
  if (!isVolume) {
    for (let unit = 1; unit <= quantity; unit += 1) costTenths += tenths[tierOf(unit)] ?? 0
    for (const flat of flats.slice(0, last + 1)) costTenths += flat * 10
  }
  const pricing = { ...perUnit, scheme: isVolume ? ('volume' as const) : ('graduated' as const), tiers }
  return { factors: { unitAmountDecimal: null, pricing }, quantity, costTenths }
}

function aUnitPrice(random: Random): Priced {
  const quantity = random(40)
  const tenths = random(100_000)
  const unitAmountDecimal = decimalOf(tenths)
  if (random(2) === 0) return { factors: { unitAmountDecimal }, quantity, costTenths: tenths * quantity }
  const size = 1 + random(12)
  const round = random(2) === 0 ? ('up' as const) : ('down' as const)
  let packages = 0
  for (let left = quantity; left >= size || (left > 0 && round === 'up'); left -= size) packages += 1
  const pricing = { ...perUnit, scheme: 'package' as const, package: { size, round } }
  return { factors: { unitAmountDecimal, pricing }, quantity, costTenths: tenths * packages }
}

/** A price of any scheme, some with a minimum and a maximum. */
function aPrice(random: Random): Priced {
  const { factors, quantity, costTenths } = random(2) === 0 ? aTieredPrice(random) : aUnitPrice(random)
  if (random(3) > 0) return { factors, quantity, costTenths }
  const minimum = random(20_000)
  const maximum = minimum + random(200_000)
  const limits = { minimum_amount: minimum, maximum_amount: maximum }
  return {
    factors: { ...factors, pricing: { ...(factors.pricing ?? perUnit), ...limits } },
    quantity,
    costTenths: Math.min(Math.max(costTenths, minimum * 10), maximum * 10),
  }
}

const amountOfPrice = ({ factors, quantity }: Priced) => amountFor(factors, quantity)

function findPriceFault(price: Priced): string | null {
  return amountOfPrice(price) === BigInt(Math.floor((price.costTenths + 5) / 10))
    ? null
    : 'a price differs from the sum over its units'
}

function generate(seed: number) {
  const random = randomOf(seed)
  const pick = <T>(items: readonly T[]) => items[random(items.length)] as T
  const price = aPrice(random)
  const amount = () => (random(3) === 0 ? amountOfPrice(price) : BigInt(random(pick(sizes))))
  const rates = Array.from({ length: 1 + random(3) }, () => rate(pick(percentages), random(3) === 0))
  const lines = Array.from({ length: 1 + random(6) }, () =>
    line(random(4) === 0 ? -amount() : amount(), random(5) === 0 ? null : pick(rates)),
  )
  const discounts = Array.from({ length: random(6) }, (_, index) => ({
    id: `discount_${index}`,
    off: random(2) === 0 ? { percentage: pick(percentages) } : { amount: amount() },
    lines: random(3) === 0 ? [random(lines.length)] : null,
  }))
  return { lines, discounts, random, price, rates }
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

/** Compares the tax with the exact fraction: it may differ by at most half a minor unit. */
function findGroupFault(taxGroups: CalculatedInvoice['taxGroups']): string | null {
  const hasWrongTax = taxGroups.some(({ rate: { percentage, inclusive }, net, tax }) => {
    const part = BigInt(Math.round(Number(percentage) * 1000))
    const whole = inclusive ? 100_000n + part : 100_000n
    const difference = tax * whole - (inclusive ? net + tax : net) * part
    return 2n * (difference < 0n ? -difference : difference) > whole
  })
  return hasWrongTax ? 'a group has the wrong tax' : null
}

/**
 * Each discount takes its percentage or amount off the rest after the earlier ones, and is split over the lines without
 * a remainder.
 */
function findSplitFault(
  { lines }: CalculatedInvoice,
  { discounts }: { readonly discounts: readonly Discount[] },
): string | null {
  const left = lines.map(({ amount }) => (amount > 0n ? amount : 0n))
  for (const { id, off, lines: eligible } of discounts) {
    const base = sum(left.filter((_, index) => eligible === null || eligible.includes(index)))
    const taken = lines.map((line) => line.discounts.find((discount) => discount.id === id)?.amount ?? 0n)
    for (const [index, amount] of taken.entries()) left[index] = (left[index] ?? 0n) - amount
    if (!isTaken(off, base, sum(taken))) return 'a discount has a remainder'
  }
  return null
}

/** A percentage may differ by at most half a minor unit from the exact fraction. */
function isTaken(off: Discount['off'], base: bigint, taken: bigint): boolean {
  if ('amount' in off) return off.amount < base ? taken === off.amount : taken === base
  const difference = taken * 100_000n - base * BigInt(Math.round(Number(off.percentage) * 1000))
  return 2n * (difference < 0n ? -difference : difference) <= 100_000n
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

/**
 * A random history of credit notes, some with several lines and some voided, which credits all lines in the end. Lines that
 * are credits themselves cannot be credited, so the notes add up to the other lines and the tax on them.
 */
function findNoteFault(
  { lines }: CalculatedInvoice,
  random: (limit: number) => number,
  positive: CalculatedInvoice,
): string | null {
  const left = lines.map(creditableOf)
  let issued: CreditNoteAmounts[] = []
  const issue = (shareOf: (amount: bigint) => bigint) => {
    const credited = [...left.keys()].flatMap((index) => {
      const amount = shareOf(left[index] as bigint)
      return amount === 0n ? [] : [{ index, amount }]
    })
    for (const { index, amount } of credited) left[index] = (left[index] as bigint) - amount
    const before = issued.flatMap((note) => note.lines)
    if (credited.length > 0) issued = [...issued, creditNoteAmounts(lines, before, credited)]
  }
  for (let step = random(4); step > 0; step -= 1) {
    issue((amount) => (random(2) === 0 ? 0n : amount / BigInt(1 + random(4))))
    if (random(3) > 0) continue
    const [voided, ...others] = issued
    for (const { index, amount } of voided?.lines ?? []) left[index] = (left[index] as bigint) + amount
    issued = others
  }
  issue((amount) => amount)
  if (issued.some(({ lines: noted }) => noted.some(({ tax }) => tax < 0n))) return 'a note has negative tax'
  if (sum(issued.map(({ total }) => total)) !== positive.total)
    return 'credit notes do not add up to the total'
  return sum(issued.map(({ taxTotal }) => taxTotal)) === positive.taxTotal
    ? null
    : 'credit notes do not add up to the tax'
}

/** The lines that can be credited, with their discounts. */
function creditablePart({ lines }: CalculatedInvoice): CalculatedInvoice {
  const creditable = lines.filter((calculated) => creditableOf(calculated) > 0n)
  const inherited = creditable.map(({ amount, discounts, taxRate }) => ({
    amount,
    taxRate,
    inherited: discounts,
  }))
  return calculateInvoice('eur', inherited, [])
}

/** All lines and their reversals net to zero: A to B and back to A at the same instant. */
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

/** The lines of discounted items for a period, or the credit for its remaining time. */
type Period = readonly {
  readonly amount: bigint
  readonly discounts: AmountLine['inherited']
  readonly taxRate: TaxRate | null
}[]

/**
 * A change of the items within a discounted period that is reversed at the same instant: the credits equal
 * what was charged, so both net to zero. Credits for the whole period equal its invoice.
 */
function findChangeFault(random: Random, rates: readonly TaxRate[]): string | null {
  const attached = Array.from({ length: random(3) }, (_, index) => aDiscount(random, index))
  const whole = 1 + random(2_678_400)
  const part = random(whole + 1)
  const anyItems = () => {
    const items = Array.from({ length: 1 + random(2) }, () => ({
      amount: amountOfPrice(aPrice(random)),
      productId: null,
      taxRate: random(4) === 0 ? null : (rates[random(rates.length)] ?? null),
    }))
    const discounts = discountLines('eur', items, attached)
    return items.map((item, index) => ({ ...item, discounts: discounts[index] ?? [] }))
  }
  const [from, to] = [anyItems(), anyItems()]
  const shares = (items: ReturnType<typeof anyItems>, seconds: number, sign: bigint): Period =>
    items.map(({ amount, discounts, taxRate }) => {
      const share = mulDiv(amount, BigInt(seconds), BigInt(whole))
      const prorated = prorateDiscounts({ amount, discounts }, share, { part: seconds, whole })
      return {
        amount: sign * share,
        discounts: prorated.map((discount) => ({ ...discount, amount: sign * discount.amount })),
        taxRate,
      }
    })
  const totalOf = (...periods: readonly Period[]) => {
    const lines = periods.flat().map(({ discounts = [], ...rest }) => ({ ...rest, inherited: discounts }))
    return calculateInvoice('eur', lines, [])
  }
  const there = totalOf(shares(from, part, -1n), shares(to, part, 1n))
  const back = totalOf(shares(to, part, -1n), shares(from, part, 1n))
  if (there.total + back.total !== 0n || there.taxTotal + back.taxTotal !== 0n)
    return 'a change and its reversal do not net to zero'
  const invoice = totalOf(from)
  return totalOf(shares(from, whole, -1n)).total === -invoice.total
    ? findDiscountFault(totalOf(shares(from, part, 1n)).lines)
    : 'the credit for unused time does not equal the invoice'
}

function aDiscount(random: Random, index: number): AttachedDiscount {
  const isPercentage = random(2) === 0
  return {
    id: `discount_${index}` as Id<'discount'>,
    couponId: `coupon_${index}` as Id<'coupon'>,
    promotionCodeId: null,
    name: 'Coupon',
    percentOff: isPercentage ? (percentages[random(percentages.length)] ?? null) : null,
    amountOff: isPercentage ? null : String(random(10_000)),
    productIds: null,
    duration: 'forever',
    periods: null,
    usedPeriods: 0,
    isInPeriod: true,
    isRemoved: false,
  }
}

test(`${cases} generated invoices and their credit notes add up, and changes reverse exactly`, () => {
  const faults: string[] = []
  for (let seed = firstSeed; seed < firstSeed + cases && faults.length < 5; seed += 1) {
    const { lines, discounts, random, price, rates } = generate(seed)
    const invoice = calculateInvoice('eur', lines, discounts)
    const fault =
      findPriceFault(price) ??
      findFault(invoice) ??
      findSplitFault(invoice, { discounts }) ??
      findCreditFault(invoice, random) ??
      findNoteFault(invoice, random, creditablePart(invoice)) ??
      findReverseFault(invoice) ??
      (seed % 3 === 0 ? findChangeFault(random, rates) : null)
    if (fault !== null) faults.push(`seed ${seed}: ${fault}`)
  }

  expect(faults).toEqual([])
})
