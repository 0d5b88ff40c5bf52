import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import type { HttpContext } from './http-context.ts'
import { createServer } from './server.ts'

const switchyard = await switchyardForThisFile()

/** The client address that the server determines. */
async function clientAddress(trustProxy: HttpContext['trustProxy'], from: string, forwarded: string) {
  const app = createServer({ ...switchyard.httpContext('test'), trustProxy })
  app.get('/address', async (request) => request.ip)
  const headers = { 'x-forwarded-for': forwarded }
  const { body } = await app.inject({ method: 'GET', url: '/address', remoteAddress: from, headers })
  await app.close()
  return body
}

const proxies = ['10.0.0.0/8', 'fd00::/8', '192.0.2.1']

// biome-ignore format: a table.
test.each([
  ['no proxy is trusted',                         false,   '10.0.0.1',        '203.0.113.5',                    '10.0.0.1'],
  ['every proxy is trusted',                      true,    '198.51.100.7',    '1.1.1.1, 203.0.113.5',           '203.0.113.5'],
  ['the network of the proxy is listed',          proxies, '10.0.0.1',        '203.0.113.5',                    '203.0.113.5'],
  ['the address of the proxy is listed',          proxies, '192.0.2.1',       '203.0.113.5',                    '203.0.113.5'],
  ['an IPv4 proxy connects to an IPv6 socket',    proxies, '::ffff:10.0.0.1', '203.0.113.5',                    '203.0.113.5'],
  ['the proxy has an IPv6 address',               proxies, 'fd00::1',         '2001:db8::5',                    '2001:db8::5'],
  ['there are several proxies in a row',          proxies, '10.0.0.1',        '1.1.1.1, 203.0.113.5, 10.2.0.1', '203.0.113.5'],
  ['the client connects directly',                proxies, '198.51.100.7',    '203.0.113.5',                    '198.51.100.7'],
  ['an address next to that of a proxy connects', proxies, '192.0.2.2',       '203.0.113.5',                    '192.0.2.2'],
] as const)('the client address is correct if %s', async (_, trusted, from, forwarded, address) => {
  expect(await clientAddress(trusted, from, forwarded)).toBe(address)
})
