/** Files and volumes of this machine. */
import { open, statfs } from 'node:fs/promises'

export type Volume = { readonly freeBytes: number; readonly totalBytes: number }

/** Null if the folder does not exist or is not accessible. */
export async function volumeOf(folder: string): Promise<Volume | null> {
  const found = await statfs(folder).catch(() => null)
  if (found === null || found.blocks === 0) return null
  // Blocks reserved for root are not usable, so they do not count, as in `df`.
  const { blocks, bfree, bavail, bsize } = found
  return { freeBytes: bavail * bsize, totalBytes: (blocks - bfree + bavail) * bsize }
}

/** Streams the lines of a text file. */
export async function* linesOfFile(path: string): AsyncGenerator<string> {
  const file = await open(path)
  yield* file.readLines()
}
