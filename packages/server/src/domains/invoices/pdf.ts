/**
 * What stands where on an invoice on paper. The same invoice gives the same bytes each time: its dates are those of
 * the invoice, and nothing on it depends on the machine.
 */
import { type Currency, exponentOf } from '../../kernel/currency.ts'
import { formatDecimal, money } from '../../kernel/money.ts'
import { type Invoice, type Line, remainingOf } from './invoice.ts'
import { faint, ink, page, Sheet, width } from './sheet.ts'

/** Who writes it, and to whom, line by line. */
export type Parties = { readonly seller: string; readonly customer: readonly string[] }

const columns = { quantity: 330, unit: 370, amount: 455 } as const

/** `fallbacks`: files for scripts that our font does not have, in the order in which they are asked. */
export async function renderPdf(
  invoice: Invoice,
  parties: Parties,
  fallbacks: readonly string[],
): Promise<Uint8Array> {
  const { number, finalizedAt, createdAt } = invoice
  const title = number ?? 'Draft'
  const sheet = new Sheet({ title, writtenAt: finalizedAt ?? createdAt, fallbacks })
  drawHead(sheet, invoice, parties)
  drawLines(sheet, invoice)
  drawTotals(sheet, invoice)
  return sheet.finish(title)
}

function drawHead(sheet: Sheet, invoice: Invoice, { seller, customer }: Parties): void {
  sheet.text('Invoice', page.left, page.top, { size: 26, strong: true })
  sheet.text(seller, 300, page.top + 8, { size: 12, strong: true, width: page.right - 300, align: 'right' })
  let y = page.top + 60
  for (const [name, value] of factsOf(invoice)) {
    sheet.text(name, page.left, y, { color: faint, width: 60 })
    y = sheet.text(value, page.left + 60, y, { width: 205 }) + 3
  }
  sheet.text('Billed to', 330, page.top + 60, { color: faint })
  let below = page.top + 74
  for (const line of customer) below = sheet.text(line, 330, below, { width: page.right - 330 }) + 1
  const headline = sheet.text(headlineOf(invoice), page.left, Math.max(y, below) + 22, {
    ...{ size: 16, strong: true, width },
  })
  sheet.y = headline + 22
}

function factsOf({ number, finalizedAt, createdAt, dueAt, period }: Invoice): [string, string][] {
  return [
    ['Number', number ?? 'Draft'],
    ['Date', dayOf(finalizedAt ?? createdAt)],
    ...(dueAt === null ? [] : [['Due', dayOf(dueAt)] as [string, string]]),
    ...(period === null
      ? []
      : [['Period', `${dayOf(period.startAt)} – ${dayOf(period.endAt)}`] as [string, string]]),
  ]
}

/** What whoever holds it in their hands has to know first. */
function headlineOf(invoice: Invoice): string {
  const { status, paidAt, dueAt, voidedAt, creditGranted, currency } = invoice
  if (status === 'draft') return 'Draft: not to be paid yet'
  if (status === 'void') return `Void since ${dayOf(voidedAt as Date)}: nothing is owed`
  if (creditGranted > 0n) return `${amountIn(creditGranted, currency)} credited`
  if (status === 'paid') return `${amountIn(invoice.amountPaid, currency)} paid on ${dayOf(paidAt as Date)}`
  return `${amountIn(remainingOf(invoice), currency)} due on ${dayOf(dueAt ?? invoice.createdAt)}`
}

function drawLines(sheet: Sheet, { lines, currency }: Invoice): void {
  drawColumns(sheet)
  for (const line of lines) {
    if (sheet.needs(46)) drawColumns(sheet)
    const top = sheet.y
    sheet.text(titleOf(line), page.left, top, { width: columns.quantity - page.left - 14 })
    const small = { size: 8, color: faint, width: columns.quantity - page.left - 14 }
    const below = sheet.text(serviceOf(line), page.left, sheet.y + 2, small)
    const end = sheet.text(line.explanation.text, page.left, below + 1, small)
    sheet.text(grouped(String(line.quantity)), columns.quantity - 10, top, { width: 40, align: 'right' })
    const unit = unitOf(line.explanation.unitAmountDecimal, currency)
    sheet.text(unit, columns.unit, top, { width: 75, align: 'right' })
    sheet.text(decimalIn(line.amount, currency), columns.amount, top, {
      ...{ width: page.right - columns.amount, align: 'right' as const },
    })
    sheet.line(end + 7, 0.5)
    sheet.y = end + 15
  }
}

function drawColumns(sheet: Sheet): void {
  const style = { size: 8, color: faint }
  const top = sheet.y
  sheet.text('Description', page.left, top, style)
  sheet.text('Quantity', columns.quantity - 20, top, { ...style, width: 50, align: 'right' })
  sheet.text('Unit price', columns.unit, top, { ...style, width: 75, align: 'right' })
  const amount = { ...style, width: page.right - columns.amount, align: 'right' } as const
  const end = sheet.text('Amount', columns.amount, top, amount)
  sheet.line(end + 4, 1)
  sheet.y = end + 12
}

const titles: { readonly [K in Line['kind']]: string } = {
  cycle: 'Subscription',
  proration_credit: 'Unused time',
  proration_debit: 'Remaining time',
  carried: 'Carried over',
}

function titleOf({ kind, description }: Line): string {
  if (description === null || kind === 'cycle') return description ?? titles[kind]
  return `${description}: ${titles[kind].toLowerCase()}`
}

function serviceOf({ service: { startAt, endAt } }: Line): string {
  return startAt.getTime() === endAt.getTime() ? dayOf(startAt) : `${dayOf(startAt)} – ${dayOf(endAt)}`
}

function drawTotals(sheet: Sheet, invoice: Invoice): void {
  const { currency, discountTotal, taxTotal, creditApplied, amountPaid, creditGranted } = invoice
  const rows: (readonly [string, bigint, boolean])[] = [
    ['Subtotal', invoice.subtotal, false],
    ...(discountTotal === 0n ? [] : [['Discount', -discountTotal, false] as const]),
    ...(taxTotal === 0n ? [] : [['Tax', taxTotal, false] as const]),
    ['Total', invoice.total, true],
    ...(creditApplied === 0n ? [] : [['Credit applied', -creditApplied, false] as const]),
    ...(creditGranted === 0n ? [] : [['Credit granted', creditGranted, false] as const]),
    ...(amountPaid === 0n ? [] : [['Paid', -amountPaid, false] as const]),
    ['Amount due', remainingOf(invoice), true],
  ]
  sheet.needs(rows.length * 18 + 10)
  sheet.y += 4
  for (const [name, amount, strong] of rows) {
    const top = sheet.y
    sheet.text(name, columns.quantity, top, { strong, color: strong ? ink : faint })
    const style = { strong, width: page.right - columns.unit, align: 'right' } as const
    sheet.y = sheet.text(amountIn(amount, currency), columns.unit, top, style) + 6
  }
}

/** By hand: what a machine knows of languages must not show on an invoice. */
const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'],
  ...['October', 'November', 'December'],
]
const dayOf = (at: Date) => `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`

/** With the code of the currency: a sign may mean several. */
function amountIn(amount: bigint, currency: Currency): string {
  return `${currency.toUpperCase()} ${decimalIn(amount, currency)}`
}

function decimalIn(amount: bigint, currency: Currency): string {
  return grouped(formatDecimal(money(amount, currency)))
}

/** In major units, with as many places as it has. */
function unitOf(minorUnits: string, currency: Currency): string {
  const [whole = '', fraction = ''] = minorUnits.replace('-', '').split('.')
  const places = exponentOf(currency)
  const digits = whole.padStart(places + 1, '0')
  const cut = digits.length - places
  const decimals = digits.slice(cut) + fraction
  const sign = minorUnits.startsWith('-') ? '-' : ''
  return grouped(`${sign}${digits.slice(0, cut)}${decimals === '' ? '' : `.${decimals}`}`)
}

function grouped(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.')
  const parted = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? parted : `${parted}.${fraction}`
}
