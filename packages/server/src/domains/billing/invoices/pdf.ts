/**
 * The layout of the invoice PDF. Rendering is deterministic: all dates come from the invoice,
 * and nothing depends on the machine.
 */
import type { TaxGroup } from '../../../kernel/invoice-arithmetic.ts'
import {
  type DocumentLanguage,
  documentLanguageOf,
  type Parties,
  type PostalAddress,
} from '../../../kernel/parties.ts'
import { type Invoice, type Line, remainingOf } from './invoice.ts'
import { loadFont } from './parsed-font.ts'
import { type PdfFormat, pdfFormatOf } from './pdf-format.ts'
import { type PdfTexts, pdfTexts } from './pdf-texts.ts'
import { mutedColor, page, Sheet, textColor, width } from './sheet.ts'
import { taxNoteOf } from './tax-notes.ts'

export type PdfInput = {
  readonly invoice: Invoice
  readonly parties: Parties
  readonly taxGroups: readonly TaxGroup[]
  /** The invoice as CII, which the PDF contains. Null if the document does not meet the rules of EN 16931. */
  readonly facturX: string | null
  /** The name of the seller if the legal name is missing. */
  readonly displayName: string
  /** A PNG or JPEG image. */
  readonly logo: Buffer | null
  /** The page on which the invoice can be paid; null if nothing is owed. */
  readonly payUrl: string | null
  /** Font files for scripts that our font does not support, in order of preference. */
  readonly fallbacks: readonly string[]
}

type Document = PdfInput & { readonly sheet: Sheet; readonly texts: PdfTexts; readonly format: PdfFormat }

const columns = { quantity: 330, unit: 370, amount: 455 } as const
export const rightColumn = 330

export async function renderPdf(input: PdfInput): Promise<Uint8Array> {
  const { invoice, parties, fallbacks } = input
  const language = languageOf(parties.customer.locale, fallbacks)
  const texts = pdfTexts[language]
  const number = invoice.number ?? texts.draft
  const sheet = new Sheet({
    title: `${texts.invoice} ${number}`,
    language,
    isRightToLeft: language === 'ar',
    creationDate: invoice.finalizedAt ?? invoice.createdAt,
    facturX: input.facturX,
    fallbacks,
  })
  const format = pdfFormatOf(language, invoice.currency, parties.seller.time_zone)
  const document = { ...input, sheet, texts, format }
  drawHeader(document)
  drawLines(document)
  drawTotals(document)
  drawTaxTable(document, language)
  drawPayment(document, language)
  return sheet.finish(
    (nth, count) => `${number} · ${fill(texts.page, { page: String(nth), count: String(count) })}`,
  )
}

/** English if the language is not supported, or if no font has the characters of Japanese. */
export function languageOf(locale: string | null, fallbacks: readonly string[]): DocumentLanguage {
  const language = documentLanguageOf(locale)
  const hasKanji = (source: string) => loadFont(source).hasGlyphForCodePoint(0x8acb)
  return language === 'ja' && !fallbacks.some(hasKanji) ? 'en' : language
}

export function fill(text: string, values: { readonly [name: string]: string }): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? '')
}

function drawHeader({ sheet, texts, format, invoice, parties, displayName, logo }: Document): void {
  sheet.text(texts.invoice, page.left, page.top, { size: 26, strong: true })
  if (logo !== null) sheet.image(logo, page.right - 160, page.top - 8, { width: 160, height: 44 })
  const top = page.top + 56
  const seller = sellerLines(parties, displayName, texts)
  const sellerEnd = drawBlock(sheet, texts.from, seller, { x: page.left, y: top })
  const customer = customerLines(invoice, parties, texts)
  const customerEnd = drawBlock(sheet, texts.billedTo, customer, { x: rightColumn, y: top })
  let y = Math.max(sellerEnd, customerEnd) + 18
  for (const [name, value] of headerFieldsOf(invoice, texts, format)) {
    sheet.text(name, page.left, y, { color: mutedColor, width: 90 })
    y = sheet.text(value, page.left + 90, y, { width: 300 }) + 3
  }
  if (invoice.memo !== null) y = sheet.text(invoice.memo, page.left, y + 8, { width })
  const headline = headlineOf(invoice, texts, format)
  sheet.y = sheet.text(headline, page.left, y + 16, { size: 16, strong: true, width }) + 22
}

export function drawBlock(
  sheet: Sheet,
  title: string,
  lines: readonly string[],
  { x, y }: { readonly x: number; readonly y: number },
): number {
  let below = sheet.text(title, x, y, { color: mutedColor, width: 205 }) + 3
  for (const [index, line] of lines.entries())
    below = sheet.text(line, x, below, { width: page.right - rightColumn, strong: index === 0 }) + 1
  return below
}

export function sellerLines({ seller }: Parties, displayName: string, texts: PdfTexts): string[] {
  const { legal_name, address, registration, tax_ids, contact } = seller
  return [
    legal_name ?? displayName,
    ...addressLines(address),
    ...tax_ids.map(({ value }) => `${texts.taxId} ${value}`),
    registration === null ? null : `${registration.register} ${registration.number}`,
    contact?.email,
    contact?.phone,
    contact?.url,
  ].filter(isText)
}

export function customerLines({ customerId }: Invoice, { customer }: Parties, texts: PdfTexts): string[] {
  const { name, address, email, tax_ids } = customer
  const taxIds = tax_ids.map(({ value }) => `${texts.taxId} ${value}`)
  const lines = [name, ...addressLines(address), email, ...taxIds].filter(isText)
  return lines.length === 0 ? [customerId] : lines
}

function addressLines(address: PostalAddress | null): (string | null)[] {
  if (address === null) return []
  const { line1, line2, postal_code, city, state, country } = address
  return [line1, line2, [postal_code, city].filter(Boolean).join(' '), state, country]
}

function isText(text: string | null | undefined): text is string {
  return typeof text === 'string' && text !== ''
}

function headerFieldsOf(invoice: Invoice, texts: PdfTexts, format: PdfFormat): [string, string][] {
  const { number, finalizedAt, createdAt, dueAt, period, purchaseOrder } = invoice
  const fields: [string, string | null][] = [
    [texts.number, number ?? texts.draft],
    [texts.date, format.date(finalizedAt ?? createdAt)],
    [texts.due, dueAt && format.date(dueAt)],
    [texts.purchaseOrder, purchaseOrder],
    [texts.period, period && `${format.date(period.startAt)} – ${format.date(period.endAt)}`],
  ]
  return fields.filter((field): field is [string, string] => field[1] !== null)
}

/** The status of the invoice in one line. */
function headlineOf(invoice: Invoice, { headline }: PdfTexts, format: PdfFormat): string {
  const { status, creditGranted } = invoice
  if (status === 'draft') return headline.draft
  if (status === 'void') return fill(headline.void, { date: format.date(invoice.voidedAt as Date) })
  if (creditGranted > 0n) return fill(headline.credited, { amount: format.withCurrency(creditGranted) })
  if (status === 'paid')
    return fill(headline.paid, {
      amount: format.withCurrency(invoice.amountPaid),
      date: format.date(invoice.paidAt as Date),
    })
  const date = format.date(invoice.dueAt ?? invoice.createdAt)
  return fill(headline.due, { amount: format.withCurrency(remainingOf(invoice)), date })
}

function drawLines(document: Document): void {
  const { sheet, texts, format, invoice } = document
  drawColumnHeadings(document)
  for (const line of invoice.lines) {
    if (sheet.ensureSpace(46)) drawColumnHeadings(document)
    const top = sheet.y
    const box = { width: columns.quantity - page.left - 14 }
    const title = sheet.text(lineTitleOf(line, texts), page.left, top, box)
    const small = { size: 8, color: mutedColor, ...box }
    const below = sheet.text(servicePeriodOf(line, format), page.left, title + 2, small)
    const end = sheet.text(explanationOf(line, texts, format), page.left, below + 1, small)
    const right = { align: 'right' } as const
    sheet.text(format.number(line.quantity), columns.quantity - 10, top, { width: 40, ...right })
    sheet.text(unitPriceOf(line, format), columns.unit, top, { width: 75, ...right })
    sheet.text(format.amount(line.amount), columns.amount, top, {
      width: page.right - columns.amount,
      ...right,
    })
    sheet.line(end + 7, 0.5)
    sheet.y = end + 15
  }
}

function drawColumnHeadings({ sheet, texts }: Document): void {
  const style = { size: 8, color: mutedColor }
  const top = sheet.y
  sheet.text(texts.description, page.left, top, style)
  sheet.text(texts.quantity, columns.quantity - 20, top, { ...style, width: 50, align: 'right' })
  sheet.text(texts.unitPrice, columns.unit, top, { ...style, width: 75, align: 'right' })
  const amount = { ...style, width: page.right - columns.amount, align: 'right' } as const
  const end = sheet.text(texts.amount, columns.amount, top, amount)
  sheet.line(end + 4, 1)
  sheet.y = end + 12
}

function lineTitleOf({ kind, description }: Line, { kinds }: PdfTexts): string {
  if (description === null || kind === 'cycle' || kind === 'one_time' || kind === 'usage')
    return description ?? kinds[kind]
  return `${description}: ${kinds === pdfTexts.en.kinds ? kinds[kind].toLowerCase() : kinds[kind]}`
}

/** Empty if units have several prices, or the price is for a package: the explanation below the title lists them. */
function unitPriceOf({ explanation: { unitAmountDecimal, pricing } }: Line, format: PdfFormat): string {
  const { package: packageTerms = null } = pricing ?? {}
  return unitAmountDecimal === null || packageTerms !== null ? '' : format.unitPrice(unitAmountDecimal)
}

function servicePeriodOf({ service: { startAt, endAt } }: Line, format: PdfFormat): string {
  const start = format.date(startAt)
  return startAt.getTime() === endAt.getTime() ? start : `${start} – ${format.date(endAt)}`
}

/** The explanation of the line in the language of the document. English documents show the text of the API. */
function explanationOf({ explanation }: Line, texts: PdfTexts, format: PdfFormat): string {
  if (texts === pdfTexts.en) return explanation.text
  const { base, numeratorSeconds: part, denominatorSeconds: whole, rule } = explanation
  const share = part === whole ? '' : ` × ${format.number(part)} s / ${format.number(whole)} s`
  return `${format.amount(base)}${share} – ${texts.rules[rule]}`
}

function drawTotals({ sheet, texts, format, invoice }: Document): void {
  const { discountTotal, taxTotal, creditApplied, amountPaid, creditGranted } = invoice
  const all: (readonly [string, bigint, 'always' | 'strong' | 'unless_zero'])[] = [
    [texts.subtotal, invoice.subtotal, 'always'],
    [texts.discount, -discountTotal, 'unless_zero'],
    [texts.tax, taxTotal, 'unless_zero'],
    [texts.total, invoice.total, 'strong'],
    [texts.creditApplied, -creditApplied, 'unless_zero'],
    [texts.creditGranted, creditGranted, 'unless_zero'],
    [texts.paid, -amountPaid, 'unless_zero'],
    [texts.amountDue, remainingOf(invoice), 'strong'],
  ]
  const rows = all.filter(([, amount, shown]) => shown !== 'unless_zero' || amount !== 0n)
  sheet.ensureSpace(rows.length * 18 + 10)
  sheet.y += 4
  for (const [name, amount, shown] of rows) {
    const top = sheet.y
    const strong = shown === 'strong'
    sheet.text(name, rightColumn - 40, top, { strong, color: strong ? textColor : mutedColor, width: 140 })
    const style = { strong, width: page.right - columns.unit - 60, align: 'right' } as const
    sheet.y = sheet.text(format.withCurrency(amount), columns.unit + 60, top, style) + 6
  }
}

/** The taxable amount and the tax of each rate, if there is tax. */
function drawTaxTable({ sheet, texts, format, taxGroups }: Document, language: DocumentLanguage): void {
  if (taxGroups.length === 0) return
  sheet.ensureSpace(taxGroups.length * 16 + 40)
  sheet.y += 10
  const row = (cells: readonly [string, string, string], style: { color: string; size: number }) => {
    const top = sheet.y
    const box = { ...style, width: 90, align: 'right' } as const
    sheet.text(cells[0], page.left, top, { ...style, width: 120 })
    sheet.text(cells[1], page.left + 120, top, box)
    sheet.y = sheet.text(cells[2], page.left + 220, top, box) + 4
  }
  row([texts.taxRate, texts.net, texts.tax], { color: mutedColor, size: 8 })
  for (const { rate, net, tax } of taxGroups)
    row([`${rate.percentage}%`, format.withCurrency(net), format.withCurrency(tax)], {
      color: textColor,
      size: 9,
    })
  const notes = new Set(taxGroups.map(({ rate }) => taxNoteOf(rate, language)).filter(isText))
  for (const note of notes) sheet.y = sheet.text(note, page.left, sheet.y, { size: 9, width }) + 4
}

/** How to pay what is still owed, and the footer of the seller. */
function drawPayment({ sheet, texts, parties, payUrl }: Document, language: DocumentLanguage): void {
  const { bank, footer, legal_name } = parties.seller
  sheet.ensureSpace(90)
  sheet.y += 14
  if (payUrl !== null) {
    sheet.text(texts.payOnline, page.left, sheet.y, {
      strong: true,
      link: payUrl,
      color: '#1d4ed8',
      width: 200,
    })
    sheet.y =
      sheet.text(payUrl, page.left, sheet.y + 1, { size: 8, color: mutedColor, width, link: payUrl }) + 8
  }
  if (bank !== null) {
    const parts = [bank.account_holder ?? legal_name, bank.iban, bank.bic, bank.name].filter(isText)
    sheet.text(texts.bank, page.left, sheet.y, { size: 8, color: mutedColor, width })
    sheet.y = sheet.text(parts.join(' · '), page.left, sheet.y + 1, { size: 8, width }) + 8
  }
  const closing = footer[language] ?? footer.en
  if (closing !== undefined) sheet.text(closing, page.left, sheet.y, { size: 8, color: mutedColor, width })
}
