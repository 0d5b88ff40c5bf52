/**
 * An append-only file of JSON lines. Pending lines are written and synced in one batch. No response that depends on a
 * line may be sent before `durable` resolves. A last line that was truncated by a crash is discarded: no response
 * depended on it.
 */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'

export type Journal<Line> = {
  append(line: Line): void
  /** Resolves when everything appended so far is synced to disk. */
  durable(): Promise<void>
  close(): Promise<void>
}

export const memoryJournal: Journal<unknown> = {
  append: () => {},
  durable: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

export async function openJournal<Line>(file: string): Promise<{ journal: Journal<Line>; lines: Line[] }> {
  const lines = readLines<Line>(file)
  const handle = await open(file, 'a')
  let batch: string[] | null = null
  let written = Promise.resolve()

  async function write(texts: string[]): Promise<void> {
    // New lines go into the next batch from here on.
    batch = null
    await handle.appendFile(texts.join(''))
    await handle.datasync()
  }

  function append(line: Line): void {
    if (batch === null) {
      const texts: string[] = []
      batch = texts
      written = written.then(() => write(texts))
    }
    batch.push(`${JSON.stringify(line)}\n`)
  }

  async function close(): Promise<void> {
    await written
    await handle.close()
  }

  return { journal: { append, durable: () => written, close }, lines }
}

function readLines<Line>(file: string): Line[] {
  writeFileSync(file, '', { flag: 'a' })
  const bytes = readFileSync(file)
  const end = bytes.lastIndexOf(0x0a) + 1
  if (end < bytes.length) truncateSync(file, end)
  const texts = bytes.subarray(0, end).toString().split('\n').slice(0, -1)
  return texts.map((text) => JSON.parse(text) as Line)
}
