/**
 * Fonts parsed once per process, because parsing a font takes longer than drawing a page. `pdfkit` accepts
 * parsed fonts but has no public API to obtain one, so this file alone reads its private `_font`, and a test
 * fails if an upgrade of `pdfkit` changes it.
 */
import PDFDocument from 'pdfkit'
import { assert } from '../../../kernel/assert.ts'

type Font = PDFKit.Mixins.PDFFontSource & {
  readonly characterSet: readonly number[]
  hasGlyphForCodePoint(codePoint: number): boolean
  glyphForCodePoint(codePoint: number): unknown
}

const fonts = new Map<string, Font>()

/** Loads a font file. `file#Name` selects one font of a collection. */
export function loadFont(source: string): Font {
  const cached = fonts.get(source)
  if (cached !== undefined) return cached
  const [file = '', name] = source.split('#')
  const document = new PDFDocument({ autoFirstPage: false, font: '' })
  if (name === undefined) document.font(file)
  else document.font(file, name)
  const font = parsedFontOf(document)
  // A glyph keeps the code points of its first request. If it were first requested as part of a composed
  // character (the Z of a Ż) it would keep none, and copying or searching the text would miss it.
  for (const codePoint of font.characterSet) if (isPlain(codePoint)) font.glyphForCodePoint(codePoint)
  fonts.set(source, font)
  return font
}

/** The font that the document uses now. */
export function parsedFontOf(document: object): Font {
  const { _font: current } = document as { readonly _font?: { readonly font?: Font } }
  const font = current?.font
  assert(
    font?.characterSet !== undefined && typeof font.glyphForCodePoint === 'function',
    'pdfkit no longer has a parsed font in document._font.font. Find it elsewhere, or parse fonts with fontkit.',
  )
  return font
}

/** Excludes compatibility variants of other characters, such as radicals. */
function isPlain(codePoint: number): boolean {
  const character = String.fromCodePoint(codePoint)
  return character.normalize('NFKC') === character
}
