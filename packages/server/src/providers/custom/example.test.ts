// The example provider of the guide: it survives crashes and stores no card, and the commands and programs of
// the guide work.

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
import { ExampleProvider, serve } from '../../../../../examples/custom-provider/server.ts'
import { type Call, isSigned } from '../../../../../examples/custom-provider/signature.ts'
import { fencesOf } from '../../../test/guards/support/markdown.ts'
import type { OperationInput } from '../contract.ts'
import { declineCodes, declineOf, isProviderCode } from '../declines.ts'
import { readerOf } from '../read.ts'
import { authorize, config, now } from './fixtures/inputs.ts'
import { custom } from './provider.ts'
import { closeOperation, getOperation, putOperation } from './request.ts'
import { sign } from './signature.ts'
import { Callback, DisputeRecord, Manifest, OperationRecord, OperationRequest } from './wire.ts'

const root = resolve(import.meta.dirname, '../../../../..')
const guide = readFileSync(join(root, 'docs/guides/bring-your-own-provider.md'), 'utf8')
const fences = fencesOf(guide)
const folder = mkdtempSync(join(tmpdir(), 'switchyard-own-provider-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const secret = config.secrets[0] as string
const context = () => ({
  config: { ...config, secrets: [secret] },
  now: new Date(),
  accessToken: null,
  certificate: null,
})
const builders = { put: putOperation, get: getOperation, close: closeOperation }

/** The provider with its journal, called as Switchyard would call it. */
function openProvider(journal: string, secrets = [secret]) {
  const provider = new ExampleProvider({ secrets, journal: join(folder, journal) })
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

test('processed and closed operations survive a restart of the provider', async () => {
  const closed = { ...authorize, reference: 'closed-1' }
  const before = openProvider('again')
  const first = await before('put', authorize)
  await before('close', closed)

  const after = openProvider('again')

  expect(first).toMatchObject({ status: 200, body: { status: 'succeeded' } })
  expect(await after('put', authorize)).toEqual(first)
  expect(await after('put', closed)).toMatchObject({
    status: 409,
    body: { error: { code: 'operation_closed' } },
  })
})

/**
 * Changes the files as if the provider had crashed before the request reached the bank, while writing a line.
 */
function removeFromBank(journal: string, { reference }: OperationInput): void {
  const path = join(folder, journal)
  const isAbout = (line: string) => line.includes(`"reference":"${reference}"`)
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  const remaining = lines.filter((line) => !isAbout(line) || line.includes('"status":"pending"'))
  writeFileSync(path, `${remaining.join('\n')}\n${remaining[0]?.slice(0, 40)}`)
  const atBank = readFileSync(`${path}.bank`, 'utf8').split('\n')
  writeFileSync(`${path}.bank`, atBank.filter((line) => !isAbout(line)).join('\n'))
}

const lost = { ...authorize, reference: 'lost-1' }

/** One request was processed but not recorded, another did not reach the bank. */
async function simulateCrash(journal: string): Promise<void> {
  const send = openProvider(journal)
  await send('put', authorize)
  const path = join(folder, journal)
  const [pending = ''] = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, `${pending}\n`)
  await openProvider(journal)('put', lost)
  removeFromBank(journal, lost)
}

test('after a crash the provider queries its bank; requests that the bank has not received stay pending', async () => {
  await simulateCrash('crash')

  const after = openProvider('crash')

  expect(await after('get', authorize)).toMatchObject({ status: 200, body: { status: 'succeeded' } })
  expect(await after('get', lost)).toMatchObject({ status: 202, body: { status: 'pending' } })
  // Lines written after the truncated one can be read at the next start.
  await after('put', { ...authorize, reference: 'next-1' })
  const next = await openProvider('crash')('get', { ...authorize, reference: 'next-1' })
  expect(next).toMatchObject({ status: 200, body: { status: 'succeeded' } })
})

test('an operation is reported as closed only after the bank was instructed to refuse it', async () => {
  await simulateCrash('close')

  const closed = await openProvider('close')('close', lost)

  expect(closed).toMatchObject({ status: 200, body: { status: 'closed' } })
  const bank = openBank(join(folder, 'close.bank'))
  expect(await bank.execute(lost.reference, { instrument: null })).toEqual({ status: 'closed' })
  expect(await openProvider('close')('close', authorize)).toMatchObject({ body: { status: 'succeeded' } })
})

test('a repeat completes a request that did not reach the bank before a crash', async () => {
  await simulateCrash('repeat')

  expect(await openProvider('repeat')('put', lost)).toMatchObject({
    status: 200,
    body: { status: 'succeeded' },
  })
})

test('a closed capture charged nothing: a refund is declined, and the next capture can capture the full amount', async () => {
  const authorization = { ...authorize, capture: false }
  const parent = { reference: authorization.reference, providerReference: 'ch_1' }
  const operationOf = (reference: string, kind: 'capture' | 'refund') => ({
    ...authorization,
    parent,
    instrument: null,
    returnUrl: null,
    reference,
    kind,
  })
  const before = openProvider('capture')
  await before('put', authorization)
  await before('put', operationOf('capture-1', 'capture'))
  removeFromBank('capture', operationOf('capture-1', 'capture'))
  const after = openProvider('capture')
  const recordOf = async (input: OperationInput) => (await after('put', input)).body

  expect(await recordOf(operationOf('capture-2', 'capture'))).toMatchObject({ status: 'declined' })
  expect((await after('close', operationOf('capture-1', 'capture'))).body).toMatchObject({ status: 'closed' })
  expect(await recordOf(operationOf('refund-1', 'refund'))).toMatchObject({ status: 'declined' })
  expect(await recordOf(operationOf('capture-3', 'capture'))).toMatchObject({ status: 'succeeded' })
  expect(await recordOf(operationOf('refund-2', 'refund'))).toMatchObject({ status: 'succeeded' })
})

test('during a secret rotation a repeat is still recognized', async () => {
  const first = await openProvider('rotate')('put', authorize)

  expect(await openProvider('rotate', ['psec_next_0123456789', secret])('put', authorize)).toEqual(first)
})

test('a card with insufficient funds is declined, and no card is stored', async () => {
  const send = openProvider('poor')
  const instrument = {
    type: 'card',
    number: '4000000000510000',
    brand: 'visa',
    bin: '400000',
    last4: '0000',
    expMonth: 12,
    expYear: 2030,
    cvc: '987',
  } as const

  const declined = await send('put', { ...authorize, instrument })

  expect(declined).toMatchObject({ body: { status: 'declined', decline: { code: 'insufficient_funds' } } })
  const stored = readFileSync(join(folder, 'poor'), 'utf8')
  expect(stored).not.toMatch(/4000000000510000|"987"|cvc/)
})

test('the example is as short as the guide says, and has no dependencies', () => {
  const names = ['server.ts', 'operations.ts', 'bank.ts', 'journal.ts', 'signature.ts', 'callback.ts']
  const texts = names.map((name) => readFileSync(join(root, 'examples/custom-provider', name), 'utf8'))
  const imported = texts.flatMap((text) => [...text.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name))

  expect(texts[0]?.split('\n').length).toBeLessThan(210)
  expect(imported.filter((name) => !/^(node:|\.\/)/.test(name))).toEqual([])
})

const commands = (info: string) => fences.filter((fence) => fence.info === info).map(({ text }) => text)

test('the commands of the guide work: start, check, and a manual call', async () => {
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
  const [called] = await Promise.all(commands('sh try').map(run))

  expect(checked?.stdout).toMatch(/^ok {5,}a repeated request returns the record of the first$/m)
  expect(checked?.stdout).toMatch(/\nPassed\.\n$/)
  expect(JSON.parse(called?.stdout ?? '')).toMatchObject({
    reference: 'by-hand-1',
    status: 'succeeded',
    amount: 1099,
  })
})

test('the check names the violated requirement, and fails', async () => {
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
    stdout: expect.stringMatching(/^FAILED +the manifest is valid.*Failed\.\n$/s),
  })
})

/** Saves a program of the guide to a file, as its readers do. */
async function saveProgram(name: string): Promise<string> {
  const found = fences.find(({ text }) => text.startsWith(`// ${name}\n`))
  const path = join(folder, name)
  writeFileSync(path, found?.text ?? '')
  return path
}

test('verify.ts accepts our requests, and no others', async () => {
  const program = await saveProgram('verify.ts')
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

test('verify.ts and the example accept a request into which a vault has put the card, and no other change', async () => {
  const program = await saveProgram('verify.ts')
  const { isFromSwitchyard } = (await import(program)) as { isFromSwitchyard: typeof isSigned }
  const card = { ...standInCard, number: 'NumberAaaaaaaaaaaaa1', cvc: 'SecurityAaaaaaaaaaa1' }
  // A member of the same name elsewhere must not be replaced.
  const metadata = { number: '4242424242424242', cvc: '123' }
  const call = putOperation({ ...authorize, instrument: card, metadata }, context())
  const body = (call.body ?? '').replace(card.number, '4242424242424242').replace(card.cvc, '123')
  const request: Call = {
    method: 'PUT',
    path: new URL(call.url).pathname,
    signature: call.headers['switchyard-signature'] ?? '',
    standIns: call.headers['switchyard-stand-ins'] ?? '',
    body,
  }

  for (const verify of [isFromSwitchyard, isSigned]) {
    expect(verify(request, [secret])).toBe(true)
    expect(verify({ ...request, standIns: '' }, [secret])).toBe(false)
    expect(verify({ ...request, standIns: request.standIns?.replace('Aa', 'Bb') ?? '' }, [secret])).toBe(
      false,
    )
    expect(verify({ ...request, body: body.replace('"capture":true', '"capture":false') }, [secret])).toBe(
      false,
    )
  }
})

const standInCard = {
  type: 'card',
  isStandIn: true,
  brand: 'visa',
  bin: '424242',
  last4: '4242',
  expMonth: 12,
  expYear: 2030,
} as const

test('the callback of callback.ts is accepted', async () => {
  const { report } = (await import(await saveProgram('callback.ts'))) as {
    report(webhookUrl: string, secret: string, callback: object): Promise<boolean>
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

  expect(await report(url, secret, { id: 'evt_1', type: 'operation.updated' })).toBe(true)
  expect(await report(url, 'psec_other', { id: 'evt_1', type: 'operation.updated' })).toBe(false)
})

test('every message in the guide matches the protocol', () => {
  const shapes = [OperationRequest, OperationRecord, Manifest, Callback].map(readerOf)
  const members = ['stored_credential', 'status', 'protocol', 'id']
  const messages = commands('json')
  const results = messages.map((text) =>
    shapes.map((reader, index) => (members[index] ?? '') in JSON.parse(text) && reader(text)),
  )

  expect(messages.length).toBeGreaterThanOrEqual(7)
  const disputes = messages.flatMap((text) => JSON.parse(text).dispute ?? [])
  const readDispute = readerOf(DisputeRecord)
  expect(disputes.map((dispute) => readDispute(JSON.stringify(dispute)))).toHaveLength(1)
  for (const found of results) expect(found.filter(Boolean)).toHaveLength(1)
})

test('the guide lists the decline codes by class', () => {
  const rows = [
    ...guide.matchAll(/^\| (technical|configuration|soft|hard|data|authentication|fraud) +\|(.*)\|$/gm),
  ]
  const listed = rows.flatMap(([, kind, codes = '']) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, kind]),
  )
  const known = declineCodes.filter(isProviderCode).map((code) => [code, declineOf(code).class])

  expect(listed.sort()).toEqual(known.sort())
})

test('the signature in the guide is correct', () => {
  const path = '/switchyard/operations/01M7CYVGQTEAKSNTBFR026MPQ1-1'
  const signed = { way: 'request', method: 'GET', path, body: '' } as const

  expect(guide).toContain(`Switchyard-Signature: ${sign(signed, ['psec_0123456789abcdef'], now)}\n`)
  expect(guide).toContain(`\`GET ${path}\` with the secret \`psec_0123456789abcdef\``)
})
