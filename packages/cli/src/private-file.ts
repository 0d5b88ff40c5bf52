/** Files that contain secrets: only readable by their owner, and written atomically. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CliError } from './exit.ts'

/** Null if the file does not exist. */
export function readPrivate<Content>(path: string): Content | null {
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new CliError('failed', `${path} is not valid JSON.`, 'Delete it, then sign in or start again.')
  }
}

/** Writes to a temporary file and renames it, so that a killed process leaves the old or the new file. */
export function writePrivate(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, JSON.stringify(content, null, 2), { mode: 0o600 })
  renameSync(draft, path)
}
