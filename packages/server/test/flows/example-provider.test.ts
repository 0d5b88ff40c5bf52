// Runs every command in the README of the custom provider example in one shell, against the real server and
// the example in a separate process.

import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Switchyard } from '@switchyard/sdk'
import { afterAll, expect, test } from 'vitest'
import { databaseClock } from '../../src/kernel/clock.ts'
import { fencesOf } from '../guards/support/markdown.ts'
import { freePort, startExample } from '../support/example.ts'
import { startServer } from '../support/server-process.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const page = readFileSync(
  resolve(import.meta.dirname, '../../../../examples/custom-provider/README.md'),
  'utf8',
)
const fences = fencesOf(page).filter(({ info }) => info === 'sh provider')
const folder = mkdtempSync(join(tmpdir(), 'switchyard-example-provider-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const { databaseUrl, newWorkspace } = await switchyardForThisFile({ overrides: { clock: databaseClock } })
const listenAddress = `127.0.0.1:${await freePort()}`
const server = await startServer('all', {
  DATABASE_URL: databaseUrl,
  TEST_LISTEN: listenAddress,
  TEST_BASE_URL: `http://${listenAddress}`,
})
afterAll(() => server.kill('SIGKILL'))

test('a payment, a refund, a decline, a lost response and a late response have the documented results', {
  timeout: 90_000,
}, async () => {
  const { token } = await newWorkspace()
  const environment = {
    SWITCHYARD_TOKEN: token,
    SWITCHYARD_BASE_URL: server.addresses.test,
    PORT: await freePort(),
    PROVIDER_DATA: folder,
  }
  const first = await startExample('custom-provider/main.ts', environment, /Continue with examples/)
  expect(first.output).toContain('it conforms to the protocol')
  await first.kill()
  // The second start finds the account and the route of the first.
  const provider = await startExample('custom-provider/main.ts', environment, /Continue with examples/)
  const route = provider.output.match(/ROUTE=(\S+)/)?.[1] ?? ''
  expect(first.output).toContain(route)

  const script = fences.map(({ line, text }) => `echo "[line ${line}]" >&2\n${text}`).join('\n')
  const env = {
    PATH: process.env.PATH ?? '',
    TEST_URL: server.addresses.test,
    TEST_TOKEN: token,
    ROUTE: route,
  }
  const { code, output } = await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    env,
    timeout: 60_000,
  }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stderr + stdout }),
    (error) => ({ code: error.code, output: `${error.stderr}${error.stdout}` }),
  )
  await provider.kill()

  expect(code, output).toBe(0)
  expect(fences).toHaveLength(5)
  // The caller passed the token in, so the program does not print it to the terminal.
  expect(provider.output).not.toContain(token)

  // If the secret is lost, the program creates a new account and routes to it.
  for (const file of globSync(join(folder, '*/agreement.json'))) rmSync(file)
  const third = await startExample('custom-provider/main.ts', environment, /Continue with examples/)
  await third.kill()
  const switchyard = new Switchyard({ token, baseUrl: server.addresses.test })
  const accounts = await switchyard.providerAccounts.list().all({ max: 10 })
  const published = await switchyard.paymentRoutes.get(route)
  const { default: defaultAction } = await switchyard.paymentRoutes.revision(route, published.revision ?? 0)
  const newestAccount = accounts
    .map(({ id }) => id)
    .sort()
    .at(-1)
  expect(third.output).toContain(route)
  expect(defaultAction.targets).toEqual([newestAccount])
})
