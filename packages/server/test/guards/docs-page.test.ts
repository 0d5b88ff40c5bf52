// The documentation is served whole by the server itself: an installation without the internet has it too, and no
// other host learns who reads it.

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { docsPolicy, nameOf } from '../../src/platform/http/docs-pages.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const get = (path: string) => switchyard.call('test', 'GET', path)

test.each([
  '/docs',
  '/docs/',
  '/docs/guides/quickstart',
  '/docs/errors',
  '/docs/errors/conflict',
  '/docs/events/',
])('%s is a page, with its rules', async (path) => {
  const { status, headers, body: html } = await get(path)

  expect([status, html.slice(0, 15)]).toEqual([200, '<!doctype html>'])
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': docsPolicy,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  })
})

test('the browser is told to load nothing from elsewhere, and to run nothing that stands in a page', () => {
  expect(docsPolicy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'")
  expect(docsPolicy).not.toMatch(/https?:|\*|unsafe/)
})

test('both addresses serve it', async () => {
  const [live, staging] = await Promise.all([
    switchyard.call('live', 'GET', '/docs/guides/lists'),
    get('/docs/guides/lists'),
  ])

  expect(live.status).toBe(200)
  expect(live.body).toBe(staging.body)
})

test('whoever has a page is told that it has not changed', async () => {
  const url = `${switchyard.addresses.test}/docs/guides/lists`
  const tag = (await fetch(url)).headers.get('etag') ?? ''

  const again = await fetch(url, { headers: { 'if-none-match': tag } })

  expect(tag).toMatch(/^"[\w-]{22}"$/)
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test.each([
  ['one of a list', (tag: string) => `"other", ${tag}`, 304],
  ['made weak by a proxy', (tag: string) => `W/${tag}`, 304],
  ['any', () => '*', 304],
  ['another', () => '"other"', 200],
])('a tag counts as it is meant: %s', async (_, listOf, status) => {
  const url = `${switchyard.addresses.test}/docs/guides/lists`
  const tag = (await fetch(url)).headers.get('etag') ?? ''

  const again = await fetch(url, { headers: { 'if-none-match': listOf(tag) } })

  expect([again.status, again.headers.get('vary')]).toEqual([status, 'accept-encoding'])
})

test('a page that is not there stays missing for whoever has the page that says so', async () => {
  const url = `${switchyard.addresses.test}/docs/nowhere`
  const tag = (await fetch(url)).headers.get('etag') ?? ''

  const again = await fetch(url, { headers: { 'if-none-match': tag } })

  expect(tag).not.toBe('')
  expect([again.status, await again.text()]).toEqual([404, expect.stringContaining('There is no such page')])
})

test('what a page loads is kept for good, for its name changes with it', async () => {
  const { body: html } = await get('/docs/')
  const loaded = [...html.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(
    ([, path]) => path as string,
  )

  expect(loaded.length).toBeGreaterThan(3)
  for (const path of loaded) {
    const { status, headers } = await get(path)
    expect([path, status, headers.get('cache-control')]).toEqual([
      path,
      200,
      'public, max-age=31536000, immutable',
    ])
  }
})

test('so is what its style loads', async () => {
  const { body: html } = await get('/docs/')
  const style = /href="(\/docs\/assets\/style-[^"]+)"/.exec(html)?.[1] ?? ''
  const css = await (await fetch(switchyard.addresses.test + style)).text()
  const loaded = [...css.matchAll(/url\(["']?([^"')]+)/g)].map(([, path]) => path as string)

  const answers = await Promise.all(
    loaded.map(async (path) => {
      const answer = await fetch(new URL(path, switchyard.addresses.test + style))
      return [path, answer.status, answer.headers.get('content-type')]
    }),
  )

  expect(loaded).toHaveLength(3)
  expect(answers).toEqual(loaded.map((path) => [path, 200, 'font/woff2']))
})

test.each([
  ['/docs/guides/quickstart.md', 'text/markdown; charset=utf-8', '# Quickstart'],
  ['/docs/errors/conflict.md', 'text/markdown; charset=utf-8', '# `conflict`'],
  ['/docs/events/payment.created.md', 'text/markdown; charset=utf-8', '# `payment.created`'],
  ['/docs/index.md', 'text/markdown; charset=utf-8', '# Switchyard'],
  ['/docs/llms.txt', 'text/plain; charset=utf-8', '# Switchyard'],
  ['/llms.txt', 'text/plain; charset=utf-8', '# Switchyard'],
  ['/docs/llms-full.txt', 'text/plain; charset=utf-8', '<!-- /docs/index.md -->'],
  ['/docs/custom-provider.openapi.yaml', 'application/yaml; charset=utf-8', '# Made from'],
])('%s is a text for programs', async (path, type, begin) => {
  const { status, headers, body } = await get(path)

  expect([status, headers.get('content-type')]).toEqual([200, type])
  expect(body.slice(0, begin.length)).toBe(begin)
})

test('a picture that is opened by itself runs nothing', async () => {
  const { status, headers } = await get('/docs/guides/pictures/payment-page.png')

  expect([status, headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(headers.get('content-security-policy')).toContain('sandbox')
})

test.each([
  ...['/docs/nowhere', '/docs/guides', '/docs/guides/quickstart.html', '/docs/made-of', '/docs/404'],
  ...['/docs/..%2fmade-of', '/docs/guides/..%2f..%2f..%2fpackage.json'],
  ...['/docs/.hidden', '/docs/a%00b', '/docs/A', `/docs/${'a'.repeat(300)}`],
])('at %s there is no page, and that is said on one', async (path) => {
  const { status, headers, body: html } = await get(path)

  expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(html).toContain('<h1>There is no such page</h1>')
})

test.each(['', 'errors', 'errors/', 'a/../b', '../a', '/a', 'a//b', '.a', 'a/.b', 'events/a.b', 'a.md', 'Ä'])(
  'no name leads out of the folder: "%s"',
  (path) => {
    expect(nameOf(path)?.split('/') ?? []).not.toContain('..')
    expect(nameOf(path) ?? 'a').toMatch(/^[a-z0-9]/)
  },
)

test('where nothing is built, it is said how to build it', async () => {
  const unbuilt = await switchyardForThisFile({
    environment: { DOCS_PAGES: join(import.meta.dirname, 'nowhere') },
  })
  const { status, body } = await unbuilt.call('test', 'GET', '/docs/')

  expect([status, body.code, body.detail]).toEqual([
    503,
    'page_not_built',
    'The documentation is not built. Run `npm run build:docs` and try again.',
  ])
})
