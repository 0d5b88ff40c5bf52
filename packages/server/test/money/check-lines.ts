// Checks of the lines of invoices: usage that is billed, discounts, tax, and the credit that void invoices return.

import { type CheckInput, sum, wireId } from './billing-check-input.ts'
import type { InvoiceRow, LineRow, UsagePeriodRow } from './billing-records.ts'
import { discountTerms, taxPercentage, usageAmount } from './billing-run.ts'
import { requestedNotesOf } from './check-notes.ts'

const netOf = ({ amount, discount }: LineRow) => amount - (discount ?? 0)
const describeLine = (line: LineRow) => `${line.kind} line ${wireId('invoice_line', line)} of ${line.amount}`
const timeOf = (text: string) => Date.parse(text)

const invoiceOf = ({ billing }: CheckInput, { invoice_id }: LineRow): InvoiceRow | undefined =>
  billing.invoices.find(({ id }) => id === invoice_id)

/** Usage of deleted customers is not billed. */
const isDeleted = ({ billing }: CheckInput) => billing.customers.some(({ deleted_at }) => deleted_at !== null)

/** The usage of each billed period is the sum of its events, and its lines are that usage at the price of the period. */
function usageIsBilledOnce(input: CheckInput): string[] {
  const { billing } = input
  if (isDeleted(input)) return []
  return billing.usagePeriods.flatMap((period) => {
    const id = wireId('usage_period', period)
    if (period.end_at === null || period.billed_quantity === null) return []
    const used = usageIn(input, period)
    const lines = linesOfPeriod(input, period)
    const billed = sum(lines, ({ amount }) => amount)
    const expected = usageAmount * used
    const bills = lines.filter(({ kind }) => kind === 'usage').length
    return [
      ...(used === period.billed_quantity
        ? []
        : [`${id} has ${used} of usage, and ${period.billed_quantity} was billed`]),
      ...(billed < expected || (billed > expected && !isLimited(input, lines))
        ? [`the lines of ${id} add up to ${billed}, its usage costs ${expected}`]
        : []),
      ...(bills > 1 ? [`${id} was billed ${bills} times`] : []),
    ]
  })
}

function usageIn({ billing }: CheckInput, { start_at, end_at }: UsagePeriodRow): number {
  const events = billing.meterEvents.filter(
    ({ cancelled_at, occurred_at }) =>
      cancelled_at === null &&
      timeOf(occurred_at) >= timeOf(start_at) &&
      timeOf(occurred_at) < timeOf(end_at ?? occurred_at),
  )
  return sum(events, ({ value }) => value)
}

function linesOfPeriod({ billing }: CheckInput, period: UsagePeriodRow): LineRow[] {
  return billing.lines.filter(
    (line) =>
      (line.kind === 'usage' || line.kind === 'usage_correction') &&
      line.subscription_item_id === period.subscription_item_id &&
      timeOf(line.service_start_at) === timeOf(period.start_at),
  )
}

/** A correction credits at most what was paid or is still owed for the usage, and was not returned. */
function isLimited(input: CheckInput, lines: readonly LineRow[]): boolean {
  return lines.some((line) => {
    const invoice = invoiceOf(input, line)
    const isRefunded = input.records.refunds.some(({ payment_id }) => payment_id === invoice?.payment_id)
    return (
      invoice === undefined ||
      isRefunded ||
      invoice.status === 'void' ||
      invoice.status === 'uncollectible' ||
      requestedNotesOf(input, invoice).length > 0
    )
  })
}

/** While a subscription is not paused, its usage periods follow each other without a gap, so that no usage is lost. */
function usagePeriodsHaveNoGaps({ billing, run }: CheckInput): string[] {
  const mayPause = billing.eventStates.some(({ status }) => status === 'paused') || run.scenario.onClock
  if (mayPause) return []
  const byItem = Map.groupBy(billing.usagePeriods, ({ subscription_item_id }) => subscription_item_id)
  return [...byItem.values()].flatMap((unsorted) => {
    const periods = unsorted.toSorted((a, b) => timeOf(a.start_at) - timeOf(b.start_at))
    return periods.slice(1).flatMap((period, index) => {
      const end = periods[index]?.end_at ?? null
      return end !== null && timeOf(end) === timeOf(period.start_at)
        ? []
        : [`${wireId('usage_period', period)} begins at ${period.start_at}, the one before ends at ${end}`]
    })
  })
}

/** Late and cancelled events, after which a period is billed again, never leave an ended period unbilled. */
function endedPeriodsAreBilled(input: CheckInput): string[] {
  return input.billing.usagePeriods
    .filter(({ status }) => status === 'ended')
    .map((period) => `${wireId('usage_period', period)} has ended and was not billed`)
}

/** A discount has the sign of its line, and is never larger than the line. */
function discountsFitTheirLines({ billing }: CheckInput): string[] {
  return billing.lines.flatMap((line) => {
    const discount = line.discount ?? 0
    const listed = sum(line.discounts ?? [], ({ amount }) => Number(amount))
    const sign = line.amount < 0 ? -1 : 1
    return [
      ...(sign * discount >= 0 && sign * discount <= sign * line.amount
        ? []
        : [`${discount} is taken off the ${describeLine(line)}`]),
      ...(listed === discount
        ? []
        : [`the discounts of the ${describeLine(line)} are ${listed} instead of ${discount}`]),
    ]
  })
}

/** A discount of the customer reduces at most as many periods as it has, over all subscriptions. */
function discountsEnd({ billing }: CheckInput): string[] {
  return billing.customerDiscounts.flatMap(({ id, periods }) => {
    if (periods === null) return []
    const wire = wireId('discount', { id })
    const reduced = billing.invoices.filter(
      (invoice) =>
        invoice.status !== 'void' &&
        invoice.period_start_at !== null &&
        billing.lines.some(
          (line) =>
            line.invoice_id === invoice.id &&
            line.kind === 'cycle' &&
            (line.discounts ?? []).some((discount) => discount.id === wire),
        ),
    )
    return reduced.length <= periods
      ? []
      : [`${wire} has ${periods} periods, and reduces ${reduced.length} invoices of periods`]
  })
}

/** A percentage without an end that the customer has from the beginning reduces all periods and all usage. */
function percentagesAreApplied({ billing, run }: CheckInput): string[] {
  const [only, ...others] = run.scenario.discounts
  const changes = JSON.stringify(run.scenario.steps).includes('"set_discounts"')
  const terms = only === undefined ? undefined : discountTerms[only]
  if (terms === undefined || others.length > 0 || changes) return []
  if (!('percent_off' in terms) || terms.duration !== 'forever') return []
  const lines = billing.lines.filter(({ kind }) => kind === 'cycle' || kind === 'usage')
  const groups = Map.groupBy(lines, (line) => `${line.invoice_id} ${line.kind} ${line.service_end_at}`)
  return [...groups.values()].flatMap((group) => {
    const amount = sum(group, (line) => line.amount)
    const expected = percentageOf(terms.percent_off, amount)
    const discount = sum(group, (line) => line.discount ?? 0)
    return discount === expected
      ? []
      : [`${discount} instead of ${expected} is taken off the ${describeLine(group[0] as LineRow)}`]
  })
}

/** Rounded half away from zero. The products are integers. */
function percentageOf(percent: string, amount: number): number {
  const rounded = Math.floor((2 * Math.abs(amount) * Number(percent) + 100) / 200)
  return amount < 0 ? -rounded : rounded
}

/** The lines of an invoice add up to it, with their tax. */
function linesAddUp({ billing }: CheckInput): string[] {
  const byInvoice = Map.groupBy(billing.lines, ({ invoice_id }) => invoice_id)
  return billing.invoices.flatMap((invoice) => {
    const lines = byInvoice.get(invoice.id) ?? []
    const tax = sum(lines, (line) => line.tax ?? 0)
    const added = sum(lines, (line) => (line.tax_inclusive ? 0 : (line.tax ?? 0)))
    const total = sum(lines, netOf) + added
    const id = wireId('invoice', invoice)
    return [
      ...(total === invoice.total
        ? []
        : [`the lines of ${id} add up to ${total}, its total is ${invoice.total}`]),
      ...(tax === invoice.tax_total
        ? []
        : [`the tax of the lines of ${id} is ${tax}, its tax is ${invoice.tax_total}`]),
    ]
  })
}

/** Amounts that are carried over contain their tax. */
const isTaxable = ({ kind }: LineRow) => kind !== 'carried'

/** The rate applies to each line, and the tax of an invoice is rounded once. */
function taxIsCalculated({ billing, run }: CheckInput): string[] {
  const byInvoice = Map.groupBy(billing.lines, ({ invoice_id }) => invoice_id)
  return [...byInvoice].flatMap(([invoiceId, lines]) => {
    const taxable = lines.filter(isTaxable)
    const rate = run.scenario.isTaxed ? String(taxPercentage) : null
    const wrong = taxable.filter(({ tax_percentage }) => tax_percentage !== rate)
    if (wrong.length > 0)
      return wrong.map(
        (line) => `the ${describeLine(line)} has the tax rate ${line.tax_percentage}, not ${rate}`,
      )
    if (rate === null || invoiceId === null || lines.some(({ tax_inclusive }) => tax_inclusive)) return []
    const tax = sum(lines, (line) => line.tax ?? 0)
    const expected = percentageOf(rate, sum(taxable, netOf))
    return tax === expected
      ? []
      : [`the tax of ${wireId('invoice', { id: invoiceId })} is ${tax}, its lines have a tax of ${expected}`]
  })
}

/** The notes of an invoice round their tax together. After one of them was voided, the others may have a unit more. */
function taxOfNotesIsRoundedOnce(input: CheckInput): string[] {
  const { billing, run } = input
  if (!run.scenario.isTaxed) return []
  return billing.invoices.flatMap((invoice) => {
    const lines = billing.lines.filter(({ invoice_id }) => invoice_id === invoice.id)
    const notes = requestedNotesOf(input, invoice)
    if (notes.some(({ status }) => status === 'void')) return []
    if (lines.some((line) => line.tax_inclusive || !isTaxable(line))) return []
    const tax = sum(notes, (note) => note.tax_total)
    const net = sum(notes, (note) => note.total - note.tax_total)
    const expected = percentageOf(String(taxPercentage), net)
    return tax === expected
      ? []
      : [
          `${notes.length} notes of ${wireId('invoice', invoice)} have a tax of ${tax} on ${net}, not ${expected}`,
        ]
  })
}

/**
 * A void invoice returns the credit that was applied to it, except what the customer has already got: by credit notes, or as
 * credit for unused time that the invoice had charged.
 */
function voidReturnsTheRest(input: CheckInput): string[] {
  const { billing } = input
  return billing.invoices.flatMap((invoice) => {
    if (invoice.status !== 'void' || invoice.number === null) return []
    const entries = (...reasons: string[]) =>
      sum(
        billing.entries.filter(
          ({ invoice_id, reason }) => invoice_id === invoice.id && reasons.includes(reason),
        ),
        ({ amount }) => amount,
      )
    const notes = requestedNotesOf(input, invoice)
    const applied = -entries('applied') - sum(notes, (note) => note.applied_amount)
    const kept = sum(
      notes.filter(({ status }) => status === 'issued'),
      (note) => note.balance_amount,
    )
    const unused = entries('unused_time') + creditedLater(input, invoice)
    const expected = Math.max(0, applied - kept - unused)
    return entries('returned') === expected
      ? []
      : [
          `${wireId('invoice', invoice)} returned ${entries('returned')} of ${applied}, although notes credited ${kept} and unused time ${unused}`,
        ]
  })
}

/** The value of the lines of other invoices that credit the lines of this one. */
function creditedLater(input: CheckInput, invoice: InvoiceRow): number {
  const { billing } = input
  const lines = billing.lines.filter(
    (line) =>
      line.subscription_id === invoice.subscription_id &&
      (line.invoice_id === invoice.id || invoiceOf(input, line)?.status !== 'void'),
  )
  const credits = lines.filter(
    ({ kind, invoice_id }) =>
      (kind === 'proration_credit' || kind === 'usage_correction') && invoice_id !== invoice.id,
  )
  const bySource = Map.groupBy(credits, (credit) => sourceOf(lines, credit)?.id)
  return sum(bySource, ([id, credited]) => {
    const source = lines.find((line) => line.id === id)
    return source?.invoice_id === invoice.id ? Math.max(0, -sum(credited, grossOf)) : 0
  })
}

function sourceOf(lines: readonly LineRow[], credit: LineRow): LineRow | undefined {
  if (credit.source_line_id !== null) return lines.find(({ id }) => id === credit.source_line_id)
  if (credit.kind === 'usage_correction') return undefined
  const charges = lines.filter(
    ({ kind, ...line }) =>
      (kind === 'cycle' || kind === 'proration_debit') &&
      line.subscription_item_id === credit.subscription_item_id &&
      line.price_id === credit.price_id &&
      timeOf(line.service_start_at) <= timeOf(credit.service_start_at) &&
      line.explanation.changeId !== credit.explanation.changeId,
  )
  return charges
    .toSorted((a, b) => timeOf(a.service_start_at) - timeOf(b.service_start_at) || (a.id < b.id ? -1 : 1))
    .at(-1)
}

/** Lines that wait for the next invoice have no calculated tax yet. */
function grossOf(line: LineRow): number {
  if (line.net !== null) return line.net + (line.tax ?? 0)
  const rate = line.tax_inclusive ? '0' : (line.tax_percentage ?? '0')
  return netOf(line) + percentageOf(rate, netOf(line))
}

type LineCheck = readonly [rule: string, check: (input: CheckInput) => string[]]

const checks: readonly LineCheck[] = [
  ['usage', usageIsBilledOnce],
  ['usage period', usagePeriodsHaveNoGaps],
  ['usage period', endedPeriodsAreBilled],
  ['discount', discountsFitTheirLines],
  ['discount', discountsEnd],
  ['discount', percentagesAreApplied],
  ['lines', linesAddUp],
  ['tax', taxIsCalculated],
  ['tax of notes', taxOfNotesIsRoundedOnce],
  ['void invoice', voidReturnsTheRest],
]

export function linesAreCorrect(input: CheckInput): string[] {
  return checks.flatMap(([rule, check]) => check(input).map((violation) => `${rule}: ${violation}`))
}
