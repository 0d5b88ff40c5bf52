import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import {
  ConnectionError,
  DeclineError,
  RateLimitError,
  ServerError,
  StateError,
  Switchyard,
  type SwitchyardOptions,
  UnknownOutcomeError,
} from '../src/index.ts'
import { waitMs } from '../src/retries.ts'
import { type Behaviour, deadAddress, refusal, standInFor } from './support/stand-in.ts'

const switchyard = await switchyardForThisFile()

/** A client that reaches Switchyard through a server that misbehaves first, and does not really wait. */
async function through(behaviours: readonly Behaviour[], options: Partial<SwitchyardOptions> = {}) {
  const { address, token } = await switchyard.newWorkspace()
  const { url, seen } = await standInFor(address, behaviours)
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const sy = new Switchyard({ token, baseUrl: url, sleep, ...options })
  const direct = new Switchyard({ token, baseUrl: address })
  const keys = () => seen.map(({ headers }) => headers['idempotency-key'])
  return { sy, direct, seen, waits, keys }
}

test.each<[string, Behaviour]>([
  ['a lost answer', 'lose'],
  ['500', refusal('internal_error')],
  ['503', refusal('unavailable')],
  ['a gateway that speaks HTML', { status: 502, body: '<h1>Bad gateway</h1>' }],
  ['an answer that breaks off', 'cut'],
  ['409 of a key in use', refusal('idempotency_key_in_use')],
  ['429', refusal('rate_limited')],
])('after %s the same request is sent again under the same key, and has one effect', async (_, behaviour) => {
  const { sy, direct, seen, keys } = await through([behaviour, behaviour])

  const customer = await sy.customers.create({ name: 'Ada' })

  expect(seen).toHaveLength(3)
  expect(new Set(keys()).size).toBe(1)
  expect(keys()[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(new Set(seen.map(({ body }) => body)).size).toBe(1)
  expect((await direct.customers.list().all({ max: 10 })).map(({ id }) => id)).toEqual([customer.id])
})

test('each call has a key of its own, a change too, and a read or deletion none', async () => {
  const { sy, keys } = await through([])
  const { id } = await sy.customers.create({})
  await sy.customers.update(id, { name: 'Ada' })
  await sy.customers.get(id)
  await sy.customers.delete(id)

  const [create, update, ...others] = keys()

  expect(create).not.toBe(update)
  expect([typeof create, typeof update]).toEqual(['string', 'string'])
  expect(others).toEqual([undefined, undefined])
})

test('Retry-After is waited for, and nothing else', async () => {
  const { sy, waits } = await through([
    refusal('rate_limited', { 'retry-after': '7' }),
    refusal('overloaded', { 'retry-after': new Date(Date.now() + 30_000).toUTCString() }),
  ])

  await sy.me.get()

  expect(waits[0]).toBe(7_000)
  expect(waits[1]).toBeGreaterThan(25_000)
  expect(waits[1]).toBeLessThanOrEqual(30_000)
})

test('who is asked to wait for an hour is told so instead', async () => {
  const { sy, seen } = await through([refusal('rate_limited', { 'retry-after': '3600' })])

  const error = await sy.me.get().catch((thrown) => thrown)

  expect(error).toBeInstanceOf(RateLimitError)
  expect(error).toMatchObject({ code: 'rate_limited', retryable: true, retryAfterSeconds: 3600 })
  expect(seen).toHaveLength(1)
})

test('waits double from half a second to eight seconds, half of them drawn', () => {
  const shortest = [1, 2, 3, 4, 5, 6].map((tries) => waitMs(tries, null, () => 0))
  const longest = [1, 2, 3, 4, 5, 6].map((tries) => waitMs(tries, null, () => 1))

  expect(shortest).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000])
  expect(longest).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000])
})

test('retries end: the last refusal is thrown with its class', async () => {
  const fails = (behaviour: Behaviour) => through(Array(3).fill(behaviour))
  const { sy: broken, seen } = await fails(refusal('internal_error'))
  const { sy: busy } = await fails(refusal('idempotency_key_in_use'))

  const error = await broken.customers.create({}, { idempotencyKey: 'k' }).catch((thrown) => thrown)

  expect(error).toBeInstanceOf(ServerError)
  expect(error).toMatchObject({ status: 500, code: 'internal_error', idempotencyKey: 'k' })
  expect(seen).toHaveLength(3)
  await expect(busy.customers.create({})).rejects.toBeInstanceOf(StateError)
})

test('what cannot pass is not tried again', async () => {
  const { sy, seen } = await through([refusal('invalid_state'), { status: 402, body: '' }])

  await expect(sy.customers.create({})).rejects.toBeInstanceOf(StateError)
  await expect(sy.customers.create({})).rejects.toBeInstanceOf(DeclineError)
  expect(seen).toHaveLength(2)
})

test('a lost answer is an unknown outcome, and its key gets the one object', async () => {
  const { sy, direct } = await through(['lose', 'lose', 'lose'])

  const error = await sy.customers.create({ name: 'Ada' }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(UnknownOutcomeError)
  expect(error).toMatchObject({ status: null, code: null, retryable: true })
  expect(error.message).toContain(error.idempotencyKey)

  const repeated = await sy.customers.create({ name: 'Ada' }, { idempotencyKey: error.idempotencyKey })
  const existing = await direct.customers.list().all({ max: 10 })
  expect(repeated.$response.replayed).toBe(true)
  expect(existing.map(({ id }) => id)).toEqual([repeated.id])
})

test('a lost answer stays unknown when the repeat is refused before its key is looked at', async () => {
  const refused = refusal('token_expired')
  const { sy } = await through(['lose', refused])
  const { sy: settled } = await through(['hang', refusal('not_found')], { timeoutMs: 100 })

  await expect(sy.customers.create({})).rejects.toBeInstanceOf(UnknownOutcomeError)
  await expect(settled.customers.update('x', {})).rejects.toMatchObject({ name: 'NotFoundError' })
})

test('a try that takes too long is a lost answer; a read says so plainly', async () => {
  const { sy } = await through(['hang', 'hang'], { maxRetries: 0 })

  const write = sy.customers.create({}, { timeoutMs: 50 })
  await expect(write).rejects.toBeInstanceOf(UnknownOutcomeError)

  const read = await sy.me.get({ timeoutMs: 50 }).catch((thrown) => thrown)
  expect(read).toBeInstanceOf(ConnectionError)
  expect(read.message).toMatch(/got no answer within 50 ms/)
})

test('where nothing listens, nothing was sent: the outcome is known', async () => {
  const sy = new Switchyard({ token: 'sk_test_x', baseUrl: await deadAddress(), maxRetries: 0 })

  await expect(sy.customers.create({})).rejects.toMatchObject({ name: 'ConnectionError', retryable: true })
})

test('an aborted call ends with the reason of its signal, also while it waits', async () => {
  const { sy, seen } = await through(['hang'])
  const { sy: waiting } = await through([refusal('unavailable', { 'retry-after': '30' })], {
    sleep: undefined,
  })
  const reason = new Error('no longer needed')
  const stop = new AbortController()

  const calls = [sy.customers.create({}, { signal: stop.signal }), waiting.me.get({ signal: stop.signal })]
  const ended = Promise.allSettled(calls)
  await expect.poll(() => seen.length).toBe(1)
  stop.abort(reason)

  expect(await ended).toEqual(calls.map(() => ({ status: 'rejected', reason })))
  await expect(sy.me.get({ signal: stop.signal })).rejects.toBe(reason)
})

test('a redirect is not followed: it would turn a write into a read', async () => {
  const { sy, seen } = await through([{ status: 301, headers: { location: '/customers' } }])

  await expect(sy.customers.create({})).rejects.toThrow('redirect (301)')
  expect(seen).toHaveLength(1)
})

test('an address that is no Switchyard is named as the likely fault', async () => {
  const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' }
  const { sy } = await through([page, page, page, { status: 404, body: 'no' }])

  await expect(sy.me.get()).rejects.toThrow('The answer is not JSON')
  await expect(sy.me.get()).rejects.toMatchObject({ name: 'NotFoundError', code: null, problem: null })
})

test('every try is reported, and a listener that throws changes nothing', async () => {
  const reports: object[] = []
  const onRequest = (report: object) => {
    reports.push(report)
    throw new Error('of the listener')
  }
  const { sy } = await through(['lose', refusal('unavailable')], { onRequest })

  const customer = await sy.customers.create({}, { idempotencyKey: 'k' })

  const { requestId } = customer.$response
  expect(reports).toMatchObject([
    { method: 'POST', attempt: 1, status: null, requestId: null, idempotencyKey: 'k' },
    { attempt: 2, status: 503 },
    { attempt: 3, status: 201, requestId, durationMs: expect.any(Number) },
  ])
})

test.each(['', 'with space', 'ü', 'x'.repeat(256)])(
  'the key "%s" is refused before it is sent',
  async (key) => {
    const { sy, seen } = await through([])

    await expect(sy.customers.create({}, { idempotencyKey: key })).rejects.toThrow('visible ASCII')
    expect(seen).toEqual([])
  },
)
