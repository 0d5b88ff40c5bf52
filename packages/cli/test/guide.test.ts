// What docs/guides/cli.md says works: its commands in one shell, against a real server, with a home of its own.

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
const { home, settling } = { ...homeForThisFile(), settling: settleMeanwhile() }

test('the commands of the guide work, in their order', async () => {
  const fences = fencesOf(readFileSync(join(root, 'docs/guides/cli.md'), 'utf8'))
  // A reader stands in the clone, where `npx` finds it; here the files of the page go elsewhere.
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
        ...{ HOME: home, TEST_URL: address, TEST_TOKEN: token, RECEIVER_URL: receiver.url },
      },
      timeout: 150_000,
    },
  )
    .then(
      ({ stdout, stderr }) => ({ code: 0, output: stderr + stdout }),
      (error) => ({ code: error.code, output: `${error.stderr}${error.stdout}` }),
    )
    .finally(settling.stop)

  expect(script.length).toBeGreaterThan(5)
  expect(code, output).toBe(0)
  expect(receiver.requests.length).toBeGreaterThan(0)
})

test('npx finds the command in a clone', async () => {
  const { stdout } = await promisify(execFile)('npx', ['switchyard', '--version'], { cwd: root })

  expect(stdout).toBe('0.1.0\n')
})

/** Does what a worker would do, for as long as the page is read. */
function settleMeanwhile() {
  let isOver = false
  const working = (async () => {
    while (!isOver) {
      await switchyard.settle()
      await new Promise((done) => setTimeout(done, 200))
    }
  })()
  const stop = () => {
    isOver = true
    return working
  }
  return { stop }
}
