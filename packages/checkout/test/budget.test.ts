// What a payer has to wait for, and that it is what was built: sizes after compression, hashes, languages.

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
const scripts = assets.filter(({ name }) => name.endsWith('.js'))
const words = assets.filter(({ name }) => name.endsWith('.json'))

test('all scripts together have 20 KB at most, and there is one', () => {
  expect(scripts).toHaveLength(1)
  expect(scripts[0]?.gzipped).toBeLessThanOrEqual(20 * 1024)
})

test('the page with its stylesheet has 8 KB at most, and asks for the script alone', () => {
  const asked = [...page.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address]) => address)

  expect(gzipSync(page, { level: 9 }).length).toBeLessThanOrEqual(8 * 1024)
  expect(asked).toEqual(['data:,', `/checkout/assets/${scripts[0]?.name}`])
})

test('the words of a language have 3 KB at most, and there are six languages with English', () => {
  expect(words.map(({ name }) => name.slice(0, 2)).sort()).toEqual(['ar', 'de', 'es', 'fr', 'ja'])
  expect(Math.max(...words.map(({ gzipped }) => gzipped))).toBeLessThanOrEqual(3 * 1024)
})

test('the browser can check that script and words are what was built', () => {
  const [script] = scripts
  const code = script?.bytes.toString() ?? ''

  expect(page).toContain(`integrity="${integrityOf(script?.bytes)}"`)
  for (const { name, bytes } of words) {
    expect(code).toContain(name)
    expect(code).toContain(integrityOf(bytes))
  }
})

function integrityOf(bytes: Buffer = Buffer.alloc(0)): string {
  return `sha384-${createHash('sha384').update(bytes).digest('base64')}`
}
