// A patched copy of the server, from which guards are removed. The original is not changed.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Patch } from './table.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

/** The files that the workers of the money model, the tests of connectors and those of invoices need. */
const parts = [
  'package.json',
  'packages/server/package.json',
  'packages/simulator/package.json',
  'packages/server/src',
  'packages/server/test/connector-mutants',
  'packages/server/test/invoice-mutants',
  'packages/server/test/money',
  'packages/server/test/support',
  'packages/simulator/src',
  'scripts/provider-smoke',
]

export type PatchedCopy = {
  readonly folder: string
  /** Replaces all earlier patches with these. */
  patch(patches: readonly Patch[]): void
  close(): void
}

export function createPatchedCopy(): PatchedCopy {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-mutants-'))
  for (const part of parts) {
    mkdirSync(join(folder, part, '..'), { recursive: true })
    cpSync(join(root, part), join(folder, part), { recursive: true })
  }
  for (const modules of ['node_modules', 'packages/server/node_modules'])
    if (existsSync(join(root, modules))) symlinkSync(join(root, modules), join(folder, modules))
  const close = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', close)
  let patched: string[] = []

  return {
    folder,
    patch(patches) {
      for (const file of patched) cpSync(join(root, sourceOf(file)), join(folder, sourceOf(file)))
      patched = patches.map(({ file }) => file)
      for (const patch of patches) applyPatch(folder, patch)
    },
    close,
  }
}

const sourceOf = (file: string) => join('packages/server/src', file)

function applyPatch(folder: string, patch: Patch): void {
  const path = join(folder, sourceOf(patch.file))
  const text = readFileSync(path, 'utf8')
  const problem = patchProblem(text, patch)
  if (problem !== null) throw new Error(problem)
  writeFileSync(
    path,
    text.replace(patch.from, () => patch.to),
  )
}

/** Patches that no longer match the source. */
export function outdatedPatches(patches: readonly Patch[]): string[] {
  return patches.flatMap((patch) => {
    const problem = patchProblem(readFileSync(join(root, sourceOf(patch.file)), 'utf8'), patch)
    return problem === null ? [] : [problem]
  })
}

function patchProblem(text: string, { file, from }: Patch): string | null {
  const occurrences = text.split(from).length - 1
  if (occurrences === 1) return null
  return `This text occurs ${occurrences} times in ${file} instead of once. Update the table of mutants:\n${from}`
}
