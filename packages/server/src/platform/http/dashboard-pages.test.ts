import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { isLoopback, redirectOriginOf } from './dashboard-pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-dashboard-'))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'assets'))
const html = '<!doctype html><script type="module" src="/assets/index-01234567.js"></script>'
writeFileSync(join(folder, 'index.html'), html)
writeFileSync(join(folder, 'assets', 'index-01234567.js'), 'export {}')
writeFileSync(join(folder, 'assets', 'atkinson-next-400-01234567.woff2'), 'a font')
writeFileSync(join(folder, 'secret.txt'), 'secret')

const switchyard = await switchyardForThisFile({ environment: { DASHBOARD_PAGES: folder } })
const unbuilt = await switchyardForThisFile({ environment: { DASHBOARD_PAGES: join(folder, 'nowhere') } })
const { get } = switchyard.openBrowser()

test.each([
  '/',
  '/sign-in',
  '/join',
  '/workspace_01M7CYVGQTEAKSNTBFR026MPQ1/payments/payment_01M7CYVGQTEAKSNTBFR026MPQ1?tab=events',
  '/settings/people',
])('%s serves the page with its security headers', async (path) => {
  const { status, headers, body } = await get(path)

  const { live, test: staging } = switchyard.addresses
  expect([status, body]).toEqual([200, html])
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; frame-src 'self'; " +
      `connect-src 'self' ${live} ${staging}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; ` +
      "require-trusted-types-for 'script'; trusted-types 'none'",
  })
  expect(headers.get('set-cookie')).toBeNull()
  expect(headers.get('access-control-allow-origin')).toBeNull()
})

test.each([
  ['/assets/index-01234567.js', 'text/javascript; charset=utf-8'],
  ['/assets/atkinson-next-400-01234567.woff2', 'font/woff2'],
])('browsers cache %s forever', async (path, type) => {
  const { status, headers } = await get(path)

  expect([status, headers.get('content-type')]).toEqual([200, type])
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
})

test.each([
  '/assets/index-76543210.js',
  '/assets/..%2fsecret-01234567.js',
  '/assets/%2e%2e%2fsecret.txt',
  '/secret.txt',
  '/favicon.ico',
])('%s is not found', async (path) => {
  expect(await get(path)).toMatchObject({ status: 404, body: { code: 'unknown_path' } })
})

test('the dashboard serves no operation of the API, even with a token', async () => {
  const { token } = await switchyard.newWorkspace('live')
  const headers = { authorization: `Bearer ${token}` }

  const read = await get('/customers', { headers })
  const written = await switchyard.openBrowser().post('/customers', {}, { headers })

  expect(read.body).toBe(html)
  expect(written).toMatchObject({ status: 404, body: { code: 'unknown_path' } })
})

test('a loopback IP address redirects to the host name that has the session', async () => {
  const { port } = new URL(switchyard.dashboardUrl)

  const response = await fetch(`http://127.0.0.1:${port}/settings?tab=people`, { redirect: 'manual' })

  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe(`http://localhost:${port}/settings?tab=people`)
})

test.each([
  ['http://localhost:8083', '127.0.0.1:8083', 'http://localhost:8083'],
  ['http://localhost:8083', '[::1]:8083', 'http://localhost:8083'],
  ['http://localhost:8083', 'localhost:8083', null],
  ['http://localhost:8083', '127.0.0.1:9999', null],
  ['http://localhost:8083', 'evil.example:8083', null],
  ['https://dashboard.example.com', '127.0.0.1', null],
  ['http://localhost:8083', undefined, null],
  ['http://localhost:8083', 'not a host', null],
])('at %s, host %s redirects to %s', (url, host, origin) => {
  expect(redirectOriginOf(url, host)).toBe(origin)
})

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['[::1]', true],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example', false],
  ['10.0.0.1', false],
])('%s is a loopback host: %s', (name, expected) => {
  expect(isLoopback(name)).toBe(expected)
})

test('a dashboard that is not built returns an error', async () => {
  const { status, body } = await unbuilt.openBrowser().get('/')

  expect([status, body.code]).toEqual([503, 'page_not_built'])
  expect(body.detail).toContain('npm run build:dashboard')
})
