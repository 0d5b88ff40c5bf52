// `npm run test:runtimes`: the SDK in Bun, Deno and workerd, the runtime of Cloudflare's workers. Their programs have
// 350 MB together, too much for every `npm ci`, so they are installed into a folder for the occasion. None is left
// out: what cannot be installed or fails ends the command with 1.

import { execFileSync, spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { startThrowawayServer } from '../../../server/test/support/throwaway-server.ts'
import { bundledProbe } from './bundle.ts'
import { givenFor } from './given.ts'
import { expected, type Given } from './probe.ts'
import { askWorkerd } from './workerd.ts'

/** What the probe answered as text, or what went wrong. */
type Ask = (folder: string, program: string, given: Given) => Promise<string>

const runtimes: Record<string, Ask> = {
  node: (folder, program) => run(folder, program, ['main.js']),
  bun: (folder, program) => run(folder, program, ['main.js']),
  deno: (folder, program) => run(folder, program, ['run', '--allow-net', 'main.js']),
  workerd: askWorkerd,
}

/** The program itself: what npm links to needs a script of the package to have run, and none is run here. */
const programs: Record<string, string> = {
  bun: '@oven/*/bin/bun*',
  deno: '@deno/*/deno*',
  workerd: '@cloudflare/*/bin/workerd*',
}

const server = await startThrowawayServer()
const folder = mkdtempSync(join(tmpdir(), 'switchyard-runtimes-'))
try {
  install(folder)
  const given = await givenFor(server)
  writeFileSync(join(folder, 'probe.js'), await bundledProbe('esm'))
  writeFileSync(
    join(folder, 'main.js'),
    `import { probe } from './probe.js'\nconsole.log(JSON.stringify(await probe(${JSON.stringify(given)})))`,
  )
  for (const [name, ask] of Object.entries(runtimes)) {
    const program = programOf(folder, name)
    const answer = await ask(folder, program, given).catch(String)
    const isWell = isDeepStrictEqual(parsed(answer), expected)
    if (!isWell) process.exitCode = 1
    console.log(
      `${isWell ? 'ok  ' : 'FAIL'}  ${name.padEnd(8)} ${versionOf(program)}${isWell ? '' : `\n${answer}`}`,
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
  await server.stop()
}

function install(into: string): void {
  writeFileSync(join(into, 'package.json'), '{ "type": "module", "private": true }')
  const packages = ['bun@1', 'deno@2', 'workerd@1']
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...packages], {
    cwd: into,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function programOf(from: string, name: string): string {
  if (name === 'node') return process.execPath
  const [program] = globSync(`node_modules/${programs[name]}`, { cwd: from }).toSorted()
  if (program === undefined) throw new Error(`npm has no ${name} for this machine.`)
  return join(from, program)
}

function run(cwd: string, program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { cwd, timeout: 60_000, stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  return new Promise((done) => {
    child.once('error', (error) => done(String(error)))
    child.once('close', () => done(chunks.join('')))
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function versionOf(program: string): string {
  return execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? ''
}
