// The generated site: it contains every page, has no broken links, and stays small.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { addressOf as addressOfSource, markdownUrlOf } from '../src/address.ts'
import { apiAreas, sections } from '../src/navigation.ts'
import { renderSite } from '../src/site.ts'
import { readSources, root } from '../src/sources.ts'
import { buildTree, type Page } from '../src/tree.ts'
import { addressOf, assets, files, htmlPages, idsIn, linksIn } from './support/dist.ts'

const sources = readSources()
const paths = [...sources.pages.keys()]
const kilobyte = 1024

test('every Markdown file has a page and a Markdown version', () => {
  const expected = paths.flatMap((path) => {
    const address = addressOfSource(path) || 'index'
    return [`${address}.html`, `${address}.md`]
  })

  expect(paths.length).toBeGreaterThan(200)
  expect(expected.filter((path) => !files.has(path))).toEqual([])
  expect(new Set(expected).size).toBe(expected.length)
})

test('every page is in a section, and sections list no missing page', () => {
  const pages = paths.map((source) => ({ source, address: addressOfSource(source), title: source }) as Page)
  const { unplaced, unknown } = buildTree(sections, pages)

  expect(
    unplaced,
    'List it in packages/docs/src/navigation.ts, or move it to a folder that is listed there.',
  ).toEqual([])
  expect(unknown, 'Remove it from packages/docs/src/navigation.ts.').toEqual([])
})

test('the reference has the areas of the OpenAPI document, in the same order', () => {
  const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
  const groups: readonly { name: string; tags: readonly string[] }[] = document['x-tagGroups']
  const pageOf = (tag: string) => tag.toLowerCase().replaceAll(' ', '-')

  expect(apiAreas).toEqual(
    groups.map(({ name, tags }) => ({
      title: name,
      // The tag of the webhooks has no page: the reference of events describes them.
      pages: tags.filter((tag) => tag !== 'Webhooks').map(pageOf),
    })),
  )
})

test('no page has a broken link: page, anchor, image or file', () => {
  const idsByAddress = new Map(htmlPages.map(({ path, html }) => [addressOf(path), idsIn(html)]))
  const isKnown = (address: string): boolean =>
    address === '/openapi.json' ||
    files.has(address.slice('/docs/'.length)) ||
    assets.has(address.slice('/docs/assets/'.length))
  const broken = htmlPages.flatMap(({ path, html }) =>
    linksIn(html)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [address = '', anchor = ''] = link.split('#')
        const ids = idsByAddress.get(address === '' ? addressOf(path) : address)
        if (ids === undefined) return !isKnown(address)
        return anchor !== '' && !ids.has(decodeURIComponent(anchor))
      })
      .map((link) => `${path}: ${link}`),
  )

  expect(broken).toEqual([])
})

test('no Markdown version has a broken link', () => {
  const broken = [...files]
    .filter(([path]) => path.endsWith('.md'))
    .flatMap(([path, bytes]) => {
      const prose = bytes.toString('utf8').replaceAll(/^```.*?^```\s*$|`[^`\n]*`/gms, '')
      return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, to]) => to as string)
        .filter((to) => !/^(https?:|mailto:|\/openapi\.json$|#)/.test(to))
        .filter((to) => !files.has((to.split('#', 1)[0] as string).slice('/docs/'.length)))
        .map((to) => `${path}: ${to}`)
    })

  expect(broken).toEqual([])
})

test('ids are unique on a page', () => {
  const pagesWithDuplicates = htmlPages.flatMap(({ path, html }) => {
    const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
    return ids.length === idsIn(html).size ? [] : [path]
  })

  expect(pagesWithDuplicates).toEqual([])
})

test('pages load nothing from other hosts, and have no inline scripts or styles', () => {
  for (const { path, html } of htmlPages) {
    const loaded = [...html.matchAll(/<(?:script|link|img)\b[^>]*?\s(?:src|href)="([^"]*)"/g)]
    expect(loaded.map(([, address]) => address).filter((address) => !address?.startsWith('/docs/'))).toEqual(
      [],
    )
    expect(html.match(/\sstyle="|<style|\son[a-z]+="|<script>/g), path).toBeNull()
  }
})

test('llms.txt lists every page, and llms-full.txt contains them', () => {
  const index = String(files.get('llms.txt'))
  const full = String(files.get('llms-full.txt'))
  const markdownUrls = paths.map((path) => markdownUrlOf(addressOfSource(path)))

  expect(
    markdownUrls.filter(
      (markdownUrl) => markdownUrl !== '/docs/index.md' && !index.includes(`](${markdownUrl})`),
    ),
  ).toEqual([])
  expect(markdownUrls.filter((markdownUrl) => !full.includes(`<!-- ${markdownUrl} -->`))).toEqual([])
  expect(index).toMatch(/^# Switchyard\n\n> .+\n/)
})

test('a page is at most 60 KB with its styles and scripts, and a guide at most 30 KB', () => {
  const sharedSize = sumOf([...assets.keys()].filter((name) => /^(style|main|theme)-/.test(name)))
  const tooLarge = htmlPages
    .map(({ path, html }) => ({ path, size: sharedSize + gzipSync(html).length }))
    .filter(({ path, size }) => size > (path.startsWith('guides/') ? 30 : 60) * kilobyte)

  expect(tooLarge).toEqual([])
})

test('the first search loads at most 250 KB', () => {
  expect(sumOf([...assets.keys()].filter((name) => name.startsWith('search-')))).toBeLessThan(250 * kilobyte)
})

test('the same sources produce the same site', () => {
  const sample = [
    'STYLE.md',
    'docs/README.md',
    'docs/guides/quickstart.md',
    'docs/reference/errors/conflict.md',
  ]
  const pages = new Map(sample.map((path) => [path, String(sources.pages.get(path))]))
  const built = { style: '/docs/assets/style-1.css', script: '/docs/a.js', theme: '/docs/b.js' }
  const render = () => renderSite({ ...sources, pages }, built)

  const [first, second] = [render(), render()]

  expect(first.pages).toEqual(second.pages)
  expect(first.assets).toEqual(second.assets)
})

function sumOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + gzipSync(assets.get(name) ?? '').length, 0)
}
