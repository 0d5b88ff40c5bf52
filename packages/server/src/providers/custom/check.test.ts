// The check lets a good provider pass, and finds what is wrong with one that is not: each variant below breaks
// one promise of the example, and every duty is broken by one of them.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Answer, OwnProvider, serve } from '../../../../../examples/custom-provider/server.ts'
import type { Call } from '../../../../../examples/custom-provider/signature.ts'
import { startSimulator } from '../../../../simulator/src/index.ts'
import { createOutbound } from '../../platform/outbound/client.ts'
import { type CheckReport, type CheckSettings, checkProvider } from './check.ts'
import { type Signed, sign, verify } from './signature.ts'

const secret = 'psec_0123456789abcdef'

type Handle = (call: Call) => Promise<Answer>
/** A provider that does something else than the one it has. */
type Break = (own: Handle) => Handle
type Body = Record<string, unknown>

async function check(
  broken: Break = (own) => own,
  settings: Partial<CheckSettings> = {},
): Promise<CheckReport> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-provider-'))
  const provider = new OwnProvider({ secrets: [secret], journal: join(folder, 'journal') })
  const handle = broken((call) => provider.handle(call))
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

const brokenIn = ({ results }: CheckReport) =>
  results.filter(({ is }) => is === 'broken').map(({ name }) => name)
const isPut = ({ method }: Call) => method === 'PUT'
const isGet = ({ method, path }: Call) => method === 'GET' && path.includes('/operations/')
const isClose = ({ path }: Call) => path.endsWith('/close')
const bodyOf = (call: Call): Body => JSON.parse(call.body || '{}')

/** The call with changes, signed as if Switchyard had sent it so. */
function resigned(call: Call, changes: Partial<Call> = {}): Call {
  const { method, path, body } = { ...call, ...changes }
  return { method, path, body, signature: sign({ way: 'request', method, path, body }, [secret], new Date()) }
}

const record =
  (change: (body: Body, call: Call) => Body, only: (call: Call) => boolean = () => true): Break =>
  (own) =>
  async (call) => {
    const answer = await own(call)
    const isRecord = 'reference' in answer.body && only(call)
    return isRecord ? { ...answer, body: change(answer.body as Body, call) } : answer
  }

function isGenuine(call: Call, now = new Date()): boolean {
  return verify({ way: 'request', ...call }, call.signature, { secrets: [secret], now }) === 'valid'
}

/** Takes a signature for good that was made for something else. */
const accepts =
  (changes: Partial<Signed>): Break =>
  (own) =>
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
    return own(isGood ? resigned(call) : call)
  }

/** Does not look at how old a signature is, one way or the other. */
const timeless: Break = (own) => async (call) => {
  const now = new Date(Number(/t=(\d+)/.exec(call.signature)?.[1]) * 1000)
  return own(isGenuine(call, now) ? resigned(call) : call)
}

const signature =
  (change: (text: string) => string): Break =>
  (own) =>
  (call) =>
    own({ ...call, signature: change(call.signature) })

/** Every PUT that `isNew` becomes an operation of its own, behind the reference that we know. */
const forgetful =
  (isNew: (call: Call) => boolean): Break =>
  (own) => {
    const names = new Map<string, string>()
    return async (call) => {
      const reference = /\/operations\/([\w-]+)/.exec(call.path)?.[1]
      if (reference === undefined || !isGenuine(call)) return own(call)
      if (isPut(call) && isNew(call)) names.set(reference, `${reference}-${randomUUID().slice(0, 8)}`)
      const path = call.path.replace(reference, names.get(reference) ?? reference)
      const answer = await own(resigned(call, { path }))
      return 'reference' in answer.body ? { ...answer, body: { ...answer.body, reference } } : answer
    }
  }

/** Remembers what it did, but only a moment later. */
const racing: Break = (own) => {
  const finished = new Set<string>()
  const act = forgetful(({ path }) => !finished.has(path))(own)
  return async (call) => {
    const answer = await act(call)
    await sleep(isPut(call) ? 20 : 0)
    if (isPut(call)) finished.add(call.path)
    return answer
  }
}

const onAnswer =
  (of: (call: Call, answer: Answer) => boolean, change: (answer: Answer, call: Call) => Answer): Break =>
  (own) =>
  async (call) => {
    const answer = await own(call)
    return of(call, answer) ? change(answer, call) : answer
  }

const kindIs = (kind: string) => (call: Call) => isPut(call) && bodyOf(call).kind === kind
const isDeclined = ({ body }: Answer) => 'status' in body && body.status === 'declined'
const approves = (kind: string) =>
  onAnswer(
    (call, answer) => kindIs(kind)(call) && isDeclined(answer),
    (answer) => ({ status: 200, body: { ...answer.body, status: 'succeeded' } }),
  )
const manifest = (change: (body: Body) => Body): Break =>
  onAnswer(
    ({ path }) => path.endsWith('/manifest'),
    ({ body }) => ({ status: 200, body: change(body as Body) }),
  )
const offers = (feature: string) =>
  manifest((body) => ({ ...body, features: { ...(body.features as Body), [feature]: true } }))
const both =
  (first: Break, second: Break): Break =>
  (own) =>
    second(first(own))

const noSignature = 'a request without a signature is 401, and has no effect'
const tombstone = 'closing what never was leaves a tombstone'
const done = 'an operation is done, and its record says what was asked for'
const otherBody = 'another body under the same reference is 409 reference_reused'

// biome-ignore format: a table.
const variants: [string, string, Break][] = [
  ['does not look at signatures',       noSignature, (own) => (call) => own(resigned(call))],
  ['acts, and then says 401',           noSignature, (own) => async (call) => {
    const answer = await own(call)
    if (answer.status === 401) await own(resigned(call))
    return answer
  }],
  ['takes an empty header for none',    'a request with an empty signature is 401, and has no effect', (own) => (call) => own(call.signature === '' ? resigned(call) : call)],
  ['takes any secret',                  'a request by another secret is 401, and has no effect', (own) => (call) => own(/v1=/.test(call.signature) ? resigned(call) : call)],
  ['does not sign the body',            'a request of another body is 401, and has no effect', accepts({ body: '{}' })],
  ['does not sign the address',         'a request of another address is 401, and has no effect', accepts({ path: '0' })],
  ['does not sign the method',          'a request of another method is 401, and has no effect', accepts({ method: 'PATCH' })],
  ['takes callbacks for requests',      'a request of a callback is 401, and has no effect', accepts({ way: 'callback' })],
  ['does not look at the time',         'a request of ten minutes ago is 401, and has no effect', timeless],
  ['does not look ahead',               'a request of ten minutes from now is 401, and has no effect', timeless],
  ['gives a minute only',               'a signature of four minutes ago holds', (own) => (call) => {
    const age = Date.now() / 1000 - Number(/t=(\d+)/.exec(call.signature)?.[1])
    return own(age > 60 ? { ...call, signature: '' } : call)
  }],
  ['reads the first signature only',    'a signature the second of two holds', signature((text) => text.split(',').slice(0, 2).join(','))],
  ['refuses versions to come',          'a signature beside versions to come holds', signature((text) => (/v[02]=/.test(text) ? '' : text))],
  ['charges with every repeat',         'a repeat answers the record of the first', forgetful(() => true)],
  ['charges twice at the same time',    'repeats at the same time are one operation', racing],
  ['refunds with every repeat',         'a refund that is repeated is one refund', forgetful(kindIs('refund'))],
  ['takes another body for a repeat',   otherBody, (own) => async (call) => {
    const answer = await own(call)
    return answer.status === 409 ? own(resigned(call, { method: 'GET', body: '' })) : answer
  }],
  ['names no reason for 409',           otherBody, onAnswer((_, { status }) => status === 409, () => ({ status: 409, body: { error: { code: 'conflict' } } }))],
  ['changes the record all the same',   otherBody, (own) => {
    const changed = new Map<string, unknown>()
    return async (call) => {
      const answer = await own(call)
      if (isPut(call) && answer.status === 409) changed.set(call.path, bodyOf(call).amount)
      return isGet(call) && changed.has(call.path) ? { ...answer, body: { ...answer.body, amount: changed.get(call.path) } } : answer
    }
  }],
  ['finds nothing',                     'a lookup gives the record', onAnswer((call, { status }) => isGet(call) && status === 200, () => ({ status: 404, body: {} }))],
  ['finds something always',            'a lookup of what never was is 404', onAnswer((call, { status }) => isGet(call) && status === 404, () => ({ status: 200, body: {} }))],
  ['forgets what it closed',            tombstone, (own) => async (call) => {
    if (!isClose(call)) return own(call)
    const found = await own(resigned(call, { method: 'GET', path: call.path.replace('/close', '') }))
    const reference = call.path.split('/').at(-2)
    return found.status === 404 ? { status: 200, body: { reference, status: 'closed' } } : own(call)
  }],
  ['does what it closed',               'after closing, the operation is refused with 409 operation_closed', onAnswer((call, { status }) => isPut(call) && status === 409, (_, call) => {
    const { reference, kind, amount, currency } = bodyOf(call)
    return { status: 200, body: { reference, kind, amount, currency, status: 'succeeded', provider_reference: 'x' } }
  })],
  ['has nothing to close',              tombstone, onAnswer((call, { body }) => isClose(call) && !('kind' in body), () => ({ status: 404, body: {} }))],
  ['closes what it has charged',        'closing what has succeeded changes nothing', record((body) => ({ ...body, status: 'closed' }), isClose)],
  ['counts in euros',                   'amounts in eur come back as they went', record((body) => ({ ...body, amount: Number(body.amount) / 100 }))],
  ['thinks that yen have cents',        'amounts in jpy come back as they went', record((body) => (body.currency === 'jpy' ? { ...body, amount: Number(body.amount) * 100 } : body))],
  ['thinks that dinars have cents',     'amounts in kwd come back as they went', record((body) => (body.currency === 'kwd' ? { ...body, amount: Math.round(Number(body.amount) / 10) } : body))],
  ['writes currencies in capitals',     done, record((body) => ({ ...body, currency: String(body.currency).toUpperCase() }))],
  ['answers for another reference',     done, record((body) => ({ ...body, reference: 'another-1' }))],
  ['does not say the kind',             done, record(({ kind: _, ...body }) => body)],
  ['has no name for what it did',       done, record((body) => ({ ...body, provider_reference: null }))],
  ['answers 201',                       done, onAnswer(isPut, (answer) => ({ ...answer, status: answer.status === 200 ? 201 : answer.status }))],
  ['answers a page',                    done, onAnswer(isPut, () => ({ status: 200, body: ['<html>'] }))],
  ['sends us elsewhere',                done, onAnswer(isPut, (answer) => ({ ...answer, status: 307 }))],
  ['never comes to an end',             done, record((body) => ({ ...body, status: 'pending' }))],
  ['declines every card',               done, onAnswer(kindIs('authorize'), ({ body }) => ({ status: 200, body: { ...body, status: 'declined' } }))],
  ['refuses what it does not know',     'members that you do not know are passed over', (own) => async (call) => ('a_member_to_come' in bodyOf(call) ? { status: 422, body: {} } : own(call))],
  ['cannot verify',                     'a card is verified without money', onAnswer(kindIs('verify'), ({ body }) => ({ status: 200, body: { ...body, status: 'declined' } }))],
  ['cannot capture',                    'what is held can be captured in part', onAnswer(kindIs('capture'), ({ body }) => ({ status: 200, body: { ...body, status: 'declined' } }))],
  ['captures more than it holds',       'no more is captured than is held', approves('capture')],
  ['captures what it has voided',       'what was voided cannot be captured', approves('capture')],
  ['cannot refund',                     'what was taken can be refunded', onAnswer(kindIs('refund'), ({ body }) => ({ status: 200, body: { ...body, status: 'declined' } }))],
  ['refunds more than it took',         'a part can be refunded, and then the rest, but no more', approves('refund')],
  ['refunds what never was',            'nothing is refunded of what never was', approves('refund')],
  ['is not well',                       'health answers 200', onAnswer(({ path }) => path.endsWith('/health'), () => ({ status: 500, body: {} }))],
  ['has an odd manifest',               'the manifest can be read, and offers lookup and close', manifest((body) => ({ ...body, protocol: '1' }))],
  ['cannot close',                      'the manifest can be read, and offers lookup and close', manifest((body) => ({ ...body, features: { ...(body.features as Body), close: false } }))],
  ['completes what never was',          'completing what never was is refused', both(offers('complete'), (own) => async (call) => (call.path.endsWith('/complete') ? { status: 200, body: {} } : own(call)))],
  ['cannot forget',                     'forgetting a card that nobody knows is fine', both(offers('tokens'), (own) => async (call) => (call.method === 'DELETE' ? { status: 500, body: {} } : own(call)))],
]

test('the example passes, with nothing left unasked but what it does not offer', async () => {
  const report = await check()

  expect(report).toMatchObject({ passed: true, manifest: { protocol: 1 } })
  expect(brokenIn(report)).toEqual([])
  expect(report.results.filter(({ is }) => is === 'not_asked').map(({ name }) => name)).toEqual([
    'completing what never was is refused',
    'forgetting a card that nobody knows is fine',
  ])
})

test.each(variants)('a provider that %s is found out', async (_, duty, broken) => {
  const report = await check(broken)

  expect(report.passed).toBe(false)
  expect(brokenIn(report)).toContain(duty)
  for (const { is, detail } of report.results) expect(detail !== null).toBe(is === 'broken')
})

test('there is a broken provider for every duty', async () => {
  const { results } = await check()
  const broken = new Set(variants.map(([, duty]) => duty))

  expect(results.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([])
})

test('in live, or without a card, nothing is asked that could move money', async () => {
  const kinds: unknown[] = []
  const report = await check(
    (own) => async (call) => {
      if (isPut(call)) kinds.push(bodyOf(call).kind)
      return own(call)
    },
    { instrument: null },
  )

  expect(report.passed).toBe(true)
  expect(kinds).toEqual([])
  expect(report.results.find(({ name }) => name === noSignature)).toMatchObject({ is: 'kept' })
  expect(report.results.find(({ name }) => name === done)).toMatchObject({ is: 'not_asked' })
})

test('a provider that nobody can reach is told as such', async () => {
  const report = await check((own) => own, { baseUrl: 'http://127.0.0.1:1024' })

  expect(report).toMatchObject({
    passed: false,
    manifest: null,
    results: [{ is: 'broken', detail: 'GET /manifest had no answer.' }],
  })
})

test('the simulator passes as well, with everything asked', async () => {
  const { url, stop } = await startSimulator({ accounts: [{ name: 'north', secrets: [secret] }] })
  onTestFinished(stop)

  const report = await check((own) => own, { baseUrl: `${url}/north` })

  expect(brokenIn(report)).toEqual([])
  expect(report.results.filter(({ is }) => is !== 'kept')).toEqual([])
})
