// The text of a PDF as pdfkit writes it, read back from its bytes: what a reader could copy out of it.

import { inflateSync } from 'node:zlib'

/** All pieces of text, in the order in which they were drawn, with a space between them. */
export function textOfPdf(bytes: Uint8Array): string {
  const raw = Buffer.from(bytes)
  const objects = objectsOf(raw)
  const fonts = fontsOf(objects)
  return [...objects.values()]
    .filter((body) => body.includes(' Tf'))
    .map((content) => drawnIn(content, fonts))
    .join('\n')
}

/** Each object by its number, with its stream unpacked. */
function objectsOf(raw: Buffer): Map<string, string> {
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

/** What each font calls its glyphs, in characters. */
function fontsOf(objects: ReadonlyMap<string, string>): Fonts {
  const fonts = new Map<string, ReadonlyMap<number, string>>()
  for (const body of objects.values())
    for (const [, name = '', number = ''] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const map = /\/ToUnicode (\d+) 0 R/.exec(objects.get(number) ?? '')?.[1]
      fonts.set(name, charactersOf(objects.get(map ?? '') ?? ''))
    }
  return fonts
}

function charactersOf(map: string): Map<number, string> {
  const characters = new Map<number, string>()
  for (const [, from = '', list = ''] of map.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/gi)) {
    const codes = [...list.matchAll(/<([0-9a-f ]*)>/gi)].map(([, hex = '']) => hex.replaceAll(' ', ''))
    for (const [place, hex] of codes.entries())
      characters.set(Number.parseInt(from, 16) + place, Buffer.from(hex, 'hex').swap16().toString('utf16le'))
  }
  return characters
}

function drawnIn(content: string, fonts: Fonts): string {
  let characters: ReadonlyMap<number, string> = new Map()
  const pieces: string[] = []
  for (const [, font, shown] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (font !== undefined) characters = fonts.get(font) ?? new Map()
    else
      pieces.push(
        glyphsIn(shown ?? '')
          .map((glyph) => characters.get(glyph) ?? '?')
          .join(''),
      )
  }
  return pieces.join(' ')
}

function glyphsIn(shown: string): number[] {
  const hex = [...shown.matchAll(/<([0-9a-f]*)>/gi)].map(([, digits = '']) => digits).join('')
  return (hex.match(/.{4}/g) ?? []).map((four) => Number.parseInt(four, 16))
}
