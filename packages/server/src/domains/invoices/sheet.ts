/**
 * Paper that is written from top to bottom. Fonts are part of the document, so it looks the same everywhere, and a
 * character that one font does not have is drawn with the next.
 */
import { createRequire } from 'node:module'
import PDFDocument from 'pdfkit'

const { resolve } = createRequire(import.meta.url)
const regular = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')
const bold = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')

export const ink = '#1a1f2b'
export const faint = '#667085'
const rule = '#d9dde5'
export const page = { left: 56, right: 539, top: 60, bottom: 770 }
export const width = page.right - page.left

type Style = { readonly size?: number; readonly color?: string; readonly strong?: boolean }
type Box = Style & { readonly width?: number; readonly align?: 'left' | 'right' }

type Making = {
  readonly title: string
  readonly writtenAt: Date
  /** Files for scripts that our font does not have, in the order in which they are asked. */
  readonly fallbacks: readonly string[]
}

/** A font that was read. */
type Font = PDFKit.Mixins.PDFFontSource & {
  readonly characterSet: readonly number[]
  hasGlyphForCodePoint(codePoint: number): boolean
  glyphForCodePoint(codePoint: number): unknown
}
/** Reading one takes longer than drawing a page, so each is read once. */
const fonts = new Map<string, Font>()

/** `file#Name` picks one font of a collection. */
function fontIn(source: string): Font {
  const known = fonts.get(source)
  if (known !== undefined) return known
  const [file = '', name] = source.split('#')
  const opener = new PDFDocument({ autoFirstPage: false, font: '' })
  if (name === undefined) opener.font(file)
  else opener.font(file, name)
  // It takes fonts that were read, but has no public name for giving one.
  const { font } = (opener as unknown as { readonly _font: { readonly font: Font } })._font
  // A glyph remembers the character that it was first asked for. Asked for first as a part of another one (the Z of
  // a Ż) it would remember none, and whoever copies the text or searches for it would miss it.
  for (const codePoint of font.characterSet) if (isPlain(codePoint)) font.glyphForCodePoint(codePoint)
  fonts.set(source, font)
  return font
}

/** Not a second spelling of another character, such as a radical that looks like a word. */
function isPlain(codePoint: number): boolean {
  const character = String.fromCodePoint(codePoint)
  return character.normalize('NFKC') === character
}

/** A document that is written from top to bottom. */
export class Sheet {
  y: number = page.top
  readonly #document: PDFKit.PDFDocument
  readonly #fallbacks: readonly string[]
  readonly #chunks: Buffer[] = []
  readonly #finished: Promise<void>

  constructor({ title, writtenAt, fallbacks }: Making) {
    const names = { Title: `Invoice ${title}`, Producer: 'Switchyard', Creator: 'Switchyard' }
    this.#fallbacks = fallbacks
    this.#document = new PDFDocument({
      ...{ size: 'A4', margin: 0, bufferPages: true, font: '', lang: 'en' },
      info: { ...names, CreationDate: writtenAt },
    })
    this.#document.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
    this.#finished = new Promise((ready) => this.#document.on('end', ready))
    for (const source of [regular, bold, ...fallbacks]) this.#document.registerFont(source, fontIn(source))
  }

  /** Gives where the text ends. */
  text(text: string, x: number, y: number, box: Box = {}): number {
    const { size = 9.5, color = ink, strong = false, width: wide = 260, align = 'left' } = box
    const runs = this.#runsOf(text, strong ? bold : regular)
    this.#document.fontSize(size).fillColor(color)
    for (const [place, run] of runs.entries()) {
      this.#document.font(run.font)
      const options = { width: wide, align, continued: place < runs.length - 1 }
      if (place === 0) this.#document.text(run.text, x, y, options)
      else this.#document.text(run.text, options)
    }
    this.y = this.#document.y
    return this.y
  }

  line(y: number, thickness: number): void {
    this.#document.moveTo(page.left, y).lineTo(page.right, y).lineWidth(thickness).stroke(rule)
  }

  /** Whether a new page was begun, because so much did not fit any more. */
  needs(height: number): boolean {
    if (this.y + height <= page.bottom) return false
    this.#document.addPage()
    this.y = page.top
    return true
  }

  async finish(title: string): Promise<Uint8Array> {
    const { count } = this.#document.bufferedPageRange()
    for (let place = 0; place < count; place += 1) {
      this.#document.switchToPage(place)
      const text = `${title} · Page ${place + 1} of ${count}`
      this.text(text, page.left, 800, { size: 8, color: faint, width, align: 'right' })
    }
    this.#document.end()
    await this.#finished
    return Buffer.concat(this.#chunks)
  }

  /** The text in pieces, each with the first font that has all of its characters. */
  #runsOf(text: string, usual: string): { readonly font: string; text: string }[] {
    const runs: { readonly font: string; text: string }[] = []
    for (const character of text || ' ') {
      const code = character.codePointAt(0) as number
      const has = (source: string) => fontIn(source).hasGlyphForCodePoint(code)
      const font = [usual, ...this.#fallbacks].find(has) ?? usual
      const last = runs.at(-1)
      if (last?.font === font) last.text += character
      else runs.push({ font, text: character })
    }
    return runs
  }
}
