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

/** The words of a header that lists some. */
const words = (text: string | null) => (text ?? '').split(', ').map((word) => word.toLowerCase())

test.each(modes)('the dashboard may call every operation, in %s', async (mode) => {
  for (const { method, path } of operations) {
    const answer = await preflight(mode, path.replaceAll(/:[a-z_]+/g, 'x'), method, switchyard.dashboardUrl)

    expect(answer.status, path).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe(switchyard.dashboardUrl)
    expect(answer.headers.get('vary')).toBe('Origin')
    expect(words(answer.headers.get('access-control-allow-methods'))).toContain(method.toLowerCase())
    expect(words(answer.headers.get('access-control-allow-headers'))).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'idempotency-key',
        'if-match',
        'last-event-id',
      ]),
    )
    // No cookie is ever sent along.
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  }
})

test.each(['https://evil.example', 'http://localhost:1', 'null', 'http://localhost.evil.example'])(
  '%s may not',
  async (origin) => {
    const asked = await preflight('live', '/customers', 'POST', origin)
    const { token } = await switchyard.newWorkspace('live')
    const answer = await switchyard.call('live', 'GET', '/customers', undefined, {
      token,
      headers: { origin },
    })

    for (const { headers } of [asked, answer]) expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(asked.status).toBe(405)
    // The answer depends on who asks, so a cache must keep them apart.
    expect(answer.headers.get('vary')).toBe('Origin')
  },
)

test('the dashboard can read answers, refusals, and what stands beside them', async () => {
  const { token } = await switchyard.newWorkspace('live')
  const headers = { origin: switchyard.dashboardUrl }
  const call = (path: string, by: string | null) =>
    switchyard.call('live', 'GET', path, undefined, { token: by, headers })

  const answers = [
    await call('/customers', token),
    await call('/customers', null),
    await call('/nothing', token),
  ]

  expect(answers.map(({ status }) => status)).toEqual([200, 401, 404])
  for (const answer of answers) {
    expect(answer.headers.get('access-control-allow-origin')).toBe(switchyard.dashboardUrl)
    expect(words(answer.headers.get('access-control-expose-headers'))).toEqual(
      expect.arrayContaining(['request-id', 'retry-after', 'ratelimit', 'ratelimit-policy', 'etag']),
    )
  }
})

test('what pages of payers call stays open to every origin', async () => {
  const answer = await preflight('test', '/tokens', 'POST', 'https://shop.example')

  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
})
