/**
 * Writes a PDF document from top to bottom. Fonts are embedded, so the document looks the same everywhere,
 * and characters that one font does not have are drawn with the next font.
 */
import { createRequire } from 'node:module'
import PDFDocument from 'pdfkit'
import { loadFont } from './parsed-font.ts'

const { resolve } = createRequire(import.meta.url)
const regular = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')
const bold = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')

export const textColor = '#1a1f2b'
export const mutedColor = '#667085'
const lineColor = '#d9dde5'
export const page = { left: 56, right: 539, top: 60, bottom: 770 }
export const width = page.right - page.left

type Style = { readonly size?: number; readonly color?: string; readonly strong?: boolean }
type Box = Style & { readonly width?: number; readonly align?: 'left' | 'right' }

type SheetOptions = {
  readonly title: string
  readonly creationDate: Date
  /** Font files for scripts that our font does not support, in order of preference. */
  readonly fallbacks: readonly string[]
}

export class Sheet {
  y: number = page.top
  readonly #document: PDFKit.PDFDocument
  readonly #fallbacks: readonly string[]
  readonly #chunks: Buffer[] = []
  readonly #finished: Promise<void>

  constructor({ title, creationDate, fallbacks }: SheetOptions) {
    const names = { Title: `Invoice ${title}`, Producer: 'Switchyard', Creator: 'Switchyard' }
    this.#fallbacks = fallbacks
    this.#document = new PDFDocument({
      size: 'A4',
      margin: 0,
      bufferPages: true,
      font: '',
      lang: 'en',
      info: { ...names, CreationDate: creationDate },
    })
    this.#document.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
    this.#finished = new Promise((ready) => this.#document.on('end', ready))
    for (const source of [regular, bold, ...fallbacks]) this.#document.registerFont(source, loadFont(source))
  }

  /** Draws text, and returns the y position at which it ends. */
  text(text: string, x: number, y: number, box: Box = {}): number {
    const { size = 9.5, color = textColor, strong = false, width: boxWidth = 260, align = 'left' } = box
    const runs = this.#runsOf(text, strong ? bold : regular)
    this.#document.fontSize(size).fillColor(color)
    for (const [index, run] of runs.entries()) {
      this.#document.font(run.font)
      const options = { width: boxWidth, align, continued: index < runs.length - 1 }
      if (index === 0) this.#document.text(run.text, x, y, options)
      else this.#document.text(run.text, options)
    }
    this.y = this.#document.y
    return this.y
  }

  line(y: number, thickness: number): void {
    this.#document.moveTo(page.left, y).lineTo(page.right, y).lineWidth(thickness).stroke(lineColor)
  }

  /** Starts a new page if the height does not fit on this one, and returns whether it did. */
  ensureSpace(height: number): boolean {
    if (this.y + height <= page.bottom) return false
    this.#document.addPage()
    this.y = page.top
    return true
  }

  async finish(title: string): Promise<Uint8Array> {
    const { count } = this.#document.bufferedPageRange()
    for (let index = 0; index < count; index += 1) {
      this.#document.switchToPage(index)
      const text = `${title} · Page ${index + 1} of ${count}`
      this.text(text, page.left, 800, { size: 8, color: mutedColor, width, align: 'right' })
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
