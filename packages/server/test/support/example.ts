// An example of the repository as its reader starts it: a process of its own, which can be killed and started again.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'

const examples = resolve(import.meta.dirname, '../../../../examples')

export type ExampleProcess = { readonly said: string; kill(): Promise<void> }

/** Ready as soon as it has said what `isReady` waits for. */
export async function startExample(
  path: string,
  environment: Record<string, string>,
  isReady: RegExp,
): Promise<ExampleProcess> {
  const child = spawn(process.execPath, [resolve(examples, path)], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const said = await Promise.race([heard(child, isReady), exited.then(() => null)])
  if (said === null) throw new Error(`${path} ended before it was ready.`)
  return {
    said,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** What it complains about stands in the output of the test. */
function heard(child: ChildProcess, isReady: RegExp): Promise<string> {
  child.stderr?.pipe(process.stderr)
  return new Promise((done) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (more: string) => {
      text += more
      if (isReady.test(text)) done(text)
    })
  })
}

/** One that was free a moment ago. */
export async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}
