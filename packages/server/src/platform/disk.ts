/** How full a volume of this machine is. */
import { statfs } from 'node:fs/promises'

export type Volume = { readonly freeBytes: number; readonly totalBytes: number }

/** Null if there is no such folder here, or it may not be looked at. */
export async function volumeOf(folder: string): Promise<Volume | null> {
  const found = await statfs(folder).catch(() => null)
  if (found === null || found.blocks === 0) return null
  // What is reserved for the system is no room that could be used, and does not count, as with df.
  const { blocks, bfree, bavail, bsize } = found
  return { freeBytes: bavail * bsize, totalBytes: (blocks - bfree + bavail) * bsize }
}
