// Runs all commands of the guide `receive-webhooks.md` in one shell, against the real server with real
// deliveries. The receiver of the guide must get every event.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  atPort,
  fences,
  isInstalled,
  type ReaderFolder,
  readerFolder,
} from '../../../sdk/test/support/guide.ts'
import { newDatabase } from '../support/database.ts'
import { testMasterKeys } from '../support/master-keys.ts'
import { natsForThisFile } from '../support/nats.ts'
import { programPath } from '../support/program-path.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'

vi.setConfig({ testTimeout: 90_000 })

const nats = natsForThisFile()
const main = programPath('server')
let server: ServerProcess
let workFolder: ReaderFolder
let token: string

beforeAll(async () => {
  const DATABASE_URL = await newDatabase()
  const env = { PATH: process.env.PATH ?? '', MASTER_KEYS: testMasterKeys, DATABASE_URL }
  const setup = await promisify(execFile)(process.execPath, [main, 'setup', '--email', 'ada@example.com'], {
    env,
  })
  token = JSON.parse(setup.stdout).tokens.test
  server = await startServer('all', { DATABASE_URL, NATS_URL: nats.url })
  workFolder = await readerFolder()
})
afterAll(async () => {
  workFolder?.remove()
  await server?.kill('SIGTERM')
})

test('the guide works with the receiver in TypeScript', async () => {
  const { log, deliveries } = await runGuide('node receiver.ts')

  // The sample, the new customer, and the event of send.ts. The receiver ignores the event that is resent.
  expect(log.match(/^new customer: ada@example.com$/gm)).toHaveLength(3)
  expect(log.match(/^new customer: grace@example.com$/gm)).toHaveLength(1)
  // The webhook that send.ts forged.
  expect(log.match(/^WebhookVerificationError: .*$/gm)).toEqual([expect.stringContaining('No signature')])
  expect(deliveries.map(({ state }) => state)).toEqual(deliveries.map(() => 'delivered'))
  expect(deliveries.length).toBeGreaterThanOrEqual(3)
})

test.runIf(isInstalled('python3'))('the guide works with the receiver in Python', async () => {
  const { log, deliveries } = await runGuide('python3 receive_webhooks.py')

  expect(log.match(/^customer\.created customer_test_\w{26}$/gm)).toHaveLength(3)
  expect(log.match(/" 400 /g)).toHaveLength(1)
  expect(deliveries.map(({ state }) => state)).toEqual(deliveries.map(() => 'delivered'))
})

type GuideResult = { readonly log: string; readonly deliveries: readonly { readonly state: string }[] }

/** Runs all commands of the guide in order. `receiver` is the command that starts the receiver. */
async function runGuide(receiver: string): Promise<GuideResult> {
  const { folder, port } = workFolder
  const steps = fences.flatMap(({ info, text }) => {
    if (info === 'sh run') return [text]
    if (info === 'sh start') return [text.replace('node receiver.ts &', inBackground(receiver, port))]
    return text === 'node send.ts\n' ? [`test "$(node send.ts)" = '200 400'`] : []
  })
  const script = [
    `receiver=''; trap 'kill $receiver' EXIT`,
    ...steps,
    // Another event after the secret was rotated: the receiver still has the old secret.
    `api "$TEST_URL/customers" -d '{"email":"grace@example.com"}'`,
    waitForDeliveries,
    `api "$TEST_URL/webhook-endpoints/$id/deliveries?limit=100" > deliveries.json`,
    verifyManually,
    `api -X DELETE "$TEST_URL/webhook-endpoints/$id"`,
  ]
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    TEST_URL: server.addresses.test,
    TEST_TOKEN: token,
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const text = atPort(script.join('\n'), port)
  const { code, output } = await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', text], {
    cwd: folder,
    env,
    timeout: 60_000,
  }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error) => ({ code: error.code, output: `${error.stdout}${error.stderr}` }),
  )
  const log = readFileSync(join(folder, 'receiver.log'), 'utf8')
  expect(code, `${output}\n${log}`).toBe(0)
  return { log, deliveries: JSON.parse(readFileSync(join(folder, 'deliveries.json'), 'utf8')).data }
}

/** Starts the receiver in the background and waits until it accepts connections. */
const inBackground = (command: string, port: number) => `${command} > receiver.log 2>&1 &
receiver=$!
for _ in $(seq 150); do (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && break; sleep 0.1; done`

/** Verifies the signature of the last delivery attempt with the script of the guide. */
const verifyManually = `api "$TEST_URL/deliveries/$(jq -r '.data[0].id' deliveries.json)" > delivery.json
api "$TEST_URL/events/$(jq -r .event_id delivery.json)" > body.json
sh verify-webhook.sh "$(jq -r '.attempts[0].request_headers["signature-digest"]' delivery.json)" body.json`

/** Waits until no delivery is pending. */
const waitForDeliveries = `for _ in $(seq 150); do
  api "$TEST_URL/webhook-endpoints/$id/deliveries?limit=100" | grep -qE '"state":"(pending|held)"' || break
  sleep 0.1
done`
