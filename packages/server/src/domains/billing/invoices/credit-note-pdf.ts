/** The layout of the PDF of a credit note. It names the invoice that it reverses. Rendering is deterministic. */
import type { Parties } from '../../../kernel/parties.ts'
import type { Invoice } from './invoice.ts'
import { customerLines, drawBlock, fill, languageOf, rightColumn, sellerLines } from './pdf.ts'
import { pdfFormatOf } from './pdf-format.ts'
import { pdfTexts } from './pdf-texts.ts'
import { mutedColor, page, Sheet, textColor, width } from './sheet.ts'

export type PrintedNote = {
  readonly number: string
  readonly memo: string | null
  readonly subtotal: bigint
  readonly taxTotal: bigint
  readonly total: bigint
  readonly lines: readonly { readonly description: string | null; readonly amount: bigint }[]
  readonly createdAt: Date
}

export type NotePdfInput = {
  readonly note: PrintedNote
  readonly invoice: Invoice
  readonly parties: Parties
  readonly displayName: string
  /** The note as CII, which the PDF contains. Null if the document does not meet the rules of EN 16931. */
  readonly facturX: string | null
  readonly fallbacks: readonly string[]
}

export function renderNotePdf({
  note,
  invoice,
  parties,
  displayName,
  facturX,
  fallbacks,
}: NotePdfInput): Promise<Uint8Array> {
  const language = languageOf(parties.customer.locale, fallbacks)
  const texts = pdfTexts[language]
  const format = pdfFormatOf(language, invoice.currency, parties.seller.time_zone)
  const sheet = new Sheet({
    title: `${texts.creditNote} ${note.number}`,
    language,
    isRightToLeft: language === 'ar',
    creationDate: note.createdAt,
    facturX,
    fallbacks,
  })
  sheet.text(texts.creditNote, page.left, page.top, { size: 26, strong: true })
  const top = page.top + 56
  const ends = [
    drawBlock(sheet, texts.from, sellerLines(parties, displayName, texts), { x: page.left, y: top }),
    drawBlock(sheet, texts.billedTo, customerLines(invoice, parties, texts), { x: rightColumn, y: top }),
  ]
  let y = Math.max(...ends) + 18
  const issued = format.date(invoice.finalizedAt ?? invoice.createdAt)
  for (const [name, value] of [
    [texts.number, note.number],
    [texts.date, format.date(note.createdAt)],
    [texts.forInvoice, `${invoice.number ?? invoice.id}, ${issued}`],
  ] as const) {
    sheet.text(name, page.left, y, { color: mutedColor, width: 90 })
    y = sheet.text(value, page.left + 90, y, { width: 300 }) + 3
  }
  if (note.memo !== null) y = sheet.text(note.memo, page.left, y + 8, { width })
  sheet.y = y + 20
  const row = (name: string, amount: bigint, strong: boolean) => {
    sheet.ensureSpace(24)
    const start = sheet.y
    const end = sheet.text(name, page.left, start, { strong, color: textColor, width: 330 })
    sheet.text(format.withCurrency(amount), rightColumn, start, {
      strong,
      width: page.right - rightColumn,
      align: 'right',
    })
    sheet.y = end + 6
  }
  for (const { description, amount } of note.lines) row(description ?? texts.description, amount, false)
  sheet.line(sheet.y, 0.5)
  sheet.y += 10
  row(texts.subtotal, note.subtotal, false)
  if (note.taxTotal !== 0n) row(texts.tax, note.taxTotal, false)
  row(texts.total, note.total, true)
  return sheet.finish(
    (nth, count) => `${note.number} · ${fill(texts.page, { page: String(nth), count: String(count) })}`,
  )
}
