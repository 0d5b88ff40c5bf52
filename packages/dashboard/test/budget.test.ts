// Limits for the compressed size of the files that a browser loads when the dashboard is opened.

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const dist = resolve(import.meta.dirname, '../dist')
const page = readFileSync(resolve(dist, 'index.html'), 'utf8')
const assets = new Map(
  readdirSync(resolve(dist, 'assets')).map((name) => {
    const bytes = readFileSync(resolve(dist, 'assets', name))
    return [name, { text: bytes.toString(), gzipped: gzipSync(bytes, { level: 9 }).length }]
  }),
)

test('the first page loads at most 160 KB of script', () => {
  const [entry] = [...page.matchAll(/src="\/assets\/([^"]+\.js)"/g)].map(([, name]) => name as string)
  const [shared, home] = [withImports(entry as string), chunkOf('home')]
  const first = new Set([...shared, ...withImports(home)])

  expect(sumOf(first)).toBeLessThanOrEqual(160 * 1024)
})

test('no lazily loaded chunk is larger than 60 KB', () => {
  const first = new Set([...page.matchAll(/src="\/assets\/([^"]+\.js)"/g)].map(([, name]) => name as string))
  const later = [...assets].filter(([name]) => name.endsWith('.js') && !first.has(name))

  for (const [name, { gzipped }] of later) expect(gzipped, name).toBeLessThanOrEqual(60 * 1024)
})

test('the stylesheet is at most 25 KB and the fonts are at most 55 KB', () => {
  expect(sumOf(assetsEndingIn('.css'))).toBeLessThanOrEqual(25 * 1024)
  expect(sumOf(assetsEndingIn('.woff2'))).toBeLessThanOrEqual(55 * 1024)
})

test('the page loads nothing from other origins', () => {
  const urls = [...page.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, url]) => url as string)

  for (const url of urls) expect(url).toMatch(/^(\/assets\/|data:,)/)
  for (const [name, { text }] of assets)
    if (name.endsWith('.css')) expect(text.match(/url\((?!\/assets\/)/g) ?? [], name).toEqual([])
})

/** A chunk and all its static imports. */
function withImports(name: string, visited = new Set<string>()): Set<string> {
  if (visited.has(name)) return visited
  visited.add(name)
  const { text = '' } = assets.get(name) ?? {}
  for (const [, other = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g))
    withImports(other, visited)
  return visited
}

function chunkOf(page: string): string {
  const found = assetsEndingIn('.js').find((name) => name.startsWith(`${page}-`))
  if (found === undefined) throw new Error(`There is no chunk named ${page}.`)
  return found
}

function assetsEndingIn(ending: string): string[] {
  return [...assets.keys()].filter((name) => name.endsWith(ending))
}

function sumOf(names: Iterable<string>): number {
  return [...names].reduce((sum, name) => sum + (assets.get(name)?.gzipped ?? 0), 0)
}
