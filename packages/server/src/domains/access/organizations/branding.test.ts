import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contrastRatio, findLogoFault, sellerOf, textColorOn } from './branding.ts'

const png = Buffer.from('89504e470d0a1a0a', 'hex')
const dataUrl = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString('base64')}`

test.each([
  ['#000000', '#ffffff', 21],
  ['#ffffff', '#ffffff', 1],
  ['#767676', '#ffffff', 4.54],
])('the contrast of %s on %s is %f', (color, background, contrast) => {
  expect(contrastRatio(color, background)).toBeCloseTo(contrast, 2)
  expect(contrastRatio(background, color)).toBe(contrastRatio(color, background))
})

test('the text color has sufficient contrast on any color', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xff_ff_ff }), (number) => {
      const color = `#${number.toString(16).padStart(6, '0')}`
      expect(contrastRatio(color, textColorOn(color))).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test('a seller without branding has the name of the workspace', () => {
  expect(sellerOf('Shop', null)).toEqual({
    name: 'Shop',
    logo_url: null,
    accent_color: null,
    accent_text_color: null,
  })
  const branding = { display_name: 'Café', logo_url: null, accent_color: '#ffd200' }
  expect(sellerOf('Shop', branding)).toMatchObject({ name: 'Café', accent_text_color: '#000000' })
})

test.each([
  [dataUrl('png', png), null],
  [dataUrl('jpeg', Buffer.from('ffd8ffe0', 'hex')), null],
  [dataUrl('png', Buffer.concat([png, Buffer.alloc(32 * 1024 - 8)])), null],
  [dataUrl('png', Buffer.concat([png, Buffer.alloc(32 * 1024)])), 'must not exceed 32 KB'],
  [dataUrl('png', Buffer.from('<svg onload=alert(1)>')), 'is not a valid png image'],
  ['data:image/svg+xml;base64,PHN2Zz4=', 'must be an image'],
  ['https://cdn.example.com/logo.png', 'must be an image'],
  ['data:text/html;base64,PHA+', 'must be an image'],
])('logo %# is accepted or rejected with the expected error', (logo, fault) => {
  if (fault === null) expect(findLogoFault(logo)).toBeNull()
  else expect(findLogoFault(logo)).toContain(fault)
})
