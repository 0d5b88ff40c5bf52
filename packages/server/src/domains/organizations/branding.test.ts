import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contrastOf, faultOfLogo, sellerOf, textColorOn } from './branding.ts'

const png = Buffer.from('89504e470d0a1a0a', 'hex')
const dataUrl = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString('base64')}`

test.each([
  ['#000000', '#ffffff', 21],
  ['#ffffff', '#ffffff', 1],
  ['#767676', '#ffffff', 4.54],
])('the contrast of %s on %s is %f', (one, other, contrast) => {
  expect(contrastOf(one, other)).toBeCloseTo(contrast, 2)
  expect(contrastOf(other, one)).toBe(contrastOf(one, other))
})

test('on any colour stands a text that can be read', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xff_ff_ff }), (number) => {
      const color = `#${number.toString(16).padStart(6, '0')}`
      expect(contrastOf(color, textColorOn(color))).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test('a seller without branding is called by the name of the workspace', () => {
  expect(sellerOf('Shop', null)).toEqual({
    ...{ name: 'Shop', logo_url: null, accent_color: null, accent_text_color: null },
  })
  const branding = { display_name: 'Café', logo_url: null, accent_color: '#ffd200' }
  expect(sellerOf('Shop', branding)).toMatchObject({ name: 'Café', accent_text_color: '#000000' })
})

test.each([
  [dataUrl('png', png), null],
  [dataUrl('jpeg', Buffer.from('ffd8ffe0', 'hex')), null],
  [dataUrl('png', Buffer.concat([png, Buffer.alloc(32 * 1024 - 8)])), null],
  [dataUrl('png', Buffer.concat([png, Buffer.alloc(32 * 1024)])), 'must have 32 KB or less'],
  [dataUrl('png', Buffer.from('<svg onload=alert(1)>')), 'is no png'],
  ['data:image/svg+xml;base64,PHN2Zz4=', 'must be a picture'],
  ['https://cdn.example.com/logo.png', 'must be a picture'],
  ['data:text/html;base64,PHA+', 'must be a picture'],
])('a logo %#: %s', (logo, fault) => {
  if (fault === null) expect(faultOfLogo(logo)).toBeNull()
  else expect(faultOfLogo(logo)).toContain(fault)
})
