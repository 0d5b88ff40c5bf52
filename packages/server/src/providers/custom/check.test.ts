// The check passes a conforming provider, and detects violations: each variant below makes the example violate
// one requirement, and there is such a variant for every requirement.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import {
  ExampleProvider,
  type ProviderResponse,
  serve,
} from '../../../../../examples/custom-provider/server.ts'
import type { Call } from '../../../../../examples/custom-provider/signature.ts'
import { startSimulator } from '../../../../simulator/src/index.ts'
import { createOutbound } from '../../platform/outbound/client.ts'
import { type CheckReport, type CheckSettings, checkProvider } from './check.ts'
import { type Signed, sign, verify } from './signature.ts'

const secret = 'psec_0123456789abcdef'

type Handle = (call: Call) => Promise<ProviderResponse>
/** Changes the behaviour of a provider. */
type Change = (original: Handle) => Handle
type Body = Record<string, unknown>

async function check(
  change: Change = (original) => original,
  settings: Partial<CheckSettings> = {},
): Promise<CheckReport> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-provider-'))
  const provider = new ExampleProvider({ secrets: [secret], journal: join(folder, 'journal') })
  const handle = change((call) => provider.handle(call))
  const server = serve({ handle }, 0)
  await once(server, 'listening')
  const sender = createOutbound({ allowCidrs: [], allowLoopback: true })
  onTestFinished(async () => {
    await sender.close()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/psp`
  const wait = () => Promise.resolve()
  return checkProvider({ sender, baseUrl, secret, mode: 'test', wait, ...settings })
}

const violationsIn = ({ results }: CheckReport) =>
  results.filter(({ status }) => status === 'violated').map(({ name }) => name)
const isPut = ({ method }: Call) => method === 'PUT'
const isGet = ({ method, path }: Call) => method === 'GET' && path.includes('/operations/')
const isClose = ({ path }: Call) => path.endsWith('/close')
const bodyOf = (call: Call): Body => JSON.parse(call.body || '{}')

/** The call with changes, signed as if Switchyard had sent it. */
function signedAgain(call: Call, changes: Partial<Call> = {}): Call {
  const { method, path, body } = { ...call, ...changes }
  return { method, path, body, signature: sign({ way: 'request', method, path, body }, [secret], new Date()) }
}

const record =
  (change: (body: Body, call: Call) => Body, only: (call: Call) => boolean = () => true): Change =>
  (original) =>
  async (call) => {
    const response = await original(call)
    const isRecord = 'reference' in response.body && only(call)
    return isRecord ? { ...response, body: change(response.body as Body, call) } : response
  }

function isGenuine(call: Call, now = new Date()): boolean {
  return verify({ way: 'request', ...call }, call.signature, { secrets: [secret], now }) === 'valid'
}

/** Accepts signatures of other requests. */
const accepts =
  (changes: Partial<Signed>): Change =>
  (original) =>
  async (call) => {
    const signed = {
      way: 'request',
      method: call.method,
      path: call.path,
      body: call.body,
      ...changes,
    } as const
    const path = changes.path === undefined ? call.path : call.path + changes.path
    const isGood =
      verify({ ...signed, path }, call.signature, { secrets: [secret], now: new Date() }) === 'valid'
    return original(isGood ? signedAgain(call) : call)
  }

/** Ignores the age of a signature. */
const ignoringTime: Change = (original) => async (call) => {
  const now = new Date(Number(/t=(\d+)/.exec(call.signature)?.[1]) * 1000)
  return original(isGenuine(call, now) ? signedAgain(call) : call)
}

const signature =
  (change: (text: string) => string): Change =>
  (original) =>
  (call) =>
    original({ ...call, signature: change(call.signature) })

/** Every PUT for which `isNew` is true becomes a separate operation under the same reference. */
const repeating =
  (isNew: (call: Call) => boolean): Change =>
  (original) => {
    const names = new Map<string, string>()
    return async (call) => {
      const reference = /\/operations\/([\w-]+)/.exec(call.path)?.[1]
      if (reference === undefined || !isGenuine(call)) return original(call)
      if (isPut(call) && isNew(call)) names.set(reference, `${reference}-${randomUUID().slice(0, 8)}`)
      const path = call.path.replace(reference, names.get(reference) ?? reference)
      const response = await original(signedAgain(call, { path }))
      return 'reference' in response.body ? { ...response, body: { ...response.body, reference } } : response
    }
  }

/** Records operations with a delay, so that concurrent repeats are processed too. */
const recordingLate: Change = (original) => {
  const finished = new Set<string>()
  const act = repeating(({ path }) => !finished.has(path))(original)
  return async (call) => {
    const response = await act(call)
    await sleep(isPut(call) ? 20 : 0)
    if (isPut(call)) finished.add(call.path)
    return response
  }
}

const changeResponse =
  (
    applies: (call: Call, response: ProviderResponse) => boolean,
    change: (response: ProviderResponse, call: Call) => ProviderResponse,
  ): Change =>
  (original) =>
  async (call) => {
    const response = await original(call)
    return applies(call, response) ? change(response, call) : response
  }

const kindIs = (kind: string) => (call: Call) => isPut(call) && bodyOf(call).kind === kind
const isDeclined = ({ body }: ProviderResponse) => 'status' in body && body.status === 'declined'
const approves = (kind: string) =>
  changeResponse(
    (call, response) => kindIs(kind)(call) && isDeclined(response),
    (response) => ({ status: 200, body: { ...response.body, status: 'succeeded' } }),
  )
const manifest = (change: (body: Body) => Body): Change =>
  changeResponse(
    ({ path }) => path.endsWith('/manifest'),
    ({ body }) => ({ status: 200, body: change(body as Body) }),
  )
const offers = (feature: string) =>
  manifest((body) => ({ ...body, features: { ...(body.features as Body), [feature]: true } }))
const both =
  (first: Change, second: Change): Change =>
  (original) =>
    second(first(original))

const noSignature = 'a request without a signature returns 401 and has no effect'
const closingUnknown = 'closing an unknown operation stores it as closed'
const processedOnce = 'an operation is processed, and its record matches the request'
const otherBody = 'a different body with the same reference returns 409 reference_reused'

// biome-ignore format: a table.
const variants: [string, string, Change][] = [
  ['ignores signatures',                noSignature, (original) => (call) => original(signedAgain(call))],
  ['processes and returns 401',         noSignature, (original) => async (call) => {
    const response = await original(call)
    if (response.status === 401) await original(signedAgain(call))
    return response
  }],
  ['accepts an empty signature',        'a request with an empty signature returns 401 and has no effect', (original) => (call) => original(call.signature === '' ? signedAgain(call) : call)],
  ['accepts any secret',                'a request signed with a different secret returns 401 and has no effect', (original) => (call) => original(/v1=/.test(call.signature) ? signedAgain(call) : call)],
  ['does not sign the body',            'a request signed for a different body returns 401 and has no effect', accepts({ body: '{}' })],
  ['does not sign the path',            'a request signed for another path returns 401 and has no effect', accepts({ path: '0' })],
  ['does not sign the method',          'a request signed for another method returns 401 and has no effect', accepts({ method: 'PATCH' })],
  ['accepts callback signatures',       'a request signed as a callback returns 401 and has no effect', accepts({ way: 'callback' })],
  ['accepts old signatures',            'a request signed ten minutes ago returns 401 and has no effect', ignoringTime],
  ['accepts future signatures',         'a request signed ten minutes in the future returns 401 and has no effect', ignoringTime],
  ['accepts signatures for a minute only', 'a signature made four minutes ago is accepted', (original) => (call) => {
    const age = Date.now() / 1000 - Number(/t=(\d+)/.exec(call.signature)?.[1])
    return original(age > 60 ? { ...call, signature: '' } : call)
  }],
  ['reads the first signature only',    'a signature that is the second of two is accepted', signature((text) => text.split(',').slice(0, 2).join(','))],
  ['rejects unknown signature versions', 'a signature next to signatures of unknown versions is accepted', signature((text) => (/v[02]=/.test(text) ? '' : text))],
  ['charges with every repeat',         'a repeated request returns the record of the first', repeating(() => true)],
  ['charges twice concurrently',        'concurrent repeated requests are processed once', recordingLate],
  ['refunds with every repeat',         'a repeated refund is processed once', repeating(kindIs('refund'))],
  ['ignores a different body',          otherBody, (original) => async (call) => {
    const response = await original(call)
    return response.status === 409 ? original(signedAgain(call, { method: 'GET', body: '' })) : response
  }],
  ['returns another code with 409',     otherBody, changeResponse((_, { status }) => status === 409, () => ({ status: 409, body: { error: { code: 'conflict' } } }))],
  ['changes the record despite 409',    otherBody, (original) => {
    const changed = new Map<string, unknown>()
    return async (call) => {
      const response = await original(call)
      if (isPut(call) && response.status === 409) changed.set(call.path, bodyOf(call).amount)
      return isGet(call) && changed.has(call.path) ? { ...response, body: { ...response.body, amount: changed.get(call.path) } } : response
    }
  }],
  ['does not find records',             'lookup returns the record', changeResponse((call, { status }) => isGet(call) && status === 200, () => ({ status: 404, body: {} }))],
  ['finds unknown operations',          'lookup of an unknown operation returns 404', changeResponse((call, { status }) => isGet(call) && status === 404, () => ({ status: 200, body: {} }))],
  ['does not store closed operations',  closingUnknown, (original) => async (call) => {
    if (!isClose(call)) return original(call)
    const found = await original(signedAgain(call, { method: 'GET', path: call.path.replace('/close', '') }))
    const reference = call.path.split('/').at(-2)
    return found.status === 404 ? { status: 200, body: { reference, status: 'closed' } } : original(call)
  }],
  ['processes closed operations',       'a closed operation is rejected with 409 operation_closed', changeResponse((call, { status }) => isPut(call) && status === 409, (_, call) => {
    const { reference, kind, amount, currency } = bodyOf(call)
    return { status: 200, body: { reference, kind, amount, currency, status: 'succeeded', provider_reference: 'x' } }
  })],
  ['returns 404 for closing',           closingUnknown, changeResponse((call, { body }) => isClose(call) && !('kind' in body), () => ({ status: 404, body: {} }))],
  ['closes succeeded operations',       'closing a succeeded operation changes nothing', record((body) => ({ ...body, status: 'closed' }), isClose)],
  ['returns amounts in euros',          'amounts in eur are returned unchanged', record((body) => ({ ...body, amount: Number(body.amount) / 100 }))],
  ['uses cents for yen',                'amounts in jpy are returned unchanged', record((body) => (body.currency === 'jpy' ? { ...body, amount: Number(body.amount) * 100 } : body))],
  ['uses cents for dinars',             'amounts in kwd are returned unchanged', record((body) => (body.currency === 'kwd' ? { ...body, amount: Math.round(Number(body.amount) / 10) } : body))],
  ['returns upper-case currencies',     processedOnce, record((body) => ({ ...body, currency: String(body.currency).toUpperCase() }))],
  ['returns a different reference',         processedOnce, record((body) => ({ ...body, reference: 'another-1' }))],
  ['omits the kind',                    processedOnce, record(({ kind: _, ...body }) => body)],
  ['omits its own reference',           processedOnce, record((body) => ({ ...body, provider_reference: null }))],
  ['returns 201',                       processedOnce, changeResponse(isPut, (response) => ({ ...response, status: response.status === 200 ? 201 : response.status }))],
  ['returns HTML',                      processedOnce, changeResponse(isPut, () => ({ status: 200, body: ['<html>'] }))],
  ['redirects',                         processedOnce, changeResponse(isPut, (response) => ({ ...response, status: 307 }))],
  ['stays pending',                     processedOnce, record((body) => ({ ...body, status: 'pending' }))],
  ['declines every card',               processedOnce, changeResponse(kindIs('authorize'), ({ body }) => ({ status: 200, body: { ...body, status: 'declined' } }))],
  ['rejects unknown members',           'unknown members are ignored', (original) => async (call) => ('a_future_member' in bodyOf(call) ? { status: 422, body: {} } : original(call))],
  ['cannot verify',                     'a card is verified without a charge', changeResponse(kindIs('verify'), ({ body }) => ({ status: 200, body: { ...body, status: 'declined' } }))],
  ['cannot capture',                    'an authorization can be captured partially', changeResponse(kindIs('capture'), ({ body }) => ({ status: 200, body: { ...body, status: 'declined' } }))],
  ['captures more than authorized',     'a capture cannot exceed the authorization', approves('capture')],
  ['captures voided authorizations',    'a voided authorization cannot be captured', approves('capture')],
  ['cannot refund',                     'a charge can be refunded', changeResponse(kindIs('refund'), ({ body }) => ({ status: 200, body: { ...body, status: 'declined' } }))],
  ['refunds more than captured',        'a charge can be refunded in parts, but not beyond its amount', approves('refund')],
  ['refunds unknown charges',           'an unknown charge cannot be refunded', approves('refund')],
  ['is unhealthy',                      'health returns 200', changeResponse(({ path }) => path.endsWith('/health'), () => ({ status: 500, body: {} }))],
  ['has an invalid manifest',           'the manifest is valid, and supports lookup and close', manifest((body) => ({ ...body, protocol: '1' }))],
  ['cannot close',                      'the manifest is valid, and supports lookup and close', manifest((body) => ({ ...body, features: { ...(body.features as Body), close: false } }))],
  ['completes unknown operations',      'completing an unknown operation is rejected', both(offers('complete'), (original) => async (call) => (call.path.endsWith('/complete') ? { status: 200, body: {} } : original(call)))],
  ['lists no operations',               'a list since a given time contains the later operations, on several pages', changeResponse(({ path }) => path.includes('/operations?'), () => ({ status: 200, body: { operations: [], next: null } }))],
  ['cannot delete tokens',              'deleting an unknown token succeeds', both(offers('tokens'), (original) => async (call) => (call.method === 'DELETE' ? { status: 500, body: {} } : original(call)))],
]

test('the example passes, and only requirements for unsupported features are skipped', async () => {
  const report = await check()

  expect(report).toMatchObject({ passed: true, manifest: { protocol: 1 } })
  expect(violationsIn(report)).toEqual([])
  expect(report.results.filter(({ status }) => status === 'skipped').map(({ name }) => name)).toEqual([
    'completing an unknown operation is rejected',
    'deleting an unknown token succeeds',
  ])
})

test.each(variants)('a provider that %s is detected', async (_, requirement, change) => {
  const report = await check(change)

  expect(report.passed).toBe(false)
  expect(violationsIn(report)).toContain(requirement)
  for (const { status, detail } of report.results) expect(detail !== null).toBe(status === 'violated')
})

test('there is a broken variant for every requirement', async () => {
  const { results } = await check()
  const violated = new Set(variants.map(([, requirement]) => requirement))

  expect(results.map(({ name }) => name).filter((name) => !violated.has(name))).toEqual([])
})

test('in live mode, or without a card, no operation that could move money is sent', async () => {
  const kinds: unknown[] = []
  const report = await check(
    (original) => async (call) => {
      if (isPut(call)) kinds.push(bodyOf(call).kind)
      return original(call)
    },
    { instrument: null },
  )

  expect(report.passed).toBe(true)
  expect(kinds).toEqual([])
  expect(report.results.find(({ name }) => name === noSignature)).toMatchObject({ status: 'met' })
  expect(report.results.find(({ name }) => name === processedOnce)).toMatchObject({ status: 'skipped' })
})

test('an unreachable provider is reported as such', async () => {
  const report = await check((original) => original, { baseUrl: 'http://127.0.0.1:1024' })

  expect(report).toMatchObject({
    passed: false,
    manifest: null,
    results: [{ status: 'violated', detail: 'GET /manifest got no response.' }],
  })
})

test('the simulator passes all requirements', async () => {
  const { url, stop } = await startSimulator({ accounts: [{ name: 'north', secrets: [secret] }] })
  onTestFinished(stop)

  const report = await check((original) => original, { baseUrl: `${url}/north` })

  expect(violationsIn(report)).toEqual([])
  expect(report.results.filter(({ status }) => status !== 'met')).toEqual([])
})
