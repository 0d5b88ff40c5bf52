// `npm run test:runtimes`: runs the SDK in Bun, Deno and workerd, the runtime of Cloudflare's workers. Their binaries
// take 350 MB, too much for every `npm ci`, so each run installs them into a temporary folder. If a runtime cannot be
// installed or fails, the exit code is 1.

import { execFileSync, spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { startTemporaryServer } from '../../../server/test/support/temporary-server.ts'
import { bundledProbe } from './bundle.ts'
import { expected, type ProbeInput } from './probe.ts'
import { probeInputFor } from './probe-input.ts'
import { runInWorkerd } from './workerd.ts'

/** Runs the probe, and returns its result as JSON, or the error as text. */
type RunProbe = (folder: string, program: string, input: ProbeInput) => Promise<string>

const runtimes: Record<string, RunProbe> = {
  node: (folder, program) => run(folder, program, ['main.js']),
  bun: (folder, program) => run(folder, program, ['main.js']),
  deno: (folder, program) => run(folder, program, ['run', '--allow-net', 'main.js']),
  workerd: runInWorkerd,
}

/** The executables in node_modules. The links of npm would need install scripts, which are not run here. */
const programs: Record<string, string> = {
  bun: '@oven/*/bin/bun*',
  deno: '@deno/*/deno*',
  workerd: '@cloudflare/*/bin/workerd*',
}

const server = await startTemporaryServer()
const folder = mkdtempSync(join(tmpdir(), 'switchyard-runtimes-'))
try {
  install(folder)
  const input = await probeInputFor(server)
  writeFileSync(join(folder, 'probe.js'), await bundledProbe('esm'))
  writeFileSync(
    join(folder, 'main.js'),
    `import { probe } from './probe.js'\nconsole.log(JSON.stringify(await probe(${JSON.stringify(input)})))`,
  )
  for (const [name, runProbe] of Object.entries(runtimes)) {
    const program = programOf(folder, name)
    const output = await runProbe(folder, program, input).catch(String)
    const passed = isDeepStrictEqual(parseJson(output), expected)
    if (!passed) process.exitCode = 1
    console.log(
      `${passed ? 'ok  ' : 'FAIL'}  ${name.padEnd(8)} ${versionOf(program)}${passed ? '' : `\n${output}`}`,
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
  await server.stop()
}

function install(target: string): void {
  writeFileSync(join(target, 'package.json'), '{ "type": "module", "private": true }')
  const packages = ['bun@1', 'deno@2', 'workerd@1']
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...packages], {
    cwd: target,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function programOf(target: string, name: string): string {
  if (name === 'node') return process.execPath
  const [program] = globSync(`node_modules/${programs[name]}`, { cwd: target }).toSorted()
  if (program === undefined) throw new Error(`npm has no ${name} for this machine.`)
  return join(target, program)
}

function run(cwd: string, program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { cwd, timeout: 60_000, stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(String(error)))
    child.once('close', () => resolve(chunks.join('')))
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function versionOf(program: string): string {
  return execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? ''
}
