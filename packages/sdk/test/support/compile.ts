// Compiles a text as a user of the package would: strict, and in a folder of its own.

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
 * What the compiler complains about; empty if nothing. A `folder` that is given may hold packages, and stays;
 * `types` are packages of types that it is to find.
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
