// Extracts the text of a PDF that pdfkit wrote.

import { inflateSync } from 'node:zlib'

/** All text in drawing order, separated by spaces. */
export function textOfPdf(bytes: Uint8Array): string {
  const raw = Buffer.from(bytes)
  const objects = readObjects(raw)
  const fonts = readFonts(objects)
  return [...objects.values()]
    .filter((body) => body.includes(' Tf'))
    .map((content) => readTexts(content, fonts))
    .join('\n')
}

/** The contents of the embedded files. */
export function attachmentsOf(bytes: Uint8Array): string[] {
  return [...readObjects(Buffer.from(bytes)).values()]
    .filter((body) => body.includes('/Type /EmbeddedFile'))
    .map((body) => /stream\n([\s\S]*?)\nendstream/.exec(body)?.[1] ?? '')
    .map((content) => Buffer.from(content, 'latin1').toString())
}

/** Each object by its number, with its stream decompressed. */
function readObjects(raw: Buffer): Map<string, string> {
  const text = raw.toString('latin1')
  return new Map(
    [...text.matchAll(/(\d+) 0 obj\n([\s\S]*?)endobj/g)].map(([, number = '', body = '']) => {
      const stream = /stream\n([\s\S]*?)\nendstream/.exec(body)?.[1]
      if (stream === undefined || !body.includes('/FlateDecode')) return [number, body]
      return [number, body.replace(stream, inflateSync(Buffer.from(stream, 'latin1')).toString('latin1'))]
    }),
  )
}

type Fonts = ReadonlyMap<string, ReadonlyMap<number, string>>

/** The characters of each font by glyph code. */
function readFonts(objects: ReadonlyMap<string, string>): Fonts {
  const fonts = new Map<string, ReadonlyMap<number, string>>()
  for (const body of objects.values())
    for (const [, name = '', number = ''] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const map = /\/ToUnicode (\d+) 0 R/.exec(objects.get(number) ?? '')?.[1]
      fonts.set(name, readCharacters(objects.get(map ?? '') ?? ''))
    }
  return fonts
}

function readCharacters(map: string): Map<number, string> {
  const characters = new Map<number, string>()
  for (const [, from = '', list = ''] of map.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/gi)) {
    const codes = [...list.matchAll(/<([0-9a-f ]*)>/gi)].map(([, hex = '']) => hex.replaceAll(' ', ''))
    for (const [index, hex] of codes.entries())
      characters.set(Number.parseInt(from, 16) + index, Buffer.from(hex, 'hex').swap16().toString('utf16le'))
  }
  return characters
}

function readTexts(content: string, fonts: Fonts): string {
  let characters: ReadonlyMap<number, string> = new Map()
  const pieces: string[] = []
  for (const [, font, glyphs] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (font !== undefined) characters = fonts.get(font) ?? new Map()
    else
      pieces.push(
        readGlyphs(glyphs ?? '')
          .map((glyph) => characters.get(glyph) ?? '?')
          .join(''),
      )
  }
  return pieces.join(' ')
}

function readGlyphs(text: string): number[] {
  const hex = [...text.matchAll(/<([0-9a-f]*)>/gi)].map(([, digits = '']) => digits).join('')
  return (hex.match(/.{4}/g) ?? []).map((four) => Number.parseInt(four, 16))
}
