// Runs all commands of the guide `test-cards-and-faults.md` in one shell, against the real server, a
// simulator and a worker, and checks that they have the documented results.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fencesOf } from '../guards/support/markdown.ts'
import { startPaymentInstallation } from './support/payment-installation.ts'

const { simulator, start, switchyard } = await startPaymentInstallation()
const root = resolve(import.meta.dirname, '../../../..')
const page = readFileSync(join(root, 'docs/guides/test-cards-and-faults.md'), 'utf8')
const fences = fencesOf(page).filter(({ info }) => info === 'sh run' || info === 'sh worker')

test('the commands of the guide have the documented results', { timeout: 180_000 }, async () => {
  const server = await start('all')
  const { token } = await switchyard.newWorkspace()
  const script = fences.map(({ line, text }) => `echo "[line ${line}]" >&2\n${text}`).join('\n')
  const env = {
    PATH: process.env.PATH ?? '',
    TEST_URL: server.addresses.test,
    TEST_TOKEN: token,
    SIMULATOR_URL: simulator.url,
  }
  const { code, output } = await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    env,
    timeout: 150_000,
  }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stderr + stdout }),
    (error) => ({ code: error.code, output: `${error.stderr}${error.stdout}` }),
  )

  expect(code, output).toBe(0)
  expect(fences.map(({ info }) => info)).toContain('sh worker')
  await server.kill('SIGTERM')
})
