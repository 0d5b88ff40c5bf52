/** The sources of the site: the Markdown files of the repository, and the other files in `docs`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../../..')

/** Pages outside of `docs`. */
export const rootPages = [
  'README.md',
  'ARCHITECTURE.md',
  'STYLE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'examples/README.md',
  'examples/shop/README.md',
  'examples/custom-provider/README.md',
]

export type Sources = {
  /** Text by path, relative to the root of the repository. */
  readonly pages: ReadonlyMap<string, string>
  readonly files: ReadonlyMap<string, Buffer>
}

export function readSources(): Sources {
  const paths = readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  const isPage = (path: string): boolean => path.endsWith('.md')
  // Sorted, so that the same files always produce the same site.
  const pages = [...rootPages, ...paths.filter(isPage)].toSorted()
  const files = paths.filter((path) => !isPage(path)).toSorted()
  return {
    pages: new Map(pages.map((path) => [path, readFileSync(join(root, path), 'utf8')])),
    files: new Map(files.map((path) => [path, readFileSync(join(root, path))])),
  }
}
