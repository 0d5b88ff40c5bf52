// The example of the guide as a business would run it: it survives crashes, keeps no card, and its guide works.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { openBank } from '../../../../../examples/custom-provider/bank.ts'
import { OwnProvider, serve } from '../../../../../examples/custom-provider/server.ts'
import type { Call } from '../../../../../examples/custom-provider/signature.ts'
import { fencesOf } from '../../../test/guards/support/markdown.ts'
import type { OperationInput } from '../contract.ts'
import { declineCodes, declineOf, isProviderCode } from '../declines.ts'
import { readerOf } from '../read.ts'
import { authorize, config, now } from './fixtures/accounts.ts'
import { custom } from './provider.ts'
import { closeOperation, getOperation, putOperation } from './request.ts'
import { sign } from './signature.ts'
import { Callback, Manifest, OperationRecord, OperationRequest } from './wire.ts'

const root = resolve(import.meta.dirname, '../../../../..')
const guide = readFileSync(join(root, 'docs/guides/bring-your-own-provider.md'), 'utf8')
const fences = fencesOf(guide)
const folder = mkdtempSync(join(tmpdir(), 'switchyard-own-provider-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const secret = config.secrets[0] as string
const context = () => ({ config: { ...config, secrets: [secret] }, now: new Date() })
const builders = { put: putOperation, get: getOperation, close: closeOperation }

/** The provider with what is in its journal; asked as Switchyard would ask. */
function aProvider(journal: string, secrets = [secret]) {
  const provider = new OwnProvider({ secrets, journal: join(folder, journal) })
  return (verb: keyof typeof builders, input: OperationInput) => {
    const { method, url, headers, body } = builders[verb](input, context())
    const signature = headers['switchyard-signature'] ?? ''
    return provider.handle({
      method,
      path: new URL(url).pathname,
      signature,
      body: body ?? '',
    } satisfies Call)
  }
}

test('a provider that was started again knows what it did, and what it closed', async () => {
  const closed = { ...authorize, reference: 'closed-1' }
  const before = aProvider('again')
  const first = await before('put', authorize)
  await before('close', closed)

  const after = aProvider('again')

  expect(first).toMatchObject({ status: 200, body: { status: 'succeeded' } })
  expect(await after('put', authorize)).toEqual(first)
  expect(await after('put', closed)).toMatchObject({
    status: 409,
    body: { error: { code: 'operation_closed' } },
  })
})

/** As if it had died before the bank heard of the wish, and in the middle of a line. */
function crashBefore(journal: string, { reference }: OperationInput): void {
  const path = join(folder, journal)
  const isOf = (line: string) => line.includes(`"reference":"${reference}"`)
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  const kept = lines.filter((line) => !isOf(line) || line.includes('"status":"pending"'))
  writeFileSync(path, `${kept.join('\n')}\n${kept[0]?.slice(0, 40)}`)
  const atBank = readFileSync(`${path}.bank`, 'utf8').split('\n')
  writeFileSync(`${path}.bank`, atBank.filter((line) => !isOf(line)).join('\n'))
}

const lost = { ...authorize, reference: 'lost-1' }

/** One wish was done and not noted, one did not come to the bank. */
async function aCrash(journal: string): Promise<void> {
  const ask = aProvider(journal)
  await ask('put', authorize)
  const path = join(folder, journal)
  const [pending = ''] = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, `${pending}\n`)
  await aProvider(journal)('put', lost)
  crashBefore(journal, lost)
}

test('one that crashed asks its bank, and concludes nothing from what did not come there', async () => {
  await aCrash('crash')

  const after = aProvider('crash')

  expect(await after('get', authorize)).toMatchObject({ status: 200, body: { status: 'succeeded' } })
  expect(await after('get', lost)).toMatchObject({ status: 202, body: { status: 'pending' } })
  // What was written after the line that was cut can be read at the next start.
  await after('put', { ...authorize, reference: 'next-1' })
  const next = await aProvider('crash')('get', { ...authorize, reference: 'next-1' })
  expect(next).toMatchObject({ status: 200, body: { status: 'succeeded' } })
})

test('closed is said once the bank has been told to refuse it', async () => {
  await aCrash('close')

  const closed = await aProvider('close')('close', lost)

  expect(closed).toMatchObject({ status: 200, body: { status: 'closed' } })
  const bank = openBank(join(folder, 'close.bank'))
  expect(await bank.act(lost.reference, { instrument: null })).toEqual({ status: 'closed' })
  expect(await aProvider('close')('close', authorize)).toMatchObject({ body: { status: 'succeeded' } })
})

test('what a crash kept from the bank is done by a repeat', async () => {
  await aCrash('repeat')

  expect(await aProvider('repeat')('put', lost)).toMatchObject({ status: 200, body: { status: 'succeeded' } })
})

test('a capture that was closed took nothing: a refund is refused, and the next capture has it all', async () => {
  const held = { ...authorize, capture: false }
  const parent = { reference: held.reference, providerReference: 'ch_1' }
  const of = (reference: string, kind: 'capture' | 'refund') => ({
    ...{ ...held, parent, instrument: null, returnUrl: null, reference, kind },
  })
  const before = aProvider('capture')
  await before('put', held)
  await before('put', of('capture-1', 'capture'))
  crashBefore('capture', of('capture-1', 'capture'))
  const after = aProvider('capture')
  const recordOf = async (input: OperationInput) => (await after('put', input)).body

  expect(await recordOf(of('capture-2', 'capture'))).toMatchObject({ status: 'declined' })
  expect((await after('close', of('capture-1', 'capture'))).body).toMatchObject({ status: 'closed' })
  expect(await recordOf(of('refund-1', 'refund'))).toMatchObject({ status: 'declined' })
  expect(await recordOf(of('capture-3', 'capture'))).toMatchObject({ status: 'succeeded' })
  expect(await recordOf(of('refund-2', 'refund'))).toMatchObject({ status: 'succeeded' })
})

test('while secrets rotate, a repeat is still a repeat', async () => {
  const first = await aProvider('rotate')('put', authorize)

  expect(await aProvider('rotate', ['psec_next_0123456789', secret])('put', authorize)).toEqual(first)
})

test('a card that is poor is declined, and none is kept', async () => {
  const ask = aProvider('poor')
  const instrument = {
    type: 'card',
    number: '4000000000510000',
    expMonth: 12,
    expYear: 2030,
    cvc: '987',
  } as const

  const declined = await ask('put', { ...authorize, instrument })

  expect(declined).toMatchObject({ body: { status: 'declined', decline: { code: 'insufficient_funds' } } })
  const kept = readFileSync(join(folder, 'poor'), 'utf8')
  expect(kept).not.toMatch(/4000000000510000|"987"|cvc/)
})

test('the example is as short as the guide says, and depends on nothing', () => {
  const names = ['server.ts', 'bank.ts', 'journal.ts', 'signature.ts', 'callback.ts']
  const texts = names.map((name) => readFileSync(join(root, 'examples/custom-provider', name), 'utf8'))
  const imported = texts.flatMap((text) => [...text.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name))

  expect(texts[0]?.split('\n').length).toBeLessThan(200)
  expect(imported.filter((name) => !/^(node:|\.\/)/.test(name))).toEqual([])
})

const commands = (info: string) => fences.filter((fence) => fence.info === info).map(({ text }) => text)

test('the commands of the guide work: start, check, and a call by hand', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = String((server.address() as AddressInfo).port)
  server.close()
  await once(server, 'close')
  const inGuide = (text: string) =>
    text
      .replaceAll('4100', port)
      .replaceAll('journal.jsonl', join(folder, 'guide.jsonl'))
      .replace(/ &\n$/, '')
  const env = {
    ...process.env,
    PATH: `${resolve(process.execPath, '..')}:${process.env.PATH}`,
    PROVIDER_SECRET: secret,
  }
  const run = (text: string) =>
    promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', inGuide(text)], { cwd: root, env })

  const [start = ''] = commands('sh start')
  const example = spawn('bash', ['-c', `exec ${inGuide(start)}`], { cwd: root, env })
  onTestFinished(() => void example.kill())
  await once(example.stdout, 'data')
  const [checked] = await Promise.all(commands('sh check').map(run))
  const [tried] = await Promise.all(commands('sh try').map(run))

  expect(checked?.stdout).toMatch(/^ok {5,}a repeat answers the record of the first$/m)
  expect(checked?.stdout).toMatch(/\nPassed\.\n$/)
  expect(JSON.parse(tried?.stdout ?? '')).toMatchObject({
    reference: 'by-hand-1',
    status: 'succeeded',
    amount: 1099,
  })
})

test('the check says which duty is broken, and fails', async () => {
  const server = serve({ handle: async () => ({ status: 200, body: {} }) }, 0)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const check = join(root, 'examples/custom-provider/check.ts')

  const failed = await promisify(execFile)(process.execPath, [check, url], {
    env: { ...process.env, PROVIDER_SECRET: secret },
  }).catch((error: { code: number; stdout: string }) => error)

  expect(failed).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^BROKEN +the manifest can be read.*Not passed\.\n$/s),
  })
})

/** A program of the guide, as its readers save it. */
async function programNamed(name: string): Promise<string> {
  const found = fences.find(({ text }) => text.startsWith(`// ${name}\n`))
  const path = join(folder, name)
  writeFileSync(path, found?.text ?? '')
  return path
}

test('verify.ts lets our requests in, and no others', async () => {
  const program = await programNamed('verify.ts')
  const { isFromSwitchyard } = (await import(program)) as {
    isFromSwitchyard(request: Call, secrets: string[]): boolean
  }
  const call = putOperation(authorize, context())
  const request: Call = {
    method: 'PUT',
    path: new URL(call.url).pathname,
    signature: call.headers['switchyard-signature'] ?? '',
    body: call.body ?? '',
  }
  const old = putOperation(authorize, { ...context(), now: new Date(Date.now() - 301_000) })

  expect(isFromSwitchyard(request, [secret])).toBe(true)
  expect(isFromSwitchyard(request, ['psec_other', secret])).toBe(true)
  expect(isFromSwitchyard({ ...request, signature: `v2=x,${request.signature}` }, [secret])).toBe(true)
  expect(isFromSwitchyard(request, ['psec_other'])).toBe(false)
  expect(isFromSwitchyard(request, [])).toBe(false)
  for (const changes of [
    { body: `${request.body} ` },
    { path: `${request.path}0` },
    { method: 'POST' },
    { signature: '' },
    { signature: `t=1,${request.signature}` },
    { signature: old.headers['switchyard-signature'] ?? '' },
  ])
    expect(isFromSwitchyard({ ...request, ...changes }, [secret])).toBe(false)
})

test('callback.ts is understood', async () => {
  const { tell } = (await import(await programNamed('callback.ts'))) as {
    tell(webhookUrl: string, secret: string, callback: object): Promise<boolean>
  }
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = { 'switchyard-signature': String(request.headers['switchyard-signature']) }
    const call = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers,
      body: Buffer.concat(chunks),
    }
    const verdict = custom.webhooks?.verify(call, context())
    response.writeHead(verdict === 'valid' ? 200 : 401).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  onTestFinished(() => void receiver.close())
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/provider-webhooks/1?a=b`

  expect(await tell(url, secret, { id: 'evt_1', type: 'operation.updated' })).toBe(true)
  expect(await tell(url, 'psec_other', { id: 'evt_1', type: 'operation.updated' })).toBe(false)
})

test('every message that the guide shows is one of the protocol', () => {
  const shapes = [OperationRequest, OperationRecord, Manifest, Callback].map(readerOf)
  const members = ['stored_credential', 'status', 'protocol', 'operation']
  const shown = commands('json')
  const read = shown.map((text) =>
    shapes.map((reader, index) => (members[index] ?? '') in JSON.parse(text) && reader(text)),
  )

  expect(shown.length).toBeGreaterThanOrEqual(6)
  for (const found of read) expect(found.filter(Boolean)).toHaveLength(1)
})

test('the guide lists the codes of declines by their class', () => {
  const rows = [
    ...guide.matchAll(/^\| (technical|configuration|soft|hard|data|authentication|fraud) +\|(.*)\|$/gm),
  ]
  const listed = rows.flatMap(([, kind, codes = '']) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, kind]),
  )
  const known = declineCodes.filter(isProviderCode).map((code) => [code, declineOf(code).class])

  expect(listed.sort()).toEqual(known.sort())
})

test('the signature that the guide shows is the one it says', () => {
  const path = '/switchyard/operations/01M7CYVGQTEAKSNTBFR026MPQ1-1'
  const signed = { way: 'request', method: 'GET', path, body: '' } as const

  expect(guide).toContain(`Switchyard-Signature: ${sign(signed, ['psec_0123456789abcdef'], now)}\n`)
  expect(guide).toContain(`\`GET ${path}\` with the secret \`psec_0123456789abcdef\``)
})
