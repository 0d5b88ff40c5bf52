// A newcomer who follows `test-cards-and-faults.md` from its first line to its last sees what the page says: all its
// commands in one shell, against the real server and a simulator. Some wait for what a worker does.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fencesOf } from '../guards/support/markdown.ts'
import { paymentScene } from './support/payment-scene.ts'

const { simulator, start, switchyard } = await paymentScene()
const root = resolve(import.meta.dirname, '../../../..')
const page = readFileSync(join(root, 'docs/guides/test-cards-and-faults.md'), 'utf8')
const fences = fencesOf(page).filter(({ info }) => info === 'sh run' || info === 'sh worker')

test('the page, with a worker', { timeout: 180_000 }, async () => {
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
    ...{ env, timeout: 150_000 },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stderr + stdout }),
    (error) => ({ code: error.code, output: `${error.stderr}${error.stdout}` }),
  )

  expect(code, output).toBe(0)
  expect(fences.map(({ info }) => info)).toContain('sh worker')
  await server.kill('SIGTERM')
})
