// The size budget of the page after compression, its integrity hashes, and its languages.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const dist = resolve(import.meta.dirname, '../dist')
const page = readFileSync(resolve(dist, 'index.html'), 'utf8')
const assets = readdirSync(resolve(dist, 'assets')).map((name) => {
  const bytes = readFileSync(resolve(dist, 'assets', name))
  return { name, bytes, gzipped: gzipSync(bytes, { level: 9 }).length }
})
const scripts = assets.filter(({ name }) => /^index-.*\.js$/.test(name))
const parts = assets.filter(({ name }) => /^(?!index-).*\.js$/.test(name))
const translations = assets.filter(({ name }) => name.endsWith('.json'))

test('there is one script of at most 20 KB', () => {
  expect(scripts).toHaveLength(1)
  expect(scripts[0]?.gzipped).toBeLessThanOrEqual(20 * 1024)
})

test('card fields, saved cards, addresses, other methods, debits, quantities and test cards are separate scripts of at most 6 KB, loaded if a page needs them', () => {
  expect(parts.map(({ name }) => name.replace(/-[\w-]{8}\.js$/, '')).sort()).toEqual([
    'adapter',
    'address-fields',
    'adyen',
    'bacs-texts',
    'basis-theory',
    'debits',
    'method-texts',
    'methods',
    'mollie',
    'mount',
    'promotion-code',
    'provider-fields',
    'quantity-steppers',
    'saved-cards',
    'stripe',
    'test-cards',
    'vgs',
  ])
  expect(Math.max(...parts.map(({ gzipped }) => gzipped))).toBeLessThanOrEqual(6 * 1024)
})

test('the page with its stylesheet is at most 8 KB, and only loads the script', () => {
  const loadedUrls = [...page.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address]) => address)

  expect(gzipSync(page, { level: 9 }).length).toBeLessThanOrEqual(8 * 1024)
  expect(loadedUrls).toEqual(['data:,', `/checkout/assets/${scripts[0]?.name}`])
})

test('the translations of a language are at most 3 KB, and there are six languages including English', () => {
  expect(translations.map(({ name }) => name.slice(0, 2)).sort()).toEqual(['ar', 'de', 'es', 'fr', 'ja'])
  expect(Math.max(...translations.map(({ gzipped }) => gzipped))).toBeLessThanOrEqual(3 * 1024)
})

test('script and translations have integrity hashes', () => {
  const [script] = scripts
  const code = script?.bytes.toString() ?? ''

  expect(page).toContain(`integrity="${integrityOf(script?.bytes)}"`)
  for (const { name, bytes } of translations) {
    expect(code).toContain(name)
    expect(code).toContain(integrityOf(bytes))
  }
})

test('the frame of the payment element is one script of at most 24 KB, and pages load its 10 KB library', () => {
  const element = resolve(dist, 'element')
  const frame = readFileSync(resolve(element, 'element.html'), 'utf8')
  const [, name = ''] = /src="\/elements\/assets\/(element-[\w-]+\.js)"/.exec(frame) ?? []
  const script = readFileSync(resolve(element, 'assets', name))

  expect(gzipSync(frame, { level: 9 }).length).toBeLessThanOrEqual(8 * 1024)
  expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(24 * 1024)
  expect(frame).toContain(`integrity="${integrityOf(script)}"`)
  expect(gzipSync(readFileSync(resolve(element, 'v1.js')), { level: 9 }).length).toBeLessThanOrEqual(
    10 * 1024,
  )
})

function integrityOf(bytes: Buffer = Buffer.alloc(0)): string {
  return `sha256-${createHash('sha256').update(bytes).digest('base64')}`
}
