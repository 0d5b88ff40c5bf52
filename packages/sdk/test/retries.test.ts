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
  WrongCellError,
} from '../src/index.ts'
import { retryDelayMs } from '../src/retries.ts'
import { type Behaviour, errorResponse, startFaultyServer, unusedUrl } from './support/faulty-server.ts'

const switchyard = await switchyardForThisFile()

/** A client that reaches Switchyard through a server with scripted faults, and does not actually wait. */
async function connectThroughFaults(
  behaviours: readonly Behaviour[],
  options: Partial<SwitchyardOptions> = {},
) {
  const { address, token } = await switchyard.newWorkspace()
  const { url, requests } = await startFaultyServer(address, behaviours)
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const sy = new Switchyard({ token, baseUrl: url, sleep, ...options })
  const direct = new Switchyard({ token, baseUrl: address })
  const keys = () => requests.map(({ headers }) => headers['idempotency-key'])
  return { sy, direct, requests, waits, keys }
}

test.each<[string, Behaviour]>([
  ['a lost response', 'lose'],
  ['500', errorResponse('internal_error')],
  ['503', errorResponse('unavailable')],
  ['an HTML response of a gateway', { status: 502, body: '<h1>Bad gateway</h1>' }],
  ['a truncated response', 'cut'],
  ['409 because the key is in use', errorResponse('idempotency_key_in_use')],
  ['429', errorResponse('rate_limited')],
])(
  'after %s the same request is sent again with the same key, and takes effect once',
  async (_, behaviour) => {
    const { sy, direct, requests, keys } = await connectThroughFaults([behaviour, behaviour])

    const customer = await sy.customers.create({ name: 'Ada' })

    expect(requests).toHaveLength(3)
    expect(new Set(keys()).size).toBe(1)
    expect(keys()[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
    expect((await direct.customers.list().all({ max: 10 })).map(({ id }) => id)).toEqual([customer.id])
  },
)

test('each write has its own idempotency key, and a read or deletion has none', async () => {
  const { sy, keys } = await connectThroughFaults([])
  const { id } = await sy.customers.create({})
  await sy.customers.update(id, { name: 'Ada' })
  await sy.customers.get(id)
  await sy.customers.delete(id)

  const [create, update, ...others] = keys()

  expect(create).not.toBe(update)
  expect([typeof create, typeof update]).toEqual(['string', 'string'])
  expect(others).toEqual([undefined, undefined])
})

test('the client waits exactly as long as Retry-After says', async () => {
  const { sy, waits } = await connectThroughFaults([
    errorResponse('rate_limited', { 'retry-after': '7' }),
    errorResponse('overloaded', { 'retry-after': new Date(Date.now() + 30_000).toUTCString() }),
  ])

  await sy.me.get()

  expect(waits[0]).toBe(7_000)
  expect(waits[1]).toBeGreaterThan(25_000)
  expect(waits[1]).toBeLessThanOrEqual(30_000)
})

test('a Retry-After of an hour fails the call immediately', async () => {
  const { sy, requests } = await connectThroughFaults([
    errorResponse('rate_limited', { 'retry-after': '3600' }),
  ])

  const error = await sy.me.get().catch((thrown) => thrown)

  expect(error).toBeInstanceOf(RateLimitError)
  expect(error).toMatchObject({ code: 'rate_limited', retryable: true, retryAfterSeconds: 3600 })
  expect(requests).toHaveLength(1)
})

test('waits double from half a second up to eight seconds, and half of each wait is random', () => {
  const shortest = [1, 2, 3, 4, 5, 6].map((attempt) => retryDelayMs(attempt, null, () => 0))
  const longest = [1, 2, 3, 4, 5, 6].map((attempt) => retryDelayMs(attempt, null, () => 1))

  expect(shortest).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000])
  expect(longest).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000])
})

test('after the last retry, the last error is thrown with its class', async () => {
  const fails = (behaviour: Behaviour) => connectThroughFaults(Array(3).fill(behaviour))
  const { sy: failing, requests } = await fails(errorResponse('internal_error'))
  const { sy: busy } = await fails(errorResponse('idempotency_key_in_use'))

  const error = await failing.customers.create({}, { idempotencyKey: 'k' }).catch((thrown) => thrown)

  expect(error).toBeInstanceOf(ServerError)
  expect(error).toMatchObject({ status: 500, code: 'internal_error', idempotencyKey: 'k' })
  expect(requests).toHaveLength(3)
  await expect(busy.customers.create({})).rejects.toBeInstanceOf(StateError)
})

test('a permanent error is not retried', async () => {
  const { sy, requests } = await connectThroughFaults([
    errorResponse('invalid_state'),
    { status: 402, body: '' },
  ])

  await expect(sy.customers.create({})).rejects.toBeInstanceOf(StateError)
  await expect(sy.customers.create({})).rejects.toBeInstanceOf(DeclineError)
  expect(requests).toHaveLength(2)
})

test('a lost response is an unknown outcome, and a retry with its key returns the object that was created', async () => {
  const { sy, direct } = await connectThroughFaults(['lose', 'lose', 'lose'])

  const error = await sy.customers.create({ name: 'Ada' }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(UnknownOutcomeError)
  expect(error).toMatchObject({ status: null, code: null, retryable: true })
  expect(error.message).toContain(error.idempotencyKey)

  const repeated = await sy.customers.create({ name: 'Ada' }, { idempotencyKey: error.idempotencyKey })
  const existing = await direct.customers.list().all({ max: 10 })
  expect(repeated.$response.replayed).toBe(true)
  expect(existing.map(({ id }) => id)).toEqual([repeated.id])
})

test('the outcome stays unknown if the retry is rejected before its key is checked', async () => {
  const expired = errorResponse('token_expired')
  const { sy } = await connectThroughFaults(['lose', expired])
  const { sy: answered } = await connectThroughFaults(['hang', errorResponse('not_found')], {
    timeoutMs: 100,
  })

  await expect(sy.customers.create({})).rejects.toBeInstanceOf(UnknownOutcomeError)
  await expect(answered.customers.update('x', {})).rejects.toMatchObject({ name: 'NotFoundError' })
})

test('an attempt that times out is a lost response; for a read it is a plain timeout', async () => {
  const { sy } = await connectThroughFaults(['hang', 'hang'], { maxRetries: 0 })

  const write = sy.customers.create({}, { timeoutMs: 50 })
  await expect(write).rejects.toBeInstanceOf(UnknownOutcomeError)

  const read = await sy.me.get({ timeoutMs: 50 }).catch((thrown) => thrown)
  expect(read).toBeInstanceOf(ConnectionError)
  expect(read.message).toMatch(/No response to GET \S+ within 50 ms/)
})

test('a refused connection is not an unknown outcome, because nothing was sent', async () => {
  const sy = new Switchyard({ token: 'sk_test_x', baseUrl: await unusedUrl(), maxRetries: 0 })

  await expect(sy.customers.create({})).rejects.toMatchObject({ name: 'ConnectionError', retryable: true })
})

test('an aborted call ends with the reason of its signal, even during a wait', async () => {
  const { sy, requests } = await connectThroughFaults(['hang'])
  const { sy: waiting } = await connectThroughFaults(
    [errorResponse('unavailable', { 'retry-after': '30' })],
    {
      sleep: undefined,
    },
  )
  const reason = new Error('no longer needed')
  const stop = new AbortController()

  const calls = [sy.customers.create({}, { signal: stop.signal }), waiting.me.get({ signal: stop.signal })]
  const results = Promise.allSettled(calls)
  await expect.poll(() => requests.length).toBe(1)
  stop.abort(reason)

  expect(await results).toEqual(calls.map(() => ({ status: 'rejected', reason })))
  await expect(sy.me.get({ signal: stop.signal })).rejects.toBe(reason)
})

test('a redirect is not followed: it would turn a write into a read', async () => {
  const { sy, requests } = await connectThroughFaults([{ status: 301, headers: { location: '/customers' } }])

  await expect(sy.customers.create({})).rejects.toThrow('redirect (301)')
  expect(requests).toHaveLength(1)
})

test('a response that is not from Switchyard is an error that says so', async () => {
  const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' }
  const { sy } = await connectThroughFaults([page, page, page, { status: 404, body: 'no' }])

  await expect(sy.me.get()).rejects.toThrow('The response is not JSON')
  await expect(sy.me.get()).rejects.toMatchObject({ name: 'NotFoundError', code: null, problem: null })
})

test('onRequest is called for every attempt, and an error that it throws is ignored', async () => {
  const reports: object[] = []
  const onRequest = (report: object) => {
    reports.push(report)
    throw new Error('thrown by the listener')
  }
  const { sy } = await connectThroughFaults(['lose', errorResponse('unavailable')], { onRequest })

  const customer = await sy.customers.create({}, { idempotencyKey: 'k' })

  const { requestId } = customer.$response
  expect(reports).toMatchObject([
    { method: 'POST', attempt: 1, status: null, requestId: null, idempotencyKey: 'k' },
    { attempt: 2, status: 503 },
    { attempt: 3, status: 201, requestId, durationMs: expect.any(Number) },
  ])
})

test.each(['', 'with space', 'ü', 'x'.repeat(256)])(
  'the key "%s" is rejected before it is sent',
  async (key) => {
    const { sy, requests } = await connectThroughFaults([])

    await expect(sy.customers.create({}, { idempotencyKey: key })).rejects.toThrow('visible ASCII')
    expect(requests).toEqual([])
  },
)

/** A server that forwards to a new workspace, and one that names its address. */
async function connectToWrongCell(options: (address: string) => Partial<SwitchyardOptions>) {
  const { address, token } = await switchyard.newWorkspace()
  const right = await startFaultyServer(address, [])
  const body = JSON.stringify({
    code: 'wrong_cell',
    detail: 'The workspace is in another cell.',
    retryable: false,
    cell_address: right.url,
  })
  const wrong = await startFaultyServer(address, Array(3).fill({ status: 421, body }))
  const sy = new Switchyard({ token, baseUrl: wrong.url, ...options(right.url) })
  return { sy, right, wrong }
}

test.each([
  ['no cells', () => ({})],
  ['other cells', () => ({ cells: ['https://api.eu2.example.com'] })],
])(
  'with %s, a workspace of another cell is an error, and the token is not sent there',
  async (_, options) => {
    const { sy, right, wrong } = await connectToWrongCell(options)

    const error = await sy.customers.create({}).catch((reason) => reason)

    expect(error).toBeInstanceOf(WrongCellError)
    expect(error).toMatchObject({ code: 'wrong_cell', status: 421, cellAddress: right.url })
    // As its standard requires, `fetch` repeats a request with the response 421 once, on a new connection.
    expect([wrong.requests.length, right.requests.length]).toEqual([2, 0])
  },
)

test('a request is sent to a cell that the caller has listed, with the same key and once', async () => {
  const { sy, right, wrong } = await connectToWrongCell((address) => ({
    cells: [`${address}/`],
    maxRetries: 0,
  }))

  await sy.customers.create({ name: 'Ada' })

  expect([wrong.requests.length, right.requests.length]).toEqual([2, 1])
  const [before, after] = [wrong.requests[0], right.requests[0]]
  expect(after).toMatchObject({ method: 'POST', path: '/customers', body: before?.body })
  expect(after?.headers['idempotency-key']).toBe(before?.headers['idempotency-key'])
})
