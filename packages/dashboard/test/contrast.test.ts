// Both themes can be read: the contrast of each pair of colours that stand on each other, recomputed.

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
const signals = ['lock', 'clear', 'caution', 'danger', 'gate', 'idle']
const grounds = ['canvas', 'surface']

test.each(['light', 'dark'] as const)('texts of the %s theme have a contrast of 4.8 and more', (theme) => {
  const pairs = [
    ...['ink', 'ink2', 'ink3', ...signals].flatMap((text) => grounds.map((ground) => [text, ground])),
    ...signals.map((signal) => [signal, `${signal}-soft`]),
    ['surface', 'ink'],
    ['surface', 'lock'],
    ['ink', 'sunken'],
    ['ink2', 'sunken'],
  ] as [string, string][]

  for (const [text, ground] of pairs)
    expect(contrast(text, ground, theme), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.8)
})

test.each(['light', 'dark'] as const)('marks and borders of the %s theme have a contrast of 3', (theme) => {
  for (const mark of ['clear-solid', 'caution-solid', 'danger-solid', 'edge'])
    expect(contrast(mark, 'surface', theme), mark).toBeGreaterThanOrEqual(3)
})

test('no other colour is used than those of the theme', () => {
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
