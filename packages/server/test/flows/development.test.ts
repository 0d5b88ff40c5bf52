// Runs `npm run dev` as a developer does, but with its data in a temporary folder.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { freePort } from '../../../../scripts/services/ports.ts'
import { inheritedEnvironment } from '../support/inherited-environment.ts'

// `npm run dev` creates a database cluster, migrates it and starts four processes.
vi.setConfig({ testTimeout: 120_000 })

const dev = resolve(import.meta.dirname, '../../../../scripts/dev.ts')
const folder = mkdtempSync(join(tmpdir(), 'switchyard-dev-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Development = {
  readonly child: ChildProcess
  readonly output: () => string
  readonly exited: Promise<unknown>
}

function startDevelopment(environment: Record<string, string>): Development {
  const child = spawn(process.execPath, [dev], {
    env: { ...inheritedEnvironment, SWITCHYARD_DEV_FOLDER: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return { child, output: () => output, exited: once(child, 'exit') }
}

/** The lines of the server's log with the level warning or higher. */
function warningsIn(output: string): string[] {
  const entries = output.split('\n').filter((line) => line.startsWith('{"level"'))
  return entries.filter((line) => JSON.parse(line).level >= 40)
}

test('npm run dev listens on LIVE_LISTEN, TEST_LISTEN, DASHBOARD_LISTEN and OPS_LISTEN, and logs no warning', async () => {
  const [live, test, dashboard, ops] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]

  const running = startDevelopment({
    LIVE_LISTEN: `127.0.0.1:${live}`,
    TEST_LISTEN: `127.0.0.1:${test}`,
    DASHBOARD_LISTEN: `127.0.0.1:${dashboard}`,
    OPS_LISTEN: `127.0.0.1:${ops}`,
  })
  try {
    await expect.poll(running.output, { timeout: 100_000 }).toContain('Switchyard is running.')

    const addresses = [`${live}/openapi.json`, `${test}/openapi.json`, `${dashboard}/`, `${ops}/readyz`]
    for (const address of addresses) expect((await fetch(`http://127.0.0.1:${address}`)).status).toBe(200)
    expect(running.output()).toContain(`http://localhost:${dashboard} `)
    expect(running.output()).toContain(`http://127.0.0.1:${test}/customers`)
    // The server starts after its services are ready, so it must not log that one is unreachable.
    await expect.poll(running.output, { timeout: 10_000 }).toContain('"NATS is connected."')
    expect(warningsIn(running.output())).toEqual([])
  } finally {
    running.child.kill('SIGTERM')
    await running.exited
  }
})

test('npm run dev rejects an invalid address and a port in use before it starts any process', async () => {
  const other = createServer()
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const { port } = other.address() as { port: number }

  const portInUse = startDevelopment({ TEST_LISTEN: `127.0.0.1:${port}` })
  const invalid = startDevelopment({ OPS_LISTEN: '9090' })
  const [[portInUseCode], [invalidCode]] = (await Promise.all([portInUse.exited, invalid.exited])) as [
    [number],
    [number],
  ]
  other.close()

  expect([portInUseCode, invalidCode]).toEqual([1, 1])
  expect(portInUse.output()).toBe(
    `TEST_LISTEN is "127.0.0.1:${port}", but that port is taken. Set TEST_LISTEN to a free port.\n`,
  )
  expect(invalid.output()).toBe('OPS_LISTEN is "9090". It must be host:port, such as 127.0.0.1:9090.\n')
})
