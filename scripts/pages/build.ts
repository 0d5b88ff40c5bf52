/**
 * Builds pages into the `dist` folder of their package, atomically: they are built in a temporary folder and moved into
 * place, so that a server that starts during the build finds the old or the new pages. `ifStale` only builds if the
 * hash of the sources differs from that of the last build.
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
 * `sources` are the source files and folders of the pages, relative to the package. `complete` adds files that Vite
 * does not generate.
 */
export function pageBuild(
  packageFolder: string,
  sources: readonly string[],
  complete: (folder: string) => Promise<void> = async () => {},
): PageBuild {
  const dist = resolve(packageFolder, 'dist')
  const isBuiltFrom = (hash: string): boolean => {
    const stamp = resolve(dist, 'made-of')
    return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash
  }

  const always = async (): Promise<void> => {
    const sourceHash = hashOf(packageFolder, sources)
    const buildFolder = mkdtempSync(join(packageFolder, 'dist-'))
    try {
      await withProductionEnvironment(() =>
        build({ configFile: resolve(packageFolder, 'vite.config.ts'), build: { outDir: buildFolder } }),
      )
      await complete(buildFolder)
      writeFileSync(join(buildFolder, 'made-of'), sourceHash)
      // Temporary folders are private, but the server may run as another user.
      chmodSync(buildFolder, 0o755)
      rmSync(dist, { recursive: true, force: true })
      try {
        renameSync(buildFolder, dist)
      } catch (error) {
        // A concurrent build of the same sources was faster.
        if (!isBuiltFrom(sourceHash)) throw error
      }
    } finally {
      rmSync(buildFolder, { recursive: true, force: true })
    }
  }

  return {
    always,
    ifStale: async () => {
      if (!isBuiltFrom(hashOf(packageFolder, sources))) await always()
    },
  }
}

/** Always makes a production build, even in tests. Vite reads NODE_ENV to decide. */
async function withProductionEnvironment(body: () => Promise<unknown>): Promise<void> {
  const { NODE_ENV: previous = '' } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await body()
  } finally {
    process.env.NODE_ENV = previous
  }
}

function hashOf(packageFolder: string, sources: readonly string[]): string {
  const hash = createHash('sha256')
  const files = ['index.html', 'vite.config.ts', 'package.json', ...sources]
    .map((source) => resolve(packageFolder, source))
    .filter((path) => existsSync(path))
    .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]))
  for (const file of files.sort()) hash.update(relative(packageFolder, file)).update(readFileSync(file))
  return hash.digest('hex')
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
}
