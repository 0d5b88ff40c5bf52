// Computes the contrast of each text colour on its backgrounds, for both themes.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const [tokens = '', rules = ''] = ['tokens.css', 'style.css'].map((name) =>
  readFileSync(resolve(import.meta.dirname, '../src', name), 'utf8'),
)
const colors = new Map(
  [...tokens.matchAll(/--color-([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name, light, dark]) => [name as string, { light: light as string, dark: dark as string }],
  ),
)
const tones = ['info', 'success', 'warning', 'danger', 'refund', 'neutral']
const backgrounds = ['canvas', 'surface']

test.each(['light', 'dark'] as const)('text in the %s theme has a contrast of at least 4.8', (theme) => {
  const pairs = [
    ...['ink', 'ink2', 'ink3', ...tones].flatMap((text) =>
      backgrounds.map((background) => [text, background]),
    ),
    ...tones.map((tone) => [tone, `${tone}-soft`]),
    ['surface', 'ink'],
    ['surface', 'info'],
    ['ink', 'sunken'],
    ['ink2', 'sunken'],
  ] as [string, string][]

  for (const [text, background] of pairs)
    expect(contrast(text, background, theme), `${text} on ${background}`).toBeGreaterThanOrEqual(4.8)
})

test.each(['light', 'dark'] as const)(
  'marks and borders in the %s theme have a contrast of at least 3',
  (theme) => {
    for (const mark of ['success-solid', 'warning-solid', 'danger-solid', 'edge'])
      expect(contrast(mark, 'surface', theme), mark).toBeGreaterThanOrEqual(3)
  },
)

test('the stylesheets use only the colours of the theme', () => {
  const others = `${tokens}${rules}`
    .replaceAll(/--color-[a-z0-9-]+: light-dark\([^)]*\);/g, '')
    .match(/#[0-9a-f]{3,8}\b/g)

  expect(others).toBeNull()
})

function contrast(one: string, other: string, theme: 'light' | 'dark'): number {
  const [a, b] = [luminance(one, theme), luminance(other, theme)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** WCAG 2.2, relative luminance. */
function luminance(name: string, theme: 'light' | 'dark'): number {
  const hex = colors.get(name)?.[theme]
  if (hex === undefined) throw new Error(`There is no colour ${name}.`)
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
