// Starts an example of the repository in a separate process that can be killed.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'

const examples = resolve(import.meta.dirname, '../../../../examples')

export type ExampleProcess = { readonly output: string; kill(): Promise<void> }

/** Resolves when the output matches `isReady`. */
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
  const output = await Promise.race([waitForOutput(child, isReady), exited.then(() => null)])
  if (output === null) throw new Error(`${path} ended before it was ready.`)
  return {
    output,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/**
 * Resolves with the standard output when it matches. The standard error is part of the output of the test.
 */
function waitForOutput(child: ChildProcess, isReady: RegExp): Promise<string> {
  child.stderr?.pipe(process.stderr)
  return new Promise((resolvePromise) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (isReady.test(text)) resolvePromise(text)
    })
  })
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}
