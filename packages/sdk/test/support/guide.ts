// Runs the programs of `receive-webhooks.md` as its readers do: in a separate folder with the published package, and
// on a free port.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fence, fencesOf } from '../../../server/test/guards/support/markdown.ts'
import { buildSdk } from '../../build.ts'

const root = resolve(import.meta.dirname, '../../../..')

export const guide = readFileSync(join(root, 'docs/guides/receive-webhooks.md'), 'utf8')
export const fences: readonly Fence[] = fencesOf(guide)

/** The text of an example in the repository. */
export const example = (name: string) => readFileSync(join(root, 'examples', name), 'utf8')

/** The program whose first line has this name. */
export function programNamed(name: string): string {
  const fence = fences.find(({ text }) => text.startsWith(`// ${name}\n`))
  if (fence === undefined) throw new Error(`The guide has no program ${name}.`)
  return fence.text
}

/** Whether the tool is installed on this machine. Tests of other tools are skipped. */
export function isInstalled(tool: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0
}

export type ReaderFolder = { readonly folder: string; readonly port: number; remove(): void }

/** A folder with everything that the page says to save, and `node_modules` as after its `npm install`. */
export async function readerFolder(): Promise<ReaderFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-receive-'))
  const port = await freePort()
  buildSdk(join(folder, 'node_modules/@switchyard/sdk'))
  for (const name of ['receiver.ts', 'send.ts'])
    writeFileSync(join(folder, name), atPort(programNamed(name), port))
  writeFileSync(join(folder, 'receive_webhooks.py'), atPort(example('receive_webhooks.py'), port))
  for (const name of ['verify_webhook.py', 'verify-webhook.sh'])
    writeFileSync(join(folder, name), example(name))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return { folder, port, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Replaces port 4000 of the page with another port. */
export function atPort(text: string, port: number): string {
  return text.replaceAll(/\b4000\b/g, String(port))
}

export type Running = { readonly output: () => string; readonly ended: Promise<number | null>; stop(): void }

export function start(command: readonly string[], folder: string, env: NodeJS.ProcessEnv): Running {
  const [program = '', ...parts] = command
  const child = spawn(program, parts, { cwd: folder, env: { ...process.env, ...env } })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { output: () => chunks.join(''), ended, stop: () => void child.kill() }
}

/** Starts a receiver and waits until it accepts connections. */
export async function startReceiver(
  command: readonly string[],
  { folder, port }: ReaderFolder,
  secret: string,
): Promise<Running> {
  const env = { WEBHOOK_SECRET: secret, PYTHONDONTWRITEBYTECODE: '1' }
  const receiver = start(command, folder, env)
  await waitUntil(() => canConnect(port), receiver.output)
  return receiver
}

/** Polls until the condition holds; after 15 seconds it fails with the given output. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  output: () => string,
): Promise<void> {
  const deadline = performance.now() + 15_000
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`The condition was not met within 15 seconds. ${output()}`)
    await sleep(50)
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}
