// Builds the page into `dist`, whole or not at all: it is made beside and put in place when it is done, so that a
// server that starts meanwhile finds the one or the other. `npm run build:checkout`; whoever needs the page calls
// `buildIfStale`, which compares what it would be made of with what it was made of.

import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = import.meta.dirname
const dist = resolve(here, 'dist')
const stamp = resolve(dist, 'made-of')

export async function buildIfStale(): Promise<void> {
  if (!isMadeOf(whatItIsMadeOf())) await buildPage()
}

/** What vitest calls before the tests. */
export { buildIfStale as setup }

async function buildPage(): Promise<void> {
  const madeOf = whatItIsMadeOf()
  const beside = mkdtempSync(join(here, 'dist-'))
  try {
    await asInProduction(() =>
      build({ configFile: resolve(here, 'vite.config.ts'), build: { outDir: beside } }),
    )
    writeFileSync(join(beside, 'made-of'), madeOf)
    // A temporary folder is closed to others, and the server may be somebody else.
    chmodSync(beside, 0o755)
    putInPlace(beside, madeOf)
  } finally {
    rmSync(beside, { recursive: true, force: true })
  }
}

/** Whoever builds it, a test too, gets the page that payers get: by this variable Vite decides which it makes. */
async function asInProduction(body: () => Promise<unknown>): Promise<void> {
  const { NODE_ENV: before = '' } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await body()
  } finally {
    process.env.NODE_ENV = before
  }
}

function putInPlace(made: string, madeOf: string): void {
  rmSync(dist, { recursive: true, force: true })
  try {
    renameSync(made, dist)
  } catch (error) {
    // Somebody else has built the same at the same time, and was faster.
    if (!isMadeOf(madeOf)) throw error
  }
}

function isMadeOf(hash: string): boolean {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash
}

function whatItIsMadeOf(): string {
  const hash = createHash('sha256')
  const files = ['src', 'locales'].flatMap((folder) =>
    readdirSync(resolve(here, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  for (const name of ['index.html', 'vite.config.ts', 'package.json']) files.push(resolve(here, name))
  for (const file of files.sort()) hash.update(file.slice(here.length)).update(readFileSync(file))
  return hash.digest('hex')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage()
