/**
 * The amounts of a credit note. Tax is the cumulative difference per tax group: the tax on everything that was credited so
 * far, including this note, minus the tax that was credited before. Therefore notes that credit all lines of an invoice, in
 * any order and in any parts, add up to the invoice, tax included, even if some notes were voided in between. If a tax
 * provider has computed the tax of a line, the same is done per line, with the share of its tax.
 */
import { type CalculatedLine, type TaxRate, taxOn } from './invoice-arithmetic.ts'
import { mulDiv } from './money.ts'

/** An amount of a line, after discounts. It contains the tax only if the rate is inclusive. */
export type CreditedLine = { readonly index: number; readonly amount: bigint }

export type TaxedCreditLine = CreditedLine & { readonly tax: bigint }

export type CreditNoteAmounts = {
  readonly lines: readonly TaxedCreditLine[]
  readonly subtotal: bigint
  /** All tax, whether it is added to the amounts or contained in them. */
  readonly taxTotal: bigint
  readonly total: bigint
}

/** The amount of a line that can be credited: its amount after discounts, or 0 if the line is itself a credit. */
export function creditableOf({ amount, discounts }: CalculatedLine): bigint {
  const left = discounts.reduce((rest, discount) => rest - discount.amount, amount)
  return left > 0n ? left : 0n
}

/** The note of a whole invoice: the amounts that earlier notes have left, including lines that are themselves credits. */
export function remainingAmounts(
  lines: readonly CalculatedLine[],
  creditedBefore: readonly TaxedCreditLine[],
): CreditNoteAmounts {
  const left = lines.map(({ amount, discounts, tax }, index): TaxedCreditLine => {
    const notes = creditedBefore.filter((one) => one.index === index)
    return {
      index,
      amount: sumOf([amount, ...discounts.map((discount) => -discount.amount)]) - sumOf(notes.map(amountIn)),
      tax: tax - sumOf(notes.map(taxIn)),
    }
  })
  return amountsOf(lines, withoutSettledLines(lines, left))
}

/**
 * The tax of notes is rounded per tax group, so a line that is credited completely may have a unit of tax left, or too much
 * tax. Another line of its group has the opposite difference, and the two are settled together.
 */
function withoutSettledLines(
  lines: readonly CalculatedLine[],
  left: readonly TaxedCreditLine[],
): TaxedCreditLine[] {
  const keyOf = ({ index }: CreditedLine) => {
    const rate = lines[index]?.taxRate ?? null
    return rate === null ? null : groupKeyOf(rate)
  }
  const settled = left.filter(({ amount, tax }) => amount === 0n && tax !== 0n)
  return left.flatMap((line) => {
    if (line.amount === 0n) {
      const hasOthers = left.some((other) => other.amount !== 0n && keyOf(other) === keyOf(line))
      return line.tax === 0n || hasOthers ? [] : [line]
    }
    const isLast = left.findLast((other) => other.amount !== 0n && keyOf(other) === keyOf(line)) === line
    const moved = isLast ? settled.filter((other) => keyOf(other) === keyOf(line)) : []
    return [{ ...line, tax: line.tax + sumOf(moved.map(taxIn)) }]
  })
}

const amountIn = ({ amount }: TaxedCreditLine) => amount
const taxIn = ({ tax }: TaxedCreditLine) => tax
const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)

export function creditNoteAmounts(
  lines: readonly CalculatedLine[],
  creditedBefore: readonly TaxedCreditLine[],
  credited: readonly CreditedLine[],
): CreditNoteAmounts {
  const rateOf = ({ index }: CreditedLine) => lines[index]?.taxRate ?? null
  const groups = new Map<string, CreditedGroup>()
  for (const line of creditedBefore) addTo(groups, rateOf(line), line)
  const calculated = credited.map((line) => {
    const rate = rateOf(line)
    if (rate === null) return { ...line, tax: 0n }
    const quoted = lines[line.index]
    if (quoted?.isQuoted) return { ...line, tax: shareOfQuoted(quoted, line, creditedBefore) }
    const before = groups.get(groupKeyOf(rate)) ?? emptyGroup
    // After a void, the notes that are left may have one unit more than the tax on their amounts.
    const difference = taxOn(rate, before.amount + line.amount) - before.tax
    const taxed = { ...line, tax: difference > 0n ? difference : 0n }
    addTo(groups, rate, taxed)
    return taxed
  })
  return amountsOf(lines, calculated)
}

function amountsOf(
  lines: readonly CalculatedLine[],
  credited: readonly TaxedCreditLine[],
): CreditNoteAmounts {
  const subtotal = sumOf(credited.map(amountIn))
  const exclusive = credited.filter(({ index }) => lines[index]?.taxRate?.inclusive !== true)
  return {
    lines: credited,
    subtotal,
    taxTotal: sumOf(credited.map(taxIn)),
    total: subtotal + sumOf(exclusive.map(taxIn)),
  }
}

/**
 * The tax on everything that was credited for the line, including this note, minus the tax that was credited
 * before.
 */
function shareOfQuoted(
  line: CalculatedLine,
  { index, amount }: CreditedLine,
  creditedBefore: readonly TaxedCreditLine[],
): bigint {
  const before = creditedBefore.filter((one) => one.index === index)
  const credited = before.reduce((sum, one) => sum + one.amount, amount)
  const creditable = creditableOf(line)
  const tax = creditable === 0n ? 0n : mulDiv(line.tax, credited, creditable)
  const difference = before.reduce((rest, one) => rest - one.tax, tax)
  return difference > 0n ? difference : 0n
}

/** What was credited at one tax rate. */
type CreditedGroup = { readonly amount: bigint; readonly tax: bigint }
const emptyGroup: CreditedGroup = { amount: 0n, tax: 0n }

function addTo(groups: Map<string, CreditedGroup>, rate: TaxRate | null, line: CreditedGroup): void {
  if (rate === null) return
  const { amount, tax } = groups.get(groupKeyOf(rate)) ?? emptyGroup
  groups.set(groupKeyOf(rate), { amount: amount + line.amount, tax: tax + line.tax })
}

const groupKeyOf = ({ percentage, inclusive, category }: TaxRate) => `${percentage} ${inclusive} ${category}`

/** How the total of a note reaches the customer. */
export type CreditNoteSplit = {
  /** Reduces what is still owed. */
  readonly applied: bigint
  readonly refund: bigint
  readonly balance: bigint
}

/**
 * The total first reduces the amount that is still owed. The rest is refunded as far as requested, and
 * otherwise becomes credit. Null if the requested parts do not add up to the total.
 */
export function splitCreditNote(
  total: bigint,
  owed: bigint,
  requested: { readonly refund: bigint | null; readonly balance: bigint | null },
): CreditNoteSplit | null {
  const applied = total < owed ? total : owed
  const rest = total - applied
  const refund = requested.refund ?? rest - (requested.balance ?? rest)
  const balance = requested.balance ?? rest - refund
  return refund >= 0n && balance >= 0n && refund + balance === rest ? { applied, refund, balance } : null
}
