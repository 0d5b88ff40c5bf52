/**
 * The saved state of a listener: its secret and its progress, in one file per workspace, server, receiver URL and
 * event filter. A lock allows one process at a time, because two would send every event twice.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stateFolder } from '../environment.ts'
import { CliError } from '../exit.ts'
import { readPrivate, writePrivate } from '../private-file.ts'
import type { SavedProgress } from './progress.ts'

/** Identifies a listener. The event filter is part of it because a cursor is only valid for its filter. */
export type ListenerKey = {
  readonly workspaceId: string
  readonly baseUrl: string
  readonly url: string
  readonly types: readonly string[]
}

type Content = ListenerKey & { readonly secret: string; readonly saved: SavedProgress | null }

export type ListenerState = {
  readonly secret: string
  /** Null before the first run. */
  readonly saved: SavedProgress | null
  save(saved: SavedProgress): void
}

export function openState(key: ListenerKey): ListenerState {
  const file = stateFileOf(key)
  const stored = readPrivate<Content>(file)
  const secret = stored?.secret ?? `whsec_${randomBytes(24).toString('base64')}`
  const save = (saved: SavedProgress | null) => writePrivate(file, { ...key, secret, saved })
  // Save the secret immediately, so that `--print-secret` can configure a receiver before the first event.
  if (stored === null) save(null)
  return { secret, saved: stored?.saved ?? null, save }
}

/** Takes the lock until the process ends. A lock of a process that no longer runs is ignored. */
export function acquireLock(key: ListenerKey): void {
  const file = `${stateFileOf(key)}.lock`
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const holder = holderOf(file)
  if (holder !== null)
    throw new CliError(
      'refused',
      `Process ${holder} already forwards these events to ${key.url}.`,
      'Stop that process, or use another --forward-to or --events.',
    )
  writeFileSync(file, String(process.pid), { mode: 0o600 })
  process.once('exit', () => rmSync(file, { force: true }))
}

function stateFileOf({ workspaceId, baseUrl, url, types }: ListenerKey): string {
  const hash = createHash('sha256').update(JSON.stringify([workspaceId, baseUrl, url, types]))
  return join(stateFolder(), 'listen', `${hash.digest('hex').slice(0, 32)}.json`)
}

function holderOf(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    process.kill(pid, 0)
    return pid
  } catch {
    return null
  }
}
