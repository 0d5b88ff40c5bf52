// The site as it is handed out: nothing of the repository is missing, no link leads nowhere, and it weighs little.

import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { addressOf as addressOfSource, twinOf } from '../src/address.ts'
import { sections } from '../src/navigation.ts'
import { makeSite } from '../src/site.ts'
import { readSources } from '../src/sources.ts'
import { type Page, plant } from '../src/tree.ts'
import { addressOf, assets, files, htmlPages, idsIn, namedIn } from './support/dist.ts'

const sources = readSources()
const paths = [...sources.pages.keys()]
const kilobyte = 1024

test('every Markdown file has a page, and a twin in Markdown', () => {
  const expected = paths.flatMap((path) => {
    const address = addressOfSource(path) || 'index'
    return [`${address}.html`, `${address}.md`]
  })

  expect(paths.length).toBeGreaterThan(200)
  expect(expected.filter((path) => !files.has(path))).toEqual([])
  expect(new Set(expected).size).toBe(expected.length)
})

test('every page stands in a section, and sections name no page that is not there', () => {
  const pages = paths.map((source) => ({ source, address: addressOfSource(source), title: source }) as Page)
  const { unplaced, unknown } = plant(sections, pages)

  expect(
    unplaced,
    'Name it in packages/docs/src/navigation.ts, or put it in a folder that is there.',
  ).toEqual([])
  expect(unknown, 'Take it out of packages/docs/src/navigation.ts.').toEqual([])
})

test('no link of any page leads nowhere: page, anchor, picture or file', () => {
  const places = new Map(htmlPages.map(({ path, html }) => [addressOf(path), idsIn(html)]))
  const known = (address: string): boolean =>
    address === '/openapi.json' ||
    files.has(address.slice('/docs/'.length)) ||
    assets.has(address.slice('/docs/assets/'.length))
  const dead = htmlPages.flatMap(({ path, html }) =>
    namedIn(html)
      .filter((named) => !/^[a-z]+:/.test(named))
      .filter((named) => {
        const [address = '', anchor = ''] = named.split('#')
        const ids = places.get(address === '' ? addressOf(path) : address)
        if (ids === undefined) return !known(address)
        return anchor !== '' && !ids.has(decodeURIComponent(anchor))
      })
      .map((named) => `${path}: ${named}`),
  )

  expect(dead).toEqual([])
})

test('no link of any twin leads nowhere', () => {
  const dead = [...files]
    .filter(([path]) => path.endsWith('.md'))
    .flatMap(([path, bytes]) => {
      const prose = bytes.toString('utf8').replaceAll(/^```.*?^```\s*$|`[^`\n]*`/gms, '')
      return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, to]) => to as string)
        .filter((to) => !/^(https?:|mailto:|\/openapi\.json$|#)/.test(to))
        .filter((to) => !files.has((to.split('#', 1)[0] as string).slice('/docs/'.length)))
        .map((to) => `${path}: ${to}`)
    })

  expect(dead).toEqual([])
})

test('no name stands twice on a page', () => {
  const twice = htmlPages.flatMap(({ path, html }) => {
    const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
    return ids.length === idsIn(html).size ? [] : [path]
  })

  expect(twice).toEqual([])
})

test('pages load nothing from another host, and hold no script and no style of their own', () => {
  for (const { path, html } of htmlPages) {
    const loaded = [...html.matchAll(/<(?:script|link|img)\b[^>]*?\s(?:src|href)="([^"]*)"/g)]
    expect(loaded.map(([, address]) => address).filter((address) => !address?.startsWith('/docs/'))).toEqual(
      [],
    )
    expect(html.match(/\sstyle="|<style|\son[a-z]+="|<script>/g), path).toBeNull()
  }
})

test('llms.txt lists every page, and llms-full.txt holds them', () => {
  const index = String(files.get('llms.txt'))
  const full = String(files.get('llms-full.txt'))
  const twins = paths.map((path) => twinOf(addressOfSource(path)))

  expect(twins.filter((twin) => twin !== '/docs/index.md' && !index.includes(`](${twin})`))).toEqual([])
  expect(twins.filter((twin) => !full.includes(`<!-- ${twin} -->`))).toEqual([])
  expect(index).toMatch(/^# Switchyard\n\n> .+\n/)
})

test('a page weighs at most 60 KB with its style and scripts, and a guide far less', () => {
  const always = sumOf([...assets.keys()].filter((name) => /^(style|main|theme)-/.test(name)))
  const heavy = htmlPages
    .map(({ path, html }) => ({ path, weight: always + gzipSync(html).length }))
    .filter(({ path, weight }) => weight > (path.startsWith('guides/') ? 30 : 60) * kilobyte)

  expect(heavy).toEqual([])
})

test('whoever searches first loads at most 250 KB', () => {
  expect(sumOf([...assets.keys()].filter((name) => name.startsWith('search-')))).toBeLessThan(250 * kilobyte)
})

test('the same sources make the same site', () => {
  const few = ['STYLE.md', 'docs/README.md', 'docs/guides/quickstart.md', 'docs/reference/errors/conflict.md']
  const pages = new Map(few.map((path) => [path, String(sources.pages.get(path))]))
  const built = { style: '/docs/assets/style-1.css', script: '/docs/a.js', theme: '/docs/b.js' }
  const make = () => makeSite({ ...sources, pages }, built)

  const [one, other] = [make(), make()]

  expect(one.pages).toEqual(other.pages)
  expect(one.assets).toEqual(other.assets)
})

function sumOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + gzipSync(assets.get(name) ?? '').length, 0)
}
