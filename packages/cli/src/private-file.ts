/** Files that hold secrets: readable by their owner alone, and never half written. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CliError } from './exit.ts'

/** Null if there is none. */
export function readPrivate<Content>(path: string): Content | null {
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new CliError('failed', `${path} cannot be read as JSON.`, 'Remove it, and sign in or start again.')
  }
}

/** Whoever is killed in between leaves the old file or the new one. */
export function writePrivate(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, JSON.stringify(content, null, 2), { mode: 0o600 })
  renameSync(draft, path)
}
