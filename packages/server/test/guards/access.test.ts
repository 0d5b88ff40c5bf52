// Role x operation, over real HTTP: what access.ts says is what happens. The grid is made from the
// operations themselves, so a new one is tested on the day it is written, and refused without a row.

import { Type } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { access } from '../../src/access.ts'
import type { Deps } from '../../src/deps.ts'
import { drawToken } from '../../src/domains/api-tokens/token.ts'
import { confirmation } from '../../src/domains/card-tokens/vault.ts'
import { roles } from '../../src/kernel/caller.ts'
import type { Mode } from '../../src/kernel/id.ts'
import { operationsOf } from '../../src/operations.ts'
import { audienceOf } from '../../src/platform/http/audience.ts'
import { operation as define, type Operation } from '../../src/platform/http/operation.ts'
import { addOperations, createServer } from '../../src/platform/http/server.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'
import { bodyOf, inventIds, pathWith } from './support/calls.ts'

// Behind a proxy each call may come from another address: wrong tokens of one address are soon slowed down.
// Whoever may send card numbers to production has to be able to, for the grid to tell.
const environment = { TRUST_PROXY: 'true', VAULT_LIVE: 'true' }
const switchyard = await switchyardForThisFile({ environment })
const operations = operationsOf({} as Deps)
const modes = ['test', 'live'] as const
const authorities = [...roles, 'publishable'] as const

/** Tokens that let nobody in, and what they are answered. */
const strangers = {
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
    for (const authority of authorities) keep(mode, authority, await workspace.tokenFor(authority))
    keep(mode, 'no token', null)
    keep(mode, 'a junk token', `sk_${mode}_junk`)
    keep(mode, 'a well-formed token that was never issued', drawToken('secret', mode))
    keep(mode, 'a revoked token', await revokedToken(workspace))
    keep(mode, 'an expired token', await expiringToken(workspace))
    keep(mode, 'a token of the other mode', workspaces[mode === 'test' ? 'live' : 'test'].token)
  }
  switchyard.clock.advance({ hours: 2 })
})

async function expiringToken({ post, get }: Workspace): Promise<string> {
  const input = { name: 'soon over', role: 'ADMIN', expires_at: '2026-11-14T13:00:00.000Z' }
  const { body } = await post('/api-tokens', input)
  expect((await get('/me', { token: body.token })).status).toBe(200)
  return body.token
}

async function revokedToken({ post, get }: Workspace): Promise<string> {
  const { body } = await post('/api-tokens', { name: 'revoked', role: 'ADMIN' })
  expect((await get('/me', { token: body.token })).status).toBe(200)
  await post(`/api-tokens/${body.id}/revoke`)
  return body.token
}

function keep(mode: Mode, who: string, token: string | null): void {
  tokens.set(`${mode} ${who}`, token)
}

const grid = modes.flatMap((mode) => operations.map((operation) => ({ mode, id: operation.id, operation })))

describe.each(grid)('$id in $mode', ({ mode, operation }) => {
  test.each(authorities)('as %s', async (authority) => {
    const { status, body } = await callAs(mode, operation, authority)

    if (audienceOf(access, operation.id, mode)?.includes(authority))
      // What production has not got is refused to everybody there, and says so.
      expect(body?.code === 'test_mode_only' || ![401, 403, 500].includes(status)).toBe(true)
    else {
      const code = authority === 'publishable' ? 'publishable_token_not_allowed' : 'role_not_allowed'
      expect([status, body.code]).toEqual([403, code])
    }
  })

  test.each(Object.entries(strangers))('with %s', async (stranger, code) => {
    const { status, headers, body } = await callAs(mode, operation, stranger)

    expect([status, body.code]).toEqual([401, code])
    expect(headers.get('www-authenticate')).toBe('Bearer')
  })
})

test('a token at the wrong address is told the right one', async () => {
  const [first] = operations as [Operation]

  const atStaging = await callAs('test', first, 'a token of the other mode')
  const atProduction = await callAs('live', first, 'a token of the other mode')

  expect(atStaging.body.detail).toContain(switchyard.addresses.live)
  expect(atProduction.body.detail).toContain(switchyard.addresses.test)
})

test('every operation has a row in access.ts, and every row an operation', () => {
  expect(Object.keys(access).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
  expect(operations.length).toBeGreaterThan(15)
})

/** What the table says, row by row and address by address. */
const rows = Object.keys(access).flatMap((id) =>
  modes.map((mode) => ({ id, mode, audience: audienceOf(access, id, mode) ?? [] })),
)

test('every row lets ADMIN in, but for what pages alone do in production, and names each role once', () => {
  for (const { id, audience } of rows) {
    expect(new Set(audience).size, id).toBe(audience.length)
    if (audience.join() !== 'publishable') expect(audience, id).toContain('ADMIN')
  }
  const forPagesAlone = rows.filter(({ audience }) => audience.join() === 'publishable')
  expect(forPagesAlone.map(({ id, mode }) => `${id} ${mode}`)).toEqual(
    ['public_checkout_sessions.confirm', 'public_checkout_sessions.get', 'tokens.create'].map(
      (id) => `${id} live`,
    ),
  )
})

test('who may write may read: no role is let in to change what it cannot see', () => {
  for (const { id, mode, audience } of rows) {
    const readable = audienceOf(access, `${id.split('.')[0]}.get`, mode) ?? audience
    expect(readable, id).toEqual(expect.arrayContaining([...audience]))
  }
})

test('an operation without a row is refused to everyone, ADMIN too', async () => {
  const site = switchyard.siteFor('test')
  const app = createServer(site)
  const nowhere = define({
    id: 'secrets.reveal',
    method: 'GET',
    path: '/secrets',
    summary: 'Not in access.ts',
    answer: Type.Object({}),
    present: () => ({}),
    verb: async () => ({}),
  })
  addOperations(app, site, [nowhere])

  const headers = { authorization: `Bearer ${tokens.get('test ADMIN')}` }
  const answer = await app.inject({ method: 'GET', url: '/secrets', headers })
  await app.close()

  expect(answer.statusCode).toBe(500)
  expect(answer.json()).toMatchObject({ code: 'internal_error' })
})

function callAs(mode: Mode, operation: Operation, who: string) {
  const path = pathWith(operation, inventIds(operation, mode))
  const token = tokens.get(`${mode} ${who}`) ?? null
  calls += 1
  const headers = { 'x-forwarded-for': `10.0.${calls >> 8}.${calls & 255}` }
  return switchyard.call(mode, operation.method, path, bodyOf(operation), { token, headers })
}
