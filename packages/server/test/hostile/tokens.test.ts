import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { drawToken, isWellFormed } from '../../src/domains/api-tokens/token.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { ask } from './support/ask.ts'
import { expectHarmless } from './support/harmless.ts'
import { dial, head } from './support/wire.ts'

const switchyard = await switchyardForThisFile({
  environment: { RATE_LIMIT_TEST: '5', IN_FLIGHT_LIMIT: '10', TRUST_PROXY: 'true' },
})

/** Text that a stranger could take for a token: right at first sight, wrong in its check characters. */
function junk(): string {
  const letters = randomBytes(60)
    .toString('base64')
    .replaceAll(/[^0-9A-Za-z]/g, '')
  return `sk_test_${letters.padEnd(38, '0').slice(0, 38)}`
}

const askAs = (token: string, address: string) =>
  ask(switchyard.addresses.test, {
    method: 'GET',
    path: '/me',
    token,
    headers: { 'x-forwarded-for': address },
  })

describe('junk tokens', () => {
  beforeAll(() =>
    asOwner(switchyard.databaseUrl, (client) => client.query('create extension pg_stat_statements')),
  )

  const statements = () =>
    asOwner(switchyard.databaseUrl, async (client) => {
      const { rows } = await client.query<{ calls: number }>(
        `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements
         where dbid = (select oid from pg_database where datname = current_database())
           and userid <> current_user::regrole`,
      )
      return rows[0]?.calls ?? 0
    })

  test('100,000 of them are recognized as junk by their check characters alone', () => {
    const recognized = Array.from({ length: 100_000 }, junk).filter(isWellFormed)

    expect(recognized).toEqual([])
    expect(isWellFormed(drawToken('secret', 'test'))).toBe(true)
  })

  test('thousands of them over HTTP cause no query', async () => {
    const before = await statements()
    for (let round = 0; round < 40; round += 1) {
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, place) => askAs(junk(), `198.51.${round}.${place}`)),
      )
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]))
    }

    expect(await statements()).toBe(before)
    // The count does count: a token that could be ours is looked up.
    await askAs(drawToken('secret', 'test'), '198.51.100.1')
    expect(await statements()).toBeGreaterThan(before)
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
])('%s in Authorization is 401', async (_, authorization) => {
  const reply = await ask(switchyard.addresses.test, {
    method: 'GET',
    path: '/me',
    headers: { authorization, 'x-forwarded-for': '203.0.113.77' },
  })

  expectHarmless(reply)
  expect(reply).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
})

test('wrong tokens from one address are slowed down after 20; another address and tokens that called before are not', async () => {
  const { token, tokenFor } = await switchyard.newWorkspace()
  const never = await tokenFor('READ_ONLY')
  const attacker = '203.0.113.1'
  await askAs(token, '192.0.2.9')
  const statuses = []
  for (let guess = 0; guess < 25; guess += 1) {
    const wrong = guess % 2 === 0 ? junk() : drawToken('secret', 'test')
    statuses.push((await askAs(wrong, attacker)).status)
  }
  const slowed = await askAs(junk(), attacker)

  expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401))
  expect(statuses.slice(21)).toEqual(Array(4).fill(429))
  expect(slowed).toMatchObject({ status: 429, body: { code: 'rate_limited', retryable: true } })
  expect(Number(slowed.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  expect(Number(slowed.headers['retry-after'])).toBeLessThanOrEqual(3)
  expect(await askAs(junk(), '203.0.113.2')).toMatchObject({ status: 401 })
  expect(await askAs(token, attacker)).toMatchObject({ status: 200 })
  // One that nobody has seen yet would have to be looked up, like every guess: it waits, or comes from elsewhere.
  expect(await askAs(never, attacker)).toMatchObject({ status: 429 })
  expect(await askAs(never, '203.0.113.2')).toMatchObject({ status: 200 })
})

test('an address that a caller makes up in front of the one that our proxy saw does not count', async () => {
  const statuses = []
  for (let guess = 0; guess < 25; guess += 1) {
    statuses.push((await askAs(junk(), `192.0.2.${guess}, 203.0.113.3`)).status)
  }

  expect(statuses.slice(21)).toEqual(Array(4).fill(429))
})

test('a token that uses up its burst is told how much is left, and how long to wait', async () => {
  const { token } = await switchyard.newWorkspace()
  const replies = []
  for (let call = 0; call < 12; call += 1) replies.push(await askAs(token, '192.0.2.1'))

  const [first] = replies
  const refused = replies.find(({ status }) => status === 429)
  expect(first?.headers).toMatchObject({
    'ratelimit-policy': '"default";q=5;w=1',
    ratelimit: '"default";r=9;t=1',
  })
  expect(refused).toMatchObject({
    body: { code: 'rate_limited', retryable: true },
    headers: { 'retry-after': '1', 'ratelimit-policy': '"default";q=5;w=1', ratelimit: '"default";r=0;t=1' },
  })
})

test('a workspace that has 10 requests under way gets 429 for the eleventh, and others are not held up', async () => {
  const [busy, calm] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  // A token of its own: the rate limit goes by token, and ten is just its burst.
  const token = await busy.tokenFor('DEVELOPER')
  const open = await Promise.all(Array.from({ length: 10 }, () => openRequest(token)))

  await expect
    .poll(() => askAs(busy.token, '192.0.2.2').then(({ body }) => body.code), {
      timeout: 5_000,
      interval: 300,
    })
    .toBe('too_many_in_flight')
  expect(await askAs(calm.token, '192.0.2.3')).toMatchObject({ status: 200 })

  for (const socket of open) socket.destroy()
  await expect
    .poll(() => askAs(busy.token, '192.0.2.2').then(({ status }) => status), {
      timeout: 5_000,
      interval: 300,
    })
    .toBe(200)
})

/** Sends the head of a request and keeps the body back. */
async function openRequest(token: string) {
  const socket = await dial(switchyard.addresses.test)
  const fields = [`Authorization: Bearer ${token}`, 'Content-Type: application/json', 'Content-Length: 10']
  socket.on('error', () => {})
  socket.write(head('POST /customers HTTP/1.1', fields))
  return socket
}
