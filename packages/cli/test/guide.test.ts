// Runs the commands of docs/guides/cli.md in one shell, against a real server, with a separate home folder.

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
  const fences = fencesOf(readFileSync(join(root, 'docs/guides/cli.md'), 'utf8'))
  // Readers run `npx switchyard` in the clone. The test runs in another folder, so it calls `switchyard` on PATH.
  const script = fences
    .filter(({ info }) => info === 'sh cli')
    .map(({ line, text }) => `echo "[line ${line}]" >&2\n${text.replaceAll('npx switchyard', 'switchyard')}`)
  const { address, token } = await switchyard.newWorkspace()

  const { code, output } = await promisify(execFile)(
    'bash',
    ['-eu', '-o', 'pipefail', '-c', script.join('\n')],
    {
      cwd: home,
      env: {
        PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
        HOME: home,
        TEST_URL: address,
        TEST_TOKEN: token,
        RECEIVER_URL: receiver.url,
      },
      timeout: 150_000,
    },
  )
    .then(
      ({ stdout, stderr }) => ({ code: 0, output: stderr + stdout }),
      (error) => ({ code: error.code, output: `${error.stderr}${error.stdout}` }),
    )
    .finally(worker.stop)

  expect(script.length).toBeGreaterThan(5)
  expect(code, output).toBe(0)
  expect(receiver.requests.length).toBeGreaterThan(0)
})

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
