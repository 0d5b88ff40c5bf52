import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { generateToken, isWellFormed } from '../../src/domains/access/api-tokens/token.ts'
import { asOwner } from '../support/owner.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { sendRawRequest } from './support/raw-request.ts'
import { openSocket, requestHead } from './support/raw-socket.ts'
import { expectSafeResponse } from './support/response-expectations.ts'

const switchyard = await switchyardForThisFile({
  environment: { RATE_LIMIT_TEST: '5', IN_FLIGHT_LIMIT: '10', TRUST_PROXY: 'true' },
})

/** A string that looks like a token, but has wrong check characters. */
function createJunkToken(): string {
  const letters = randomBytes(60)
    .toString('base64')
    .replaceAll(/[^0-9A-Za-z]/g, '')
  return `sk_test_${letters.padEnd(38, '0').slice(0, 38)}`
}

const callWithToken = (token: string, address: string) =>
  sendRawRequest(switchyard.addresses.test, {
    method: 'GET',
    path: '/me',
    token,
    headers: { 'x-forwarded-for': address },
  })

describe('junk tokens', () => {
  beforeAll(() =>
    asOwner(switchyard.databaseUrl, (client) => client.query('create extension pg_stat_statements')),
  )

  const countStatements = () =>
    asOwner(switchyard.databaseUrl, async (client) => {
      const { rows } = await client.query<{ calls: number }>(
        `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements
         where dbid = (select oid from pg_database where datname = current_database())
           and userid <> current_user::regrole`,
      )
      return rows[0]?.calls ?? 0
    })

  test('100,000 of them are rejected because of their check characters', () => {
    const recognized = Array.from({ length: 100_000 }, createJunkToken).filter(isWellFormed)

    expect(recognized).toEqual([])
    expect(isWellFormed(generateToken('secret', 'test'))).toBe(true)
  })

  test('thousands of them over HTTP cause no database query', async () => {
    const before = await countStatements()
    for (let round = 0; round < 40; round += 1) {
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          callWithToken(createJunkToken(), `198.51.${round}.${index}`),
        ),
      )
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401]))
    }

    expect(await countStatements()).toBe(before)
    // A token with valid check characters is looked up, which proves that statements are counted.
    await callWithToken(generateToken('secret', 'test'), '198.51.100.1')
    expect(await countStatements()).toBeGreaterThan(before)
  })
})

test.each([
  ['nothing', ''],
  ['another scheme', 'Basic c2tfdGVzdDo='],
  ['a scheme only', 'Bearer'],
  ['a scheme and spaces', 'Bearer     '],
  ['two tokens', 'Bearer a b'],
  ['16 KB of spaces', `Bearer ${' '.repeat(15_000)}x`],
  ['a long token', `Bearer ${'s'.repeat(15_000)}`],
  ['bytes beyond ASCII', 'Bearer sk_test_\u00e9\u00ff'],
])('%s in the Authorization header returns 401', async (_, authorization) => {
  const response = await sendRawRequest(switchyard.addresses.test, {
    method: 'GET',
    path: '/me',
    headers: { authorization, 'x-forwarded-for': '203.0.113.77' },
  })

  expectSafeResponse(response)
  expect(response).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
})

test('after 20 wrong tokens from one address, wrong tokens get 429, but valid tokens are still accepted', async () => {
  const { token, tokenFor } = await switchyard.newWorkspace()
  const unusedToken = await tokenFor('READ_ONLY')
  const attacker = '203.0.113.1'
  await callWithToken(token, '192.0.2.9')
  const statuses = []
  for (let guess = 0; guess < 25; guess += 1) {
    const wrong = guess % 2 === 0 ? createJunkToken() : generateToken('secret', 'test')
    statuses.push((await callWithToken(wrong, attacker)).status)
  }
  const limited = await callWithToken(createJunkToken(), attacker)

  expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401))
  expect(statuses.slice(21)).toEqual(Array(4).fill(429))
  expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited', retryable: true } })
  expect(Number(limited.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  expect(Number(limited.headers['retry-after'])).toBeLessThanOrEqual(3)
  expect(await callWithToken(createJunkToken(), '203.0.113.2')).toMatchObject({ status: 401 })
  expect(await callWithToken(token, attacker)).toMatchObject({ status: 200 })
  expect(await callWithToken(unusedToken, attacker)).toMatchObject({ status: 200 })
})

test('addresses that a client adds to X-Forwarded-For do not change its rate limit', async () => {
  const statuses = []
  for (let guess = 0; guess < 25; guess += 1) {
    statuses.push((await callWithToken(createJunkToken(), `192.0.2.${guess}, 203.0.113.3`)).status)
  }

  expect(statuses.slice(21)).toEqual(Array(4).fill(429))
})

test('responses contain the remaining burst, and after it is used up, how long to wait', async () => {
  const { token } = await switchyard.newWorkspace()
  const responses = []
  for (let call = 0; call < 12; call += 1) responses.push(await callWithToken(token, '192.0.2.1'))

  const [first] = responses
  const rejected = responses.find(({ status }) => status === 429)
  expect(first?.headers).toMatchObject({
    'ratelimit-policy': '"default";q=5;w=1',
    ratelimit: '"default";r=9;t=1',
  })
  expect(rejected).toMatchObject({
    body: { code: 'rate_limited', retryable: true },
    headers: { 'retry-after': '1', 'ratelimit-policy': '"default";q=5;w=1', ratelimit: '"default";r=0;t=1' },
  })
})

test('a workspace with 10 requests in progress gets 429 for the eleventh, and other workspaces are not affected', async () => {
  const [busy, idle] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  // Use another token for these requests, because the rate limit is per token and its burst is exactly ten.
  const token = await busy.tokenFor('DEVELOPER')
  const openRequests = await Promise.all(Array.from({ length: 10 }, () => openRequest(token)))

  await expect
    .poll(() => callWithToken(busy.token, '192.0.2.2').then(({ body }) => body.code), {
      timeout: 5_000,
      interval: 300,
    })
    .toBe('too_many_in_flight')
  expect(await callWithToken(idle.token, '192.0.2.3')).toMatchObject({ status: 200 })

  for (const socket of openRequests) socket.destroy()
  await expect
    .poll(() => callWithToken(busy.token, '192.0.2.2').then(({ status }) => status), {
      timeout: 5_000,
      interval: 300,
    })
    .toBe(200)
})

/** Sends the head of a request without its body. */
async function openRequest(token: string) {
  const socket = await openSocket(switchyard.addresses.test)
  const fields = [`Authorization: Bearer ${token}`, 'Content-Type: application/json', 'Content-Length: 10']
  socket.on('error', () => {})
  socket.write(requestHead('POST /customers HTTP/1.1', fields))
  return socket
}
