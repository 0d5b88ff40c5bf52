import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { Switchyard, type SwitchyardError } from '../src/index.ts'
import { deadAddress, refusal, standInFor } from './support/stand-in.ts'

const secret = 'ThisIsTheSecretPartOfTheToken'
const token = `sk_test_${secret}`

const shown = (value: unknown) =>
  [inspect(value, { depth: 10, showHidden: true }), JSON.stringify(value), String(value)].join('\n')

test('printing the client or a part of it does not show the token', () => {
  const sy = new Switchyard({ token })

  expect(shown(sy)).not.toContain(secret)
  expect(inspect(sy)).toBe(
    'Switchyard {"baseUrl":"http://127.0.0.1:8081","version":"2026-11-14","token":"(hidden)"}',
  )
  expect(shown({ ...sy })).not.toContain(secret)
  expect(shown(sy.customers)).not.toContain(secret)
})

test('no error, report or answer holds the token', async () => {
  const ok = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"object":"me"}' }
  const { url, seen } = await standInFor('', [
    refusal('internal_error'),
    refusal('token_invalid'),
    'hang',
    ok,
  ])
  const reports: unknown[] = []
  const onRequest = (report: unknown) => reports.push(report)
  const sy = new Switchyard({ token, baseUrl: url, maxRetries: 0, onRequest })
  const thrown: SwitchyardError[] = []
  // The first two are answered; only the third, which never is, has to be given up.
  for (const timeoutMs of [10_000, 10_000, 100])
    await sy.customers.create({}, { timeoutMs }).catch((error) => thrown.push(error))
  const answer = await sy.me.get()
  const unreachable = new Switchyard({ token, baseUrl: await deadAddress(), maxRetries: 0 })
  await unreachable.me.get().catch((error) => thrown.push(error))

  expect(seen[0]?.headers.authorization).toBe(`Bearer ${token}`)
  const names = ['ServerError', 'AuthenticationError', 'UnknownOutcomeError', 'ConnectionError']
  expect(thrown.map(({ name }) => name)).toEqual(names)
  for (const value of [...thrown, ...reports, answer, answer.$response])
    expect(shown(value)).not.toContain(secret)
})

test('a token that no header can carry is refused without being quoted', () => {
  const refuse = () => new Switchyard({ token: `${token}\n` })

  expect(refuse).toThrow('characters that no token has')
  expect(refuse).not.toThrow(secret)
})
