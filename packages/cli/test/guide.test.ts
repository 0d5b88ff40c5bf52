// Runs the commands of the guides in a shell, against a real server, with a separate home folder.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { fencesOf } from '../../server/test/guards/support/markdown.ts'
import { receiverForThisFile } from '../../server/test/support/receiver.ts'
import { simulatorForThisFile } from '../../server/test/support/simulator.ts'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import { homeForThisFile } from './support/cli.ts'

vi.setConfig({ testTimeout: 180_000 })

const root = resolve(import.meta.dirname, '../../..')
const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const receiver = await receiverForThisFile()
const { home, worker } = { ...homeForThisFile(), worker: runWorker() }

test('the commands of the guide work in order', async () => {
  const { address, token } = await switchyard.newWorkspace()
  const env = { TEST_URL: address, TEST_TOKEN: token, RECEIVER_URL: receiver.url }

  const { count, code, output } = await runGuide('docs/guides/cli.md', env).finally(worker.stop)

  expect(count).toBeGreaterThan(5)
  expect(code, output).toBe(0)
  expect(receiver.requests.length).toBeGreaterThan(0)
})

test('the commands of the guide to connectors work in order, and leave no secret in their output', async () => {
  const { address, token, get } = await switchyard.newWorkspace()
  const env = { SWITCHYARD_TOKEN: token, SWITCHYARD_BASE_URL: address }

  const { code, output } = await runGuide('docs/guides/connect-providers.md', env)

  expect(code, output).toBe(0)
  expect(output).not.toContain('YourOwn')
  const { body } = await get('/provider-accounts?limit=1')
  expect(body.data).toMatchObject([
    { provider: 'stripe', credentials: { names: ['secret_key', 'signing_secret'] } },
  ])
})

/** Runs the commands of a page in one shell. */
async function runGuide(page: string, env: Record<string, string>) {
  const fences = fencesOf(readFileSync(join(root, page), 'utf8'))
  // Readers run `npx switchyard` in the clone. The test runs in another folder, so it calls `switchyard` on PATH.
  const script = fences
    .filter(({ info }) => info === 'sh cli')
    .map(({ line, text }) => `echo "[line ${line}]" >&2\n${text.replaceAll('npx switchyard', 'switchyard')}`)
  const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`
  const result = await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', script.join('\n')], {
    cwd: home,
    env: { PATH: path, HOME: home, ...env },
    timeout: 150_000,
  }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stderr + stdout }),
    (error) => ({ code: error.code, output: `${error.stderr}${error.stdout}` }),
  )
  return { ...result, count: script.length }
}

test('npx finds the command in a clone', async () => {
  const { stdout } = await promisify(execFile)('npx', ['switchyard', '--version'], { cwd: root })

  expect(stdout).toBe('0.1.0\n')
})

/** Does the work of a worker while the commands run. */
function runWorker() {
  let isStopped = false
  const loop = (async () => {
    while (!isStopped) {
      await switchyard.settle()
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  })()
  const stop = () => {
    isStopped = true
    return loop
  }
  return { stop }
}
