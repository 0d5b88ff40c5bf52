// A copy of the server in which guards can be taken away, beside the real one, which nothing here touches.

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
import { mutants, type Patch } from './table.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

/** What a worker reads. */
const parts = [
  ...['package.json', 'packages/server/package.json', 'packages/simulator/package.json'],
  ...['packages/server/src', 'packages/server/test/money', 'packages/server/test/support'],
  'packages/simulator/src',
]

export type Workshop = {
  /** The worker that plays stories with the copy. */
  readonly workerFile: string
  /** With these patches alone. */
  patch(patches: readonly Patch[]): void
  close(): void
}

export function openWorkshop(): Workshop {
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
    workerFile: join(folder, 'packages/server/test/money/worker.ts'),
    patch(patches) {
      for (const file of patched) cpSync(join(root, sourceOf(file)), join(folder, sourceOf(file)))
      patched = patches.map(({ file }) => file)
      for (const one of patches) applyIn(folder, one)
    },
    close,
  }
}

const sourceOf = (file: string) => join('packages/server/src', file)

function applyIn(folder: string, patch: Patch): void {
  const path = join(folder, sourceOf(patch.file))
  const text = readFileSync(path, 'utf8')
  const fault = faultOf(text, patch)
  if (fault !== null) throw new Error(fault)
  writeFileSync(
    path,
    text.replace(patch.from, () => patch.to),
  )
}

/** Rows of the table that no longer fit the code. */
export function faultsOfMutants(): string[] {
  const patches = mutants.flatMap(({ patches = [] }) => patches)
  return patches.flatMap((patch) => {
    const fault = faultOf(readFileSync(join(root, sourceOf(patch.file)), 'utf8'), patch)
    return fault === null ? [] : [fault]
  })
}

function faultOf(text: string, { file, from }: Patch): string | null {
  const times = text.split(from).length - 1
  if (times === 1) return null
  return `This stands ${times} times in ${file}, not once. Bring the table of mutants up to date:\n${from}`
}
