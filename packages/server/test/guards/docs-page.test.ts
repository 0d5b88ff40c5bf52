// The server serves the complete documentation. It works without internet access, and the pages send no
// requests to other hosts.

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
])('%s is a page with security headers', async (path) => {
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

test('the policy lets the browser load nothing from other hosts and run no inline script', () => {
  expect(docsPolicy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'")
  expect(docsPolicy).not.toMatch(/https?:|\*|unsafe/)
})

test('the live and the test address serve the same documentation', async () => {
  const [atLive, atTest] = await Promise.all([
    switchyard.call('live', 'GET', '/docs/guides/lists'),
    get('/docs/guides/lists'),
  ])

  expect(atLive.status).toBe(200)
  expect(atLive.body).toBe(atTest.body)
})

test('a request with the entity tag of an unchanged page returns 304', async () => {
  const url = `${switchyard.addresses.test}/docs/guides/lists`
  const tag = (await fetch(url)).headers.get('etag') ?? ''

  const repeated = await fetch(url, { headers: { 'if-none-match': tag } })

  expect(tag).toMatch(/^"[\w-]{22}"$/)
  expect([repeated.status, await repeated.text()]).toEqual([304, ''])
})

test.each([
  ['the entity tag in a list', (tag: string) => `"other", ${tag}`, 304],
  ['the entity tag, weakened by a proxy', (tag: string) => `W/${tag}`, 304],
  ['the wildcard', () => '*', 304],
  ['the entity tag of another page', () => '"other"', 200],
])('If-None-Match is evaluated as HTTP defines it: %s', async (_, headerFor, status) => {
  const url = `${switchyard.addresses.test}/docs/guides/lists`
  const tag = (await fetch(url)).headers.get('etag') ?? ''

  const repeated = await fetch(url, { headers: { 'if-none-match': headerFor(tag) } })

  expect([repeated.status, repeated.headers.get('vary')]).toEqual([status, 'accept-encoding'])
})

test('a missing page returns 404 even if the client sends the entity tag of the error page', async () => {
  const url = `${switchyard.addresses.test}/docs/nowhere`
  const tag = (await fetch(url)).headers.get('etag') ?? ''

  const repeated = await fetch(url, { headers: { 'if-none-match': tag } })

  expect(tag).not.toBe('')
  expect([repeated.status, await repeated.text()]).toEqual([404, expect.stringContaining('Page not found')])
})

test('assets of a page may be cached forever, because their names contain a hash of their content', async () => {
  const { body: html } = await get('/docs/')
  const assets = [...html.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(
    ([, path]) => path as string,
  )

  expect(assets.length).toBeGreaterThan(3)
  for (const path of assets) {
    const { status, headers } = await get(path)
    expect([path, status, headers.get('cache-control')]).toEqual([
      path,
      200,
      'public, max-age=31536000, immutable',
    ])
  }
})

test('the fonts that the stylesheet loads are served', async () => {
  const { body: html } = await get('/docs/')
  const style = /href="(\/docs\/assets\/style-[^"]+)"/.exec(html)?.[1] ?? ''
  const css = await (await fetch(switchyard.addresses.test + style)).text()
  const assets = [...css.matchAll(/url\(["']?([^"')]+)/g)].map(([, path]) => path as string)

  const responses = await Promise.all(
    assets.map(async (path) => {
      const response = await fetch(new URL(path, switchyard.addresses.test + style))
      return [path, response.status, response.headers.get('content-type')]
    }),
  )

  expect(assets).toHaveLength(3)
  expect(responses).toEqual(assets.map((path) => [path, 200, 'font/woff2']))
})

test.each([
  ['/docs/guides/quickstart.md', 'text/markdown; charset=utf-8', '# Quickstart'],
  ['/docs/errors/conflict.md', 'text/markdown; charset=utf-8', '# `conflict`'],
  ['/docs/events/payment.created.md', 'text/markdown; charset=utf-8', '# `payment.created`'],
  ['/docs/index.md', 'text/markdown; charset=utf-8', '# Switchyard'],
  ['/docs/llms.txt', 'text/plain; charset=utf-8', '# Switchyard'],
  ['/llms.txt', 'text/plain; charset=utf-8', '# Switchyard'],
  ['/docs/llms-full.txt', 'text/plain; charset=utf-8', '<!-- /docs/index.md -->'],
  ['/docs/custom-provider.openapi.yaml', 'application/yaml; charset=utf-8', '# Generated from'],
])('%s is plain text for tools', async (path, type, start) => {
  const { status, headers, body } = await get(path)

  expect([status, headers.get('content-type')]).toEqual([200, type])
  expect(body.slice(0, start.length)).toBe(start)
})

test('an image that is opened directly is sandboxed', async () => {
  const { status, headers } = await get('/docs/guides/pictures/payment-page.png')

  expect([status, headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(headers.get('content-security-policy')).toContain('sandbox')
})

test.each([
  '/docs/nowhere',
  '/docs/guides',
  '/docs/guides/quickstart.html',
  '/docs/made-of',
  '/docs/404',
  '/docs/..%2fmade-of',
  '/docs/guides/..%2f..%2f..%2fpackage.json',
  '/docs/.hidden',
  '/docs/a%00b',
  '/docs/A',
  `/docs/${'a'.repeat(300)}`,
])('%s returns the not-found page', async (path) => {
  const { status, headers, body: html } = await get(path)

  expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(html).toContain('<h1>Page not found</h1>')
})

test.each(['', 'errors', 'errors/', 'a/../b', '../a', '/a', 'a//b', '.a', 'a/.b', 'events/a.b', 'a.md', 'Ä'])(
  'no path leads outside the documentation folder: "%s"',
  (path) => {
    expect(nameOf(path)?.split('/') ?? []).not.toContain('..')
    expect(nameOf(path) ?? 'a').toMatch(/^[a-z0-9]/)
  },
)

test('if the documentation is not built, the response explains how to build it', async () => {
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
