// The files that the guards check: those that a commit would contain, including the source of the server.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'

export const root = resolve(import.meta.dirname, '../../../../..')

export type TextFile = { readonly path: string; readonly text: string }

const binary = /\.(png|jpe?g|gif|webp|avif|ico|woff2?|pdf|zip|gz)$/i

/** Tracked files and new files that are not ignored, so that an error is found before it is committed. */
export function repositoryPaths(): readonly string[] {
  const output = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  // A file that is about to be deleted is still listed.
  return output.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))
}

export function repositoryTexts(): readonly TextFile[] {
  return repositoryPaths()
    .filter((path) => !binary.test(path) && statSync(join(root, path)).isFile())
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

const sourceFolder = 'packages/server/src/'

/** The source of the server without its tests, by path under `src`. */
export function sourceFiles(): readonly TextFile[] {
  return repositoryTexts()
    .filter(({ path }) => path.startsWith(sourceFolder) && path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map(({ path, text }) => ({ path: path.slice(sourceFolder.length), text }))
}

/** Everything the file imports or re-exports, including types and `import('…')` of a literal. */
export function importsOf(text: string, path = 'source.ts'): string[] {
  const { module, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`The guard cannot parse this file: ${errors[0]?.message}`)
  const reexports = module.staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest))
  const imports = module.staticImports.map((entry) => entry.moduleRequest)
  const dynamicImports = module.dynamicImports.map(({ moduleRequest: { start, end } }) =>
    text.slice(start + 1, end - 1),
  )
  return [...[...imports, ...reexports].flatMap((request) => request?.value ?? []), ...dynamicImports]
}

/**
 * Replaces every comment with spaces, because the rules apply only to code. Line numbers do not change.
 */
export function withoutComments(text: string): string {
  const { comments } = parseSync('source.ts', text)
  return comments.reduceRight(
    (rest, { start, end }) =>
      rest.slice(0, start) + rest.slice(start, end).replaceAll(/[^\n]/g, ' ') + rest.slice(end),
    text,
  )
}
