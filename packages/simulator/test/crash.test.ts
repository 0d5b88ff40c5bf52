// The books survive kill -9. The process is a real one; its last moment is not chosen with care.

import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { numberOfScenario } from '../src/cards.ts'
import type { MoneyFact } from '../src/index.ts'
import { charge, goodCard, merchantOf, verification } from './support/merchant.ts'

const main = new URL('../src/main.ts', import.meta.url).pathname
let folder: string
let children: ChildProcess[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-simulator-'))
  children = []
})
afterEach(async () => {
  await Promise.all(children.map(kill))
  rmSync(folder, { recursive: true, force: true })
})

const file = () => join(folder, 'ledger.jsonl')

async function start() {
  const args = [main, '--ledger', file(), '--account', 'one:psec_one:http://127.0.0.1:1/hooks']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [line] = await new Promise<string[]>((resolve) => {
    createInterface({ input: child.stdout }).once('line', (text) => resolve([text]))
  })
  const { ready, url } = JSON.parse(line ?? '') as { ready: boolean; url: string }
  expect(ready).toBe(true)
  return { child, merchant: merchantOf(url, 'one', 'psec_one') }
}

function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}

function factsInFile(): MoneyFact[] {
  const lines = readFileSync(file(), 'utf8').split('\n').slice(0, -1)
  return lines.flatMap((line) => (JSON.parse(line) as { fact?: MoneyFact | null }).fact ?? [])
}

test('a charge that was answered is there after a kill, once, and a repeat finds it', async () => {
  const before = await start()
  const request = charge()
  const answered = await before.merchant.put(request)
  await kill(before.child)

  const { merchant } = await start()

  expect(await merchant.put(request)).toEqual(answered)
  expect(await merchant.facts()).toMatchObject([{ reference: request.reference, amount: 1250 }])
})

test('a charge without an answer is there after a kill', async () => {
  const before = await start()
  const request = charge(numberOfScenario('5004'))
  await before.merchant.putInVain(request)
  await kill(before.child)

  const { merchant } = await start()

  expect((await merchant.lookUp(request.reference)).body.status).toBe('succeeded')
  expect(await merchant.facts()).toHaveLength(1)
})

test('a charge that was still being thought about never happened', async () => {
  const before = await start()
  await before.merchant.configure({ latency_ms: 60_000 })
  const request = charge()
  const sent = before.merchant.put(request).catch(() => 'no answer')
  await before.merchant.seen(1)
  await kill(before.child)

  const { merchant } = await start()

  expect(await sent).toBe('no answer')
  expect((await merchant.lookUp(request.reference)).status).toBe(404)
  expect(await merchant.facts()).toEqual([])
})

test('killed in the middle of many: what was written is there, and whatever was answered was written', async () => {
  const before = await start()
  const requests = Array.from({ length: 400 }, () => charge())
  const answered: string[] = []
  const left = [...requests]
  // Twenty at a time, so that the kill at the hundredth answer meets some on their way and some not sent.
  const sendSome = async () => {
    for (let request = left.pop(); request !== undefined; request = left.pop()) {
      answered.push((await before.merchant.put(request)).body.reference)
      if (answered.length === 100) before.child.kill('SIGKILL')
    }
  }
  await Promise.allSettled(Array.from({ length: 20 }, sendSome))
  await kill(before.child)
  const written = factsInFile()

  const { merchant } = await start()

  expect(await merchant.facts()).toEqual(written)
  expect(written.map(({ reference }) => reference)).toEqual(expect.arrayContaining(answered))
  expect(answered.length).toBeLessThan(400)
  // Sent again after the crash, every one of them is charged exactly once.
  for (const request of requests) expect((await merchant.put(request)).body.status).toBe('succeeded')
  const references = (await merchant.facts()).map(({ reference }) => reference)
  expect(references).toHaveLength(400)
  expect(new Set(references).size).toBe(400)
})

test('a line that was cut off by the crash never happened, and the next one starts clean', async () => {
  const before = await start()
  await before.merchant.put(charge())
  await kill(before.child)
  appendFileSync(file(), '{"account":"one","operation":{"refer')

  const { merchant, child } = await start()
  await merchant.put(charge())
  await kill(child)

  expect(factsInFile()).toHaveLength(2)
})

test('tombstones, tokens, swallowed requests and scripts are remembered', async () => {
  const before = await start()
  const closed = charge()
  const swallowed = charge(numberOfScenario('5001'))
  const scripted = () =>
    charge(goodCard, { metadata: { simulate: 'decline:51, approve' }, customer: { id: 'ada' } })
  await before.merchant.close(closed.reference)
  await before.merchant.putInVain(swallowed)
  await before.merchant.put(scripted())
  const kept = (await before.merchant.put(verification())).body.token
  const forgotten = (await before.merchant.put(verification())).body.token
  await before.merchant.call('DELETE', `tokens/${forgotten}`)
  await kill(before.child)

  const { merchant } = await start()
  const pay = async (token?: string) =>
    (await merchant.put(charge('', { instrument: { type: 'token', token } }))).body.status

  expect((await merchant.put(closed)).status).toBe(409)
  expect((await merchant.put(swallowed)).body.status).toBe('succeeded')
  expect((await merchant.put(scripted())).body.status).toBe('succeeded')
  expect(await pay(kept)).toBe('succeeded')
  expect(await pay(forgotten)).toBe('rejected')
})

test('what was to be decided later is decided after a restart', async () => {
  const before = await start()
  const request = charge(numberOfScenario('5019'))
  await before.merchant.putInVain(request)
  await kill(before.child)

  const { merchant } = await start()
  expect((await merchant.lookUp(request.reference)).body.status).toBe('pending')
  await merchant.advance(180_000)

  expect((await merchant.lookUp(request.reference)).body.status).toBe('succeeded')
  expect(await merchant.facts()).toHaveLength(1)
})

test('the file holds no card number and no security code', async () => {
  const { merchant, child } = await start()
  await merchant.put(charge())
  await merchant.put(verification(numberOfScenario('3000')))
  await kill(child)

  const text = readFileSync(file(), 'utf8')
  expect(text).toContain('"fact":"charge"')
  expect(text).not.toMatch(/4242424242424242|"cvc"|"737"/)
  expect(text).not.toContain(numberOfScenario('3000'))
})

test('it stops when it is asked to', async () => {
  const { child } = await start()
  const exit = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
})
