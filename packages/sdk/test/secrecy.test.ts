import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { Switchyard, type SwitchyardError } from '../src/index.ts'
import { errorResponse, startFaultyServer, unusedUrl } from './support/faulty-server.ts'

const secret = 'ThisIsTheSecretPartOfTheToken'
const token = `sk_test_${secret}`

const printed = (value: unknown) =>
  [inspect(value, { depth: 10, showHidden: true }), JSON.stringify(value), String(value)].join('\n')

test('printing the client or a part of it does not show the token', () => {
  const sy = new Switchyard({ token })

  expect(printed(sy)).not.toContain(secret)
  expect(inspect(sy)).toBe(
    'Switchyard {"baseUrl":"http://127.0.0.1:8081","version":"2026-11-14","token":"(hidden)"}',
  )
  expect(printed({ ...sy })).not.toContain(secret)
  expect(printed(sy.customers)).not.toContain(secret)
})

test('no error, report or response contains the token', async () => {
  const ok = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"object":"me"}' }
  const { url, requests } = await startFaultyServer('', [
    errorResponse('internal_error'),
    errorResponse('token_invalid'),
    'hang',
    ok,
  ])
  const reports: unknown[] = []
  const onRequest = (report: unknown) => reports.push(report)
  const sy = new Switchyard({ token, baseUrl: url, maxRetries: 0, onRequest })
  const thrown: SwitchyardError[] = []
  // The first two get responses; only the third one, which gets none, has to be aborted.
  for (const timeoutMs of [10_000, 10_000, 100])
    await sy.customers.create({}, { timeoutMs }).catch((error) => thrown.push(error))
  const response = await sy.me.get()
  const unreachable = new Switchyard({ token, baseUrl: await unusedUrl(), maxRetries: 0 })
  await unreachable.me.get().catch((error) => thrown.push(error))

  expect(requests[0]?.headers.authorization).toBe(`Bearer ${token}`)
  const names = ['ServerError', 'AuthenticationError', 'UnknownOutcomeError', 'ConnectionError']
  expect(thrown.map(({ name }) => name)).toEqual(names)
  for (const value of [...thrown, ...reports, response, response.$response])
    expect(printed(value)).not.toContain(secret)
})

test('a token that is invalid in a header is rejected without being quoted', () => {
  const create = () => new Switchyard({ token: `${token}\n` })

  expect(create).toThrow('contains invalid characters')
  expect(create).not.toThrow(secret)
})
