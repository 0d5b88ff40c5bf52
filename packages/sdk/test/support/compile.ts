// Compiles code as a user of the package would: strict, and in a separate folder.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const compiler = resolve(import.meta.dirname, '../../../../node_modules/typescript/bin/tsc')
const typeRoot = resolve(import.meta.dirname, '../../../../node_modules/@types')
const options = {
  target: 'es2024',
  lib: ['es2024', 'dom'],
  module: 'nodenext',
  strict: true,
  noEmit: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
}

/**
 * The errors of the compiler; empty if there are none. A given `folder` may contain packages, and is not removed;
 * `types` are the type packages that the compiler should load.
 */
export function compile(source: string, folder?: string, types: readonly string[] = []): string {
  if (folder !== undefined) return compileIn(folder, source, types)
  const ownFolder = mkdtempSync(join(tmpdir(), 'switchyard-compile-'))
  try {
    return compileIn(ownFolder, source, types)
  } finally {
    rmSync(ownFolder, { recursive: true, force: true })
  }
}

function compileIn(folder: string, source: string, types: readonly string[]): string {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, types, typeRoots: [typeRoot] }, files: ['main.ts'] }),
  )
  writeFileSync(join(folder, 'main.ts'), source)
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
  return stdout + stderr
}
