// The runner of `npm run nightly` with commands that succeed, fail, and time out.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runWithTimeout } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-nightly-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (script: string, timeoutMs = 20_000) =>
  runWithTimeout({
    command: 'bash',
    args: ['-c', script],
    cwd: folder,
    timeoutMs,
    logFile: join(folder, 'out.log'),
  })

test('exit code 0 is ok; a failure has its exit code and its last lines', async () => {
  expect(await run('echo fine')).toMatchObject({ result: 'ok', lastLines: ['fine'] })
  expect(await run('echo broken >&2; exit 3')).toMatchObject({ result: 'exit code 3', lastLines: ['broken'] })
})

test('after the timeout a command and its child processes are stopped, and it counts as failed', async () => {
  const { result, seconds } = await run('sleep 600 & echo $! > child; wait', 500)

  expect(result).toBe('timeout')
  expect(seconds).toBeLessThan(15)
  expect(isRunning(Number(readFileSync(join(folder, 'child'), 'utf8')))).toBe(false)
})

test('child processes that a command leaves running are stopped', async () => {
  expect(await run('sleep 600 & echo $! > left')).toMatchObject({ result: 'ok' })
  await expect.poll(() => isRunning(Number(readFileSync(join(folder, 'left'), 'utf8')))).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    // A zombie has ended, but its parent has not waited for it yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
