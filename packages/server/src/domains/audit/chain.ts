/** The chain of the audit log: each hash covers the one before it, so no entry can be changed, dropped or moved. */
import { createHash } from 'node:crypto'

export type Link = { readonly number: bigint; readonly entry: string; readonly hash: Buffer }

/** The end of a chain so far: its last number and hash. */
export type ChainEnd = { readonly number: bigint; readonly hash: Buffer }

export const beginning: ChainEnd = { number: 0n, hash: Buffer.alloc(32) }

export function hashOf(previous: Buffer, entry: string): Buffer {
  return createHash('sha256').update(previous).update(entry).digest()
}

/** Follows the links from `end`. Stops at the first that does not fit, and says which number that is. */
export function follow(end: ChainEnd, links: readonly Link[]): { end: ChainEnd; brokenAt: bigint | null } {
  let reached = end
  for (const { number, entry, hash } of links) {
    const expected = reached.number + 1n
    if (number !== expected || !hash.equals(hashOf(reached.hash, entry)))
      return { end: reached, brokenAt: expected }
    reached = { number, hash }
  }
  return { end: reached, brokenAt: null }
}

/** Whether the chain ends where its head says: entries cut off at the end would show nowhere else. */
export function reaches(end: ChainEnd, head: ChainEnd): boolean {
  return end.number === head.number && end.hash.equals(head.hash)
}
