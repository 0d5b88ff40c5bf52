#!/usr/bin/env node
// Runs the sources, which need Node 24. `npx` puts the Node that npm brought first on PATH; whoever calls this
// file in another way may have an older one, so it is looked for beside the packages of the clone.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const main = resolve(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '../src/main.ts')
const oldest = [24, 7]

if (isRecent(process.versions.node)) {
  keepWhatIsCompiled()
  await import(main)
} else runWith(findNode(dirname(main)))

/**
 * The second call starts in half the time. In a folder of the person's own: what is compiled is run, and the one
 * that Node would take is anybody's.
 */
function keepWhatIsCompiled() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  module.enableCompileCache(
    join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'switchyard', 'compiled'),
  )
}

function isRecent(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
}

function findNode(folder) {
  const found = join(folder, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  if (existsSync(found)) return found
  return dirname(folder) === folder ? null : findNode(dirname(folder))
}

function runWith(node) {
  if (node === null) {
    console.error(
      `switchyard needs Node ${oldest.join('.')} or newer; this is ${process.version}. Run \`npm ci\` in the clone: it brings one.`,
    )
    process.exitCode = 2
    return
  }
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGKILL' ? 137 : 1)
  })
}
