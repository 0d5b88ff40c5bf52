// Creates the folder of a connector from the files in `template`.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { ProviderNames } from './names.ts'

const template = join(import.meta.dirname, 'template')

/** Path under the folder of the connector -> text. */
export function filesOf(names: ProviderNames): ReadonlyMap<string, string> {
  const entries = readdirSync(template, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(template, join(entry.parentPath, entry.name)))
    .toSorted()
  return new Map(
    paths.map((path) => [
      path.replace(/\.template$/, ''),
      fillIn(readFileSync(join(template, path), 'utf8'), names),
    ]),
  )
}

/** Returns the reason why the folder cannot be created; null if it was created. */
export function createProvider(providers: string, names: ProviderNames): string | null {
  const folder = join(providers, names.folder)
  if (existsSync(folder)) return `The folder ${names.folder} already exists.`
  const files = filesOf(names)
  if (new RegExp(`^import .*\\b${names.variable}\\b|^const ${names.variable}\\b`, 'm').test(provider(files)))
    return `"${names.folder}" is the name of something else in provider.ts. Choose another one.`
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return null
}

const provider = (files: ReadonlyMap<string, string>) => files.get('provider.ts') ?? ''

function fillIn(text: string, names: ProviderNames): string {
  return text.replaceAll(/\{\{(folder|id|variable|name)\}\}/g, (_, key: keyof ProviderNames) => names[key])
}
