// The ledger survives kill -9 of a real process.

import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { programPath } from '../../server/test/support/program-path.ts'
import { cardNumberForScenario } from '../src/cards.ts'
import type { MoneyFact } from '../src/index.ts'
import { charge, goodCard, merchantOf, verification } from './support/merchant.ts'

const main = programPath('simulator')
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

test('a charge that got a response exists once after a kill, and a repeated request returns it', async () => {
  const before = await start()
  const request = charge()
  const responded = await before.merchant.put(request)
  await kill(before.child)

  const { merchant } = await start()

  expect(await merchant.put(request)).toEqual(responded)
  expect(await merchant.facts()).toMatchObject([{ reference: request.reference, amount: 1250 }])
})

test('a charge that got no response exists after a kill', async () => {
  const before = await start()
  const request = charge(cardNumberForScenario('5004'))
  await before.merchant.putWithoutResponse(request)
  await kill(before.child)

  const { merchant } = await start()

  expect((await merchant.lookUp(request.reference)).body.status).toBe('succeeded')
  expect(await merchant.facts()).toHaveLength(1)
})

test('a charge that was not decided before the kill does not exist', async () => {
  const before = await start()
  await before.merchant.configure({ latency_ms: 60_000 })
  const request = charge()
  const sent = before.merchant.put(request).catch(() => 'no answer')
  await before.merchant.waitForCalls(1)
  await kill(before.child)

  const { merchant } = await start()

  expect(await sent).toBe('no answer')
  expect((await merchant.lookUp(request.reference)).status).toBe(404)
  expect(await merchant.facts()).toEqual([])
})

test('after a kill during many requests, every charge that got a response is in the ledger', async () => {
  const before = await start()
  const requests = Array.from({ length: 400 }, () => charge())
  const responded: string[] = []
  const unsent = [...requests]
  // Twenty run concurrently. When the process is killed after the hundredth response, some requests are in
  // progress and some are not sent yet.
  const sendSome = async () => {
    for (let request = unsent.pop(); request !== undefined; request = unsent.pop()) {
      responded.push((await before.merchant.put(request)).body.reference)
      if (responded.length === 100) before.child.kill('SIGKILL')
    }
  }
  await Promise.allSettled(Array.from({ length: 20 }, sendSome))
  await kill(before.child)
  const written = factsInFile()

  const { merchant } = await start()

  expect(await merchant.facts()).toEqual(written)
  expect(written.map(({ reference }) => reference)).toEqual(expect.arrayContaining(responded))
  expect(responded.length).toBeLessThan(400)
  // When the requests are sent again after the crash, each payment is charged exactly once.
  for (const request of requests) expect((await merchant.put(request)).body.status).toBe('succeeded')
  const references = (await merchant.facts()).map(({ reference }) => reference)
  expect(references).toHaveLength(400)
  expect(new Set(references).size).toBe(400)
})

test('a line that was truncated by the crash is discarded, and the next line is intact', async () => {
  const before = await start()
  await before.merchant.put(charge())
  await kill(before.child)
  appendFileSync(file(), '{"account":"one","operation":{"refer')

  const { merchant, child } = await start()
  await merchant.put(charge())
  await kill(child)

  expect(factsInFile()).toHaveLength(2)
})

test('closed operations, tokens, dropped requests and scripts are restored', async () => {
  const before = await start()
  const closed = charge()
  const dropped = charge(cardNumberForScenario('5001'))
  const scripted = () =>
    charge(goodCard, { metadata: { simulate: 'decline:51, approve' }, customer: { id: 'ada' } })
  await before.merchant.close(closed.reference)
  await before.merchant.putWithoutResponse(dropped)
  await before.merchant.put(scripted())
  const storedToken = (await before.merchant.put(verification())).body.token
  const deletedToken = (await before.merchant.put(verification())).body.token
  await before.merchant.call('DELETE', `tokens/${deletedToken}`)
  await kill(before.child)

  const { merchant } = await start()
  const pay = async (token?: string) =>
    (await merchant.put(charge('', { instrument: { type: 'token', token } }))).body.status

  expect((await merchant.put(closed)).status).toBe(409)
  expect((await merchant.put(dropped)).body.status).toBe('succeeded')
  expect((await merchant.put(scripted())).body.status).toBe('succeeded')
  expect(await pay(storedToken)).toBe('succeeded')
  expect(await pay(deletedToken)).toBe('rejected')
})

test('a pending decision is made after a restart', async () => {
  const before = await start()
  const request = charge(cardNumberForScenario('5019'))
  await before.merchant.putWithoutResponse(request)
  await kill(before.child)

  const { merchant } = await start()
  expect((await merchant.lookUp(request.reference)).body.status).toBe('pending')
  await merchant.advance(180_000)

  expect((await merchant.lookUp(request.reference)).body.status).toBe('succeeded')
  expect(await merchant.facts()).toHaveLength(1)
})

test('the file contains no card number and no CVC', async () => {
  const { merchant, child } = await start()
  await merchant.put(charge())
  await merchant.put(verification(cardNumberForScenario('3000')))
  await kill(child)

  const text = readFileSync(file(), 'utf8')
  expect(text).toContain('"fact":"charge"')
  expect(text).not.toMatch(/4242424242424242|"cvc"|"737"/)
  expect(text).not.toContain(cardNumberForScenario('3000'))
})

test('SIGTERM stops the process with exit code 0', async () => {
  const { child } = await start()
  const exit = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
})
