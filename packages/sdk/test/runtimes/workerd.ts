// The probe in workerd, as a worker: its result is the response to a request.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProbeInput } from './probe.ts'

const worker = `import { probe } from './probe.js'
export default {
  fetch: async (request) =>
    Response.json(await probe(await request.json()).catch((error) => ({ error: String(error) }))),
}`

const configOf = (port: number) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ( name = "main", worker = (
        modules = [
          ( name = "worker.js", esModule = embed "worker.js" ),
          ( name = "probe.js", esModule = embed "probe.js" ) ],
        compatibilityDate = "2026-01-01",
        globalOutbound = "outside" ) ),
    ( name = "outside", network = ( allow = ["private", "local"] ) ) ],
  sockets = [ ( name = "http", address = "127.0.0.1:${port}", http = (), service = "main" ) ] );
`

export async function runInWorkerd(folder: string, program: string, input: ProbeInput): Promise<string> {
  const port = await freePort()
  writeFileSync(join(folder, 'worker.js'), worker)
  writeFileSync(join(folder, 'config.capnp'), configOf(port))
  const child = spawn(program, ['serve', 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  try {
    return await postWhenListening(`http://127.0.0.1:${port}/`, JSON.stringify(input))
  } finally {
    child.kill()
  }
}

/** Retries until the worker listens. */
async function postWhenListening(url: string, body: string): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await (await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(60_000) })).text()
    } catch (error) {
      if (tries === 50) throw error
      await sleep(200)
    }
  }
}

function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
