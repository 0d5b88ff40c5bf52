/**
 * What a listener keeps: its secret and how far it has come, in a file per workspace, address and filter. One
 * process at a time may use it, since two would each send what the other one has sent.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stateFolder } from '../environment.ts'
import { CliError } from '../exit.ts'
import { readPrivate, writePrivate } from '../private-file.ts'
import type { Saved } from './progress.ts'

/** What makes it another listener. A cursor belongs to a filter, so that is part of it. */
export type ListenerKey = {
  readonly workspaceId: string
  readonly baseUrl: string
  readonly url: string
  readonly types: readonly string[]
}

type Content = ListenerKey & { readonly secret: string; readonly saved: Saved | null }

export type ListenerState = {
  readonly secret: string
  /** Null if it never ran. */
  readonly saved: Saved | null
  save(saved: Saved): void
}

export function openState(key: ListenerKey): ListenerState {
  const file = fileOf(key)
  const known = readPrivate<Content>(file)
  const secret = known?.secret ?? `whsec_${randomBytes(24).toString('base64')}`
  const save = (saved: Saved | null) => writePrivate(file, { ...key, secret, saved })
  // Kept from the first moment, so that a receiver can be told the secret before anything comes.
  if (known === null) save(null)
  return { secret, saved: known?.saved ?? null, save }
}

/** Until the process ends. That of a process which is gone counts for nothing. */
export function takeLock(key: ListenerKey): void {
  const file = `${fileOf(key)}.lock`
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const holder = holderOf(file)
  if (holder !== null)
    throw new CliError(
      'refused',
      `Process ${holder} forwards these events to ${key.url} already.`,
      'Stop it, or choose another address or other --events.',
    )
  writeFileSync(file, String(process.pid), { mode: 0o600 })
  process.once('exit', () => rmSync(file, { force: true }))
}

function fileOf({ workspaceId, baseUrl, url, types }: ListenerKey): string {
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
