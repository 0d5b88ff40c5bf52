/**
 * The layout of the invoice PDF. The same invoice renders to the same bytes: all dates come from the invoice,
 * and nothing depends on the machine.
 */
import { type Currency, exponentOf } from '../../../kernel/currency.ts'
import { formatDecimal, money } from '../../../kernel/money.ts'
import { type Invoice, type Line, remainingOf } from './invoice.ts'
import { mutedColor, page, Sheet, textColor, width } from './sheet.ts'

/** The name of the seller, and the address lines of the customer. */
export type Parties = { readonly seller: string; readonly customer: readonly string[] }

const columns = { quantity: 330, unit: 370, amount: 455 } as const

/** `fallbacks`: font files for scripts that our font does not support, in order of preference. */
export async function renderPdf(
  invoice: Invoice,
  parties: Parties,
  fallbacks: readonly string[],
): Promise<Uint8Array> {
  const { number, finalizedAt, createdAt } = invoice
  const title = number ?? 'Draft'
  const sheet = new Sheet({ title, creationDate: finalizedAt ?? createdAt, fallbacks })
  drawHeader(sheet, invoice, parties)
  drawLines(sheet, invoice)
  drawTotals(sheet, invoice)
  return sheet.finish(title)
}

function drawHeader(sheet: Sheet, invoice: Invoice, { seller, customer }: Parties): void {
  sheet.text('Invoice', page.left, page.top, { size: 26, strong: true })
  sheet.text(seller, 300, page.top + 8, { size: 12, strong: true, width: page.right - 300, align: 'right' })
  let y = page.top + 60
  for (const [name, value] of headerFieldsOf(invoice)) {
    sheet.text(name, page.left, y, { color: mutedColor, width: 60 })
    y = sheet.text(value, page.left + 60, y, { width: 205 }) + 3
  }
  sheet.text('Billed to', 330, page.top + 60, { color: mutedColor })
  let below = page.top + 74
  for (const line of customer) below = sheet.text(line, 330, below, { width: page.right - 330 }) + 1
  const headline = sheet.text(headlineOf(invoice), page.left, Math.max(y, below) + 22, {
    size: 16,
    strong: true,
    width,
  })
  sheet.y = headline + 22
}

function headerFieldsOf({ number, finalizedAt, createdAt, dueAt, period }: Invoice): [string, string][] {
  return [
    ['Number', number ?? 'Draft'],
    ['Date', formatDate(finalizedAt ?? createdAt)],
    ...(dueAt === null ? [] : [['Due', formatDate(dueAt)] as [string, string]]),
    ...(period === null
      ? []
      : [['Period', `${formatDate(period.startAt)} – ${formatDate(period.endAt)}`] as [string, string]]),
  ]
}

/** The status of the invoice in one line. */
function headlineOf(invoice: Invoice): string {
  const { status, paidAt, dueAt, voidedAt, creditGranted, currency } = invoice
  if (status === 'draft') return 'Draft: not payable yet'
  if (status === 'void') return `Voided on ${formatDate(voidedAt as Date)}: nothing is due`
  if (creditGranted > 0n) return `${formatWithCurrency(creditGranted, currency)} credited`
  if (status === 'paid')
    return `${formatWithCurrency(invoice.amountPaid, currency)} paid on ${formatDate(paidAt as Date)}`
  return `${formatWithCurrency(remainingOf(invoice), currency)} due on ${formatDate(dueAt ?? invoice.createdAt)}`
}

function drawLines(sheet: Sheet, { lines, currency }: Invoice): void {
  drawColumnHeadings(sheet)
  for (const line of lines) {
    if (sheet.ensureSpace(46)) drawColumnHeadings(sheet)
    const top = sheet.y
    sheet.text(lineTitleOf(line), page.left, top, { width: columns.quantity - page.left - 14 })
    const small = { size: 8, color: mutedColor, width: columns.quantity - page.left - 14 }
    const below = sheet.text(servicePeriodOf(line), page.left, sheet.y + 2, small)
    const end = sheet.text(line.explanation.text, page.left, below + 1, small)
    sheet.text(groupThousands(String(line.quantity)), columns.quantity - 10, top, {
      width: 40,
      align: 'right',
    })
    const unit = formatUnitPrice(line.explanation.unitAmountDecimal, currency)
    sheet.text(unit, columns.unit, top, { width: 75, align: 'right' })
    sheet.text(formatAmount(line.amount, currency), columns.amount, top, {
      width: page.right - columns.amount,
      align: 'right' as const,
    })
    sheet.line(end + 7, 0.5)
    sheet.y = end + 15
  }
}

function drawColumnHeadings(sheet: Sheet): void {
  const style = { size: 8, color: mutedColor }
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
  one_time: 'One-time charge',
  proration_credit: 'Unused time',
  proration_debit: 'Remaining time',
  carried: 'Carried over',
}

function lineTitleOf({ kind, description }: Line): string {
  if (description === null || kind === 'cycle' || kind === 'one_time') return description ?? titles[kind]
  return `${description}: ${titles[kind].toLowerCase()}`
}

function servicePeriodOf({ service: { startAt, endAt } }: Line): string {
  return startAt.getTime() === endAt.getTime()
    ? formatDate(startAt)
    : `${formatDate(startAt)} – ${formatDate(endAt)}`
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
  sheet.ensureSpace(rows.length * 18 + 10)
  sheet.y += 4
  for (const [name, amount, strong] of rows) {
    const top = sheet.y
    sheet.text(name, columns.quantity, top, { strong, color: strong ? textColor : mutedColor })
    const style = { strong, width: page.right - columns.unit, align: 'right' } as const
    sheet.y = sheet.text(formatWithCurrency(amount, currency), columns.unit, top, style) + 6
  }
}

/** Month names are hard-coded: the document must not depend on the locale of the machine. */
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const formatDate = (at: Date) => `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`

/** With the currency code, because a currency symbol can be ambiguous. */
function formatWithCurrency(amount: bigint, currency: Currency): string {
  return `${currency.toUpperCase()} ${formatAmount(amount, currency)}`
}

function formatAmount(amount: bigint, currency: Currency): string {
  return groupThousands(formatDecimal(money(amount, currency)))
}

/** The unit price in major units, with all its decimal places. */
function formatUnitPrice(minorUnits: string, currency: Currency): string {
  const [whole = '', fraction = ''] = minorUnits.replace('-', '').split('.')
  const places = exponentOf(currency)
  const digits = whole.padStart(places + 1, '0')
  const cut = digits.length - places
  const decimals = digits.slice(cut) + fraction
  const sign = minorUnits.startsWith('-') ? '-' : ''
  return groupThousands(`${sign}${digits.slice(0, cut)}${decimals === '' ? '' : `.${decimals}`}`)
}

function groupThousands(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.')
  const groupedWhole = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? groupedWhole : `${groupedWhole}.${fraction}`
}
