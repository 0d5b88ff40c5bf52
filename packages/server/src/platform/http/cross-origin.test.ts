import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import type { Deps } from '../../deps.ts'
import { operationsOf } from '../../operations.ts'

const switchyard = await switchyardForThisFile()
const operations = operationsOf({} as Deps)
const modes = ['live', 'test'] as const

function preflight(mode: 'live' | 'test', path: string, method: string, origin: string) {
  const headers = {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization, content-type, idempotency-key, if-match',
  }
  return switchyard.call(mode, 'OPTIONS', path, undefined, { headers })
}

/** The items of a list header. */
const listItems = (text: string | null) => (text ?? '').split(', ').map((word) => word.toLowerCase())

test.each(modes)('the dashboard may call every operation, in %s', async (mode) => {
  for (const { method, path } of operations) {
    const response = await preflight(mode, path.replaceAll(/:[a-z_]+/g, 'x'), method, switchyard.dashboardUrl)

    expect(response.status, path).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe(switchyard.dashboardUrl)
    expect(response.headers.get('vary')).toBe('Origin')
    expect(listItems(response.headers.get('access-control-allow-methods'))).toContain(method.toLowerCase())
    expect(listItems(response.headers.get('access-control-allow-headers'))).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'idempotency-key',
        'if-match',
        'last-event-id',
      ]),
    )
    // Cookies are never allowed.
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  }
})

test.each(['https://evil.example', 'http://localhost:1', 'null', 'http://localhost.evil.example'])(
  'a page of %s may not call the API',
  async (origin) => {
    const preflightResponse = await preflight('live', '/customers', 'POST', origin)
    const { token } = await switchyard.newWorkspace('live')
    const response = await switchyard.call('live', 'GET', '/customers', undefined, {
      token,
      headers: { origin },
    })

    for (const { headers } of [preflightResponse, response])
      expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(preflightResponse.status).toBe(405)
    // The response depends on the origin, so caches must store them separately.
    expect(response.headers.get('vary')).toBe('Origin')
  },
)

test('the dashboard can read responses, errors, and the exposed headers', async () => {
  const { token } = await switchyard.newWorkspace('live')
  const headers = { origin: switchyard.dashboardUrl }
  const call = (path: string, token: string | null) =>
    switchyard.call('live', 'GET', path, undefined, { token, headers })

  const responses = [
    await call('/customers', token),
    await call('/customers', null),
    await call('/nothing', token),
  ]

  expect(responses.map(({ status }) => status)).toEqual([200, 401, 404])
  for (const response of responses) {
    expect(response.headers.get('access-control-allow-origin')).toBe(switchyard.dashboardUrl)
    expect(listItems(response.headers.get('access-control-expose-headers'))).toEqual(
      expect.arrayContaining(['request-id', 'retry-after', 'ratelimit', 'ratelimit-policy', 'etag']),
    )
  }
})

test('operations for payment pages stay open to every origin', async () => {
  const response = await preflight('test', '/tokens', 'POST', 'https://shop.example')

  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
})
