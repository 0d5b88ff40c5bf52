#!/usr/bin/env node
// Runs the TypeScript sources, which need Node 24. `npx` puts the Node from node_modules first on PATH. When this
// file is run in another way, the current Node may be too old; then it searches node_modules/.bin for a newer one.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const main = resolve(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '../src/main.ts')
const minimumVersion = [24, 7]

if (isRecent(process.versions.node)) {
  cacheCompiledCode()
  await import(main)
} else runWith(findNode(dirname(main)))

/**
 * Caches compiled code, which halves the start-up time of later runs. The cache is in the user's own folder because
 * cached code is executed, and Node's default folder is in the shared temporary directory.
 */
function cacheCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  module.enableCompileCache(
    join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'switchyard', 'compiled'),
  )
}

function isRecent(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > minimumVersion[0] || (major === minimumVersion[0] && minor >= minimumVersion[1])
}

function findNode(folder) {
  const found = join(folder, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  if (existsSync(found)) return found
  return dirname(folder) === folder ? null : findNode(dirname(folder))
}

function runWith(node) {
  if (node === null) {
    console.error(
      `switchyard needs Node ${minimumVersion.join('.')} or newer, but this is ${process.version}. Run \`npm ci\` in the clone to install it.`,
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
