import jsqr from 'jsqr'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { QrCode } from './qr-code.tsx'

const pixelsPerModule = 4

/** The text that a QR code reader decodes from the rendered SVG; null if no code is rendered. */
function decodedText(text: string): string | null | undefined {
  const svg = renderToStaticMarkup(createElement(QrCode, { text, label: 'QR code' }))
  if (svg === '') return null
  const modules = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1])
  const width = modules * pixelsPerModule
  const rgba = new Uint8ClampedArray(width * width * 4).fill(255)
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < pixelsPerModule; row += 1) {
      const start = ((Number(y) * pixelsPerModule + row) * width + Number(x) * pixelsPerModule) * 4
      for (let pixel = start; pixel < start + pixelsPerModule * 4; pixel += 4) rgba.fill(0, pixel, pixel + 3)
    }
  return jsqr(rgba, width, width)?.data
}

test.each([
  'otpauth://totp/Switchyard:ada%40example.com?issuer=Switchyard&secret=JBSWY3DPEHPK3PXP&period=30',
  'https://pay.example/l/7Hq2_xY9-k',
  'https://pay.example/Grüße/€',
  ...[1, 14, 15, 84, 122, 154, 213].map((length) => 'a'.repeat(length)),
])('a QR code reader decodes %s from the rendered code', (text) => {
  expect(decodedText(text)).toBe(text)
})

test('no code is rendered for a text of more than 213 bytes', () => {
  expect(decodedText('a'.repeat(214))).toBeNull()
  expect(decodedText('é'.repeat(107))).toBeNull()
})
