// Access tokens are fetched once, shared, replaced before they expire or when they are revoked, and never stored.

import { expect, test } from 'vitest'
import { monotonicMs } from '../kernel/clock.ts'
import type { OutboundReply, OutboundRequest } from '../platform/outbound/outbound.ts'
import type { HttpReply, Provider } from './contract.ts'
import { authorize } from './custom/fixtures/inputs.ts'
import { kit } from './custom/fixtures/kit.ts'
import { custom } from './custom/provider.ts'
import { createPerformer } from './perform.ts'

const timings = { durationMs: 1, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }
const answered = ({ status, body }: Pick<HttpReply, 'status' | 'body'>): OutboundReply => ({
  kind: 'answered',
  status,
  body,
  headers: {},
  truncated: false,
  timings,
  connectionReused: false,
  remoteIp: null,
})

const operate = custom.operations.authorize as NonNullable<Provider['operations']['authorize']>

/** The custom provider, but with an access token instead of a signature. */
const provider: Provider = {
  ...(custom as Provider),
  operations: {
    ...(custom as Provider).operations,
    authorize: {
      ...operate,
      build: (input, context) => ({
        ...operate.build(input, context),
        headers: { authorization: `Bearer ${context.accessToken}` },
      }),
    },
  },
  accessToken: {
    build: () => ({ method: 'POST', url: 'https://psp.example.com/token', headers: {}, body: 'grant' }),
    parse: ({ status, body }) => {
      if (status !== 200) throw new Error('No token.')
      return JSON.parse(body) as { token: string; expiresInSeconds: number }
    },
  },
}

type ProviderBehaviour = {
  readonly expiresInSeconds?: number
  readonly isValid?: (token: string) => boolean
  readonly tokenStatus?: number
  readonly echoesToken?: boolean
}

/** A provider that issues numbered tokens, and accepts those that `isValid` accepts. */
function setUp({
  expiresInSeconds = 3_600,
  isValid = () => true,
  tokenStatus = 200,
  echoesToken = false,
}: ProviderBehaviour = {}) {
  const sent: string[] = []
  let issued = 0
  const send = async (request: OutboundRequest): Promise<OutboundReply> => {
    if (request.url.endsWith('/token')) {
      issued += 1
      sent.push('token')
      return answered({
        status: tokenStatus,
        body: JSON.stringify({ token: `t${issued}`, expiresInSeconds }),
      })
    }
    const token = (request.headers.authorization ?? '').replace('Bearer ', '')
    sent.push(token)
    if (!isValid(token)) return answered({ status: 401, body: '{}' })
    const { status, body } = kit.approve(authorize)
    const echo = echoesToken ? { provider_reference: token } : {}
    return answered({ status, body: JSON.stringify({ ...JSON.parse(body), ...echo }) })
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const performer = createPerformer({ sender: { send }, log, hashKey: Buffer.alloc(32) })
  const perform = (config: object = kit.config) =>
    performer.perform({
      provider,
      step: 'authorize',
      input: authorize,
      account: { id: 'account_1', mode: 'test', config },
      deadlineMs: monotonicMs() + 10_000,
      isFirst: true,
    })
  return { sent, perform }
}

test('a token is fetched once and shared by concurrent and later calls', async () => {
  const { sent, perform } = setUp()
  const results = await Promise.all([perform(), perform(), perform()])
  await perform()

  expect(results.map(({ outcome }) => outcome.is)).toEqual(['succeeded', 'succeeded', 'succeeded'])
  expect(sent).toEqual(['token', 't1', 't1', 't1', 't1'])
})

test('a token that is about to expire is replaced', async () => {
  const { sent, perform } = setUp({ expiresInSeconds: 60 })
  await perform()
  await perform()
  expect(sent).toEqual(['token', 't1', 'token', 't2'])
})

test('a revoked token is replaced, and the request is sent again', async () => {
  let revoked = ''
  const { sent, perform } = setUp({ isValid: (token) => token !== revoked })
  await perform()
  revoked = 't1'
  expect((await perform()).outcome.is).toBe('succeeded')
  expect(sent).toEqual(['token', 't1', 't1', 'token', 't2'])
})

test('a provider that rejects a new token gets no further request', async () => {
  const { sent, perform } = setUp({ isValid: () => false })
  expect((await perform()).outcome.is).not.toBe('succeeded')
  expect(sent).toEqual(['token', 't1'])
})

test('after a repeat with a new token, a rejection does not prove that nothing was processed', async () => {
  let isAccepting = true
  const { sent, perform } = setUp({ isValid: () => isAccepting })
  await perform()
  isAccepting = false
  expect((await perform()).outcome).toMatchObject({
    is: 'unknown',
    fault: { code: 'provider_credentials_invalid' },
  })
  expect(sent).toEqual(['token', 't1', 't1', 'token', 't2'])
})

test('a token that the provider returns in a response is redacted', async () => {
  const { perform } = setUp({ echoesToken: true })
  expect((await perform()).outcome).toMatchObject({ is: 'succeeded', ref: '[redacted]' })
})

test('without a token the operation is not sent, and the error names the reason', async () => {
  const refused = setUp({ tokenStatus: 401 })
  expect((await refused.perform()).outcome).toMatchObject({
    is: 'not_sent',
    fault: { code: 'provider_credentials_invalid' },
  })
  const unavailable = setUp({ tokenStatus: 503 })
  expect((await unavailable.perform()).outcome).toMatchObject({
    is: 'not_sent',
    fault: { code: 'no_access_token' },
  })
  expect([...refused.sent, ...unavailable.sent]).toEqual(['token', 'token'])
})

test('different credentials get a different token', async () => {
  const { sent, perform } = setUp()
  await perform()
  await perform({ ...kit.config, secrets: ['psec_other'] })
  expect(sent).toEqual(['token', 't1', 'token', 't2'])
})
