// A file to which lines are added and from which none is taken: what was written is there after a crash.

import { existsSync, fdatasyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'

export type Journal<Line> = {
  /** What was in it when it was opened, the oldest first. */
  readonly lines: readonly Line[]
  /** On disk when it returns: an answer that a power cut could undo is a lie. */
  append(line: Line): void
}

export function openJournal<Line extends object>(path: string): Journal<Line> {
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
  // A last line that was cut by a crash was never answered for. Left there, the next line would be glued to it.
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
