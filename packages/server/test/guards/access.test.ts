// Calls every operation with every role over HTTP and compares the result with access.ts. The cases are
// generated from the operations, so a new operation is tested automatically, and fails if access.ts has no
// row for it.

import { Type } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { access } from '../../src/access.ts'
import type { Deps } from '../../src/deps.ts'
import { generateToken } from '../../src/domains/access/api-tokens/token.ts'
import { confirmation } from '../../src/domains/payments/card-tokens/vault.ts'
import { roles } from '../../src/kernel/caller.ts'
import type { Mode } from '../../src/kernel/id.ts'
import { operationsOf } from '../../src/operations.ts'
import { audienceOf } from '../../src/platform/http/audience.ts'
import { operation as define, type Operation } from '../../src/platform/http/operation.ts'
import { addOperations, createServer } from '../../src/platform/http/server.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'
import { bodyOf, inventIds, pathWith } from './support/sample-requests.ts'

// With TRUST_PROXY each call can have its own client address. Without it, the calls with wrong tokens would
// be rate limited. VAULT_LIVE allows live card numbers.
const environment = { TRUST_PROXY: 'true', VAULT_LIVE: 'true' }
const switchyard = await switchyardForThisFile({ environment })
const operations = operationsOf({} as Deps)
const modes = ['test', 'live'] as const
const authorities = [...roles, 'publishable'] as const

/** Tokens that are rejected, and the error code of each. */
const rejectedTokens = {
  'no token': 'token_missing',
  'a junk token': 'token_invalid',
  'a well-formed token that was never issued': 'token_invalid',
  'an expired token': 'token_expired',
  'a revoked token': 'token_invalid',
  'a token of the other mode': 'token_wrong_address',
} as const

const tokens = new Map<string, string | null>()
let calls = 0

beforeAll(async () => {
  const workspaces = {
    test: await switchyard.newWorkspace('test'),
    live: await switchyard.newWorkspace('live'),
  }
  await workspaces.live.post('/vault/confirm', { confirmation })
  for (const mode of modes) {
    const workspace = workspaces[mode]
    for (const authority of authorities) storeToken(mode, authority, await workspace.tokenFor(authority))
    storeToken(mode, 'no token', null)
    storeToken(mode, 'a junk token', `sk_${mode}_junk`)
    storeToken(mode, 'a well-formed token that was never issued', generateToken('secret', mode))
    storeToken(mode, 'a revoked token', await createRevokedToken(workspace))
    storeToken(mode, 'an expired token', await createExpiringToken(workspace))
    storeToken(mode, 'a token of the other mode', workspaces[mode === 'test' ? 'live' : 'test'].token)
  }
  switchyard.clock.advance({ hours: 2 })
})

async function createExpiringToken({ post, get }: Workspace): Promise<string> {
  const input = { name: 'expires soon', role: 'ADMIN', expires_at: '2026-11-14T13:00:00.000Z' }
  const { body } = await post('/api-tokens', input)
  expect((await get('/me', { token: body.token })).status).toBe(200)
  return body.token
}

async function createRevokedToken({ post, get }: Workspace): Promise<string> {
  const { body } = await post('/api-tokens', { name: 'revoked', role: 'ADMIN' })
  expect((await get('/me', { token: body.token })).status).toBe(200)
  await post(`/api-tokens/${body.id}/revoke`)
  return body.token
}

function storeToken(mode: Mode, name: string, token: string | null): void {
  tokens.set(`${mode} ${name}`, token)
}

const grid = modes.flatMap((mode) => operations.map((operation) => ({ mode, id: operation.id, operation })))

describe.each(grid)('$id in $mode', ({ mode, operation }) => {
  test.each(authorities)('as %s: allowed or rejected as access.ts defines', async (authority) => {
    const { status, body } = await callAs(mode, operation, authority)

    if (audienceOf(access, operation.id, mode)?.includes(authority))
      // Operations that exist only in test mode are rejected for everyone in live mode, with a separate code.
      expect(body?.code === 'test_mode_only' || ![401, 403, 500].includes(status)).toBe(true)
    else {
      const code = authority === 'publishable' ? 'publishable_token_not_allowed' : 'role_not_allowed'
      expect([status, body.code]).toEqual([403, code])
    }
  })

  test.each(Object.entries(rejectedTokens))('with %s: rejected', async (tokenKind, code) => {
    const { status, headers, body } = await callAs(mode, operation, tokenKind)

    expect([status, body.code]).toEqual([401, code])
    expect(headers.get('www-authenticate')).toBe('Bearer')
  })
})

test('the error for a token at the wrong address contains the correct address', async () => {
  const [first] = operations as [Operation]

  const atTestAddress = await callAs('test', first, 'a token of the other mode')
  const atLiveAddress = await callAs('live', first, 'a token of the other mode')

  expect(atTestAddress.body.detail).toContain(switchyard.addresses.live)
  expect(atLiveAddress.body.detail).toContain(switchyard.addresses.test)
})

test('every operation has a row in access.ts, and every row belongs to an operation', () => {
  expect(Object.keys(access).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
  expect(operations.length).toBeGreaterThan(15)
})

/** The rows of the table, for each mode. */
const rows = Object.keys(access).flatMap((id) =>
  modes.map((mode) => ({ id, mode, audience: audienceOf(access, id, mode) ?? [] })),
)

test('every row lists each role once and includes ADMIN, except for live operations that only browsers call', () => {
  for (const { id, audience } of rows) {
    expect(new Set(audience).size, id).toBe(audience.length)
    if (audience.join() !== 'publishable') expect(audience, id).toContain('ADMIN')
  }
  const publishableOnly = rows.filter(({ audience }) => audience.join() === 'publishable')
  expect(publishableOnly.map(({ id, mode }) => `${id} ${mode}`)).toEqual(
    ['public_checkout_sessions.confirm', 'public_checkout_sessions.get', 'tokens.create'].map(
      (id) => `${id} live`,
    ),
  )
})

test('a role that may change an object may also read it', () => {
  for (const { id, mode, audience } of rows) {
    const readable = audienceOf(access, `${id.split('.')[0]}.get`, mode) ?? audience
    expect(readable, id).toEqual(expect.arrayContaining([...audience]))
  }
})

test('an operation without a row is rejected for everyone, including ADMIN', async () => {
  const context = switchyard.httpContext('test')
  const app = createServer(context)
  const unlisted = define({
    id: 'secrets.reveal',
    method: 'GET',
    path: '/secrets',
    summary: 'Not in access.ts',
    response: Type.Object({}),
    present: () => ({}),
    handle: async () => ({}),
  })
  addOperations(app, context, [unlisted])

  const headers = { authorization: `Bearer ${tokens.get('test ADMIN')}` }
  const response = await app.inject({ method: 'GET', url: '/secrets', headers })
  await app.close()

  expect(response.statusCode).toBe(500)
  expect(response.json()).toMatchObject({ code: 'internal_error' })
})

function callAs(mode: Mode, operation: Operation, tokenName: string) {
  const path = pathWith(operation, inventIds(operation, mode))
  const token = tokens.get(`${mode} ${tokenName}`) ?? null
  calls += 1
  const headers = { 'x-forwarded-for': `10.0.${calls >> 8}.${calls & 255}` }
  return switchyard.call(mode, operation.method, path, bodyOf(operation), { token, headers })
}
