// An append-only file: every written line survives a crash.

import { existsSync, fdatasyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'

export type Journal<Line> = {
  /** The lines when the file was opened, oldest first. */
  readonly lines: readonly Line[]
  /** Synced to disk before it returns, so that a power failure cannot undo a response. */
  append(line: Line): void
}

export function openJournal<Line extends object>(path: string): Journal<Line> {
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
  // Remove a last line that was truncated by a crash: no response depended on it, and the next line would be appended
  // to it.
  const wholeBytes = bytes.lastIndexOf('\n') + 1
  if (wholeBytes < bytes.length) truncateSync(path, wholeBytes)
  const texts = bytes.toString('utf8', 0, wholeBytes).split('\n').slice(0, -1)
  const file = openSync(path, 'a')
  return {
    lines: texts.map((text): Line => JSON.parse(text)),
    append(line) {
      writeSync(file, `${JSON.stringify(line)}\n`)
      fdatasyncSync(file)
    },
  }
}
