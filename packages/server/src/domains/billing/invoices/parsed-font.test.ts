import { createRequire } from 'node:module'
import PDFDocument from 'pdfkit'
import { expect, test } from 'vitest'
import { loadFont, parsedFontOf } from './parsed-font.ts'

const file = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')

test('pdfkit keeps the parsed font in document._font.font, and a document accepts it', () => {
  const font = loadFont(file)

  expect(font.hasGlyphForCodePoint(0x20ac)).toBe(true)
  expect(font.hasGlyphForCodePoint(0x4e2d)).toBe(false)
  expect(loadFont(file)).toBe(font)
  const document = new PDFDocument({ font: '' }).registerFont('parsed', font).font('parsed')
  expect(document.widthOfString('€1,299.00')).toBeGreaterThan(0)
})

test('a pdfkit version without document._font.font fails with an explanation', () => {
  expect(() => parsedFontOf({})).toThrow('pdfkit no longer has a parsed font in document._font.font')
})
