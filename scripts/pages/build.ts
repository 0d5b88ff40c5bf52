/**
 * Builds pages into `dist` of their package, whole or not at all: they are made beside and put in place when they
 * are done, so that a server that starts meanwhile finds the one or the other. Whoever needs them calls
 * `ifStale`, which compares what they would be made of with what they were made of.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { build } from 'vite'

export type PageBuild = { readonly always: () => Promise<void>; readonly ifStale: () => Promise<void> }

/**
 * `sources` are the files that the pages are made of, and folders of such files, from the folder of the package.
 * `complete` adds to the folder what Vite does not make.
 */
export function pageBuild(
  here: string,
  sources: readonly string[],
  complete: (folder: string) => Promise<void> = async () => {},
): PageBuild {
  const dist = resolve(here, 'dist')
  const isMadeOf = (hash: string): boolean => {
    const stamp = resolve(dist, 'made-of')
    return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash
  }

  const always = async (): Promise<void> => {
    const madeOf = hashOf(here, sources)
    const beside = mkdtempSync(join(here, 'dist-'))
    try {
      await asInProduction(() =>
        build({ configFile: resolve(here, 'vite.config.ts'), build: { outDir: beside } }),
      )
      await complete(beside)
      writeFileSync(join(beside, 'made-of'), madeOf)
      // A temporary folder is closed to others, and the server may be somebody else.
      chmodSync(beside, 0o755)
      rmSync(dist, { recursive: true, force: true })
      try {
        renameSync(beside, dist)
      } catch (error) {
        // Somebody else has built the same at the same time, and was faster.
        if (!isMadeOf(madeOf)) throw error
      }
    } finally {
      rmSync(beside, { recursive: true, force: true })
    }
  }

  return {
    always,
    ifStale: async () => {
      if (!isMadeOf(hashOf(here, sources))) await always()
    },
  }
}

/** Whoever builds them, a test too, gets what users get: by this variable Vite decides which it makes. */
async function asInProduction(body: () => Promise<unknown>): Promise<void> {
  const { NODE_ENV: before = '' } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await body()
  } finally {
    process.env.NODE_ENV = before
  }
}

function hashOf(here: string, sources: readonly string[]): string {
  const hash = createHash('sha256')
  const files = ['index.html', 'vite.config.ts', 'package.json', ...sources]
    .map((source) => resolve(here, source))
    .filter((path) => existsSync(path))
    .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]))
  for (const file of files.sort()) hash.update(relative(here, file)).update(readFileSync(file))
  return hash.digest('hex')
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
}
