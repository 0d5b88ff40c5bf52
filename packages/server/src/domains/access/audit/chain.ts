/**
 * The hash chain of the audit log. Each hash covers the previous one, so changed, removed or moved entries
 * are detected.
 */
import { createHash } from 'node:crypto'

export type Link = { readonly number: bigint; readonly entry: string; readonly hash: Buffer }

/** The last number and hash of a chain. */
export type ChainEnd = { readonly number: bigint; readonly hash: Buffer }

export const emptyChain: ChainEnd = { number: 0n, hash: Buffer.alloc(32) }

export function hashOf(previous: Buffer, entry: string): Buffer {
  return createHash('sha256').update(previous).update(entry).digest()
}

/** Verifies links that follow `end`. `brokenAt` is the number of the first link that does not match. */
export function verifyLinks(
  end: ChainEnd,
  links: readonly Link[],
): { end: ChainEnd; brokenAt: bigint | null } {
  let verified = end
  for (const { number, entry, hash } of links) {
    const expected = verified.number + 1n
    if (number !== expected || !hash.equals(hashOf(verified.hash, entry)))
      return { end: verified, brokenAt: expected }
    verified = { number, hash }
  }
  return { end: verified, brokenAt: null }
}

/**
 * Whether the verified chain ends at the stored head. Only this detects that the newest entries were removed.
 */
export function isAtHead(end: ChainEnd, head: ChainEnd): boolean {
  return end.number === head.number && end.hash.equals(head.hash)
}
