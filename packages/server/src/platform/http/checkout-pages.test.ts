import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { policyOf } from './checkout-pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-pages-'))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'assets'))
const html =
  '<!doctype html><style>b{color:red}</style><script type="module" src="/checkout/assets/a-01234567.js"></script>'
writeFileSync(join(folder, 'index.html'), html)
writeFileSync(join(folder, 'assets', 'a-01234567.js'), 'export {}')
writeFileSync(join(folder, 'secret.txt'), 'secret')

const switchyard = await switchyardForThisFile({ environment: { CHECKOUT_PAGES: folder } })
const unbuilt = await switchyardForThisFile({ environment: { CHECKOUT_PAGES: join(folder, 'nowhere') } })
const open = (path: string) => switchyard.call('test', 'GET', path)

test.each(['/l/anything', '/c/checkout_session_test_01M7CYVSCBEAKS6M475NRJM4KW', '/c/x?payment_id=1'])(
  '%s serves the page with its security headers and without a token',
  async (path) => {
    const { status, headers, body } = await open(path)

    expect([status, body]).toEqual([200, html])
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'sha256-" +
        "ypIZpeWh67Lh3q46jpjGW7VCAJpmEqcFe8Dl5B2rXQU='; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
        "trusted-types 'none'",
    })
    expect(headers.get('set-cookie')).toBeNull()
  },
)

test('a page without inline styles loads styles only from its own origin', () => {
  expect(policyOf('<p>')).toContain("style-src 'self';")
})

test('browsers may cache assets forever', async () => {
  const { status, headers, body } = await open('/checkout/assets/a-01234567.js')

  expect([status, body]).toEqual([200, 'export {}'])
  expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
})

test.each(['b-01234567.js', 'secret.txt', '..%2fsecret.txt', '..%2Findex.html', 'a.js', '.'])(
  'a file that is not an asset is not served: %s',
  async (name) => {
    expect(await open(`/checkout/assets/${name}`)).toMatchObject({
      status: 404,
      body: { code: 'unknown_path' },
    })
  },
)

test.each(['br', 'gzip', 'identity'])(
  'the page is sent with encoding %s to clients that accept it',
  async (coding) => {
    const { status, headers, body } = await switchyard.call('test', 'GET', '/l/x', undefined, {
      headers: { 'accept-encoding': coding },
    })

    expect([status, body]).toEqual([200, html])
    expect(headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding)
    expect(headers.get('vary')).toContain('accept-encoding')
  },
)

test('opening the page makes no database query', async () => {
  await open('/l/x')
  const { control } = switchyard.deps.databases
  const before = control.stats()
  await Promise.all(Array.from({ length: 50 }, () => open('/l/x')))
  expect(control.stats()).toEqual(before)
})

test('a page that is not built returns an error with the build command', async () => {
  const { status, body } = await unbuilt.call('test', 'GET', '/l/x')

  expect([status, body.code]).toEqual([503, 'page_not_built'])
  expect(body.detail).toContain('npm run build:checkout')
})
