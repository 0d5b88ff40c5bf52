/**
 * Writes a PDF/A-3 document from top to bottom. Fonts are embedded, so the document looks the same
 * everywhere, and characters that one font does not have are drawn with the next font. In a right-to-left
 * document, positions are mirrored: callers always pass the positions for a left-to-right document.
 */
import { createRequire } from 'node:module'
import PDFDocument from 'pdfkit'
import { facturXMetadata, facturXName } from './factur-x.ts'
import { loadFont } from './parsed-font.ts'
import { hasRightToLeft, type VisualPart, visualParts } from './right-to-left.ts'

const { resolve } = createRequire(import.meta.url)
const regular = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')
const bold = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')

export const textColor = '#1a1f2b'
export const mutedColor = '#667085'
const lineColor = '#d9dde5'
export const page = { left: 56, right: 539, top: 60, bottom: 770 }
export const width = page.right - page.left
const defaultSize = 9.5

type Style = { readonly size?: number; readonly color?: string; readonly strong?: boolean }
type Box = Style & {
  readonly width?: number
  readonly align?: 'left' | 'right'
  /** Opened when the text is clicked. */
  readonly link?: string
}

type SheetOptions = {
  readonly title: string
  /** The language of the document, such as `de`. */
  readonly language: string
  readonly isRightToLeft: boolean
  readonly creationDate: Date
  /** The same document as CII, which is embedded. Null: the document is not an e-invoice. */
  readonly facturX: string | null
  /** Font files for scripts that our font does not support, in order of preference. */
  readonly fallbacks: readonly string[]
}

export class Sheet {
  y: number = page.top
  readonly #document: PDFKit.PDFDocument
  readonly #fallbacks: readonly string[]
  readonly #isRightToLeft: boolean
  readonly #chunks: Buffer[] = []
  readonly #finished: Promise<void>

  constructor({ title, language, isRightToLeft, creationDate, facturX, fallbacks }: SheetOptions) {
    const names = { Title: title, Producer: 'Switchyard', Creator: 'Switchyard' }
    this.#fallbacks = fallbacks
    this.#isRightToLeft = isRightToLeft
    this.#document = new PDFDocument({
      size: 'A4',
      margin: 0,
      bufferPages: true,
      font: '',
      pdfVersion: '1.7',
      subset: 'PDF/A-3b',
      lang: language,
      info: { ...names, CreationDate: creationDate },
    })
    this.#document.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
    this.#finished = new Promise((ready) => this.#document.on('end', ready))
    for (const source of [regular, bold, ...fallbacks]) this.#document.registerFont(source, loadFont(source))
    if (facturX !== null) this.#embed(facturX, creationDate)
  }

  /** `Alternative`: the XML has the same content as the document. */
  #embed(xml: string, date: Date): void {
    // A variable, because the types of pdfkit do not list `relationship`.
    const options = {
      name: facturXName,
      type: 'text/xml',
      creationDate: date,
      modifiedDate: date,
      description: 'Factur-X invoice',
      relationship: 'Alternative',
    }
    this.#document.file(Buffer.from(xml), options)
    this.#document.appendXML(facturXMetadata)
  }

  /** Draws text, and returns the y position at which it ends. */
  text(text: string, x: number, y: number, box: Box = {}): number {
    const { strong = false, width: boxWidth = 260, align = 'left' } = box
    const left = this.#isRightToLeft ? page.left + page.right - x - boxWidth : x
    const isFlipped = this.#isRightToLeft === (align === 'left')
    const placed = { ...box, width: boxWidth, align: isFlipped ? 'right' : 'left' } as const
    this.#document.fillColor(box.color ?? textColor).fontSize(box.size ?? defaultSize)
    if (hasRightToLeft(text)) {
      this.#document.font(strong ? bold : regular)
      let bottom = y
      // pdfkit places words from left to right, so lines are broken here and their parts placed one by one.
      for (const line of this.#wrapped(text, boxWidth))
        bottom = this.#place(visualParts(line), left, bottom, placed)
      return bottom
    }
    // pdfkit cannot right-align several runs.
    const isSplit = isFlipped && this.#runsOf(text, strong ? bold : regular).length > 1
    return isSplit
      ? this.#place([{ text, isRightToLeft: false }], left, y, placed)
      : this.#draw(text, left, y, placed)
  }

  /** Draws parts of one line next to each other, from left to right. */
  #place(
    parts: readonly VisualPart[],
    left: number,
    y: number,
    box: Box & { readonly width: number },
  ): number {
    const primary = box.strong ? bold : regular
    const gap = this.#document.font(primary).widthOfString(' ')
    const pieces = parts.flatMap(({ text, isRightToLeft }, index) =>
      this.#runsOf(text, primary).map((run, nth) => {
        // With a list of features, even an empty one, the part is shaped as a whole and not word by word.
        const shape = isRightToLeft ? { features: [] } : {}
        const pieceWidth = this.#document.font(run.font).widthOfString(run.text, shape)
        return { ...run, shape, width: pieceWidth, gap: index > 0 && nth === 0 ? gap : 0 }
      }),
    )
    const total = pieces.reduce((sum, piece) => sum + piece.gap + piece.width, 0)
    let x = box.align === 'right' ? left + box.width - total : left
    for (const piece of pieces) {
      x += piece.gap
      const link = box.link === undefined ? {} : { link: box.link }
      this.#document.font(piece.font).text(piece.text, x, y, { lineBreak: false, ...piece.shape, ...link })
      x += piece.width
    }
    this.y = y + this.#document.font(primary).currentLineHeight(true)
    return this.y
  }

  #draw(text: string, x: number, y: number, box: Box & { readonly width: number }): number {
    const { strong = false, width: boxWidth, align = 'left', link } = box
    const runs = this.#runsOf(text, strong ? bold : regular)
    for (const [index, run] of runs.entries()) {
      this.#document.font(run.font)
      const continued = index < runs.length - 1
      const options = { width: boxWidth, align, continued, ...(link === undefined ? {} : { link }) }
      if (index === 0) this.#document.text(run.text, x, y, options)
      else this.#document.text(run.text, options)
    }
    this.y = this.#document.y
    return this.y
  }

  /** Breaks the text between words. */
  #wrapped(text: string, boxWidth: number): string[] {
    const lines: string[] = []
    for (const word of text.split(' ')) {
      const longer = `${lines.at(-1) ?? ''} ${word}`
      if (lines.length > 0 && this.#document.widthOfString(longer) <= boxWidth)
        lines[lines.length - 1] = longer
      else lines.push(word)
    }
    return lines
  }

  /** Draws a PNG or JPEG image into the box, at the end of its line. */
  image(
    bytes: Buffer,
    x: number,
    y: number,
    { width: boxWidth, height }: { width: number; height: number },
  ): void {
    const left = this.#isRightToLeft ? page.left + page.right - x - boxWidth : x
    const align = this.#isRightToLeft ? undefined : 'right'
    this.#document.image(bytes, left, y, {
      fit: [boxWidth, height],
      ...(align === undefined ? {} : { align }),
    })
  }

  line(y: number, thickness: number): void {
    this.#document.moveTo(page.left, y).lineTo(page.right, y).lineWidth(thickness).stroke(lineColor)
  }

  /** Starts a new page if content of this height does not fit on the current one, and returns whether it did. */
  ensureSpace(height: number): boolean {
    if (this.y + height <= page.bottom) return false
    this.#document.addPage()
    this.y = page.top
    return true
  }

  /** `pageText` returns the text at the end of each page. */
  async finish(pageText: (page: number, count: number) => string): Promise<Uint8Array> {
    const { count } = this.#document.bufferedPageRange()
    for (let index = 0; index < count; index += 1) {
      this.#document.switchToPage(index)
      this.text(pageText(index + 1, count), page.left, 800, {
        size: 8,
        color: mutedColor,
        width,
        align: 'right',
      })
    }
    this.#document.end()
    await this.#finished
    return Buffer.concat(this.#chunks)
  }

  /** Splits the text into runs, each with the first font that has its characters. */
  #runsOf(text: string, primary: string): { readonly font: string; text: string }[] {
    const runs: { readonly font: string; text: string }[] = []
    for (const character of text || ' ') {
      const code = character.codePointAt(0) as number
      const hasGlyph = (source: string) => loadFont(source).hasGlyphForCodePoint(code)
      const font = [primary, ...this.#fallbacks].find(hasGlyph) ?? primary
      const last = runs.at(-1)
      if (last?.font === font) last.text += character
      else runs.push({ font, text: character })
    }
    return runs
  }
}
